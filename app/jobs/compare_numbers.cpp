#include "jobs/compare_numbers.hpp"

#include "tscatter/io/formats/float8_numbers.hpp"

namespace tscatter::app {

Census compare_numbers(const Tensor& actual, const Tensor& expected,
                       const CompareOptions& options) {
  if (!same_dtype(actual.type(), expected.type())) return compare(actual, expected, options);
  return compare(as_numbers(actual), as_numbers(expected), options);
}

}  // namespace tscatter::app
