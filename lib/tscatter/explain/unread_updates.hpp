// Who writes what is known without updates: a tensor of their shape stands for them. Not part of
// the installed interface.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The arguments with updates that have the shape which the other operands ask for, and elements
// that must not be read. Throws Error (usage, explain.e5, where they leave it open; rule).
// REQUIRES: no updates are given.
Arguments with_unread_updates(const Operation& operation, Arguments arguments);

}  // namespace tscatter
