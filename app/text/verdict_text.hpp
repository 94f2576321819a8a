// A verification as a report: what verify prints, and what a batch says of a
// failed case.
#pragma once

#include <string>

#include "text/document.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// "legal: 1,000 elements, 3 of them reordered", "not legal: 3 of 1,000 elements
// are wrong, worst at [0, 1]: got 3.5, in order 3.0", "not legal: shape
// differs: got [2], expected [3]".
std::string verdict_line(const Verification& verification);

// The same without an element: "not legal: 3 of 1,000 elements are wrong".
std::string legality_line(const Verification& verification);

// dtype, shape and dropped entries, in words only.
Document verdict_figures(const Verification& verification);

// The report without its line, operation, reduction and these figures.
Document verdict_tables(const Verification& verification);

// The verdict is the first line. Keys: docs/verify.md.
Document verdict_document(const Verification& verification);

}  // namespace tscatter::app
