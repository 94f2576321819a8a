#include "tscatter/compare/pair_judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>

namespace tscatter {

PairJudge::PairJudge(const TensorHeader& header, const Numbering& numbering,
                     const CompareOptions& options, PlaceCounts& counts)
    : numbering_{numbering},
      tolerance_{options.tolerance},
      element_size_{header.type.size},
      loop_{pair_loop(header.type.dtype)},
      tally_(numbering, std::max<std::int64_t>(options.worst, 1)),
      places_(counts) {
  if (options.grid) grid_.emplace(header.shape, *options.grid);
}

void PairJudge::judge(std::span<const std::byte> actual, std::span<const std::byte> expected,
                      std::int64_t number) {
  const std::size_t block = judged_block * element_size_;
  while (!actual.empty()) {
    const std::size_t bytes = std::min(block, actual.size());
    const auto count = static_cast<std::int64_t>(bytes / element_size_);
    if (std::memcmp(actual.data(), expected.data(), bytes) != 0) {
      loop_(
          {.actual = actual.data(), .expected = expected.data(), .count = count, .number = number},
          element_size_, *this);
    }
    actual = actual.subspan(bytes);
    expected = expected.subspan(bytes);
    number += count;
  }
}

void PairJudge::judge_long_element(const ElementPair& pair) {
  constexpr std::array<std::uint8_t, 1> flags{element_flags::differing | element_flags::beyond};
  ++tally_.differing;
  ++tally_.beyond;
  tally_.offer_worst({.severity = Severity::beyond, .pair = pair});
  add_places(flags, pair.number);
  if (has_grid()) add_to_grid(flags, nullptr, pair.number);
}

void PairJudge::add_to_grid(std::span<const std::uint8_t> flags, const double* errors,
                            std::int64_t number) {
  GridCell* cell = nullptr;
  std::size_t end = 0;  // of the elements that lie in the cell
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if ((flags[i] & element_flags::differing) == 0) continue;
    if (i >= end) {
      const std::int64_t index = numbering_.row_major(number + static_cast<std::int64_t>(i));
      const std::int64_t column = index % grid_->folded_columns();
      const std::int64_t cell_column = grid_->column_of(column);
      cell = &grid_->at(grid_->row_of(index / grid_->folded_columns()), cell_column);
      const std::int64_t rest = std::min(grid_->columns_of(cell_column).second - column,
                                         static_cast<std::int64_t>(flags.size()));
      end = i + (numbering_.is_row_major() ? static_cast<std::size_t>(rest) : 1);
    }
    ++cell->differing;
    cell->beyond += (flags[i] & element_flags::beyond) != 0 ? 1 : 0;
    if ((flags[i] & element_flags::not_finite) != 0) {
      ++cell->not_finite;
    } else if (errors != nullptr) {
      cell->largest = std::max(cell->largest, errors[i]);
    }
  }
}

namespace {

// The powers of ten as the nearest doubles; the least double replaces the lowest one.
class PowersOfTen {
 public:
  PowersOfTen() {
    for (int e = DecadeCounts::lowest; e <= DecadeCounts::highest; ++e) {
      powers_[static_cast<std::size_t>(e - DecadeCounts::lowest)] =
          std::strtod(("1e" + std::to_string(e)).c_str(), nullptr);
    }
    powers_.front() = std::numeric_limits<double>::denorm_min();
  }

  std::size_t slot_of(double error) const {
    if (std::isinf(error)) return DecadeCounts::overflow_slot;
    return static_cast<std::size_t>(std::ranges::upper_bound(powers_, error) - powers_.begin());
  }

  // The upper end of the slot's decade; infinite for the last.
  double end_of(std::size_t slot) const {
    return slot < powers_.size() ? powers_[slot] : std::numeric_limits<double>::infinity();
  }

 private:
  std::array<double, DecadeCounts::highest - DecadeCounts::lowest + 1> powers_{};
};

const PowersOfTen& powers_of_ten() {
  static const PowersOfTen powers;
  return powers;
}

constexpr unsigned fraction_bits = 52;
constexpr std::size_t exponents = 2048;

bool is_subnormal(std::uint64_t bits) { return bits - 1 < (std::uint64_t{1} << fraction_bits) - 1; }

// Which slot the doubles with one binary exponent fall into: `slot`, or from `end` on the next.
// Does not hold for exponent 0: zero and the subnormal numbers.
struct BinaryDecade {
  double end = 0;
  std::uint64_t slot = 0;
};

std::array<BinaryDecade, exponents> binary_decades() {
  std::array<BinaryDecade, exponents> decades{};
  for (std::size_t exponent = 1; exponent < exponents; ++exponent) {
    const auto least = std::bit_cast<double>(std::uint64_t{exponent} << fraction_bits);
    const std::size_t slot = powers_of_ten().slot_of(least);
    decades[exponent] = {.end = powers_of_ten().end_of(slot), .slot = slot};
  }
  decades[0] = {.end = std::numeric_limits<double>::infinity(), .slot = DecadeCounts::zero_slot};
  decades[exponents - 1] = {.end = std::numeric_limits<double>::quiet_NaN(),
                            .slot = DecadeCounts::overflow_slot};
  return decades;
}

// The slot of the least integer of one bit width; from `end` on, the next slot.
struct IntegerDecade {
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t slot = 0;
};

std::array<IntegerDecade, 65> integer_decades() {
  constexpr std::uint64_t slot_of_one = 1 - DecadeCounts::lowest;
  std::array<IntegerDecade, 65> decades{};
  for (unsigned width = 1; width <= 64; ++width) {
    std::uint64_t power = 1;  // the highest one that is not above the least integer of the width
    std::uint64_t digits = 0;
    for (; (std::uint64_t{1} << (width - 1)) / power >= 10; power *= 10) ++digits;
    decades[width].slot = slot_of_one + digits;
    decades[width].end = power * 10;
  }
  return decades;
}

}  // namespace

void DecadeCounts::add(const double* errors, std::size_t count) {
  static const std::array<BinaryDecade, exponents> decades = binary_decades();
  std::uint64_t subnormal = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(errors[i]);
    const BinaryDecade& decade = decades[bits >> fraction_bits];
    const std::uint64_t is_next = errors[i] >= decade.end ? 1 : 0;
    ++counts_[i % lanes][decade.slot + is_next];
    subnormal |= static_cast<std::uint64_t>(is_subnormal(bits));
  }
  if (subnormal != 0) move_subnormal(errors, count);
}

void DecadeCounts::add(const std::uint64_t* errors, std::size_t count) {
  static const std::array<IntegerDecade, 65> decades = integer_decades();
  for (std::size_t i = 0; i < count; ++i) {
    const IntegerDecade& decade = decades[static_cast<std::size_t>(std::bit_width(errors[i]))];
    const std::uint64_t is_next = errors[i] >= decade.end ? 1 : 0;
    ++counts_[i % lanes][decade.slot + is_next];
  }
}

// They were counted as zeros.
void DecadeCounts::move_subnormal(const double* errors, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_subnormal(std::bit_cast<std::uint64_t>(errors[i]))) continue;
    --counts_[0][zero_slot];
    ++counts_[0][powers_of_ten().slot_of(errors[i])];
  }
}

std::int64_t DecadeCounts::operator[](std::size_t slot) const {
  std::int64_t count = 0;
  for (const auto& lane : counts_) count += lane[slot];
  return count;
}

void DecadeCounts::merge(const DecadeCounts& other) {
  for (std::size_t slot = 0; slot < slots; ++slot) counts_[0][slot] += other[slot];
}

void Tally::offer(Extreme& extreme, std::uint64_t key, const ElementPair& pair) const {
  const bool is_more = !extreme.is_set || key > extreme.key;
  const bool is_earlier =
      !is_more && key == extreme.key && numbering_.is_before(pair.number, extreme.pair.number);
  if (is_more || is_earlier) extreme = {.is_set = true, .key = key, .pair = pair};
}

bool IsWorsePair::operator()(const RankedPair& a, const RankedPair& b) const {
  if (std::tie(a.severity, a.key) != std::tie(b.severity, b.key))
    return std::tie(a.severity, a.key) > std::tie(b.severity, b.key);
  return numbering->is_before(a.pair.number, b.pair.number);
}

bool Tally::may_be_among_worst(Severity severity, std::uint64_t key, std::int64_t number) const {
  if (!worst_.is_full()) return true;
  const RankedPair& least = worst_.last();
  if (severity != least.severity) return severity > least.severity;
  if (key != least.key) return key > least.key;
  return may_come_before(number, least.pair.number);
}

// Not a part of each loop over pairs.
void Tally::offer_worst(const RankedPair& candidate) { worst_.offer(candidate); }

void Tally::merge(const Tally& other) {
  if (other.differing > 0) decades.merge(other.decades);
  differing += other.differing;
  beyond += other.beyond;
  nan_in_actual += other.nan_in_actual;
  nan_in_expected += other.nan_in_expected;
  nan_in_both += other.nan_in_both;
  infinite += other.infinite;
  if (other.absolute.is_set) offer(absolute, other.absolute.key, other.absolute.pair);
  if (other.relative.is_set) offer(relative, other.relative.key, other.relative.pair);
  if (other.ulp.is_set) offer(ulp, other.ulp.key, other.ulp.pair);
  worst_.merge(other.worst_);
}

}  // namespace tscatter
