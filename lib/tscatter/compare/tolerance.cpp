#include "tscatter/compare/tolerance.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array tolerance_rule_rows{
    Rule{"compare.c1", "rtol and atol are finite and not negative"},
    Rule{"compare.c2", "opaque elements are compared without rtol, atol and max_ulp"},
    Rule{"compare.c3", "the number of worst elements is from 0 to 10000"},
};

void check_bound(std::string_view name, const std::optional<double>& bound) {
  // compare.c1
  if (bound && !(std::isfinite(*bound) && *bound >= 0)) {
    fail(ErrorKind::usage, "compare.c1", "compare", "{} must be a finite number >= 0, got {}", name,
         *bound);
  }
}

}  // namespace

const std::span<const Rule> compare_rules = tolerance_rule_rows;

void check(const Tolerance& tolerance) {
  check_bound("rtol", tolerance.rtol);
  check_bound("atol", tolerance.atol);
}

}  // namespace tscatter
