// A source that owns its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"

namespace tscatter {

template <class T>
class OwnedSource final : public Source {
 public:
  explicit OwnedSource(std::vector<T> elements) : elements_{std::move(elements)} {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes().size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_memory(bytes(), offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return bytes(); }

 private:
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(elements_)); }

  std::vector<T> elements_;
};

template <class T>
std::shared_ptr<const Source> owned_source(std::vector<T> elements) {
  return std::make_shared<OwnedSource<T>>(std::move(elements));
}

}  // namespace tscatter
