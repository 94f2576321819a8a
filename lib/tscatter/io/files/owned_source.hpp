// Sources that own their bytes: all of them, or one element that is repeated.
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

// Repeats one element, however large the tensor.
class FillSource final : public Source {
 public:
  FillSource(std::vector<std::byte> element, std::int64_t size)
      : element_{std::move(element)}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    auto at = static_cast<std::size_t>(offset % static_cast<std::int64_t>(element_.size()));
    for (std::byte& byte : into) {
      byte = element_[at];
      at = at + 1 == element_.size() ? 0 : at + 1;
    }
  }
  std::optional<std::span<const std::byte>> repeated() const override { return element_; }

 private:
  std::vector<std::byte> element_;
  std::int64_t size_;
};

inline std::shared_ptr<const Source> repeated_source(std::vector<std::byte> element,
                                                     std::int64_t size) {
  return std::make_shared<FillSource>(std::move(element), size);
}

}  // namespace tscatter
