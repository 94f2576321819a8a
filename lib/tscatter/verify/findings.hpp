// Findings: what one worker, or all of them merged, found about the elements that are not in order.
// Does not depend on the number of workers: among equals the first in row-major order counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tscatter/core/numbering.hpp"
#include "tscatter/verify/element_sample.hpp"
#include "tscatter/verify/verify.hpp"
#include "tscatter/verify/wrong_places.hpp"

namespace tscatter {

// One element; numbered in the order of data's file; bytes native, as many as are shown.
struct Finding {
  ElementVerdict verdict;
  std::int64_t number = 0;
  std::vector<std::byte> actual = {};
  std::vector<std::byte> in_order = {};
  std::vector<std::int64_t> order = {};  // as in ElementReport
};

// The verdict on an element for which a single value is legal, and which has another.
inline constexpr ElementVerdict wrong_element{.element_class = ElementClass::wrong,
                                              .share = std::numeric_limits<double>::infinity()};

class Findings {
 public:
  // `most`: of the worst elements that are kept.
  Findings(const Numbering& numbering, std::int64_t most, WrongPlaces& places)
      : numbering_{&numbering}, most_worst_{static_cast<std::size_t>(most)}, places_{&places} {}

  // `bytes` is called if the element is kept: it fills in actual and in_order.
  template <class Bytes>
  void add(const ElementVerdict& verdict, std::int64_t number, const Bytes& bytes) {
    ++classes_[static_cast<std::size_t>(verdict.element_class)];
    if (verdict.element_class == ElementClass::wrong) {
      ++would_explain_[static_cast<std::size_t>(verdict.deviation)];
      add_wrong(number, bytes);
    }
    const bool is_rounded = verdict.element_class == ElementClass::rounded;
    if (is_rounded) ++needed_[static_cast<std::size_t>(verdict.deviation)];
    if (is_legal(verdict.element_class) && verdict.share < least_share_) return;
    if (is_rounded && is_larger(verdict.share, number)) {
      largest_ = {Finding{.verdict = verdict, .number = number}};
      bytes(largest_.front());
      update_least_share();
    }
    if (!may_be_among_worst(verdict, number)) return;
    Finding finding{.verdict = verdict, .number = number};
    bytes(finding);
    offer_worst(std::move(finding));
  }

  // Counts elements of a class of which none is kept.
  void count(ElementClass element_class, std::int64_t elements) {
    classes_[static_cast<std::size_t>(element_class)] += elements;
  }
  void offer_worst(Finding finding);
  bool may_be_among_worst(const ElementVerdict& verdict, std::int64_t number) const {
    if (worst_.size() < most_worst_) return true;
    if (most_worst_ == 0) return false;
    return is_worse(verdict, number, worst_.front().verdict, worst_.front().number);
  }

  // Notes that a wrong element, which is also added, is reached by no update.
  void count_wrong_untouched() { ++wrong_untouched_; }

  void merge(Findings&& other);

  const ClassCounts& classes() const { return classes_; }
  std::int64_t wrong_untouched() const { return wrong_untouched_; }
  const DeviationCounts& needed() const { return needed_; }
  const DeviationCounts& would_explain() const { return would_explain_; }
  const Finding* largest() const { return largest_.empty() ? nullptr : &largest_.front(); }
  std::vector<Finding> sorted_worst() &&;
  // Of the wrong elements.
  std::vector<std::int64_t> sample() const { return sample_.numbers(); }

 private:
  template <class Bytes>
  void add_wrong(std::int64_t number, const Bytes& bytes) {
    sample_.offer(number);
    if (!wrong_) wrong_.emplace(*places_);
    wrong_->add(number);
    if (!wrong_->draws()) return;
    Finding finding{.verdict = wrong_element, .number = number};
    bytes(finding);
    wrong_->draw(number, finding.actual, finding.in_order);
  }

  bool is_worse(const ElementVerdict& a, std::int64_t a_number, const ElementVerdict& b,
                std::int64_t b_number) const;
  bool is_worse(const Finding& a, const Finding& b) const {
    return is_worse(a.verdict, a.number, b.verdict, b.number);
  }
  bool is_larger(double share, std::int64_t number) const {
    if (largest_.empty()) return true;
    const Finding& present = largest_.front();
    if (share != present.verdict.share) return share > present.verdict.share;
    return numbering_->is_before(number, present.number);
  }

  void update_least_share();

  const Numbering* numbering_;
  std::size_t most_worst_;
  double least_share_ = 0;  // that a legal element must have to be kept
  ClassCounts classes_{};
  std::int64_t wrong_untouched_ = 0;
  DeviationCounts needed_{};
  DeviationCounts would_explain_{};
  ElementSample sample_;
  WrongPlaces* places_;
  std::optional<WrongPlaces::Worker> wrong_;  // once there is one
  std::vector<Finding> largest_;              // at most one: of the rounded elements
  std::vector<Finding> worst_;                // a heap with the least bad in front
};

}  // namespace tscatter
