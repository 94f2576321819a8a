// What is printed as JSON.
#pragma once

#include <string>

#include "text/document.hpp"

namespace tscatter::app {

// The report as one object in one line, with its line end; a table by itself is
// a list. What is no UTF-8 becomes U+FFFD; where a text has characters that a
// terminal obeys, all but ASCII is escaped.
std::string json_line(const Document& document);
std::string json_line(const Table& table);

// The object of a report that is kept to stand in another one.
WrittenJson written_json(const Document& document);

}  // namespace tscatter::app
