// The oracle for verify(): classifies a result by trying every order of the updates that reach an
// element (oracle/writes.hpp). Shares no code with the library's plans, engine and judges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracle/oracle.hpp"

namespace tscatter::oracle {

// What reaches each element of the output, both counted in row-major order.
struct Reaching {
  struct Writer {
    std::size_t entry;
    std::size_t update;  // the element of updates
  };
  std::vector<std::vector<Writer>> writers;  // in the order of the entries

  // Elements that the same entries write together.
  std::vector<std::vector<std::size_t>> blocks;
};

Reaching reaching(const Call& call);

// The element after its updates in an order, given as indices into its writers.
std::vector<std::byte> value_after(const Call& call, const Reaching& reaching, std::size_t element,
                                   const std::vector<std::size_t>& order);

// The number of elements of each class, in the order of the names: untouched, in-order, reordered,
// (rounded or wrong, in the place of rounded), torn, wrong. Exact for overwritten elements; for
// reduced ones, exact as far as an order explains them. REQUIRES: at most 6 writers for each
// reduced element.
using NaiveCounts = std::array<std::int64_t, 6>;
NaiveCounts naive_counts(const Call& call, const Reaching& reaching, const Dense& actual);

}  // namespace tscatter::oracle
