#include "tscatter/ops/forms/index_place.hpp"

#include "tscatter/core/unaligned.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter {
namespace {

constexpr int sign = 63;

// Without branches: which indices are negative cannot be foretold.
template <class T>
bool are_in_range_of(const std::byte* indices, std::int64_t count, std::uint64_t size,
                     std::uint64_t from_end) {
  std::uint64_t outside = 0;  // its sign: some index is below the range or above it
  vectorised([=, &outside] {
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint64_t>(saturated(load<T>(indices, i)));
      any |= (index + from_end) | (size - 1 - index);
    }
    outside = any;
  });
  return outside >> sign == 0;
}

template <class T>
bool read_of(const std::byte* indices, std::int64_t count, std::uint64_t size,
             std::uint64_t from_end, std::uint32_t* into) {
  std::uint64_t outside = 0;  // its sign: some position is negative or not below the size
  vectorised([=, &outside] {
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = saturated(load<T>(indices, i));
      const std::uint64_t is_negative = index < 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t position = static_cast<std::uint64_t>(index) + (from_end & is_negative);
      any |= position | (size - 1 - position);
      into[i] = static_cast<std::uint32_t>(position);
    }
    outside = any;
  });
  return outside >> sign == 0;
}

std::uint64_t from_end(std::int64_t size, NegativeIndex negative) {
  return negative == NegativeIndex::from_the_end ? static_cast<std::uint64_t>(size) : 0;
}

}  // namespace

bool PlainIndices::are_in_range(std::int64_t first, std::int64_t count) const {
  return visit_integer_dtype(dtype_, [&]<class T>() {
    const std::byte* begin = indices_.data() + static_cast<std::size_t>(first) * sizeof(T);
    return are_in_range_of<T>(begin, count, static_cast<std::uint64_t>(size_),
                              from_end(size_, negative_));
  });
}

bool PlainIndices::read(std::int64_t first, std::span<std::uint32_t> into) const {
  return visit_integer_dtype(dtype_, [&]<class T>() {
    const std::byte* begin = indices_.data() + static_cast<std::size_t>(first) * sizeof(T);
    return read_of<T>(begin, std::ssize(into), static_cast<std::uint64_t>(size_),
                      from_end(size_, negative_), into.data());
  });
}

}  // namespace tscatter
