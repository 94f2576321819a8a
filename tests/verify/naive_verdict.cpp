#include "verify/naive_verdict.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "oracle/accumulated.hpp"

namespace tscatter::oracle {
namespace {

constexpr std::size_t untouched = 0;
constexpr std::size_t in_order = 1;
constexpr std::size_t reordered = 2;
constexpr std::size_t not_of_an_order = 3;
constexpr std::size_t torn = 4;
constexpr std::size_t wrong = 5;

// Compares bits, but bools by whether they are true.
bool equal(const Dense& dense, std::size_t element, const std::vector<std::byte>& value) {
  if (dense.type.dtype == DType::boolean)
    return (*dense.element(element) != std::byte{0}) == (value.front() != std::byte{0});
  return std::memcmp(dense.element(element), value.data(), value.size()) == 0;
}

std::vector<std::byte> update_of(const Call& call, const Reaching::Writer& writer) {
  const Dense& updates = call.operand("updates");
  return {updates.element(writer.update), updates.element(writer.update) + updates.type.size};
}

void count_block(const Call& call, const Reaching& reaching, const Dense& actual,
                 const std::vector<std::size_t>& block, NaiveCounts& counts) {
  const std::size_t writers = reaching.writers[block.front()].size();
  std::vector<bool> explains(writers, true);
  std::int64_t explained = 0;
  for (const std::size_t element : block) {
    std::vector<bool> here;
    for (const Reaching::Writer& writer : reaching.writers[element])
      here.push_back(equal(actual, element, update_of(call, writer)));
    if (std::ranges::count(here, true) == 0) {
      ++counts[wrong];
      continue;
    }
    ++explained;
    for (std::size_t i = 0; i < writers; ++i) explains[i] = explains[i] && here[i];
  }
  const bool is_any = std::ranges::count(explains, true) > 0;
  const bool may_mix = call.row().blocks == Blocks::mixed;
  counts[explains.back() ? in_order : is_any || may_mix ? reordered : torn] += explained;
}

std::size_t reduced_class(const Call& call, const Reaching& reaching, const Dense& actual,
                          std::size_t element) {
  std::vector<std::size_t> order(reaching.writers[element].size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (equal(actual, element, value_after(call, reaching, element, order))) return in_order;
  while (std::next_permutation(order.begin(), order.end())) {
    if (equal(actual, element, value_after(call, reaching, element, order))) return reordered;
  }
  return not_of_an_order;
}

// What is applied as a whole: an entry, and of an index a place in its positions at one point of
// the slices that entries name, too.
class Units {
 public:
  explicit Units(const Call& call) : first_{first_indexed_axis(call)} {
    if (call.row().form != Form::index) return;
    const std::vector<EntryWrite> entries = *entries_of(call);
    if (!entries.empty()) depth_ = entries.front().coordinates.size();
  }

  std::size_t number(const Position& entry, const Position& element) {
    const auto from = element.begin() + static_cast<std::ptrdiff_t>(first_);
    Position unit = entry;
    if (depth_ > 0) unit.insert(unit.end(), from, from + static_cast<std::ptrdiff_t>(depth_));
    return numbers_.emplace(std::move(unit), numbers_.size()).first->second;
  }

 private:
  std::size_t first_;
  std::size_t depth_ = 0;  // axes that entries of an index name
  std::map<Position, std::size_t> numbers_;
};

}  // namespace

Reaching reaching(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  Reaching all;
  all.writers.resize(call.operand("data").count());
  Units units(call);
  for_each_write(call, [&](const Write& write) {
    const std::size_t element = row_major(data, write.element);
    // Each point of a slice counts as an entry.
    const std::size_t entry = write.entry ? units.number(*write.entry, write.element) : element;
    all.writers[element].push_back({.entry = entry, .update = row_major(updates, write.update)});
  });
  // Signed, since on big-endian machines libstdc++ 12 compares vectors of unsigned integers by
  // their first bytes only.
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> blocks;
  for (std::size_t element = 0; element < all.writers.size(); ++element) {
    std::vector<std::int64_t> entries;
    for (const Reaching::Writer& writer : all.writers[element])
      entries.push_back(static_cast<std::int64_t>(writer.entry));
    if (!entries.empty()) blocks[entries].push_back(element);
  }
  for (auto& [entries, elements] : blocks) all.blocks.push_back(std::move(elements));
  return all;
}

std::vector<std::byte> value_after(const Call& call, const Reaching& reaching, std::size_t element,
                                   const std::vector<std::size_t>& order) {
  const Dense& data = call.operand("data");
  if (order.empty()) return {data.element(element), data.element(element) + data.type.size};
  Accumulated value(call, element);
  for (const std::size_t i : order) value.add(update_of(call, reaching.writers[element][i]).data());
  return value.finished();
}

NaiveCounts naive_counts(const Call& call, const Reaching& reaching, const Dense& actual) {
  NaiveCounts counts{};
  for (std::size_t element = 0; element < actual.count(); ++element) {
    const bool is_touched = !reaching.writers[element].empty();
    if (!is_touched) {
      ++counts[equal(actual, element, value_after(call, reaching, element, {})) ? untouched
                                                                                : wrong];
    } else if (call.reduction() != Reduction::none) {
      ++counts[reduced_class(call, reaching, actual, element)];
    }
  }
  if (call.reduction() != Reduction::none) return counts;
  for (const std::vector<std::size_t>& block : reaching.blocks)
    count_block(call, reaching, actual, block, counts);
  return counts;
}

}  // namespace tscatter::oracle
