// The census as docs/compare.md defines it, element by element over all indices, with everything
// kept: the oracle for compare(). Shares only the types of the result with lib/tscatter/compare.
#pragma once

#include "oracle/dense.hpp"
#include "tscatter/compare/census.hpp"

namespace tscatter::oracle {

// REQUIRES: same dtype and shape.
Census naive_census(const Dense& actual, const Dense& expected, const CompareOptions& options);

}  // namespace tscatter::oracle
