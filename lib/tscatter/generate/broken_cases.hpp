// Cases that break one rule each. They are legal calls in which one thing is changed, by mutators
// that know nothing of operations; the operation says which rule the changed call breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// Changes one thing in the call: a size, the rank, the dtype or a number of one operand, or of
// several operands alike. `number` numbers the changes of one case. Returns what was changed:
// "updates-longer", "data-and-updates-float64"; nullopt if the drawn operand has nothing to change.
// The changed call may still be legal.
std::optional<std::string> change(GeneratedCase& call, const Draws& draws, std::uint64_t number);

// The label of the rule that refuses the call; "" if none does. nullopt: a word of the call itself
// is wrong, as an operand that the operation does not have.
std::optional<std::string> refusing_rule(const Operation& operation, const Arguments& arguments);

// A case that breaks the rule whose turn it is, and no rule that is checked before it. Its name
// says the rule and the change: "c4-indices-above". REQUIRES: the set is exact.
GeneratedCase broken_case(const Setting& setting);

}  // namespace tscatter::generate
