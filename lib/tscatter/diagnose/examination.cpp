#include "tscatter/diagnose/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <variant>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {

std::optional<Combination> combination_with(const Call& call, Reduction reduction, DType dtype) {
  if (!is_defined(reduction, dtype)) return std::nullopt;
  Combination combination = combination_of(*call.operation, call.arguments.attributes);
  combination.reduction = reduction;
  if (combination.initial.kind != InitialValue::Kind::number) return combination;
  const std::optional<Number> number = fitted(combination.initial.number, dtype);
  if (!number) return std::nullopt;
  combination.initial.number = *number;
  return combination;
}

std::optional<std::int64_t> named_axis(const Call& call) {
  switch (call.operation->form) {
    case Form::rows:
    case Form::elements:
    case Form::start:
      return static_cast<std::int64_t>(forms::axis_of(*call.operation, call.arguments));
    case Form::segment: return 0;
    case Form::nd:
    case Form::window:
    case Form::slice:
    case Form::batched_rows:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::block: return std::nullopt;
  }
  unreachable();
}

namespace {

// Arithmetic does not tell which NaN it leaves: of two NaNs it explains no difference.
Fit fit_of(const GotElement& element, MeetingTrial& trial) {
  if (element.is_other_nan && is_computed(element, trial)) return Fit::none;
  return trial.fit(element.reached, element.actual);
}

}  // namespace

Examination::Examination(const Call& call, const LoweredPlan& lowered,
                         std::vector<std::int64_t> wrong, const ReadActual& read,
                         ExamineOptions options)
    : call_{call},
      lowered_{lowered},
      type_{data().type()},
      read_{read},
      options_{options},
      numbers_{std::move(wrong)},
      trial_{type_, combination_of(lowered.plan)} {
  reach_wrong();
  wrong_ = elements_.size();
  for (GotElement& got : elements_) {
    const auto value = trial_.value_after(got.reached);
    const NanDifference difference = nan_difference(type_.dtype, value.data(), got.actual.data());
    got.is_other_nan = difference != NanDifference::none;
    got.is_bare_nan = difference == NanDifference::bare;
  }
  if (wrong_ > 0) add_right();
}

// The first ones, which are the worst.
void Examination::reach_wrong() {
  ReachedRoom room(lowered_, type_.size, numbers_, limits_of_wrong);
  std::size_t count = 0;
  while (count < numbers_.size() && room.take(count)) ++count;
  numbers_.resize(count);
  auto reached = reached_terms(lowered_, data(), updates(), numbers_);
  for (std::size_t i = 0; reached && i < count; ++i)
    elements_.push_back(got_element(numbers_[i], std::move((*reached)[i])));
}

GotElement Examination::got_element(std::int64_t number, ReachedTerms reached) const {
  GotElement got{.number = number,
                 .actual = std::vector<std::byte>(type_.size),
                 .reached = std::move(reached)};
  read_(number, got.actual);
  return got;
}

// All elements of a small result; of a large one some of all, and some that entries name.
void Examination::add_right() {
  constexpr std::int64_t most = 1000;
  const std::int64_t count = data().count();
  std::vector<std::int64_t> numbers = spread(count, most);
  if (count > most) {
    const std::vector<std::int64_t> written = written_places(lowered_, most);
    numbers.insert(numbers.end(), written.begin(), written.end());
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  for (GotElement& each : right_among(std::move(numbers))) {
    numbers_.push_back(each.number);
    elements_.push_back(std::move(each));
  }
}

// Of those with few updates.
std::vector<GotElement> Examination::right_among(std::vector<std::int64_t> numbers) {
  ReachedRoom room(lowered_, type_.size, numbers, limits_of_right);
  std::size_t place = 0;
  std::erase_if(numbers, [&](std::int64_t) { return !room.take(place++); });
  auto reached = reached_terms(lowered_, data(), updates(), numbers);
  std::vector<GotElement> right;
  for (std::size_t i = 0; reached && i < numbers.size(); ++i) {
    GotElement got = got_element(numbers[i], std::move((*reached)[i]));
    got.is_right = true;
    if (fit_of(got, trial_) != Fit::none) right.push_back(std::move(got));
  }
  return right;
}

// More of those that entries name, for what some of them do not deny.
const std::vector<GotElement>& Examination::more_right() {
  if (!more_right_) {
    const bool are_all = std::ssize(numbers_) == data().count();
    more_right_.emplace();
    if (!are_all) more_right_ = right_among(written_places(lowered_, most_places));
  }
  return *more_right_;
}

std::int64_t Examination::index_entry(std::int64_t entry) const {
  const auto* listed = std::get_if<ListedWrites>(&lowered_.plan.writes);
  if (listed == nullptr || !listed->named.of_indices) return entry;
  const EntryAxes& axes = listed->named;
  const Position position = axes.position(entry);
  std::int64_t number = 0;
  for (std::size_t i = 0; i < position.size(); ++i)
    number = number * axes.shape[(*axes.of_indices)[i]] + position[i];
  return number;
}

std::string Examination::entry_text(std::int64_t entry) const {
  if (entry < 0) return "its update";
  return fmt::format("{}{}", entries_name(operation()),
                     to_string(lowered_.entries().position(entry)));
}

Suspect* Examination::add(Suspect suspect) {
  return suspect.fits.empty() ? nullptr : &suspects_.emplace_back(std::move(suspect));
}

bool Examination::leaves_data(const Suspect& suspect) const {
  return std::ranges::all_of(suspect.fits, [&](const ElementFit& each) {
    return elements_[each.element].reached.data == elements_[each.element].actual;
  });
}

Suspect* Examination::try_meeting(std::string words, MeetingTrial& trial) {
  return try_each(std::move(words),
                  [&](const GotElement& element) { return fit_of(element, trial); });
}

Suspect* Examination::try_reached(std::string words, const ReadReached& read, MeetingTrial& trial,
                                  const ChangedPlaces& places) {
  look_at_stop();
  const auto reached = read(numbers_);
  if (!reached) return nullptr;
  Suspect suspect{.words = std::move(words)};
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Fit fit = trial.fit((*reached)[i], elements_[i].actual);
    if (i < wrong_ && fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
    const bool is_denied = i >= wrong_ && fit == Fit::none;
    if (is_denied || (i + 1 >= wrong_ && suspect.fits.empty())) return nullptr;
  }
  const bool are_all = std::ssize(numbers_) == data().count();
  return are_all || !is_denied(read, trial, places()) ? add(std::move(suspect)) : nullptr;
}

Suspect* Examination::try_guess(std::string words, const ReadReached& read,
                                const ChangedPlaces& places) {
  constexpr std::size_t most = 16;
  look_at_stop();
  const auto reached = read(std::span(numbers_).first(std::min(wrong_, most)));
  bool is_shown = false;
  for (std::size_t i = 0; reached && i < reached->size(); ++i) {
    const GotElement& wrong = elements_[i];
    is_shown = is_shown || (wrong.actual != wrong.reached.data &&
                            trial_.fit((*reached)[i], wrong.actual) != Fit::none);
  }
  return is_shown ? try_reached(std::move(words), read, trial_, places) : nullptr;
}

// Whether an element that is right would be wrong.
bool Examination::is_denied(const ReadReached& read, MeetingTrial& trial,
                            std::vector<std::int64_t> places) {
  const std::vector<GotElement> right = right_among(std::move(places));
  std::vector<std::int64_t> numbers;
  numbers.reserve(right.size());
  for (const GotElement& each : right) numbers.push_back(each.number);
  auto reached = read(numbers);
  while (!reached && !numbers.empty()) {
    numbers.resize(numbers.size() / 2);
    reached = read(numbers);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (trial.fit((*reached)[i], right[i].actual) == Fit::none) return true;
  }
  return false;
}

Suspect* Examination::try_call(std::string words, const Call& call) {
  try {
    return try_prepared(std::move(words), *call.operation,
                        prepared(*call.operation, call.arguments));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::file) throw;
    return nullptr;
  }
}

Suspect* Examination::try_prepared(std::string words, const Operation& operation,
                                   const Arguments& arguments) {
  try {
    if (operation.infer_output(arguments).shape != data().shape()) return nullptr;
    const LoweredPlan lowered = operation.lower(arguments, {.parallelism = options_.parallelism});
    MeetingTrial trial(type_, combination_of(lowered.plan));
    return try_reached(
        std::move(words),
        [&](std::span<const std::int64_t> numbers) {
          return reached_terms(lowered, arguments.operand("data"), arguments.operand("updates"),
                               numbers);
        },
        trial,
        [&] {
          std::vector<std::int64_t> places = written_places(lowered, most_places, &lowered_);
          const auto own = written_places(lowered_, most_places, &lowered);
          places.insert(places.end(), own.begin(), own.end());
          return places;
        });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::file) throw;
    return nullptr;
  }
}

namespace {

// Whether entries of the same number can be compared.
bool are_alike(const ListedWrites& a, const ListedWrites& b) {
  return a.destination_of_entry.size() == b.destination_of_entry.size() &&
         a.destinations == b.destinations && a.blocks.count() == b.blocks.count() &&
         a.batches.count() == b.batches.count();
}

// Calls visit(entry) for those that write something, of `other` something else.
template <class Visit>
void visit_chosen(const ListedWrites& writes, const ListedWrites* other, const Visit& visit) {
  const bool is_compared = other != nullptr && are_alike(writes, *other);
  writes.destination_of_entry.visit([&](auto list) {
    (is_compared ? *other : writes).destination_of_entry.visit([&](auto others) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_same = std::uint64_t{list[i]} == std::uint64_t{others[i]};
        if (is_dropped(list[i]) || (is_compared && is_same)) continue;
        if (!visit(static_cast<std::int64_t>(i))) return;
      }
    });
  });
}

// The number of an element that the entry writes, by its place among these.
std::int64_t place(const ListedWrites& writes, std::int64_t entry, std::int64_t within) {
  const std::int64_t destination = writes.destination_of_entry.visit(
      [&](auto list) { return static_cast<std::int64_t>(list[static_cast<std::size_t>(entry)]); });
  return ElementPlace::of_column(writes, destination, within).number(writes);
}

std::vector<std::int64_t> places(const ListedWrites& writes, std::int64_t most,
                                 const ListedWrites* other) {
  const std::int64_t each = writes.blocks.count() * writes.batches.count();  // of an entry
  std::int64_t entries = writes.kept();
  const bool are_all = other == nullptr && entries == writes.destination_of_entry.size();
  if (other != nullptr) {
    entries = 0;
    visit_chosen(writes, other, [&](std::int64_t) { return ++entries > 0; });
  }
  std::vector<std::int64_t> found = spread(entries * each, most);
  if (are_all) {
    for (std::int64_t& number : found) number = place(writes, number / each, number % each);
    return found;
  }
  auto next = found.begin();
  std::int64_t before = 0;  // elements of the entries before
  visit_chosen(writes, other, [&](std::int64_t entry) {
    for (; next != found.end() && *next < before + each; ++next)
      *next = place(writes, entry, *next - before);
    before += each;
    return next != found.end();
  });
  return found;
}

std::vector<std::int64_t> places(const LatticeWrites& writes, std::int64_t most) {
  std::vector<std::int64_t> found = spread(writes.points() * writes.run, most);
  for (std::int64_t& each : found) {
    std::int64_t rest = each / writes.run;
    std::int64_t number = writes.output_origin + each % writes.run;
    for (std::size_t i = writes.axes.size(); i-- > 0;) {
      number += rest % writes.axes[i].count * writes.axes[i].output_stride;
      rest /= writes.axes[i].count;
    }
    each = number;
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> spread(std::int64_t total, std::int64_t most) {
  const std::int64_t count = std::min(total, most);
  std::vector<std::int64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = total / count * i + std::min(i, total % count);
    const std::int64_t length = total / count + (i < total % count ? 1 : 0);
    const std::uint64_t hash = (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U) >> 32U;
    numbers.push_back(first + static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(length)));
  }
  return numbers;
}

std::vector<std::int64_t> written_places(const LoweredPlan& lowered, std::int64_t most,
                                         const LoweredPlan* other) {
  const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes);
  const auto* others = other == nullptr ? nullptr : std::get_if<ListedWrites>(&other->plan.writes);
  std::vector<std::int64_t> numbers =
      listed != nullptr ? places(*listed, most, others)
                        : places(std::get<LatticeWrites>(lowered.plan.writes), most);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::int64_t transposed(const TensorHeader& header, std::int64_t number) {
  const MemoryOrder other = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  const std::vector<std::int64_t> own = strides_of(header.shape, header.order);
  const std::vector<std::int64_t> others = strides_of(header.shape, other);
  std::int64_t moved = 0;
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    moved += number / own[axis] % header.shape[axis] * others[axis];
  return moved;
}

OtherLength::OtherLength(const TensorHeader& header, std::size_t axis, std::int64_t length)
    : axis_{axis}, length_{length}, size_{header.shape[axis]} {
  for (std::size_t other = 0; other < header.rank(); ++other) {
    if (other == axis) continue;
    const bool is_faster = (other > axis) == (header.order == MemoryOrder::c);
    (is_faster ? inner_ : outer_) *= header.shape[other];
  }
}

std::int64_t OtherLength::to(std::int64_t number) const {
  const std::int64_t row = number / inner_;
  return (row / size_ * length_ + row % size_) * inner_ + number % inner_;
}

std::vector<std::int64_t> OtherLength::from(std::int64_t number) const {
  const std::int64_t row = number / inner_;
  const std::int64_t first = row < size_ ? 0 : (row - size_) / length_ + 1;
  const std::int64_t last = std::min(row / length_, outer_ - 1);
  std::vector<std::int64_t> numbers;
  for (std::int64_t outer = first; outer <= last; ++outer)
    numbers.push_back((outer * size_ + row - outer * length_) * inner_ + number % inner_);
  return numbers;
}

std::string OtherLength::words() const {
  return fmt::format("as if axis {} had {} element{}", axis_, length_, length_ == 1 ? "" : "s");
}

std::vector<OtherLength> other_lengths(const Call& call, const TensorHeader& header) {
  constexpr std::array<std::int64_t, 5> paddings{4, 8, 16, 32, 64};
  std::vector<OtherLength> all;
  constexpr std::int64_t most = std::int64_t{1} << 50U;  // numbers stay within int64
  if (header.count() == 0 || header.count() > most) return all;
  for (std::size_t axis = 0; axis < header.rank(); ++axis) {
    if (axis == (header.order == MemoryOrder::c ? 0 : header.rank() - 1)) continue;
    const std::int64_t own = header.shape[axis];
    std::set<std::int64_t> lengths{1, own - 1, own + 1};
    for (const auto& [name, operand] : call.arguments.operands)
      lengths.insert(operand.shape().begin(), operand.shape().end());
    for (const std::int64_t padding : paddings)
      lengths.insert((own + padding - 1) / padding * padding);
    for (const std::int64_t length : lengths) {
      const bool is_near = length <= 4 * std::max(own, paddings.back());
      if (length > 0 && length != own && is_near) all.emplace_back(header, axis, length);
    }
  }
  return all;
}

}  // namespace tscatter::diagnose
