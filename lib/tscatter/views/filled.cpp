#include "tscatter/views/filled.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace tscatter {
namespace {

class FilledSource final : public Source {
 public:
  FilledSource(std::vector<std::byte> element, std::int64_t size)
      : element_{std::move(element)}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    const std::size_t length = element_.size();
    const std::size_t at = static_cast<std::size_t>(offset) % std::max<std::size_t>(length, 1);
    const std::size_t first = std::min(length, into.size());
    for (std::size_t i = 0; i < first; ++i) into[i] = element_[(at + i) % length];
    // What stands there is doubled until it is all.
    for (std::size_t done = first; done < into.size(); done *= 2) {
      const std::size_t more = std::min(done, into.size() - done);
      std::ranges::copy(into.first(more), into.subspan(done).begin());
    }
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
