#include "tscatter/views/filled.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/views/converted_elements.hpp"

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

namespace {

class Product {
 public:
  Product(DType dtype, const Number& factor)
      : factor_{start_value(dtype, Reduction::prod,
                            {.kind = InitialValue::Kind::number, .number = factor})},
        multiply_{reduce_loop(dtype, Reduction::prod)} {}

  ConversionCounts operator()(std::span<const std::byte> elements,
                              std::span<std::byte> into) const {
    const std::size_t size = factor_.size();
    for (std::size_t at = 0; at < into.size(); at += size)
      std::ranges::copy(factor_, into.subspan(at, size).begin());
    multiply_(into.data(), elements.data(), static_cast<std::int64_t>(into.size() / size));
    return {};
  }

 private:
  std::vector<std::byte> factor_;
  ReduceLoop multiply_;
};

}  // namespace

Tensor scaled(const Tensor& tensor, const Number& factor) {
  return {tensor.header(),
          std::make_shared<ConvertedElements>(tensor, tensor.type(),
                                              Product(tensor.type().dtype, factor)),
          tensor.name()};
}

}  // namespace tscatter
