// compare() for every dtype that has numbers.
#pragma once

#include <optional>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// compare(); where both have the same float8 dtype, as float32. Throws Error as compare() does.
Census compare_numbers(const Tensor& actual, const Tensor& expected, const CompareOptions& options);

// nullopt for opaque elements.
std::optional<DType> numeric_dtype(const Tensor& tensor);

}  // namespace tscatter::app
