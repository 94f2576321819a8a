#include "tscatter/views/filled.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include "tscatter/kernels/move.hpp"

namespace tscatter {
namespace {

class FilledSource final : public Source {
 public:
  FilledSource(std::vector<std::byte> element, std::int64_t size)
      : element_{std::move(element)}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (!into.empty()) repeat(element_, into, static_cast<std::size_t>(offset) % element_.size());
  }
  std::optional<std::span<const std::byte>> repeated() const override { return element_; }

 private:
  std::vector<std::byte> element_;
  std::int64_t size_;
};

}  // namespace

Tensor filled(TensorHeader header, std::vector<std::byte> element, std::string name) {
  const std::int64_t size = header.byte_size();
  return {std::move(header), std::make_shared<FilledSource>(std::move(element), size),
          std::move(name)};
}

}  // namespace tscatter
