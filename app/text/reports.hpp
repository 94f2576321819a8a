// The reports of the commands, as documents of words and JSON.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "text/document.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/statistics/statistics.hpp"
#include "tscatter/verify/verify.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {

// Whether a Census or a Verification got as far as the elements.
template <class Comparison>
bool is_compared(const Comparison& comparison) {
  return comparison.has_same_dtype() && comparison.has_same_shape();
}

// "dtype differs: got int8, expected int16; shape differs: got [2], expected [3]"
template <class Comparison>
std::string mismatch_text(const Comparison& comparison) {
  const TensorHeader& got = comparison.actual;
  const TensorHeader& expected = comparison.expected;
  std::string text;
  if (!comparison.has_same_dtype()) {
    text = fmt::format("dtype differs: got {}, expected {}", to_string(got.type),
                       to_string(expected.type));
  }
  if (comparison.has_same_shape()) return text;
  return fmt::format("{}{}shape differs: got {}, expected {}", text, text.empty() ? "" : "; ",
                     to_string(got.shape), to_string(expected.shape));
}

// The members dtype and shape.
Document header_members(const TensorHeader& actual, const TensorHeader& expected);

// Of a table of numbers, the line that was taken for its header.
void add_table_header(Document& document, const Tensor& tensor);

// The same of all tables among operands. JSON: table_headers, a list of operand and header.
void add_table_headers(Document& document,
                       const std::map<std::string, Tensor, std::less<>>& operands);

// A census as a report: what compare prints, and what a batch says of a failed case.
// The verdict in one line, without its end: "equal: 24 elements", "3 of 24
// elements differ (12.5
// %)", "shape differs: got [2], expected [3]".
std::string verdict_line(const Census& census);

// Where differences lie: box, axis, share of each index.
Document place_document(const DifferencePlace& place, const Shape& shape, std::int64_t differences);

// The same, and the worst element: "3 of 24 elements differ (12.5 %), largest
// at [1, 2]: got 3.0, expected 4.0".
std::string census_line(const Census& census);

// The same after words that say that values differ: "3 of 24 elements (12.5 %), largest at …".
std::string figures_line(const Census& census);

// What differs and by how much, in a few words: dtype, shape, tolerance, the error of the worst
// element beside the allowed one, and the box that they lie in.
Document census_figures(const Census& census);

// The report without its line and without these. In words only.
Document census_tables(const Census& census);

// In words the first line is census_line(). Keys: docs/compare.md.
Document census_document(const Census& census);

// What explains the wrong elements of a verified result, in words and JSON. "without indices[1]",
// "without indices[1] (20 of 25 wrong elements)", "as with --extremes update, or as
// onnx.ScatterND-18"; "no explanation was found"; empty where nothing is wrong.
std::string diagnosis_line(const Verification& verification);

// Why a result is not legal, whatever the entries: "without indices[…]", or several that explain as
// much of it; else "torn", "no explanation was found", or that dtype or shape differs.
std::vector<std::string> reasons_of(const Verification& verification);

// The diagnoses as a table, and as the member `diagnosis`. Keys: docs/verify.md.
Document diagnosis_document(const Verification& verification);

// The words of the first diagnosis that explains the element; empty if there is none.
std::string diagnosis_of(const ElementReport& element, const Verification& verification);

// The report of explain. In words the first line says whether the result depends on the order of
// the updates. Keys: docs/explain.md.
Document explanation_document(const Explanation& explanation);

// The policies that a call overrides, in reports. Adds nothing without overrides.
void add_overrides(Document& document, const std::vector<PolicyAnswer>& overridden);

// That updates were cast, and to how many values that did what. Adds nothing if they were not.
void add_casts(Document& document, const std::optional<CastCounts>& counts);

// What a dry run says of a change in place.
struct ChangeInPlace {
  std::int64_t journal_bytes = 0;  // of the undo journal; 0: there is none
};

// The report of a run or a dry run. `output`: its name; nullopt if the result is printed.
// `seconds`: nullopt for a dry run.
Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds,
                      const std::optional<ChangeInPlace>& change = std::nullopt);

// A tensor's header and the statistics of its elements, in the report of show. From dtype to
// byte_order: all but the name.
Document header_document(const Tensor& tensor);

// From min to histogram; for a bool also true. In words a histogram only of more than a few
// elements. `count`: the number of elements.
Document statistics_document(const Statistics& statistics, const ElementType& type,
                             std::int64_t count);

// A verification as a report: what verify prints, and what a batch says of a failed case.
// "legal: 1,000 elements, 3 of them reordered", "not legal: 3 of 1,000 elements are wrong, worst at
// [0, 1]: got 3.5, in order 3.0", "not legal: shape differs: got [2], expected [3]".
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
