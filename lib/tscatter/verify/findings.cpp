#include "tscatter/verify/findings.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

namespace tscatter {
namespace {

// Illegal ones first; of the legal ones, those within a bound before those that an order explains.
int severity(ElementClass element_class) {
  switch (element_class) {
    case ElementClass::wrong: return 3;
    case ElementClass::torn: return 2;
    case ElementClass::rounded: return 1;
    case ElementClass::reordered:
    case ElementClass::in_order:
    case ElementClass::untouched: return 0;
  }
  std::abort();
}

double ordered_share(double share) {
  return share == share ? share : std::numeric_limits<double>::infinity();
}

}  // namespace

bool Findings::is_worse(const ElementVerdict& a, std::int64_t a_number, const ElementVerdict& b,
                        std::int64_t b_number) const {
  const std::tuple one(severity(a.element_class), ordered_share(a.share));
  const std::tuple other(severity(b.element_class), ordered_share(b.share));
  if (one != other) return one > other;
  return a_number != b_number && numbering_->is_before(a_number, b_number);
}

void Findings::offer_worst(Finding finding) {
  if (most_worst_ == 0) return;
  const auto worse = [this](const Finding& a, const Finding& b) { return is_worse(a, b); };
  if (worst_.size() == most_worst_) {
    if (!is_worse(finding, worst_.front())) return;
    std::ranges::pop_heap(worst_, worse);
    worst_.pop_back();
  }
  worst_.push_back(std::move(finding));
  std::ranges::push_heap(worst_, worse);
  update_least_share();
}

// Until as many as are kept are there, any may be one of them. A legal one takes no illegal one's
// place.
void Findings::update_least_share() {
  least_share_ = largest_.empty() ? 0 : largest_.front().verdict.share;
  if (most_worst_ == 0) return;
  if (worst_.size() < most_worst_) {
    least_share_ = 0;
  } else if (const ElementVerdict& least = worst_.front().verdict; is_legal(least.element_class)) {
    least_share_ = std::min(least_share_, least.share);
  }
}

void Findings::merge(Findings&& other) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(classes_, other.classes_);
  wrong_untouched_ += other.wrong_untouched_;
  sample_.merge(other.sample_);
  if (other.wrong_) other.wrong_->finish();
  other.wrong_.reset();
  add(needed_, other.needed_);
  add(would_explain_, other.would_explain_);
  for (Finding& each : other.largest_) {
    if (is_larger(each.verdict.share, each.number)) largest_ = {std::move(each)};
  }
  for (Finding& each : other.worst_) offer_worst(std::move(each));
  update_least_share();
}

std::vector<Finding> Findings::sorted_worst() && {
  std::ranges::sort(worst_, [this](const Finding& a, const Finding& b) { return is_worse(a, b); });
  return std::move(worst_);
}

}  // namespace tscatter
