// Findings: what one worker, or all of them merged, found about the elements that are not in order.
// Does not depend on the number of workers: among equals the first in row-major order counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/compare/difference_grid.hpp"
#include "tscatter/compare/place_counts.hpp"
#include "tscatter/core/best_of.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter {

// Some of many elements, spread over all of them, the same for any number of workers: those whose
// hashes are least.
class ElementSample {
 public:
  static constexpr std::size_t most = 1000;

  void offer(std::int64_t number) { kept_.offer({hash(number), number}); }
  void merge(const ElementSample& other) { kept_.merge(other.kept_); }

  // In the order of their hashes.
  std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> numbers;
    for (const Hashed& each : kept_.sorted()) numbers.push_back(each.second);
    return numbers;
  }

 private:
  using Hashed = std::pair<std::uint64_t, std::int64_t>;

  // The mixing step of SplitMix64.
  static std::uint64_t hash(std::int64_t number) {
    auto mixed = static_cast<std::uint64_t>(number) + 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  BestOf<Hashed, std::less<>> kept_{most};
};

// Where wrong elements lie: how many each index has, and a picture where one is
// wanted.
class WrongPlaces {
 public:
  // `limits`: of the picture; nullopt: none.
  WrongPlaces(const TensorHeader& data, const Numbering& numbering,
              const std::optional<GridLimits>& limits)
      : data_{data}, numbering_{numbering}, limits_{limits}, counts_{numbering} {}

  // One worker's.
  class Worker {
   public:
    explicit Worker(WrongPlaces& places);

    bool draws() const { return grid_.has_value(); }
    void add(std::int64_t number);
    // Of the same element, where the worker draws: native elements.
    void draw(std::int64_t number, std::span<const std::byte> actual,
              std::span<const std::byte> in_order);

    // Adds to the whole what the worker counted. Call once; not from two threads at a time.
    void finish();

   private:
    WrongPlaces& places_;
    PlaceCounts::Worker counts_;
    std::optional<DifferenceGrid> grid_;
  };

  // Of all `wrong` elements. REQUIRES: wrong > 0.
  DifferencePlace place(std::int64_t wrong) const { return counts_.place(wrong); }
  std::optional<DifferenceGrid> grid() && { return std::move(grid_); }

 private:
  const TensorHeader& data_;
  const Numbering& numbering_;
  std::optional<GridLimits> limits_;
  PlaceCounts counts_;
  std::optional<DifferenceGrid> grid_;
};

// One element; numbered in the order of data's file; bytes native, as many as are shown.
struct Finding {
  ElementVerdict verdict;
  std::int64_t number = 0;
  std::vector<std::byte> actual = {};
  std::vector<std::byte> in_order = {};
  std::vector<std::int64_t> order = {};  // as in ElementReport
};

// Illegal ones first, ties in row-major order.
struct IsWorseFinding {
  const Numbering* numbering;

  bool operator()(const Finding& a, const Finding& b) const {
    return is_worse(a.verdict, a.number, b.verdict, b.number);
  }
  bool is_worse(const ElementVerdict& a, std::int64_t a_number, const ElementVerdict& b,
                std::int64_t b_number) const;
};

// The verdict on an element for which a single value is legal, and which has another.
inline constexpr ElementVerdict wrong_element{.element_class = ElementClass::wrong,
                                              .share = std::numeric_limits<double>::infinity()};

class Findings {
 public:
  // `most`: of the worst elements that are kept.
  Findings(const Numbering& numbering, std::int64_t most, WrongPlaces& places)
      : is_worse_{&numbering},
        places_{&places},
        worst_{static_cast<std::size_t>(most), is_worse_} {}

  // `bytes` is called if the element is kept: it fills in actual and in_order.
  template <class Bytes>
  void add(const ElementVerdict& verdict, std::int64_t number, const Bytes& bytes) {
    ++classes_[static_cast<std::size_t>(verdict.element_class)];
    if (verdict.variant != 0) count_variant(verdict.variant, 1);
    if (verdict.element_class == ElementClass::wrong) {
      ++would_explain_[static_cast<std::size_t>(verdict.deviation)];
      add_wrong(number, bytes);
    }
    const bool is_rounded = verdict.element_class == ElementClass::rounded;
    if (is_rounded) ++needed_[static_cast<std::size_t>(verdict.deviation)];
    if (is_rounded && verdict.hides_update) ++hiding_;
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

  // Takes back what wrong elements that were added would be explained by.
  void withdraw_explanation(orders::Deviation deviation, std::int64_t elements) {
    would_explain_[static_cast<std::size_t>(deviation)] -= elements;
  }

  // Counts elements of a class that keeps none.
  void count(ElementClass element_class, std::int64_t elements) {
    classes_[static_cast<std::size_t>(element_class)] += elements;
  }
  void offer_worst(Finding finding);
  bool may_be_among_worst(const ElementVerdict& verdict, std::int64_t number) const {
    if (!worst_.is_full()) return true;
    if (worst_.most() == 0) return false;
    return is_worse_.is_worse(verdict, number, worst_.last().verdict, worst_.last().number);
  }

  // Notes that an element, which is also added, is reached by no update.
  void count_other_untouched() { ++other_untouched_; }

  void merge(Findings&& other);

  const ClassCounts& classes() const { return classes_; }
  std::int64_t other_untouched() const { return other_untouched_; }
  const DeviationCounts& needed() const { return needed_; }
  std::int64_t hiding() const { return hiding_; }
  const DeviationCounts& would_explain() const { return would_explain_; }
  // Of the variant of that number.
  std::int64_t of_variant(std::size_t number) const {
    return number < of_variants_.size() ? of_variants_[number] : 0;
  }
  const Finding* largest() const { return largest_.empty() ? nullptr : &largest_.front(); }
  std::vector<Finding> sorted_worst() const { return worst_.sorted(); }
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

  void count_variant(std::size_t number, std::int64_t elements) {
    if (of_variants_.size() <= number) of_variants_.resize(number + 1);
    of_variants_[number] += elements;
  }

  bool is_larger(double share, std::int64_t number) const {
    if (largest_.empty()) return true;
    const Finding& present = largest_.front();
    if (share != present.verdict.share) return share > present.verdict.share;
    return is_worse_.numbering->is_before(number, present.number);
  }

  void update_least_share();

  IsWorseFinding is_worse_;
  double least_share_ = 0;  // that a legal element must have to be kept
  ClassCounts classes_{};
  std::int64_t other_untouched_ = 0;  // reached by no update, and not data's bits
  std::vector<std::int64_t> of_variants_ = {};
  DeviationCounts needed_{};
  std::int64_t hiding_ = 0;  // rounded elements whose bounds exceed an update
  DeviationCounts would_explain_{};
  ElementSample sample_;
  WrongPlaces* places_;
  std::optional<WrongPlaces::Worker> wrong_;  // once there is one
  std::vector<Finding> largest_;              // at most one: of the rounded elements
  BestOf<Finding, IsWorseFinding> worst_;
};

}  // namespace tscatter
