// The identities of the reductions. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter {

// Whether elements that updates reach begin with another value than data's.
inline bool starts_anew(Reduction reduction, InitialValue initial) {
  return !(initial == InitialValue::data) && reduction != Reduction::none;
}

// What an element that updates reach begins with, in native byte order; empty if that is data's
// value. The number, or the reduction's identity: where that is the largest or lowest, of floats an
// infinity if `initial` is infinite, else the end of the finite numbers. REQUIRES: the reduction is
// none or defined for the dtype; a number is one of the dtype.
std::vector<std::byte> start_value(DType dtype, Reduction reduction, InitialValue initial);

}  // namespace tscatter
