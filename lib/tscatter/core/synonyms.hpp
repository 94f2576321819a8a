// What other tools call the commands, operations, flags, dtypes and reductions of tscatter. Not
// part of the installed interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tscatter {

// " (use compare)" for "diff", if "compare" is among `known`; "" if no row of the table helps.
// Case, '-', '_' and what stands before the last dot do not count.
std::string synonym_hint(std::string_view word, const std::vector<std::string>& known);

// Our word for another tool's, folded: mean for "avg"; empty if there is none. Of several the
// first.
std::string_view synonym_of(std::string_view word);

}  // namespace tscatter
