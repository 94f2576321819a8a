// A census as a report: what compare prints, and what a batch says of a failed
// case.
#pragma once

#include <string>

#include "text/document.hpp"
#include "tscatter/compare/census.hpp"

namespace tscatter::app {

// The verdict in one line, without its end: "equal: 24 elements", "3 of 24
// elements differ (12.5
// %)", "shape differs: got [2], expected [3]".
std::string verdict_line(const Census& census);

// Where differences lie: box, axis, share of each index.
Document place_document(const DifferencePlace& place, const Shape& shape, std::int64_t differences);

// The same, and the worst element: "3 of 24 elements differ (12.5 %), largest
// at [1, 2]: got 3.0, expected 4.0".
std::string census_line(const Census& census);

// What differs and by how much, in a few words: dtype, shape, tolerance, the error of the worst
// element beside the allowed one, and the box that they lie in.
Document census_figures(const Census& census);

// The report without its line and without these. In words only.
Document census_tables(const Census& census);

// In words the first line is census_line(). Keys: docs/compare.md.
Document census_document(const Census& census);

}  // namespace tscatter::app
