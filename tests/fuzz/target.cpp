#include "fuzz/target.hpp"

#include <algorithm>
#include <vector>

namespace tscatter::fuzz {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 22U;  // bytes

std::vector<std::byte> bytes_of(const Tensor& tensor) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, bytes);
  return bytes;
}

}  // namespace

void read_all(const Tensor& tensor) {
  constexpr std::int64_t piece = 4096;
  std::vector<std::byte> bytes(piece);
  const std::int64_t end = std::min(tensor.byte_size(), most);
  for (std::int64_t at = 0; at < end; at += piece) {
    const auto count = static_cast<std::size_t>(std::min(piece, end - at));
    tensor.source().read(at, std::span(bytes).first(count));
  }
}

bool are_equal(const Tensor& one, const Tensor& other) {
  if (one.type().dtype != other.type().dtype || one.shape() != other.shape()) return false;
  if (one.byte_size() > most) return true;
  return bytes_of(one) == bytes_of(other);
}

}  // namespace tscatter::fuzz
