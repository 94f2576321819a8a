#include "tscatter/views/scaled.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "tscatter/kernels/identity.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
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
