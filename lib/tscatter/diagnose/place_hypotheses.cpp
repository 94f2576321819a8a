// Hypotheses about places: updates of other entries, results that stand elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/diagnose/written_places.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::int64_t most_elements = 4096;  // of a result whose every shift is tried
constexpr std::int64_t most_bytes = std::int64_t{4} << 20U;  // of such a result
constexpr std::size_t most_reads = std::size_t{1} << 20U;
constexpr std::size_t most_other_writers = 64;  // that would explain an element

// Another element's number, or one that is none.
using Moved = std::function<std::int64_t(std::int64_t number)>;

// Each element has the result of from(its number), and a number's result stands at to(it).
void try_moved(Examination& examination, std::string words, const Moved& from, const Moved& to) {
  const std::int64_t count = examination.data().count();
  const auto is_one = [count](std::int64_t number) { return number >= 0 && number < count; };
  examination.try_reached(
      std::move(words),
      [&](std::span<const std::int64_t> numbers) {
        std::vector<std::int64_t> others;
        for (const std::int64_t number : numbers)
          others.push_back(is_one(from(number)) ? from(number) : number);  // whatever stands there
        return reached_terms(examination.lowered(), examination.data(), examination.updates(),
                             others);
      },
      examination.trial(),
      [&] {
        std::vector<std::int64_t> places = written_places(examination.lowered(), most_places / 2);
        for (std::size_t i = places.size(); i-- > 0;) {
          if (is_one(to(places[i]))) places.push_back(to(places[i]));
        }
        return places;
      });
}

void try_shift(Examination& examination, std::string words, std::int64_t by) {
  try_moved(
      examination, std::move(words), [by](std::int64_t number) { return number - by; },
      [by](std::int64_t number) { return number + by; });
}

// Each element of a small result with another place's.
class SmallShifts {
 public:
  // `values`: what the call leaves, all of it.
  SmallShifts(Examination& examination, std::vector<std::vector<std::byte>> values)
      : examination_{examination}, values_{std::move(values)}, count_{std::ssize(values_)} {}

  void try_all() {
    std::size_t most = 0;  // that a shift explains
    for (std::int64_t by = 1 - count_; by < count_; ++by) {
      const Moved from = [by](std::int64_t number) { return number - by; };
      if (by == 0 || !is_telling(by)) continue;
      most = std::max(most, explained(fmt::format("shifted by {:+} elements", by), from));
    }
    for (std::int64_t by = 1; by < count_; ++by) {
      const Moved from = [&](std::int64_t number) { return wrapped(number - by, count_); };
      const std::int64_t shown = 2 * by <= count_ ? by : by - count_;
      const std::size_t count = explained(fmt::format("rotated by {:+} elements", shown), from);
      if (count > 0 && count <= most) examination_.take_back();
    }
  }

 private:
  bool is_one(std::int64_t number) const { return number >= 0 && number < count_; }

  // Whether enough of the elements would come from within the result: one alone may be a
  // coincidence.
  bool is_telling(std::int64_t by) const {
    const std::span<const std::int64_t> numbers = examination_.numbers();
    const auto inside =
        std::ranges::count_if(numbers, [&](std::int64_t number) { return is_one(number - by); });
    return inside >= 2 && 2 * inside >= std::ssize(numbers);
  }

  bool is_it(const GotElement& element, std::int64_t from) const {
    return is_one(from) && values_[static_cast<std::size_t>(from)] == element.actual;
  }

  // Whether most of the first wrong elements are explained.
  bool begins_well(const Moved& from) const {
    const auto first =
        examination_.wrong().first(std::min<std::size_t>(3, examination_.wrong().size()));
    const auto explained = std::ranges::count_if(
        first, [&](const GotElement& each) { return is_it(each, from(each.number)); });
    return 2 * explained > std::ssize(first);
  }

  // How many elements the suspect explains that it adds; 0: none is added.
  std::size_t explained(std::string words, const Moved& from) {
    if (!begins_well(from)) return 0;
    const auto fit_of = [&](const GotElement& element) {
      const std::int64_t number = from(element.number);
      if (!is_one(number)) return element.is_right ? Fit::legal : Fit::none;  // whatever is there
      return is_it(element, number) ? Fit::bits : Fit::none;
    };
    const Suspect* added = examination_.try_each(std::move(words), fit_of);
    if (added == nullptr) return 0;
    const std::size_t count = added->fits.size();
    const bool is_kept = !leaves_data(*added) && !is_denied(fit_of);
    if (!is_kept) examination_.take_back();
    return is_kept ? count : 0;
  }

  // Whether each element has data's value: then nothing shows that it came from elsewhere.
  bool leaves_data(const Suspect& suspect) const {
    return std::ranges::all_of(suspect.fits, [&](const ElementFit& each) {
      const GotElement& wrong = examination_.wrong()[each.element];
      return wrong.reached.data == wrong.actual;
    });
  }

  template <class FitOf>
  bool is_denied(const FitOf& fit_of) {
    if (!right_) right_ = examination_.right_among(spread(count_, count_));
    return std::ranges::any_of(*right_,
                               [&](const GotElement& each) { return fit_of(each) == Fit::none; });
  }

  Examination& examination_;
  std::vector<std::vector<std::byte>> values_;
  std::int64_t count_;
  std::optional<std::vector<GotElement>> right_ = std::nullopt;
};

// By one along each axis, in a large result; by any number of elements in a small one.
void try_constant_shifts(Examination& examination) {
  const TensorHeader& header = examination.data().header();
  const std::int64_t count = header.count();
  const bool is_small = count <= most_elements && examination.data().byte_size() <= most_bytes;
  const auto all = is_small ? reached_terms(examination.lowered(), examination.data(),
                                            examination.updates(), spread(count, count))
                            : std::nullopt;
  if (!all) {
    const std::vector<std::int64_t> strides = strides_of(header.shape, header.order);
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      for (const std::int64_t sign : {-1, 1}) {
        if (header.shape[axis] == 1) continue;
        try_shift(examination, fmt::format("shifted by {} along axis {}", sign, axis),
                  sign * strides[axis]);
      }
    }
    return;
  }
  std::vector<std::vector<std::byte>> values;
  for (const ReachedTerms& each : *all) {
    const auto value = examination.trial().value_after(each);
    values.emplace_back(value.begin(), value.end());
  }
  SmallShifts(examination, std::move(values)).try_all();
}

// An entry of the plan, and how well its update explains an element.
struct OtherWriter {
  std::int64_t entry;
  Fit fit;
};

// By their number in indices.
using OtherWriters = std::map<std::int64_t, OtherWriter>;

// The entries whose update would leave what was got of a wrong element, and that do not go there;
// none if they are too many to tell anything.
OtherWriters other_writers(Examination& examination, const ListedWrites& writes,
                           NativeElements& updates, std::size_t element) {
  const GotElement& wrong = examination.wrong()[element];
  const std::int64_t part = ElementPlace::of(writes, wrong.number).part_of_entries(writes);
  OtherWriters writers;
  std::set<std::int64_t> own;
  for (const std::int64_t each : wrong.reached.entries) own.insert(examination.index_entry(each));
  for (std::int64_t entry = 0; entry < writes.entries.count(); ++entry) {
    examination.look_at_stop();
    const std::int64_t index = examination.index_entry(entry);
    if (own.contains(index)) continue;
    const Fit fit =
        examination.trial().fit(wrong.reached.data.data(),
                                {updates.at(part + writes.update_of(entry))}, wrong.actual.data());
    if (fit == Fit::none) continue;
    OtherWriter& writer = writers.try_emplace(index, OtherWriter{entry, fit}).first->second;
    writer.fit = std::max(writer.fit, fit);
    if (writers.size() > most_other_writers) return {};
  }
  return writers;
}

}  // namespace

void try_other_writers(Examination& examination) {
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed == nullptr) return;
  const std::int64_t entries = listed->entries.count();
  if (entries < 2 || static_cast<std::size_t>(entries) * examination.wrong().size() > most_reads)
    return;
  NativeElements updates(examination.updates());
  std::map<std::int64_t, Suspect> by_index;
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    for (const auto& [index, writer] : other_writers(examination, *listed, updates, i)) {
      Suspect& suspect = by_index[index];
      if (suspect.fits.empty()) suspect.entry = writer.entry;
      suspect.fits.push_back({.element = i, .fit = writer.fit});
    }
  }
  updates.check();
  for (auto& [index, suspect] : by_index) {
    suspect.words = fmt::format("written by {}, which does not go there",
                                examination.entry_text(*suspect.entry));
    examination.add(std::move(suspect));
  }
}

void try_shifts(Examination& examination) {
  const TensorHeader& header = examination.data().header();
  try_constant_shifts(examination);
  if (header.rank() < 2) return;
  TensorHeader other = header;
  other.order = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  try_moved(
      examination, "written in the other memory order",
      [&](std::int64_t number) { return transposed(other, number); },
      [&](std::int64_t number) { return transposed(header, number); });
}

}  // namespace tscatter::diagnose
