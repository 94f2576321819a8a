// Each value set serves its purpose.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"

namespace tscatter::generate {
namespace {

GenerateOptions values_for(ValueSet set, std::vector<DType> dtypes,
                           std::vector<Reduction> reductions, std::int64_t count) {
  GenerateOptions options = options_for("ScatterNDUpdate-15", 11, count);
  options.set = set;
  options.dtypes = std::move(dtypes);
  options.reductions = std::move(reductions);
  return options;
}

std::vector<std::size_t> identity(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

const std::vector<DType> reals{DType::float16, DType::bfloat16, DType::float32, DType::float64};

// The numbers in the tensor; the parts of a complex one separately.
std::vector<std::uint64_t> patterns_of(const GeneratedTensor& tensor) {
  const oracle::RealFormat format = oracle::format_of(tensor.header.type.dtype);
  const std::vector<std::byte> bytes = native(tensor).bytes;
  std::vector<std::uint64_t> patterns;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(format.bits / 8))
    patterns.push_back(oracle::load_pattern(format, &bytes[at]));
  return patterns;
}

}  // namespace

TEST_CASE("exact: 1,000 shuffled orders of the updates leave the same bytes", "[generate]") {
  GenerateOptions options = values_for(
      ValueSet::exact, {},
      {Reduction::sum, Reduction::sub, Reduction::prod, Reduction::min, Reduction::max}, 800);
  options.max_elements = 512;
  options.duplicates = Duplicates::heavy;
  std::mt19937_64 random(5);
  std::set<std::string> combinations;
  int shuffles = 0;
  for (const GeneratedCase& each : all_cases(options)) {
    if (duplicates_of(each) < 8) continue;
    INFO(each.name);
    const std::string combination =
        to_string(each.operand("data").header.type) + " " +
        std::string(to_string(each.operation->reduction(each.attributes)));
    const bool is_first = combinations.insert(combination).second;
    const bool rounds = info(each.operand("data").header.type.dtype).kind == DTypeKind::real ||
                        info(each.operand("data").header.type.dtype).kind == DTypeKind::complex;
    const std::vector<std::byte> expected = output_of(each);
    std::vector<std::size_t> order = identity(entries_of(each));
    int differing = 0;
    for (int times = is_first && rounds ? 1000 : 10; times > 0; --times, ++shuffles) {
      std::shuffle(order.begin(), order.end(), random);
      if (output_of(reordered(each, order)) != expected) ++differing;
    }
    CHECK(differing == 0);
  }
  CHECK(combinations.size() == 13 * 5 + 2 * 3);
  CHECK(shuffles > 20000);
}

TEST_CASE("exact: no order and no tree can leave what the significand and the exponent hold",
          "[generate]") {
  for (const GeneratedCase& each :
       all_cases(values_for(ValueSet::exact, reals, {Reduction::sum, Reduction::prod}, 400))) {
    INFO(each.name);
    const oracle::RealFormat format = oracle::format_of(each.operand("data").header.type.dtype);
    const auto entries = static_cast<double>(entries_of(each));
    const bool is_sum = each.operation->reduction(each.attributes) == Reduction::sum;
    double largest = 0;
    std::size_t last_scaled = 0;
    const std::vector<std::uint64_t> updates = patterns_of(each.operand("updates"));
    for (std::size_t i = 0; i < updates.size(); ++i) {
      const double value = std::abs(oracle::decoded(format, updates[i]));
      largest = std::max(largest, value);
      if (value != 1) last_scaled = i;
    }
    if (is_sum) CHECK(largest * (entries + 1) <= std::ldexp(1.0, format.mantissa + 1));
    if (is_sum || updates.empty()) continue;
    // data and 12 entries, each at most 2: 2^13 is a float16.
    CHECK(largest <= 2);
    CHECK(last_scaled < 12 * (updates.size() / entries_of(each)));
  }
}

TEST_CASE("swamp and rounding: most cases with duplicates depend on the order", "[generate]") {
  for (const ValueSet set : {ValueSet::swamp, ValueSet::rounding}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
      int repeated = 0;
      int differing = 0;
      for (const GeneratedCase& each : all_cases(values_for(set, reals, {reduction}, 200))) {
        if (duplicates_of(each) == 0) continue;
        ++repeated;
        std::vector<std::size_t> order = identity(entries_of(each));
        std::ranges::reverse(order);
        if (output_of(reordered(each, order)) != output_of(each)) ++differing;
      }
      INFO(to_string(set) << " " << to_string(reduction));
      CHECK(repeated > 60);
      CHECK(differing * 10 > repeated * 7);
    }
  }
}

TEST_CASE("rounding: from 1/2 to below 2, with all bits of the significand", "[generate]") {
  for (const DType dtype : reals) {
    const oracle::RealFormat format = oracle::format_of(dtype);
    std::uint64_t seen = 0;
    for (const GeneratedCase& each :
         all_cases(values_for(ValueSet::rounding, {dtype}, {Reduction::sum}, 30))) {
      for (const std::uint64_t pattern : patterns_of(each.operand("updates"))) {
        const double value = std::abs(oracle::decoded(format, pattern));
        CHECK((value >= 0.5 && value < 2));
        seen |= pattern;
      }
    }
    const std::uint64_t fraction = (std::uint64_t{1} << format.mantissa) - 1;
    CHECK((seen & fraction) == fraction);
  }
}

TEST_CASE("special: NaN, infinities, signed zeros, subnormals, the largest and the smallest",
          "[generate]") {
  for (const DType dtype : reals) {
    const oracle::RealFormat format = oracle::format_of(dtype);
    std::set<std::uint64_t> seen;
    for (const GeneratedCase& each :
         all_cases(values_for(ValueSet::special, {dtype}, {Reduction::sum}, 30))) {
      for (const std::uint64_t pattern : patterns_of(each.operand("data"))) seen.insert(pattern);
    }
    const std::uint64_t normal = std::uint64_t{1} << format.mantissa;
    for (const std::uint64_t magnitude :
         {std::uint64_t{0}, std::uint64_t{1}, normal - 1, normal, format.infinity() - 1,
          format.infinity(), format.infinity() | (normal >> 1U)}) {
      CHECK(seen.contains(magnitude));
      CHECK(seen.contains(magnitude | format.sign()));
    }
  }
  for (const DType dtype : {DType::int8, DType::uint8, DType::int64, DType::uint64}) {
    std::set<std::uint64_t> seen;
    const auto bits = static_cast<unsigned>(8 * info(dtype).size);
    for (const GeneratedCase& each :
         all_cases(values_for(ValueSet::special, {dtype}, {Reduction::sum}, 30))) {
      for (const std::int64_t value : integers_of(each.operand("data")))
        seen.insert(static_cast<std::uint64_t>(value) << (64 - bits) >> (64 - bits));
    }
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t pattern :
         {std::uint64_t{0}, std::uint64_t{1}, half - 1, half, half - 1 + half})
      CHECK(seen.contains(pattern));
  }
}

TEST_CASE("full: every value of 8- and 16-bit types is in data", "[generate]") {
  const std::vector<DType> narrow{DType::int8,   DType::uint8,   DType::int16,
                                  DType::uint16, DType::float16, DType::bfloat16};
  std::set<DType> with_full_updates;
  for (const GeneratedCase& each :
       all_cases(values_for(ValueSet::full, narrow, {Reduction::none, Reduction::sum}, 60))) {
    INFO(each.name);
    const DType dtype = each.operand("data").header.type.dtype;
    const std::size_t size = info(dtype).size;
    const auto distinct = [&](const GeneratedTensor& tensor) {
      std::vector<bool> is_there(std::size_t{1} << (8 * size));
      for (std::size_t at = 0; at < tensor.bytes.size(); at += size) {
        std::uint16_t pattern = 0;
        for (std::size_t i = 0; i < size; ++i)
          pattern = static_cast<std::uint16_t>(unsigned{pattern} << 8U |
                                               std::to_integer<unsigned>(tensor.bytes[at + i]));
        is_there[pattern] = true;
      }
      return static_cast<std::size_t>(std::ranges::count(is_there, true));
    };
    CHECK(distinct(each.operand("data")) == std::size_t{1} << (8 * size));
    if (distinct(each.operand("updates")) == std::size_t{1} << (8 * size))
      with_full_updates.insert(dtype);
  }
  CHECK(with_full_updates.size() == narrow.size());
}

}  // namespace tscatter::generate
