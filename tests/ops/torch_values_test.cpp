// PyTorch's names on generated cases, with random answers to the questions that a call may answer
// otherwise: where updates go is the oracle's, what elements become is computed here once more, in
// doubles that are rounded explicitly.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "oracle/arithmetic.hpp"
#include "oracle/oracle.hpp"
#include "property/environment.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

using oracle::Dense;

// ---- What elements become

struct Rounding {
  int digits;
  int lowest;  // the exponent of the least number above 0
  double largest;
};
constexpr Rounding to_bfloat16{8, -133, 0x1.fep127};
constexpr Rounding to_float32{24, -149, 0x1.fffffep127};

// To nearest even.
double rounded(double value, const Rounding& to) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int unit = std::max(std::ilogb(value) + 1 - to.digits, to.lowest);
  const double made = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(made) > to.largest ? std::copysign(HUGE_VAL, value) : made;
}

using Bytes = std::vector<std::byte>;

// Elements of one dtype: int8, uint8, int32, int64, bool, float32 or bfloat16.
class TorchArithmetic {
 public:
  explicit TorchArithmetic(const oracle::Call& call)
      : row_{call.row()}, type_{call.operand("data").type} {
    const auto given = [&]<class T>(std::string_view name, T otherwise) {
      return row_.find_attribute(name) == nullptr ? otherwise
                                                  : row_.attribute<T>(call.attributes, name);
    };
    reduction_ = given("reduction", Reduction::none);
    if (call.operation.ends_with("_add") || given("accumulate", false)) reduction_ = Reduction::sum;
    initial_ = given("use_init_val", true) ? InitialValue::data : InitialValue::infinite;
    if (row_.policies.initial) initial_ = *row_.policies.initial;
    if (row_.find_attribute("alpha") != nullptr)
      alpha_ = std::get<std::int64_t>(given("alpha", Number(std::int64_t{1})));
  }

  // REQUIRES: there are updates.
  Bytes met(const std::byte* own, const std::vector<const std::byte*>& updates) const {
    if (reduction_ == Reduction::none) return bytes_of(updates.back());
    Bytes value = initial_ == InitialValue::data ? bytes_of(own) : initial();
    const bool is_extreme = reduction_ == Reduction::max || reduction_ == Reduction::min;
    if (!is_extreme && is_real()) return real(decoded(value.data()), updates);
    if (!is_extreme) return whole(integer(value.data()), updates);
    for (const std::byte* update : updates) {
      const bool is_taken = is_real() ? takes(decoded(value.data()), decoded(update))
                                      : takes(integer(value.data()), integer(update));
      if (is_taken) value = bytes_of(update);
    }
    return value;
  }

 private:
  bool is_real() const { return info(type_.dtype).kind == DTypeKind::real; }
  bool is_bool() const { return type_.dtype == DType::boolean; }
  bool is_bfloat16() const { return type_.dtype == DType::bfloat16; }
  Rounding own_rounding() const { return is_bfloat16() ? to_bfloat16 : to_float32; }
  Bytes bytes_of(const std::byte* element) const { return {element, element + type_.size}; }

  std::int64_t integer(const std::byte* from) const {
    return static_cast<std::int64_t>(oracle::load_integer(type_.dtype, from));
  }
  double decoded(const std::byte* from) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, type_.size);
    return std::bit_cast<float>(is_bfloat16() ? bits << 16U : bits);
  }
  Bytes encoded(double value) const {
    auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (std::isnan(value)) bits = 0x7fc00000;
    if (is_bfloat16()) bits >>= 16U;
    Bytes bytes(type_.size);
    std::memcpy(bytes.data(), &bits, type_.size);
    return bytes;
  }
  Bytes stored(std::int64_t value) const {
    Bytes bytes(type_.size);
    oracle::store_integer(type_.dtype, is_bool() ? static_cast<int>(value != 0) : value,
                          bytes.data());
    return bytes;
  }

  Bytes initial() const {
    if (initial_.kind == InitialValue::Kind::number) return number(1);
    const bool is_max = reduction_ == Reduction::max;
    if (!is_max && reduction_ != Reduction::min)
      return number(reduction_ == Reduction::prod ? 1 : 0);
    if (is_real()) {
      const double end = initial_ == InitialValue::infinite ? HUGE_VAL : own_rounding().largest;
      return encoded(is_max ? -end : end);
    }
    const bool is_signed = type_.dtype != DType::uint8 && !is_bool();
    const auto bits = static_cast<int>(8 * type_.size) - static_cast<int>(is_signed);
    const auto largest = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    return stored(!is_max ? largest : is_signed ? -largest - 1 : 0);
  }
  Bytes number(std::int64_t value) const {
    return is_real() ? encoded(static_cast<double>(value)) : stored(value);
  }

  // Whether x, which is there, gives way to y.
  template <class T>
  bool takes(T x, T y) const {
    const bool is_max = reduction_ == Reduction::max;
    const bool is_less = is_max ? x < y : y < x;
    const auto is_nan = [](T value) { return std::isnan(static_cast<double>(value)); };
    const auto is_minus_0 = [](T value) { return value == 0 && std::signbit(double(value)); };
    switch (row_.policies.extremes) {
      case Extremes::data: return is_less;
      case Extremes::update: return !(is_max ? y < x : x < y);
      case Extremes::propagate: return !is_nan(x) && (is_less || is_nan(y));
      case Extremes::ieee:
        if (x == y) return is_minus_0(is_max ? x : y) && !is_minus_0(is_max ? y : x);
        return !is_nan(x) && (is_less || is_nan(y));
      case Extremes::ignore: return is_less || (is_nan(x) && !is_nan(y));
    }
    return false;
  }

  std::int64_t values(std::size_t updates) const {
    return static_cast<std::int64_t>(updates) + (initial_ == InitialValue::data ? 1 : 0);
  }

  double in_accumulator(double value) const {
    switch (row_.policies.accumulation) {
      case Accumulation::each_step: return rounded(value, own_rounding());
      case Accumulation::float32: return rounded(value, to_float32);
      case Accumulation::float64: return value;
    }
    return value;
  }

  Bytes real(double value, const std::vector<const std::byte*>& updates) const {
    for (const std::byte* each : updates) {
      const double update = rounded(decoded(each) * static_cast<double>(alpha_), own_rounding());
      value = in_accumulator(reduction_ == Reduction::prod ? value * update : value + update);
    }
    if (reduction_ == Reduction::mean) value = mean(value, values(updates.size()));
    return encoded(rounded(value, own_rounding()));
  }

  double mean(double sum, std::int64_t count) const {
    const auto exact = static_cast<double>(count);
    switch (row_.policies.mean.divisor) {
      case MeanDivisor::exact: return in_accumulator(sum / exact);
      case MeanDivisor::in_dtype:
        return rounded(sum, own_rounding()) / rounded(exact, own_rounding());
      case MeanDivisor::stalling:
        return rounded(sum, own_rounding()) / std::min(exact, std::ldexp(1, own_rounding().digits));
    }
    return sum;
  }

  Bytes whole(std::int64_t start, const std::vector<const std::byte*>& updates) const {
    auto value = static_cast<std::uint64_t>(start);
    for (const std::byte* each : updates) {
      auto update = static_cast<std::uint64_t>(integer(each)) * static_cast<std::uint64_t>(alpha_);
      if (is_bool()) update = update == 0 ? 0 : 1;
      if (reduction_ == Reduction::prod) {
        value *= update;
      } else {
        value = is_bool() ? value | update : value + update;
      }
    }
    Bytes sum = stored(static_cast<std::int64_t>(value));
    if (reduction_ != Reduction::mean) return sum;
    std::int64_t count = values(updates.size());
    if (row_.policies.mean.divisor != MeanDivisor::exact) {
      count = integer(stored(count).data());
      if (count == 0) count = 1;
    }
    return stored(divided(integer(sum.data()), count));
  }

  // Without a division that overflows.
  std::int64_t divided(std::int64_t sum, std::int64_t count) const {
    if (count == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(sum));
    const bool is_between = sum % count != 0 && (sum < 0) != (count < 0);
    const bool is_floor = row_.policies.mean.quotient == MeanQuotient::floor;
    return sum / count - (is_between && is_floor ? 1 : 0);
  }

  const Operation& row_;
  ElementType type_;
  Reduction reduction_ = Reduction::none;
  InitialValue initial_ = InitialValue::data;
  std::int64_t alpha_ = 1;
};

Dense torch_result(const oracle::Call& call) {
  const Dense& updates = call.operand("updates");
  Dense result = call.operand("data");
  std::vector<std::vector<const std::byte*>> of_element(result.count());
  oracle::for_each_write(call, [&](const oracle::Write& write) {
    of_element[oracle::row_major(result.shape, write.element)].push_back(updates.at(write.update));
  });
  const TorchArithmetic arithmetic(call);
  for (std::size_t i = 0; i < of_element.size(); ++i) {
    if (of_element[i].empty()) continue;
    std::ranges::copy(arithmetic.met(result.element(i), of_element[i]), result.element(i));
  }
  return result;
}

// ---- The cases

using Words = std::mt19937;

// The operation with policies of its own for some questions, or none.
Operation drawn_variant(Words& words, const Operation& operation) {
  Operation row = operation;
  for (const PolicyInfo* each : policies_of(operation)) {
    if (each->policy == Policy::duplicates || words() % 2 == 0) continue;
    override_policy(row, *each, words() % each->words.size());
    if (each->policy == Policy::initial && words() % 4 == 0) override_policy(row, *each, "1");
  }
  return row;
}

// Moves some of the indices, also out of range.
void scatter_indices(Words& words, oracle::Call& call) {
  for (auto& [name, operand] : call.operands) {
    const bool holds = name == "indices" || is_operand_of_item(name);
    if (!holds || !is_integer(operand.type.dtype)) continue;
    for (std::size_t i = 0; i < operand.count(); ++i) {
      const auto number = static_cast<std::int64_t>(words() % 13) - 6;
      if (words() % 4 == 0 && oracle::fits(operand.type.dtype, number))
        oracle::store_integer(operand.type.dtype, number, operand.element(i));
    }
  }
}

// What apply() leaves of the call; the label of an error as its only text.
struct Applied {
  std::vector<std::byte> bytes;
  std::string label;
};

Applied applied_torch(const oracle::Call& call, const oracle::Layout& layout,
                      const RunOptions& options) {
  std::map<std::string, std::vector<std::byte>> stored;
  Arguments arguments{.operands = {}, .attributes = call.attributes, .index = call.index};
  for (const auto& [name, dense] : call.operands) {
    const std::vector<std::byte>& bytes = stored[name] = oracle::stored(dense, layout);
    arguments.operands.emplace(
        name, Tensor(oracle::header_of(dense, layout), std::span<const std::byte>(bytes), name));
  }
  Applied got{.bytes = std::vector<std::byte>(call.operand("data").bytes.size()), .label = {}};
  MemoryOutput output{std::span(got.bytes)};
  try {
    apply(call.row(), arguments, output, options);
  } catch (const Error& error) {
    got.label = error.label();
  }
  return got;
}

struct TorchWay {
  oracle::Layout layout;
  RunOptions options;
};

using enum MemoryOrder;
const std::array torch_ways{
    TorchWay{{c, std::endian::little}, {.threads = 1}},
    TorchWay{{c, std::endian::little}, {.threads = 3, .tile_bytes = 16, .entry_memory = 64}},
    TorchWay{{fortran, std::endian::little}, {.threads = 1, .entry_memory = 640}},
    TorchWay{{c, std::endian::big}, {.threads = 1}},
    TorchWay{{fortran, std::endian::big}, {.threads = 2, .tile_bytes = 64}}};

// "" if apply() does what the loop does, in each order and byte order, and with little memory.
std::string wrong_with_torch(const oracle::Call& call) {
  const auto refused = oracle::refusal_of(call);
  const std::string label = refused ? refused->label : "";
  const Dense expected = refused ? Dense{} : torch_result(call);
  if (!refused && oracle::apply(call).output.bytes != expected.bytes) return "the oracle differs";
  for (const auto& [layout, options] : torch_ways) {
    const Applied got = applied_torch(call, layout, options);
    if (got.label != label) return fmt::format("got '{}', must be '{}'", got.label, label);
    if (label.empty() && got.bytes != oracle::stored(expected, layout)) return "other bytes";
  }
  return "";
}

std::string variant_text(const Operation& row) {
  std::string text(row.name);
  for (const PolicyAnswer& each : overrides_of(row))
    text += fmt::format(" --{} {}", each.policy, each.answer);
  return text;
}

std::vector<const Operation*> torch_operations() {
  std::vector<const Operation*> found;
  for (const Operation* each : operations())
    if (namespace_of(each->name) == "torch") found.push_back(each);
  return found;
}

}  // namespace

TEST_CASE("torch: each name does what its loop does, bit for bit, with all of its policies",
          "[ops]") {
  const std::uint64_t variants =
      property::extent("TSCATTER_VARIANTS", {.whole = 200, .sample = 25, .slowed = 4});
  const std::vector<const Operation*> names = torch_operations();
  CHECK(names.size() == 14);
  std::int64_t cases = 0;
  for (const Operation* operation : names) {
    for (std::uint32_t seed = 0; seed < variants; ++seed) {
      Words words(seed);
      const auto row = std::make_shared<const Operation>(drawn_variant(words, *operation));
      GenerateOptions options{
          .operation = row.get(), .seed = seed, .count = 16, .max_elements = 300};
      options.dtypes = {DType::int8,    DType::uint8,   DType::int32,   DType::int64,
                        DType::boolean, DType::float32, DType::bfloat16};
      const bool is_moved = seed % 3 == 0 || row->policies.outside != OutsideIndex::error;
      for (const GeneratedCase& generated : all_cases(options)) {
        oracle::Call call = call_of(generated);
        call.variant = row;
        if (is_moved) scatter_indices(words, call);
        INFO(variant_text(*row) << ", seed " << seed << ", " << generated.name);
        CHECK(wrong_with_torch(call) == "");
        ++cases;
      }
    }
  }
  CHECK(cases == static_cast<std::int64_t>(14 * 16 * variants));
}

}  // namespace tscatter::generate
