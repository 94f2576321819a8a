// Which shapes of updates a call may have, and how they become the one that its form requires. Not
// part of the installed interface.
#pragma once

#include <string>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter::forms {

struct RequiredShape {
  Shape shape;
  std::string formula;  // where it comes from, for messages
  std::string_view hint = {};
};

// Gives updates the shape, as the operation's UpdatesShape says: as a view, nothing is copied.
// Throws Error (the rule of Check::updates_shape).
void fit_updates(const Operation& operation, Arguments& arguments, const RequiredShape& required);

}  // namespace tscatter::forms
