#include "compare/numbers.hpp"

#include "tscatter/io/formats/float8_numbers.hpp"

namespace tscatter::app {

Census compare_numbers(const Tensor& actual, const Tensor& expected,
                       const CompareOptions& options) {
  if (!same_dtype(actual.type(), expected.type())) return compare(actual, expected, options);
  return compare(as_numbers(actual), as_numbers(expected), options);
}

std::optional<DType> numeric_dtype(const Tensor& tensor) {
  const DType dtype = tensor.type().dtype;
  return dtype == DType::opaque ? std::nullopt : std::optional(dtype);
}

}  // namespace tscatter::app
