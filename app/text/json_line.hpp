// Reports as JSON text.
#pragma once

#include <string>

#include "text/document.hpp"

namespace tscatter::app {

// The report as one object in one line, with its line end; a table by itself is a list. Invalid
// UTF-8 becomes U+FFFD; if a text has characters that a terminal would obey, all but ASCII is
// escaped.
std::string json_line(const Document& document);
std::string json_line(const Table& table);

// The object of a report that becomes part of another one.
WrittenJson written_json(const Document& document);

}  // namespace tscatter::app
