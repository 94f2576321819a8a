// explain() and history() against the oracle's lists of writes: every order of up to six updates is
// computed. TSCATTER_SEED and TSCATTER_CASES set the first seed and the number of cases.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "oracle/accumulated.hpp"
#include "oracle/oracle.hpp"
#include "property/environment.hpp"
#include "property/random_case.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using oracle::Dense;
using oracle::Write;
using property::Case;
using property::Random;

using Bytes = std::vector<std::byte>;

constexpr std::size_t most_permuted = 6;

// The operands of a call as files with the case's layouts would hold them.
class Operands {
 public:
  explicit Operands(const Case& c) {
    for (const auto& [name, dense] : c.call.operands) {
      const oracle::Layout layout = c.layouts.find(name)->second;
      const Bytes& bytes = stored_[name] = oracle::stored(dense, layout);
      arguments.operands.emplace(name, Tensor(oracle::header_of(dense, layout), std::span(bytes)));
    }
    arguments.attributes = c.call.attributes;
    arguments.index = c.call.index;
    arguments.has_base = is_made(c.call.row().base);
  }

  Arguments arguments;

 private:
  std::map<std::string, Bytes> stored_;
};

Bytes element_of(const Dense& dense, const Position& position) {
  const std::byte* at = dense.at(position);
  return {at, at + dense.type.size};
}

oracle::Accumulated accumulated(const oracle::Call& call, const Position& position,
                                const std::vector<Write>& writes) {
  const Shape& shape = call.operand("data").shape;
  oracle::Accumulated value(call, oracle::row_major(shape, position));
  for (const Write& write : writes) value.add(call.operand("updates").at(write.update));
  return value;
}

// The element after the updates in the order of `writes`, a mean not yet divided.
Bytes fold_steps(const oracle::Call& call, const Position& position,
                 const std::vector<Write>& writes) {
  if (writes.empty()) return element_of(call.operand("data"), position);
  return accumulated(call, position, writes).rounded();
}

Bytes fold(const oracle::Call& call, const Position& position, const std::vector<Write>& writes) {
  if (writes.empty()) return element_of(call.operand("data"), position);
  return accumulated(call, position, writes).finished();
}

bool depends_on_order(const oracle::Call& call, const Position& position,
                      const std::vector<Write>& writes) {
  std::vector<std::size_t> order(writes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Bytes first = fold(call, position, writes);
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<Write> permuted;
    for (const std::size_t k : order) permuted.push_back(writes[k]);
    if (fold(call, position, permuted) != first) return true;
  }
  return false;
}

std::string wrong_coverage(const Explanation& explanation, const oracle::Writes& writes) {
  Coverage coverage;
  for (const auto& each : writes.of_element) {
    ++(each.empty() ? coverage.never : each.size() == 1 ? coverage.once : coverage.several);
    coverage.most_writers = std::max(coverage.most_writers, static_cast<std::int64_t>(each.size()));
  }
  return coverage == explanation.coverage ? "" : "coverage";
}

struct NaiveMeeting {
  Position coordinates;
  std::vector<Position> entries;
};

std::vector<NaiveMeeting> naive_destinations(const oracle::Writes& writes) {
  std::map<Position, std::vector<Position>> entries;
  for (const auto& each : writes.entries) entries[each.coordinates].push_back(each.entry);
  std::vector<NaiveMeeting> all;
  for (const auto& [coordinates, list] : entries) all.push_back({coordinates, list});
  return all;
}

bool is_same_list(const EntryList& list, const std::vector<Position>& entries) {
  std::vector<Position> wanted = entries;
  std::vector<Position> last;
  if (entries.size() > 12) {
    wanted.resize(6);
    last.assign(entries.end() - 2, entries.end());
  }
  return list.first == wanted && list.last == last;
}

std::string wrong_meetings(const Explanation& explanation, const oracle::Writes& writes,
                           std::size_t worst) {
  std::vector<NaiveMeeting> all = naive_destinations(writes);
  if (explanation.destinations != static_cast<std::int64_t>(all.size())) return "destinations";
  std::erase_if(all, [](const NaiveMeeting& each) { return each.entries.size() < 2; });
  if (explanation.meetings != static_cast<std::int64_t>(all.size())) return "meetings";
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.entries.size() > b.entries.size();
  });
  if (explanation.meeting.size() != std::min(worst, all.size())) return "meeting's length";
  for (std::size_t i = 0; i < explanation.meeting.size(); ++i) {
    const SharedDestination& meeting = explanation.meeting[i];
    Place place(explanation.output.rank());
    for (std::size_t j = 0; j < all[i].coordinates.size(); ++j)
      place[writes.first_axis + j] = all[i].coordinates[j];
    if (meeting.place != place) return "a meeting's place";
    if (meeting.writers != static_cast<std::int64_t>(all[i].entries.size()))
      return "a meeting's writers";
    if (!is_same_list(meeting.entries, all[i].entries)) return "a meeting's entries";
  }
  return "";
}

Bytes shown(const Dense& dense, Bytes element) {
  if (dense.type.dtype == DType::opaque) element.resize(std::min<std::size_t>(element.size(), 32));
  return element;
}

// Whether entries that are told apart by their places in indices are the same there: of a window,
// two of whose elements a policy sends to one place.
bool has_namesakes(const oracle::Call& call, const std::vector<Write>& writes) {
  std::set<Position> places;
  for (const Write& each : writes) {
    if (each.entry && !places.insert(oracle::place_in_indices(call, *each.entry)).second)
      return true;
  }
  return false;
}

// What is wrong with the result that `example` claims for its order.
std::string wrong_example(const oracle::Call& call, const DependentElement& element,
                          const OrderExample& example, const std::vector<Write>& writes) {
  std::vector<Write> ordered;
  for (const Position& entry : example.entries.first) {
    const auto write = std::ranges::find_if(writes, [&](const Write& each) {
      return oracle::place_in_indices(call, *each.entry) == entry;
    });
    if (write == writes.end()) return "an order's entry";
    ordered.push_back(*write);
  }
  if (ordered.size() != writes.size()) return "an order's length";
  const Bytes result = shown(call.operand("data"), fold(call, element.position, ordered));
  return result == example.result ? "" : "the result of an order";
}

std::string wrong_order(const oracle::Call& call, const Explanation& explanation,
                        const oracle::Writes& writes, std::size_t worst) {
  const Shape& shape = call.operand("data").shape;
  std::vector<std::int64_t> dependent;
  for (std::size_t i = 0; i < writes.of_element.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (writes.of_element[i].size() > most_permuted) return "";  // too many orders
    if (depends_on_order(call, position_of(shape, index), writes.of_element[i]))
      dependent.push_back(index);
  }
  const OrderReport& order = explanation.order;
  if (order.undecided != 0) return "undecided";
  if (order.dependent != static_cast<std::int64_t>(dependent.size())) return "dependent";
  if ((order.depends == OrderDependence::yes) != !dependent.empty()) return "depends";
  if (order.first.size() != std::min(worst, dependent.size())) return "first's length";
  for (std::size_t i = 0; i < order.first.size(); ++i) {
    const DependentElement& each = order.first[i];
    if (each.index != dependent[i] || each.position != position_of(shape, dependent[i]))
      return "a dependent element";
    const std::vector<Write>& of = writes.of_element[static_cast<std::size_t>(each.index)];
    if (has_namesakes(call, of)) continue;
    std::string wrong = wrong_example(call, each, each.in_order, of);
    if (wrong.empty()) wrong = wrong_example(call, each, each.other, of);
    if (wrong.empty() && each.in_order.result == each.other.result) wrong = "an equal example";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string wrong_history(const oracle::Call& call, const History& history,
                          const Position& position, const std::vector<Write>& writes) {
  const Dense& data = call.operand("data");
  if (history.position != position) return "history's position";
  if (history.before != shown(data, element_of(data, position))) return "history's data";
  const bool begins_anew = !writes.empty() && call.excludes_data();
  const Bytes initial = begins_anew ? oracle::start_of(call, 0) : Bytes();
  if (history.initial != initial) return "history's first value";
  if (history.writers != static_cast<std::int64_t>(writes.size())) return "history's writers";
  if (history.steps.size() != writes.size()) return "history's length";
  std::vector<Write> applied;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const HistoryStep& step = history.steps[i];
    applied.push_back(writes[i]);
    if (step.writer != static_cast<std::int64_t>(i)) return "a step's number";
    const auto& entry = writes[i].entry;
    if (step.entry.has_value() != entry.has_value()) return "a step's entry";
    if (entry && *step.entry != oracle::place_in_indices(call, *entry)) return "a step's entry";
    if (step.update != writes[i].update) return "a step's place in updates";
    if (step.value !=
        shown(data, oracle::scaled(call, call.operand("updates").at(writes[i].update))))
      return "a step's update";
    if (step.after != shown(data, fold_steps(call, position, applied))) return "a step's value";
  }
  return history.after == shown(data, fold(call, position, writes)) ? "" : "history's result";
}

// Whether entries name nothing, in data without elements, or have nothing to write there; they are
// then not listed.
bool has_no_destinations(const oracle::Call& call) {
  const Form form = call.row().form;
  if (form == Form::start || form == Form::window || form == Form::block)
    return call.operand("updates").count() == 0;
  return call.row().form == Form::nd && call.operand("indices").shape.back() == 0 &&
         call.operand("data").count() == 0;
}

std::string wrong_with(const Case& c, Random& random) {
  const oracle::Call& call = c.call;
  const Operands operands(c);
  const oracle::Writes writes = oracle::writes_of(call);
  ExplainOptions options{.worst = random.between(0, 6),
                         .threads = static_cast<int>(random.between(1, 3))};
  std::int64_t index = 0;
  if (!writes.of_element.empty()) {
    index = random.between(0, static_cast<std::int64_t>(writes.of_element.size()) - 1);
    Position at = position_of(call.operand("data").shape, index);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      if (random.chance(30)) at[axis] -= call.operand("data").shape[axis];
    options.at = {at};
  }
  const Explanation explanation = explain(call.row(), operands.arguments, options);
  if (explanation.index_entries != oracle::entry_counts(call).all) return "index_entries";
  std::string wrong = wrong_coverage(explanation, writes);
  const auto worst = static_cast<std::size_t>(options.worst);
  if (wrong.empty() && !has_no_destinations(call))
    wrong = wrong_meetings(explanation, writes, worst);
  if (wrong.empty()) wrong = wrong_order(call, explanation, writes, worst);
  if (wrong.empty() && explanation.histories.size() != options.at.size()) wrong = "history";
  if (wrong.empty() && !options.at.empty()) {
    wrong = wrong_history(call, explanation.histories.front(),
                          position_of(call.operand("data").shape, index),
                          writes.of_element[static_cast<std::size_t>(index)]);
  }
  return wrong;
}

}  // namespace

TEST_CASE("random calls are explained as the oracle's lists of writes say", "[explain]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261121);
  const std::uint64_t cases =
      property::extent("TSCATTER_CASES", {.whole = 6000, .sample = 6000, .slowed = 300});
  std::cout << "explained cases: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases << "\n";
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Random random(seed);
    const Case c = property::random_legal_case(random);
    const std::string wrong = wrong_with(c, random);
    if (!wrong.empty())
      FAIL(wrong << ": TSCATTER_SEED=" << seed << " TSCATTER_CASES=1: " << property::to_string(c));
  }
}

}  // namespace tscatter
