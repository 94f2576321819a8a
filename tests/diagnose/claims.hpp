// What the words of a diagnosis say about a device's result, computed without tscatter.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "diagnose/device.hpp"
#include "tscatter/core/half.hpp"

namespace tscatter::planted {

// What a result would be: each element's value, and what else some order of its terms may leave.
template <class T>
struct Claim {
  bool is_whole = false;  // of the call; else of some elements
  std::vector<T> values = {};
  std::vector<std::vector<T>> others = {};  // of an element, too
  std::vector<double> slack = {};           // of an element: rounding errors in any order
  std::vector<bool> is_open = {};           // of an element: whatever stands there
  std::vector<bool> is_vague = {};          // of an element: almost any value is within its slack

  bool is(std::size_t i, T got) const { return !is_open[i] && values[i] == got; }
  // What almost any value would meet explains none.
  bool explains(std::size_t i, T got) const {
    return is(i, got) || (!is_open[i] && !is_vague[i] && allows(i, got));
  }
  bool allows(std::size_t i, T got) const {
    return is_open[i] || values[i] == got || std::ranges::count(others[i], got) > 0 ||
           std::abs(static_cast<double>(got) - static_cast<double>(values[i])) <= slack[i];
  }
};

// A device's fault as the terms that meet at each element.
template <class T>
class Claimant {
 public:
  using Terms = std::vector<std::vector<T>>;

  explicit Claimant(const Device<T>& device) : device_{device} {}

  // nullopt: nothing is known about the words.
  std::optional<Claim<T>> claim(const std::string& words) const {
    if (auto claim = of_entries(words)) return claim;
    if (auto claim = of_rows(words)) return claim;
    if (auto claim = of_readings(words)) return claim;
    if (auto claim = of_places(words)) return claim;
    if (auto claim = of_lengths(words)) return claim;
    return of_meeting(words);
  }

  // Whether a value is what an element has with one update, or several that follow each other,
  // missing or one counted twice.
  bool is_without_one(std::size_t i, T got) const {
    return any_edit(i, got, [](std::vector<T>& terms, std::size_t k) {
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k));
    });
  }
  bool is_twice_one(std::size_t i, T got) const {
    return any_edit(i, got, [](std::vector<T>& terms, std::size_t k) {
      terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(k), terms[k]);
    });
  }
  bool is_without_some(std::size_t i, T got) const {
    const std::vector<T> terms = terms_of(device_.steps())[i];
    constexpr std::size_t most = 64;
    if (got == device_.data[i] || is_without_one(i, got)) return true;
    for (std::size_t first = 0; first < terms.size() && terms.size() <= most; ++first) {
      for (std::size_t last = first + 2; last <= terms.size(); ++last) {
        std::vector<T> rest(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(first));
        rest.insert(rest.end(), terms.begin() + static_cast<std::ptrdiff_t>(last), terms.end());
        if (one(i, rest).allows(0, got)) return true;
      }
    }
    return false;
  }

 private:
  Terms terms_of(const std::vector<Step>& steps) const {
    Terms terms(device_.data.size());
    for (const Step& step : steps) {
      if (step.destination < 0 || step.destination >= device_.destinations) continue;
      for (std::int64_t j = 0; j < device_.block; ++j)
        terms[static_cast<std::size_t>(step.destination * device_.block + j)].push_back(
            device_.updates[static_cast<std::size_t>(step.row * device_.block + j)]);
    }
    return terms;
  }

  // Where each update is read, and where it goes: by its entry and its place in the block.
  template <class From, class To>
  Terms terms_at(const From& from, const To& to) const {
    Terms terms(device_.data.size());
    for (std::int64_t e = 0; e < device_.entries(); ++e) {
      for (std::int64_t j = 0; j < device_.block; ++j) {
        const auto place = static_cast<std::size_t>(to(e, j));
        if (place < terms.size())
          terms[place].push_back(device_.updates[static_cast<std::size_t>(from(e, j))]);
      }
    }
    return terms;
  }

  static void add(Claim<T>& claim, Reduction reduction, T first, const std::vector<T>& terms) {
    const bool is_mean = oracle::divides(reduction);
    T value = first;
    double size = std::abs(static_cast<double>(first));
    for (const T& term : terms) {
      value = met(reduction, value, term);
      size += std::abs(static_cast<double>(term));
    }
    const auto count = static_cast<double>(terms.size() + 1);
    const bool takes_root = reduction == Reduction::sqrt_n;
    if (is_mean)
      value = static_cast<T>(value / static_cast<T>(takes_root ? std::sqrt(count) : count));
    const bool is_rounded = std::is_floating_point_v<T> && (is_mean || reduction == Reduction::sum);
    claim.values.push_back(value);
    claim.others.push_back(reduction == Reduction::none ? terms : std::vector<T>{});
    claim.slack.push_back(is_rounded
                              ? 2 * static_cast<double>(terms.size()) * size *
                                    static_cast<double>(std::numeric_limits<float>::epsilon())
                              : 0);
    claim.is_open.push_back(false);
    claim.is_vague.push_back(false);
  }

  Claim<T> of_terms(bool is_whole, Reduction reduction, const std::vector<T>& data,
                    const Terms& terms) const {
    Claim<T> claim{.is_whole = is_whole};
    for (std::size_t i = 0; i < terms.size(); ++i) add(claim, reduction, data[i], terms[i]);
    return claim;
  }
  Claim<T> whole(const Terms& terms) const {
    return of_terms(true, device_.reduction, device_.data, terms);
  }
  Claim<T> some(const Terms& terms) const {
    return of_terms(false, device_.reduction, device_.data, terms);
  }
  Claim<T> one(std::size_t i, const std::vector<T>& terms) const {
    Claim<T> claim;
    add(claim, device_.reduction, device_.data[i], terms);
    return claim;
  }

  template <class Edit>
  bool any_edit(std::size_t i, T got, const Edit& edit) const {
    const std::vector<T> terms = terms_of(device_.steps())[i];
    for (std::size_t k = 0; k < terms.size(); ++k) {
      std::vector<T> edited = terms;
      edit(edited, k);
      if (one(i, edited).allows(0, got)) return true;
    }
    return false;
  }

  // The numbers in "indices[3] to indices[5]".
  static std::vector<std::int64_t> entries_in(std::string_view words) {
    std::vector<std::int64_t> entries;
    constexpr std::string_view before = "indices[";
    for (std::size_t at = words.find(before); at != std::string_view::npos;
         at = words.find(before, at + 1))
      entries.push_back(std::strtoll(words.data() + at + before.size(), nullptr, 10));
    return entries;
  }

  std::optional<Claim<T>> of_entries(const std::string& words) const {
    const std::vector<std::int64_t> entries = entries_in(words);
    std::vector<Step> steps = device_.steps();
    if (words == "no update applied: data's value") return some(terms_of({}));
    if (words.starts_with("without indices[")) {
      std::erase_if(steps, [&](const Step& each) {
        return each.row >= entries.front() && each.row <= entries.back();
      });
      Claim<T> claim = some(terms_of(steps));
      claim.is_whole = entries.size() == 2;
      return claim;
    }
    if (words.starts_with("twice indices[")) {
      const auto k = static_cast<std::size_t>(entries.front());
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k), Step(steps[k]));
      return some(terms_of(steps));
    }
    if (const std::size_t to = words.find(" went to ["); to != std::string::npos) {
      auto& step = steps[static_cast<std::size_t>(entries.front())];
      step.destination = std::strtoll(words.c_str() + to + 10, nullptr, 10);
      return whole(terms_of(steps));
    }
    if (words.starts_with("written by indices[")) return of_writer(entries.front());
    return std::nullopt;
  }

  // An entry that goes to an element is no other writer of it.
  Claim<T> of_writer(std::int64_t entry) const {
    std::vector<Step> steps;
    for (std::int64_t at = 0; at < device_.destinations; ++at)
      steps.push_back({.destination = at, .row = entry});
    Terms terms = terms_of(steps);
    const std::int64_t own = device_.indices[static_cast<std::size_t>(entry)];
    Claim<T> claim = some(terms);
    for (std::int64_t j = 0; j < device_.block; ++j) {
      const auto i = static_cast<std::size_t>(own * device_.block + j);
      claim.values[i] = device_.result(device_.steps())[i];
      claim.others[i].clear();
      claim.slack[i] = 0;
    }
    return claim;
  }

  std::optional<Claim<T>> of_rows(const std::string& words) const {
    const std::int64_t entries = device_.entries();
    const auto rows = [&](const auto& row) {
      std::vector<Step> steps = device_.steps();
      for (Step& each : steps) each.row = row(each.row);
      return whole(terms_of(steps));
    };
    constexpr std::string_view other = "each entry with the updates of the entry ";
    if (words.starts_with(other)) {
      const std::int64_t by = std::strtoll(words.c_str() + other.size(), nullptr, 10);
      return rows([&](std::int64_t row) { return (row + by + 2 * entries) % entries; });
    }
    if (words == "each entry with the updates of the first one")
      return rows([](std::int64_t) { return std::int64_t{0}; });
    if (words == "each entry with the updates of the last one")
      return rows([&](std::int64_t) { return entries - 1; });
    if (words == "updates in reversed order of the entries")
      return rows([&](std::int64_t row) { return entries - 1 - row; });
    constexpr std::string_view strides = "updates read with ";
    if (words.starts_with(strides)) {
      const std::int64_t times = std::strtoll(words.c_str() + strides.size(), nullptr, 10);
      constexpr std::string_view from = "from that of entry ";
      const std::size_t at = words.find(from);
      const std::int64_t first =
          at == std::string::npos ? 0 : std::strtoll(words.c_str() + at + from.size(), nullptr, 10);
      return rows([&](std::int64_t row) {
        return (first + (times == 0 ? 2 : times) * row) % entries;  // "twice"
      });
    }
    const bool is_stored = words == "updates stored in the other memory order";
    if (!is_stored && words != "updates read in the other memory order") return std::nullopt;
    Device<T> turned = device_;
    const std::int64_t length = is_stored ? entries : device_.block;
    for (std::int64_t i = 0; i < entries * device_.block; ++i)
      turned.updates[static_cast<std::size_t>(i)] = device_.updates[static_cast<std::size_t>(
          i / length + i % length * (entries * device_.block / length))];
    return Claimant(turned).whole(Claimant(turned).terms_of(turned.steps()));
  }

  // Indices that are read otherwise.
  std::optional<Claim<T>> of_readings(const std::string& words) const {
    const auto places = [&](const auto& place) {
      std::vector<Step> steps = device_.steps();
      for (Step& each : steps) each.destination = place(each);
      return whole(terms_of(steps));
    };
    if (words == "indices off by +1 along axis 0")
      return places([](const Step& each) { return each.destination + 1; });
    // A negative index counts from the end.
    const auto from_the_end = [&](std::int64_t at) {
      return at < 0 ? at + device_.destinations : at;
    };
    if (words == "indices off by -1 along axis 0")
      return places([&](const Step& each) { return from_the_end(each.destination - 1); });
    if (words == "negative indices taken as 0") {
      return places([&](const Step& each) {
        return std::max<std::int64_t>(device_.indices[static_cast<std::size_t>(each.row)], 0);
      });
    }
    if (words == "indices of the first entry for all")
      return places([&](const Step&) { return from_the_end(device_.indices.front()); });
    const auto cut = [&]<class Cut>(Cut) {
      return places([&](const Step& each) {
        return from_the_end(static_cast<std::int64_t>(static_cast<Cut>(each.destination)));
      });
    };
    if (words == "indices cut to int8") return cut(std::int8_t{});
    if (words == "indices cut to uint8") return cut(std::uint8_t{});
    if (words == "the bytes of indices read as int32") {
      return places([&](const Step& each) {
        return each.row % 2 == 0 ? device_.indices[static_cast<std::size_t>(each.row / 2)] : 0;
      });
    }
    return std::nullopt;
  }

  std::optional<Claim<T>> of_places(const std::string& words) const {
    if (words.starts_with("shifted by ")) {
      const std::int64_t by = std::strtoll(words.c_str() + 11, nullptr, 10);
      return moved([&](std::int64_t i) { return i - by; });
    }
    if (words.starts_with("rotated by ")) {
      const std::int64_t by = std::strtoll(words.c_str() + 11, nullptr, 10);
      const auto count = std::ssize(device_.data);
      return moved([&](std::int64_t i) { return (i - by + count) % count; });
    }
    if (words != "written in the other memory order") return std::nullopt;
    return moved([&](std::int64_t i) {
      return i % device_.destinations * device_.block + i / device_.destinations;
    });
  }

  // An axis 1 of another length. What lies beyond the end is read where it should be.
  std::optional<Claim<T>> of_lengths(const std::string& words) const {
    const std::int64_t block = device_.block;
    const std::int64_t entries = device_.entries();
    const auto row = [&](std::int64_t e) { return device_.indices[static_cast<std::size_t>(e)]; };
    const auto own_update = [&](std::int64_t e, std::int64_t j) { return e * block + j; };
    const auto own_place = [&](std::int64_t e, std::int64_t j) { return row(e) * block + j; };
    if (words == "updates written in the other memory order") {
      return whole(terms_at(own_update, [&](std::int64_t e, std::int64_t j) {
        return j * device_.destinations + row(e);
      }));
    }
    constexpr std::string_view before = " as if axis 1 had ";
    const std::size_t at = words.find(before);
    if (at == std::string::npos) return std::nullopt;
    const std::int64_t length = std::strtoll(words.c_str() + at + before.size(), nullptr, 10);
    if (words.starts_with("updates written")) {
      return whole(terms_at(own_update,
                            [&](std::int64_t e, std::int64_t j) { return row(e) * length + j; }));
    }
    if (words.starts_with("updates read")) {
      return whole(terms_at(
          [&](std::int64_t e, std::int64_t j) {
            const std::int64_t there = e * length + j;
            return there < entries * block ? there : e * block + j;
          },
          own_place));
    }
    return whole(terms_at(own_update, [&](std::int64_t e, std::int64_t j) {
      return row(e * length < entries ? e * length : e) * block + j;
    }));
  }

  // Each element as the one with number from(i).
  template <class From>
  Claim<T> moved(const From& from) const {
    const Claim<T> own = whole(terms_of(device_.steps()));
    Claim<T> claim = own;
    for (std::size_t i = 0; i < own.values.size(); ++i) {
      const std::int64_t at = from(static_cast<std::int64_t>(i));
      claim.is_open[i] = at < 0 || at >= std::ssize(own.values);
      if (claim.is_open[i]) continue;
      claim.values[i] = own.values[static_cast<std::size_t>(at)];
      claim.others[i] = own.others[static_cast<std::size_t>(at)];
      claim.slack[i] = own.slack[static_cast<std::size_t>(at)];
    }
    return claim;
  }

  std::optional<Claim<T>> of_meeting(const std::string& words) const {
    const Terms terms = terms_of(device_.steps());
    if (words == "every update twice" || words == "data's value twice") {
      Terms more = terms;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        if (words == "every update twice")
          more[i].insert(more[i].end(), terms[i].begin(), terms[i].end());
        else if (!terms[i].empty())
          more[i].insert(more[i].begin(), device_.data[i]);
      }
      return whole(more);
    }
    constexpr std::string_view with = "as with the reduction ";
    for (const ReductionInfo& each : reduction_table) {
      if (words == std::string(with) + std::string(each.name))
        return of_terms(true, each.reduction, device_.data, terms);
    }
    if (words == "as onnx.ScatterElements-13" || words == "as onnx.Scatter-9")
      return of_terms(true, Reduction::none, device_.data, terms);
    if (words == "as with --self identity") return without_data(terms, identity());
    if (words == "as with --self 0") return without_data(terms, T{});
    if (words == "data not copied: zeros where no update reaches") return without_copy(terms);
    if (words == "overflow saturates at each step") return saturated(terms, true);
    if (words == "overflow saturates at the end") return saturated(terms, false);
    if (words.starts_with("computed as if the bits were ")) return computed_on_bits(terms);
    return of_narrowing(words, terms);
  }

  std::optional<Claim<T>> of_narrowing(const std::string& words, const Terms& terms) const {
    constexpr std::string_view saturates = ", which saturates";
    Narrowing narrowing{.saturates = words.ends_with(saturates)};
    const std::string how =
        words.substr(0, words.size() - (narrowing.saturates ? saturates.size() : 0));
    if (how == "computed in float32") return computed_in<float>(terms, narrowing, 0x1p-24);
    if (how == "computed in int32") return computed_in<std::int32_t>(terms, narrowing, 0);
    if (how == "computed in float16") return computed_in<Half>(terms, narrowing, 0x1p-11);
    if (how == "computed in bfloat16") return computed_in<BFloat16>(terms, narrowing, 0x1p-8);
    if (how == "rounded to float32") return rounded_to<float>(terms, narrowing);
    if (how == "updates rounded to float32")
      return with_updates_rounded_to<float>(terms, narrowing);
    if (how == "rounded to int32") return rounded_to<std::int32_t>(terms, narrowing);
    if (how == "updates rounded to int32")
      return with_updates_rounded_to<std::int32_t>(terms, narrowing);
    if (how == "rounded to float16") return rounded_to<Half>(terms, narrowing);
    if (how == "updates rounded to float16") return with_updates_rounded_to<Half>(terms, narrowing);
    if (how == "rounded to bfloat16") return rounded_to<BFloat16>(terms, narrowing);
    if (how == "updates rounded to bfloat16")
      return with_updates_rounded_to<BFloat16>(terms, narrowing);
    return std::nullopt;
  }

  Claim<T> without_copy(const Terms& terms) const {
    Claim<T> claim = whole(terms);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].empty()) claim.values[i] = T{};
    }
    return claim;
  }
  Claim<T> without_data(const Terms& terms, T start) const {
    std::vector<T> data = device_.data;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (!terms[i].empty()) data[i] = start;
    }
    return of_terms(true, device_.reduction, data, terms);
  }
  // REQUIRES: T is an unsigned integer of 32 bits.
  Claim<T> saturated(const Terms& terms, bool at_each_step) const {
    Claim<T> claim = whole(terms);
    const auto limited = [](double value) {
      return std::clamp<double>(value, 0, static_cast<double>(Limits<T>::max()));
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      auto value = static_cast<double>(device_.data[i]);
      for (const T& each : terms[i]) {
        value = met(device_.reduction, value, static_cast<double>(each));
        if (at_each_step) value = limited(value);
      }
      claim.values[i] = static_cast<T>(limited(value));
    }
    return claim;
  }
  T identity() const {
    const auto type = ElementType::of(detail::dtype_of<T>());
    T value{};
    std::memcpy(&value, oracle::identity_of(type, device_.reduction).data(), sizeof(T));
    return value;
  }

  // What becomes of a value beyond the other dtype: its largest number, or what a cast leaves.
  struct Narrowing {
    bool saturates = false;

    template <class To>
    To in(double value) const {
      if constexpr (std::is_same_v<To, std::int32_t>) {
        if (saturates) value = std::clamp<double>(value, Limits<To>::min(), Limits<To>::max());
        return static_cast<To>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
      } else {
        const To narrow(static_cast<float>(value));
        if (!saturates || !std::isinf(widened(narrow))) return narrow;
        return To(static_cast<float>(std::copysign(largest<To>(), value)));
      }
    }
    template <class To>
    T back(double value) const {
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
      } else {
        const bool fits = value >= 0 && value <= static_cast<double>(Limits<T>::max());
        if (fits) return static_cast<T>(value);
        if (saturates) return value < 0 ? T{} : Limits<T>::max();
        return std::is_integral_v<To> ? static_cast<T>(static_cast<std::int64_t>(value)) : T{};
      }
    }
  };

  template <class Number>
  using Limits = std::numeric_limits<Number>;

  template <class To>
  static double largest() {
    if constexpr (std::is_same_v<To, float>) {
      return static_cast<double>(Limits<float>::max());
    } else {
      return static_cast<double>(To::largest());
    }
  }
  template <class To>
  static double widened(To value) {
    return static_cast<double>(
        static_cast<std::conditional_t<std::is_integral_v<To>, To, float>>(value));
  }

  // `unit`: half a unit in the last place of 1.
  template <class To>
  Claim<T> computed_in(const Terms& terms, const Narrowing& narrowing, double unit) const {
    const Narrowing cast{};
    Claim<T> claim = whole(terms);
    const auto in = [&](T value) {
      return widened(narrowing.template in<To>(static_cast<double>(value)));
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      double value = in(device_.data[i]);
      double size = std::abs(value);
      for (const T& each : terms[i]) {
        const double term = in(each);
        value = widened(cast.template in<To>(met(device_.reduction, value, term)));
        size += std::abs(term);
      }
      claim.values[i] = narrowing.template back<To>(value);
      for (T& each : claim.others[i]) each = narrowing.template back<To>(in(each));
      // What no update reaches may be as it was.
      if (terms[i].empty()) claim.others[i].push_back(device_.data[i]);
      claim.slack[i] = 2 * static_cast<double>(terms[i].size()) * unit * size;
      claim.is_vague[i] = static_cast<double>(terms[i].size()) * unit > 1.0 / 16;
    }
    return claim;
  }

  template <class To>
  Claim<T> rounded_to(const Terms& terms, const Narrowing& narrowing) const {
    Claim<T> claim = whole(terms);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto value = static_cast<double>(claim.values[i]);
      if (terms[i].empty()) claim.others[i].push_back(device_.data[i]);
      claim.values[i] = narrowing.template back<To>(widened(narrowing.template in<To>(value)));
    }
    return claim;
  }

  template <class To>
  Claim<T> with_updates_rounded_to(Terms terms, const Narrowing& narrowing) const {
    for (std::vector<T>& some : terms) {
      for (T& each : some) {
        const auto value = static_cast<double>(each);
        each = narrowing.template back<To>(widened(narrowing.template in<To>(value)));
      }
    }
    return whole(terms);
  }

  // With the bits of integers taken for floats, or of floats for integers.
  Claim<T> computed_on_bits(const Terms& terms) const {
    using Other = std::conditional_t<std::is_integral_v<T>, float, std::uint32_t>;
    Claim<T> claim = whole(terms);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      auto value = std::bit_cast<Other>(device_.data[i]);
      for (const T& each : terms[i])
        value = met(device_.reduction, value, std::bit_cast<Other>(each));
      claim.values[i] = std::bit_cast<T>(value);
    }
    return claim;
  }

  const Device<T>& device_;
};

}  // namespace tscatter::planted
