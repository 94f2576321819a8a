// A device for the tests of diagnoses: applies entries to rows of data one after another, with the
// oracle's arithmetic, and can be made to do it wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/call.hpp"
#include "oracle/arithmetic.hpp"
#include "property/random.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::planted {

// The update of a row of updates goes to a row of data.
struct Step {
  std::int64_t destination;
  std::int64_t row;
};

// What the oracle leaves of two.
template <class T>
T met(Reduction reduction, T x, T y) {
  oracle::combine(ElementType::of(detail::dtype_of<T>()), reduction,
                  reinterpret_cast<std::byte*>(&x), reinterpret_cast<const std::byte*>(&y));
  return x;
}

// data [destinations, block], indices [entries, 1], updates [entries, block] of ScatterNDUpdate-15.
template <class T>
struct Device {
  std::int64_t destinations = 0;
  std::int64_t block = 1;
  Reduction reduction = Reduction::sum;
  std::vector<T> data = {};
  std::vector<std::int64_t> indices = {};
  std::vector<T> updates = {};

  std::int64_t entries() const { return static_cast<std::int64_t>(indices.size()); }

  std::vector<Step> steps() const {
    std::vector<Step> steps;
    for (std::int64_t e = 0; e < entries(); ++e)
      steps.push_back({.destination = indices[static_cast<std::size_t>(e)], .row = e});
    return steps;
  }

  std::vector<T> result(const std::vector<Step>& steps, Reduction with) const {
    std::vector<T> into = data;
    for (const Step& step : steps) {
      if (step.destination < 0 || step.destination >= destinations) continue;
      for (std::int64_t j = 0; j < block; ++j) {
        T& x = into[static_cast<std::size_t>(step.destination * block + j)];
        x = met(with, x, updates[static_cast<std::size_t>(step.row * block + j)]);
      }
    }
    return into;
  }
  std::vector<T> result(const std::vector<Step>& steps) const { return result(steps, reduction); }

  Arguments arguments() const {
    return arguments_of(tensor({destinations, block}, data), tensor({entries(), 1}, indices),
                        tensor({entries(), block}, updates), {{"reduction", reduction}});
  }

  Verification verify(const std::vector<T>& actual, const VerifyOptions& options = {}) const {
    return tscatter::verify(*find_operation("ScatterNDUpdate-15"), arguments(),
                            tensor<T>({destinations, block}, actual), options);
  }
};

// Values that are all different and, multiplied and added, stay exact for a while.
template <class T>
Device<T> random_device(property::Random& random, Reduction reduction, std::int64_t destinations,
                        std::int64_t entries, std::int64_t block) {
  Device<T> device{.destinations = destinations, .block = block, .reduction = reduction};
  const std::int64_t most = sizeof(T) == 1 ? 100 : 3000;
  const auto value = [&] { return static_cast<T>(random.between(2, most)); };
  for (std::int64_t i = 0; i < destinations * block; ++i) device.data.push_back(value());
  for (std::int64_t i = 0; i < entries * block; ++i) device.updates.push_back(value());
  for (std::int64_t i = 0; i < entries; ++i)
    device.indices.push_back(random.between(0, destinations - 1));
  return device;
}

// A fault, what it is called, and what the device leaves with it.
template <class T>
struct Fault {
  std::string kind;
  std::string words;
  std::vector<T> actual;
};

template <class T>
void add_update_faults(const Device<T>& device, std::vector<Fault<T>>& faults) {
  const std::vector<Step> steps = device.steps();
  const auto without = [&](std::size_t first, std::size_t last) {
    std::vector<Step> rest(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first));
    rest.insert(rest.end(), steps.begin() + static_cast<std::ptrdiff_t>(last), steps.end());
    return device.result(rest);
  };
  const auto name = [](std::size_t k) { return "indices[" + std::to_string(k) + "]"; };
  faults.push_back({"no-update", "no update applied: data's value", device.data});
  for (std::size_t k = 0; k < steps.size(); ++k) {
    faults.push_back({"without-entry", "without " + name(k), without(k, k + 1)});
    std::vector<Step> twice = steps;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(k), steps[k]);
    if (device.reduction != Reduction::none)
      faults.push_back({"entry-twice", "twice " + name(k), device.result(twice)});
  }
  for (std::size_t k = 1; k + 3 < steps.size(); ++k) {
    faults.push_back(
        {"without-entries", "without " + name(k) + " to " + name(k + 2), without(k, k + 3)});
  }
  std::vector<Step> all_twice = steps;
  all_twice.insert(all_twice.end(), steps.begin(), steps.end());
  if (device.reduction != Reduction::none)
    faults.push_back({"all-twice", "every update twice", device.result(all_twice)});
}

template <class T>
void add_reading_faults(const Device<T>& device, std::vector<Fault<T>>& faults) {
  const std::int64_t entries = device.entries();
  const auto with_rows = [&](const auto& row) {
    std::vector<Step> steps = device.steps();
    for (Step& each : steps) each.row = row(each.row);
    return device.result(steps);
  };
  const auto with_places = [&](const auto& place) {
    std::vector<Step> steps = device.steps();
    for (Step& each : steps) each.destination = place(each.destination);
    return device.result(steps);
  };
  faults.push_back({"updates", "each entry with the updates of the entry +1 from it",
                    with_rows([&](std::int64_t row) { return (row + 1) % entries; })});
  if (entries > 2)
    faults.push_back({"updates", "each entry with the updates of the entry -1 from it",
                      with_rows([&](std::int64_t row) { return (row + entries - 1) % entries; })});
  faults.push_back({"updates", "each entry with the updates of the first one",
                    with_rows([](std::int64_t) { return std::int64_t{0}; })});
  faults.push_back({"updates", "updates in reversed order of the entries",
                    with_rows([&](std::int64_t row) { return entries - 1 - row; })});
  faults.push_back({"updates", "updates read with twice the stride",
                    with_rows([&](std::int64_t row) { return 2 * row % entries; })});
  faults.push_back({"indices", "indices off by +1 along axis 0",
                    with_places([](std::int64_t at) { return at + 1; })});
  faults.push_back({"indices", "indices off by -1 along axis 0", with_places([&](std::int64_t at) {
                      return at == 0 ? device.destinations - 1 : at - 1;
                    })});
  for (const Reduction other : {Reduction::none, Reduction::sum, Reduction::sub, Reduction::prod,
                                Reduction::min, Reduction::max}) {
    if (other == device.reduction) continue;
    faults.push_back({"reduction", "as with the reduction " + std::string(to_string(other)),
                      device.result(device.steps(), other)});
  }
}

// The update of an entry goes to the next row, where that shows in both rows.
template <class T>
void add_misplaced(const Device<T>& device, std::vector<Fault<T>>& faults) {
  std::vector<Step> steps = device.steps();
  const std::size_t k = steps.size() / 2;
  const std::int64_t own = steps[k].destination;
  const std::int64_t other = (own + 1) % device.destinations;
  steps[k].destination = other;
  const std::vector<T> legal = device.result(device.steps());
  const std::vector<T> actual = device.result(steps);
  const auto shows = [&](std::int64_t row) {
    const auto first = static_cast<std::ptrdiff_t>(row * device.block);
    return !std::equal(actual.begin() + first, actual.begin() + first + device.block,
                       legal.begin() + first);
  };
  if (other == own || !shows(own) || !shows(other)) return;
  faults.push_back({"misplaced",
                    "indices[" + std::to_string(k) + "] went to [" + std::to_string(other) +
                        "] in place of [" + std::to_string(own) + "]",
                    actual});
}

// The rows of data are taken for one longer, where an update is seen elsewhere.
template <class T>
void add_longer_rows(const Device<T>& device, std::vector<Fault<T>>& faults) {
  std::vector<T> actual = device.data;
  for (const Step& step : device.steps()) {
    for (std::int64_t j = 0; j < device.block; ++j) {
      const auto at = static_cast<std::size_t>(step.destination * (device.block + 1) + j);
      if (at >= actual.size()) continue;
      const T update = device.updates[static_cast<std::size_t>(step.row * device.block + j)];
      actual[at] = met(device.reduction, actual[at], update);
    }
  }
  const std::vector<T> legal = device.result(device.steps());
  bool is_shown = false;
  for (std::size_t i = 0; i < actual.size(); ++i)
    is_shown = is_shown || (actual[i] != legal[i] && actual[i] != device.data[i]);
  if (!is_shown) return;
  const std::string words =
      "updates written as if axis 1 had " + std::to_string(device.block + 1) + " elements";
  faults.push_back({"shifted", words, actual});
}

template <class T>
void add_place_faults(const Device<T>& device, std::vector<Fault<T>>& faults) {
  const std::vector<T> legal = device.result(device.steps());
  std::vector<T> later = legal;
  std::rotate(later.begin(), later.end() - 1, later.end());
  later.front() = legal.front();
  faults.push_back({"shifted", "shifted by +1 elements", later});
  if (device.block == 1) return;
  std::vector<T> transposed = legal;
  for (std::int64_t i = 0; i < device.destinations * device.block; ++i) {
    // The i-th element in column-major order stands at the i-th place.
    const std::int64_t row = i % device.destinations;
    const std::int64_t column = i / device.destinations;
    transposed[static_cast<std::size_t>(i)] =
        legal[static_cast<std::size_t>(row * device.block + column)];
  }
  faults.push_back({"shifted", "written in the other memory order", transposed});
}

template <class T>
std::vector<Fault<T>> faults_of(const Device<T>& device) {
  std::vector<Fault<T>> faults;
  add_update_faults(device, faults);
  add_reading_faults(device, faults);
  add_place_faults(device, faults);
  add_longer_rows(device, faults);
  add_misplaced(device, faults);
  return faults;
}

}  // namespace tscatter::planted
