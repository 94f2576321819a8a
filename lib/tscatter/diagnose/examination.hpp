// Examination: the wrong elements of a result, and what explains which of them. Each hypothesis
// (hypotheses.hpp) adds its suspects. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/diagnose/meeting_trial.hpp"
#include "tscatter/diagnose/reached_elements.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::diagnose {

using orders::TriedPolicies;

// Fills `into` with what was got of the element with that number, in the order of data's file:
// native bytes, bools 0 or 1.
using ReadActual = std::function<void(std::int64_t number, std::span<std::byte> into)>;

struct GotElement {
  std::int64_t number = 0;
  std::vector<std::byte> actual = {};
};

struct ElementFit {
  std::size_t element = 0;  // its place among those examined
  Fit fit = Fit::none;

  friend bool operator==(const ElementFit&, const ElementFit&) = default;
};

// What may be wrong with the result, and the elements that it explains.
struct Suspect {
  std::string_view name;              // of the hypothesis
  std::string words;                  // "without indices[1]"
  std::vector<ElementFit> fits = {};  // ascending, none of Fit::none
  // Whether it says the same as others of its kind, but of each element another thing.
  bool is_general = false;
  // Of an operation: the words of what it does otherwise, the most telling first.
  std::optional<std::vector<std::string>> differences = std::nullopt;
};

struct ExamineOptions {
  TriedPolicies policies = TriedPolicies::one_at_a_time;
  Parallelism parallelism = {};
};

class Examination {
 public:
  // `wrong`: numbers of elements. REQUIRES: the call was lowered to the plan; both outlive it.
  Examination(const Call& call, const LoweredPlan& lowered, std::vector<std::int64_t> wrong,
              const ReadActual& read, const ExamineOptions& options);

  // False: too many updates reach every element.
  bool can_examine() const { return wrong_ > 0; }

  const Call& call() const { return call_; }
  const Operation& operation() const { return *call_.operation; }
  const LoweredPlan& lowered() const { return lowered_; }
  const Tensor& data() const { return call_.arguments.operand("data"); }
  const Tensor& updates() const { return call_.arguments.operand("updates"); }
  const ElementType& type() const { return type_; }
  const ExamineOptions& options() const { return options_; }

  // The elements that are examined: the first wrong ones, as many as there is room for, then some
  // that are right, with their numbers, and what reaches them.
  std::span<const GotElement> elements() const { return elements_; }
  std::span<const GotElement> wrong() const { return std::span(elements_).first(wrong_); }
  std::span<const std::int64_t> numbers() const { return numbers_; }
  const std::vector<Reached>& reached() const { return reached_; }
  MeetingTrial& trial() { return trial_; }

  // Whether the index entries are few enough to be read again for each of many hypotheses.
  bool has_few_entries() const { return lowered_.index_entries <= (std::int64_t{1} << 19U); }

  // Throws Cancelled if it was asked for.
  void look_at_stop() const {
    if (options_.parallelism.stop != nullptr && *options_.parallelism.stop) throw Cancelled();
  }

  // "indices[3, 0]"
  std::string entry_text(std::int64_t entry) const;

  // Adds a suspect that explains some element.
  void add(Suspect suspect);
  // One that is true of the whole call: fit_of(i) says how well it explains the i-th element. It is
  // not added if an element that is right would be wrong.
  template <class FitOf>
  void try_each(std::string_view name, std::string words, const FitOf& fit_of) {
    look_at_stop();
    Suspect suspect{.name = name, .words = std::move(words)};
    for (std::size_t i = 0; i < wrong_; ++i) {
      const Fit fit = fit_of(i);
      if (fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
    }
    if (suspect.fits.empty()) return;
    for (std::size_t i = wrong_; i < elements_.size(); ++i) {
      if (fit_of(i) == Fit::none) return;
    }
    suspects_.push_back(std::move(suspect));
  }
  // The same of the elements for which these updates, meeting as the trial says, leave what
  // was got. REQUIRES: a place for each element.
  void try_all(std::string_view name, std::string words, std::span<const Reached> reached,
               MeetingTrial& trial);
  // One that explains what this call would leave. A call that a rule refuses explains nothing.
  void try_call(std::string_view name, std::string words, const Call& call);

  const std::vector<Suspect>& suspects() const { return suspects_; }
  std::vector<Suspect>& suspects() { return suspects_; }

 private:
  void reach();
  void add_right(const ReadActual& read);
  std::vector<std::int64_t> numbers_of_others() const;

  const Call& call_;
  const LoweredPlan& lowered_;
  ElementType type_;
  ExamineOptions options_;
  std::size_t wrong_ = 0;
  std::vector<GotElement> elements_;
  std::vector<std::int64_t> numbers_;
  std::vector<Reached> reached_;
  MeetingTrial trial_;
  std::vector<Suspect> suspects_;
};

// How updates meet in the call.
Combination combination_of(const ScatterPlan& plan);

// The addresses of an element's terms.
Terms terms_of(const Reached& reached, std::size_t element_size);

}  // namespace tscatter::diagnose
