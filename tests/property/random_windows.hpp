// Random dimension numbers of the form window, and the shapes that go with them.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/oracle.hpp"
#include "property/random.hpp"
#include "tscatter/ops/forms/window.hpp"

namespace tscatter::property {

struct WindowShapes {
  Shape indices;
  Shape updates;
  forms::WindowDims dims;
};

// At most so many elements of updates. Windows of any length, some of them whole; axes of updates
// and indices in any order; `is_last`: the last axis of indices has the numbers of an entry.
WindowShapes random_window(Random& random, const Shape& data, std::int64_t most_updates,
                           bool is_last = false);

// Indices whose windows are within data, often with heavy duplicates.
oracle::Dense random_window_starts(Random& random, const WindowShapes& shapes, const Shape& data,
                                   const ElementType& type, bool may_be_negative);

}  // namespace tscatter::property
