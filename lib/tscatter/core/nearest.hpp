// The existing name nearest to one that a user mistyped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tscatter {

// " (nearest: sum)" for "sun", " (nearest: --output)" for "--out", " (use --stop)" for "--end";
// when nothing is near, `otherwise` in parentheses, or nothing. Case, '-' and '_' do not count.
std::string nearest_hint(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise = {});

// The names to choose from, and the nearest: "a, b, weight (nearest: weight)"; of many names how
// many there are: "the 12 that there are (nearest: weight)".
std::string names_and_nearest(std::string_view name, const std::vector<std::string>& known);

// The nearest of the names that are known; nullptr if none is near.
const std::string* nearest_name(std::string_view name, const std::vector<std::string>& known);

// Without '-' and '_', in lower case.
std::string folded(std::string_view name);

// What other tools call the commands, operations, flags, dtypes and reductions of tscatter. " (use
// compare)" for "diff", if "compare" is among `known`; "" if no row of the table helps. Case, '-',
// '_' and what stands before the last dot do not count.
std::string synonym_hint(std::string_view word, const std::vector<std::string>& known);

// Our word for another tool's, folded: mean for "avg"; empty if there is none. Of several the
// first.
std::string_view synonym_of(std::string_view word);

}  // namespace tscatter
