// A module of StableHLO as its own tests have them: functions that scatter constants and check the
// result. Read in bounded memory, and written. Form: docs/batch.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::mlir {

inline constexpr std::size_t longest_module = std::size_t{64} << 20U;

// The operation of a region, and what it makes of the element that is there and the update.
struct BodyWord {
  std::string_view word;
  Reduction reduction;
  bool is_commutative;
};

inline constexpr std::array body_words{BodyWord{"stablehlo.add", Reduction::sum, true},
                                       BodyWord{"stablehlo.multiply", Reduction::prod, true},
                                       BodyWord{"stablehlo.minimum", Reduction::min, true},
                                       BodyWord{"stablehlo.maximum", Reduction::max, true},
                                       BodyWord{"stablehlo.subtract", Reduction::sub, false},
                                       BodyWord{"stablehlo.and", Reduction::bit_and, true},
                                       BodyWord{"stablehlo.or", Reduction::bit_or, true},
                                       BodyWord{"stablehlo.xor", Reduction::bit_xor, true}};

// How far the result may be from what is expected: by StableHLO's checks, in which 0.0 and -0.0 are
// equal.
struct Assertion {
  std::optional<double> atol = {};
  std::optional<std::uint64_t> max_ulp = {};
  bool equal_nan = false;
};

// Constants are as the module writes them: "dense<[1, 2]> : tensor<2xi64>".
struct ScatterCall {
  std::string_view input = {};
  std::string_view scatter_indices = {};
  std::string_view updates = {};
  std::string dims = {};  // "#stablehlo.scatter<index_vector_dim = 1>"
  Reduction body = Reduction::none;
  std::vector<std::string> promises = {};  // of indices_are_sorted and unique_indices
  std::string_view expected = {};
  Assertion assertion = {};
};

struct Function {
  std::string name = {};                             // "main"; "": the module has no function
  std::int64_t line = 1;                             // from 1
  std::variant<ScatterCall, std::string> call = {};  // or why it is not run here
};

// The functions that no other one calls, in their order; one without a name if there is none.
// `name` is used in messages. Throws Error (format, mlir.f1). REQUIRES: the text outlives the
// result.
std::vector<Function> functions_of(std::string_view text, const std::string& name);

// A module whose function @main calls stablehlo.scatter, checks that it gives `expected`, and
// returns it. REQUIRES: dtypes are numeric, elements in memory, little-endian, in C order.
std::string module_text(const Arguments& arguments, const Tensor& expected);

}  // namespace tscatter::mlir
