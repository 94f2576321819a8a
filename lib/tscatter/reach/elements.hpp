// Single elements: where one of the output stands in a plan, its bytes, and how much of them
// reports keep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/readers.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// An element of the output, seen as [batches, destinations, block].
//
// 2 batches, 4 destinations, block 3: the element of number 17 is {1, 1, 2}
struct ElementPlace {
  std::int64_t batch = 0;
  std::int64_t destination = 0;
  std::int64_t in_block = 0;

  // `number`, here and below: in the order of data's file.
  static ElementPlace of(const ListedWrites& writes, std::int64_t number) {
    const std::int64_t block = writes.blocks.count();
    return {.batch = number / block / writes.destinations,
            .destination = number / block % writes.destinations,
            .in_block = number % block};
  }

  // A column is a place in the blocks of all batches: batch * block + in_block.
  static ElementPlace of_column(const ListedWrites& writes, std::int64_t destination,
                                std::int64_t column) {
    const std::int64_t block = writes.blocks.count();
    return {.batch = column / block, .destination = destination, .in_block = column % block};
  }

  std::int64_t number(const ListedWrites& writes) const {
    return (batch * writes.destinations + destination) * writes.blocks.count() + in_block;
  }

  // Where in updates its part of each entry is, from ListedWrites::update_of(entry) on.
  std::int64_t part_of_entries(const ListedWrites& writes) const {
    return writes.batches.offset(batch) + writes.blocks.offset(in_block);
  }
};

// What becomes of a bool that is neither 0 nor 1 in its file.
enum class OtherBools : bool { kept, made_1 };

// Single elements of a tensor, native.
class NativeElements {
 public:
  explicit NativeElements(const Tensor& tensor, OtherBools bools = OtherBools::made_1)
      : tensor_{tensor},
        reader_{tensor, std::endian::native},
        makes_1_{bools == OtherBools::made_1 && tensor.type().dtype == DType::boolean} {}

  // By its number in the order of the file. Valid until the next call.
  const std::byte* at(std::int64_t number) {
    const std::byte* element = reader_.fetch({.updates = number, .count = 1});
    if (!makes_1_) return element;
    truth_ = *element == std::byte{0} ? std::byte{0} : std::byte{1};
    return &truth_;
  }

  // Throws Error (file) if something that was read turned out to be missing from its file.
  void check() const { tensor_.source().check_view(); }

 private:
  const Tensor& tensor_;
  UpdatesReader reader_;
  bool makes_1_;
  std::byte truth_{};
};

// How long the elements are that verify and explain take, in bytes: both hold several of them.
inline constexpr std::size_t longest_examined = std::size_t{4} << 20U;

// How many of an element's first bytes reports keep.
inline std::size_t shown_bytes(const ElementType& type) {
  constexpr std::size_t most_opaque = 32;
  return type.dtype == DType::opaque ? std::min(type.size, most_opaque) : type.size;
}

}  // namespace tscatter
