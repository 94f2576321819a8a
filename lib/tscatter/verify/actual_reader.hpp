// ActualReader: reads the result to be verified, in data's byte order and memory order whatever its
// own are.
#pragma once

#include <bit>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/npy/opaque_words.hpp"

namespace tscatter {

// Replaces every byte but 0, which is true, by 1.
void make_canonical_bools(std::span<std::byte> bools);

class ActualReader {
 public:
  // Copies a result of another memory order in boxes of at most `box_bytes`, a long one to a
  // temporary file in `spool_directory`. REQUIRES: shape and dtype are data's, except for byte
  // order.
  ActualReader(const Tensor& actual, const TensorHeader& data, std::int64_t box_bytes,
               const std::filesystem::path& spool_directory, StopFlag stop);

  // Fills `into` with the elements from `element` on, as data's file would hold them; bools as 0 or
  // 1. Safe to call from several threads.
  void read(std::int64_t element, std::span<std::byte> into) const;

  // Whether read() would give these bytes. Safe to call from several threads.
  bool equals(std::int64_t element, std::span<const std::byte> bytes) const;

  const Source& source() const { return tensor_.source(); }

 private:
  Tensor tensor_;
  std::endian byte_order_;
  std::vector<WordRun> turned_words_;
};

}  // namespace tscatter
