// What reads an index as numpy.setitem writes to it, for its rules: no call applies it. Not part of
// the installed interface.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

extern const Operation getitem;

}  // namespace tscatter::names
