#include "tscatter/compare/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <tuple>

namespace tscatter {
namespace {

// The doubles nearest to 10^exponent.
class PowersOfTen {
 public:
  PowersOfTen() {
    for (int e = DecadeCounts::lowest; e <= DecadeCounts::highest; ++e) {
      powers_[index(e)] = std::strtod(("1e" + std::to_string(e)).c_str(), nullptr);
    }
    // The least double stands for its decade.
    powers_[0] = std::numeric_limits<double>::denorm_min();
  }

  // The exponent of the decade that holds `error`, finite and not 0.
  int decade_of(double error) const {
    const auto above = std::upper_bound(powers_.begin(), powers_.end(), error);
    return static_cast<int>(above - powers_.begin()) - 1 + DecadeCounts::lowest;
  }

 private:
  static std::size_t index(int exponent) {
    return static_cast<std::size_t>(exponent - DecadeCounts::lowest);
  }
  std::array<double, DecadeCounts::highest - DecadeCounts::lowest + 1> powers_{};
};

std::size_t slot_of_decade(int decade) {
  return static_cast<std::size_t>(decade - DecadeCounts::lowest + 1);
}

}  // namespace

std::size_t DecadeCounts::slot_of(double error) {
  static const PowersOfTen powers;
  if (error == 0) return zero_slot;
  if (std::isinf(error)) return overflow_slot;
  return slot_of_decade(powers.decade_of(error));
}

std::size_t DecadeCounts::slot_of(std::uint64_t error) {
  if (error == 0) return zero_slot;
  int decade = 0;
  for (; error >= 10; error /= 10) ++decade;
  return slot_of_decade(decade);
}

void DecadeCounts::merge(const DecadeCounts& other) {
  for (std::size_t slot = 0; slot < slots; ++slot) counts_[slot] += other.counts_[slot];
}

void Tally::offer(Extreme& extreme, std::uint64_t key, const Witness& witness) const {
  const bool is_more = !extreme.is_set || key > extreme.key;
  const bool is_earlier = !is_more && key == extreme.key &&
                          numbering_.is_before(witness.number, extreme.witness.number);
  if (is_more || is_earlier) extreme = {.is_set = true, .key = key, .witness = witness};
}

bool Tally::is_worse(const RankedWitness& a, const RankedWitness& b) const {
  if (std::tie(a.severity, a.key) != std::tie(b.severity, b.key))
    return std::tie(a.severity, a.key) > std::tie(b.severity, b.key);
  return numbering_.is_before(a.witness.number, b.witness.number);
}

bool Tally::may_be_among_worst(Severity severity, std::uint64_t key, std::int64_t number) const {
  if (worst_.size() < most_worst_) return true;
  const RankedWitness& least = worst_.front();
  if (severity != least.severity) return severity > least.severity;
  if (key != least.key) return key > least.key;
  return may_come_before(number, least.witness.number);
}

void Tally::offer_worst(const RankedWitness& candidate) {
  const auto worse = [this](const RankedWitness& a, const RankedWitness& b) {
    return is_worse(a, b);
  };
  if (worst_.size() == most_worst_) {
    if (!is_worse(candidate, worst_.front())) return;
    std::ranges::pop_heap(worst_, worse);
    worst_.pop_back();
  }
  worst_.push_back(candidate);
  std::ranges::push_heap(worst_, worse);
}

void Tally::merge(const Tally& other) {
  differing += other.differing;
  beyond += other.beyond;
  nan_in_actual += other.nan_in_actual;
  nan_in_expected += other.nan_in_expected;
  nan_in_both += other.nan_in_both;
  infinite += other.infinite;
  decades.merge(other.decades);
  if (other.absolute.is_set) offer(absolute, other.absolute.key, other.absolute.witness);
  if (other.relative.is_set) offer(relative, other.relative.key, other.relative.witness);
  if (other.ulp.is_set) offer(ulp, other.ulp.key, other.ulp.witness);
  for (const RankedWitness& candidate : other.worst_) offer_worst(candidate);
}

std::vector<RankedWitness> Tally::sorted_worst() const {
  std::vector<RankedWitness> sorted(worst_);
  std::ranges::sort(sorted, [this](const RankedWitness& a, const RankedWitness& b) {
    return is_worse(a, b);
  });
  return sorted;
}

}  // namespace tscatter
