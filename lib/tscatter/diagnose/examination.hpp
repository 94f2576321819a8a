// Examination: the wrong elements of a result, and what explains which of them. Each hypothesis
// (hypotheses.hpp) adds its suspects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/diagnose/meeting_trial.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter::diagnose {

using orders::TriedPolicies;

// Fills `into` with what was got of the element with that number, in the order of data's file:
// native bytes, bools 0 or 1.
using ReadActual = std::function<void(std::int64_t number, std::span<std::byte> into)>;

struct GotElement {
  std::int64_t number = 0;
  bool is_right = false;
  bool is_other_nan = false;  // wrong: only by the bits of a NaN, or of a complex number's NaNs
  bool is_bare_nan = false;   // of these: quiet without payload, which does not tell where from
  std::vector<std::byte> actual = {};
  ReachedTerms reached = {};
};

// What would reach the elements with these numbers; nullopt: too much.
using ReadReached =
    std::function<std::optional<std::vector<ReachedTerms>>(std::span<const std::int64_t> numbers)>;

// Numbers of elements.
using ChangedPlaces = std::function<std::vector<std::int64_t>()>;

struct ElementFit {
  std::size_t element = 0;  // its place among those examined
  Fit fit = Fit::none;

  friend bool operator==(const ElementFit&, const ElementFit&) = default;
};

// What may be wrong with the result, and the elements that it explains.
struct Suspect {
  std::string words;                  // "without indices[1]"
  std::vector<ElementFit> fits = {};  // ascending, none of Fit::none
  // Whether it says the same as others of its kind, but of each element another thing.
  bool is_general = false;
  // The one entry that it is about.
  std::optional<std::int64_t> entry = std::nullopt;
  // Whether elements that are right show that it is not true of the whole result.
  bool is_denied = false;
  // How many of its elements are legal where subnormal numbers are flushed.
  std::int64_t flushed = 0;
  // Of an operation: the words of what it does otherwise, the most telling first.
  std::optional<std::vector<std::string>> differences = std::nullopt;
  std::string_view name = {};  // of the hypothesis: diagnose() puts it here
};

struct ExamineOptions {
  TriedPolicies policies = TriedPolicies::one_at_a_time;
  Parallelism parallelism = {};
  const Tensor* given_updates = nullptr;  // before they were broadcast, cut or scaled
};

class Examination {
 public:
  // `wrong`: numbers of elements. REQUIRES: the call was lowered to the plan; they and `read`
  // outlive it.
  Examination(const Call& call, const LoweredPlan& lowered, std::vector<std::int64_t> wrong,
              const ReadActual& read, ExamineOptions options);

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
  // that are right; and their numbers.
  std::span<const GotElement> elements() const { return elements_; }
  std::span<const GotElement> wrong() const { return elements().first(wrong_); }
  std::span<const std::int64_t> numbers() const { return numbers_; }
  MeetingTrial& trial() { return trial_; }
  const Combination& combination() const { return trial_.combination(); }

  // Those of the elements that are right; of some with very many updates that is not known.
  std::vector<GotElement> right_among(std::vector<std::int64_t> numbers);

  // Whether the index entries are few enough to be read again for each of many hypotheses.
  bool has_few_entries() const { return lowered_.index_entries <= (std::int64_t{1} << 19U); }

  // Throws Cancelled if it was asked for.
  void look_at_stop() const { check_stop(options_.parallelism.stop); }

  // The number of the plan's entry in indices: of windows, several places are of one.
  std::int64_t index_entry(std::int64_t entry) const;
  // "indices[3, 0]"
  std::string entry_text(std::int64_t entry) const;

  // With the wrong elements that it explains: fit_of(element) says how well it does.
  template <class FitOf>
  Suspect suspect(std::string words, const FitOf& fit_of) const {
    Suspect explaining{.words = std::move(words)};
    for (std::size_t i = 0; i < wrong_; ++i) {
      const Fit fit = fit_of(elements_[i]);
      if (fit != Fit::none) explaining.fits.push_back({.element = i, .fit = fit});
    }
    return explaining;
  }

  // Adds a suspect that explains some element. Returns it, until the next one is added; nullptr if
  // it was not added. So do those below.
  Suspect* add(Suspect suspect);
  // One that is true of the whole call: it is not added if an element that is right would be wrong.
  template <class FitOf>
  Suspect* try_each(std::string words, const FitOf& fit_of) {
    look_at_stop();
    Suspect explaining = suspect(std::move(words), fit_of);
    if (explaining.fits.empty()) return nullptr;
    const auto are_explained = [&](std::span<const GotElement> right) {
      return std::ranges::all_of(right,
                                 [&](const GotElement& each) { return fit_of(each) != Fit::none; });
    };
    const bool is_denied =
        !are_explained(elements().subspan(wrong_)) || !are_explained(more_right());
    return is_denied ? nullptr : add(std::move(explaining));
  }
  // The same where an element's updates meet as the trial says.
  Suspect* try_meeting(std::string words, MeetingTrial& trial);
  // The same where other updates reach the elements. `places`: of elements that it would change;
  // the right ones among them are compared, too.
  Suspect* try_reached(std::string words, const ReadReached& read, MeetingTrial& trial,
                       const ChangedPlaces& places);
  // The same for one of many guesses: it must explain one of the first wrong elements, by more than
  // data's value.
  Suspect* try_guess(std::string words, const ReadReached& read, const ChangedPlaces& places);
  // One that explains what this call would leave. A call that a rule refuses explains nothing.
  Suspect* try_call(std::string words, const Call& call);
  // The same of arguments that are prepared().
  Suspect* try_prepared(std::string words, const Operation& operation, const Arguments& arguments);

  const std::vector<Suspect>& suspects() const { return suspects_; }
  std::vector<Suspect>& suspects() { return suspects_; }
  // Takes back the one that was added last.
  void take_back() { suspects_.pop_back(); }
  // Whether each element that it explains has data's value: then nothing shows where it came from.
  bool leaves_data(const Suspect& suspect) const;

 private:
  void reach_wrong();
  GotElement got_element(std::int64_t number, ReachedTerms reached) const;
  void add_right();
  const std::vector<GotElement>& more_right();
  bool is_denied(const ReadReached& read, MeetingTrial& trial, std::vector<std::int64_t> places);

  const Call& call_;
  const LoweredPlan& lowered_;
  ElementType type_;
  const ReadActual& read_;
  ExamineOptions options_;
  std::size_t wrong_ = 0;
  std::vector<GotElement> elements_;
  std::vector<std::int64_t> numbers_;
  MeetingTrial trial_;
  std::optional<std::vector<GotElement>> more_right_;
  std::vector<Suspect> suspects_;
};

// Whether updates that meet as the trial says are computed with, or compared, to leave the element.
inline bool is_computed(const GotElement& element, const MeetingTrial& trial) {
  return trial.combination().reduction != Reduction::none && element.reached.writers() > 0;
}

// How many elements that a hypothesis would change are compared.
inline constexpr std::int64_t most_places = 4096;

// How they would meet with another reduction, or as elements of another dtype: the rest as the call
// says. nullopt if the dtype lacks the reduction, or the number in the place of data's value.
std::optional<Combination> combination_with(const Call& call, Reduction reduction, DType dtype);

// The axis that the call names, counted from the front; nullopt if its form asks for none.
std::optional<std::int64_t> named_axis(const Call& call);

// ---- Which elements a plan writes: all of them, or a sample; and numbers in the other memory
// order.

// A few numbers below `total`, ascending: all, or one of each of `most` parts as long as each
// other, always the same one.
std::vector<std::int64_t> spread(std::int64_t total, std::int64_t most);

// The numbers of elements that the plan writes, in the order of data's file, spread over entries,
// batches and blocks: at most `most`. Of the entries only those that `other` sends elsewhere, if it
// has as many of the same kind. REQUIRES of the plans: made by Operation::lower().
std::vector<std::int64_t> written_places(const LoweredPlan& lowered, std::int64_t most,
                                         const LoweredPlan* other = nullptr);

// The number that the element would have in the other memory order.
std::int64_t transposed(const TensorHeader& header, std::int64_t number);

// ---- Strides: a kernel may take the length of another axis, or of a padded one.

// data [4,6], axis 1 taken for 5 long: the element [2,1], number 13, is taken for number 11.
class OtherLength {
 public:
  OtherLength(const TensorHeader& header, std::size_t axis, std::int64_t length);

  // The number that the element would have; it may be beyond the last one.
  std::int64_t to(std::int64_t number) const;
  // The elements that would have the number, ascending.
  std::vector<std::int64_t> from(std::int64_t number) const;
  // "as if axis 1 had 5 elements"
  std::string words() const;

 private:
  std::size_t axis_;
  std::int64_t length_;
  std::int64_t size_;       // of the axis
  std::int64_t inner_ = 1;  // elements of the faster axes
  std::int64_t outer_ = 1;  // of the slower ones
};

// For each axis but the slowest the lengths that operands have, and those near its own.
std::vector<OtherLength> other_lengths(const Call& call, const TensorHeader& header);

}  // namespace tscatter::diagnose
