// Verdicts on results, and what their diagnoses name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/device.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter::planted {

// "reduction: as with the reduction sum", those of the first rank.
inline std::vector<std::string> named(const Verification& v) {
  std::vector<std::string> texts;
  for (const orders::Diagnosis& each : v.diagnoses.named) {
    if (each.rank == 1) texts.push_back(fmt::format("{}: {}", each.name, each.words));
  }
  return texts;
}

inline std::string all_of(const Verification& v) {
  std::string text =
      fmt::format("{} examined, {} unexplained", v.diagnoses.examined, v.diagnoses.unexplained);
  for (const orders::Diagnosis& each : v.diagnoses.named)
    text += fmt::format("\n  {} {}: {} ({})", each.rank, each.name, each.words, each.explained);
  return text;
}

// Of so many, which are wrong. REQUIRES: `worst` has all of them.
inline std::vector<bool> wrong_elements(const Verification& v, std::size_t count) {
  std::vector<bool> wrong(count);
  for (const ElementReport& each : v.worst) {
    if (each.verdict.element_class == ElementClass::wrong)
      wrong[static_cast<std::size_t>(each.index)] = true;
  }
  return wrong;
}

inline bool names(const Verification& v, std::string_view kind, std::string_view words) {
  return std::ranges::any_of(v.diagnoses.named, [&](const orders::Diagnosis& each) {
    const bool is_it = each.name == kind && each.words == words;
    const bool is_beside = kind == "operation" && std::ranges::count(each.also, words) > 0;
    return each.rank == 1 && (is_it || is_beside) && each.explained == v.diagnoses.examined;
  });
}

// A range of entries may be told as a shorter one, or entry by entry.
inline bool is_named(const Verification& v, std::string_view kind, std::string_view words) {
  if (names(v, kind, words)) return true;
  if (kind != "without-entries") return false;
  return std::ranges::any_of(v.diagnoses.named, [&](const orders::Diagnosis& each) {
    return (each.name == "without-entries" || each.name == "without-entry" ||
            each.name == "no-update") &&
           each.explained == v.diagnoses.examined;
  });
}

inline Verification verified(std::string_view operation, Arguments arguments, const Tensor& actual,
                             const VerifyOptions& options = {}) {
  return verify(*find_operation(operation), arguments, actual, options);
}

// One element of data, and updates that all reach it.
template <class T>
struct Meeting {
  T data;
  std::vector<T> updates;
  Reduction reduction;

  Arguments arguments() const {
    const auto count = static_cast<std::int64_t>(updates.size());
    return arguments_of(tensor<T>({1}, {data}),
                        int64s({count, 1}, std::vector<std::int64_t>(updates.size(), 0)),
                        tensor({count}, updates), {{"reduction", reduction}});
  }
};

template <class T>
Verification verdict_on(const Meeting<T>& meeting, T actual,
                        std::string_view operation = "ScatterNDUpdate-15") {
  return verified(operation, meeting.arguments(), tensor<T>({1}, {actual}));
}

inline constexpr std::array tried_reductions{Reduction::none, Reduction::sum, Reduction::sub,
                                             Reduction::prod, Reduction::min, Reduction::max};

}  // namespace tscatter::planted
