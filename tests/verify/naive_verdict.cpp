#include "verify/naive_verdict.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace tscatter::oracle {
namespace {

constexpr std::size_t untouched = 0;
constexpr std::size_t in_order = 1;
constexpr std::size_t reordered = 2;
constexpr std::size_t not_of_an_order = 3;
constexpr std::size_t torn = 4;
constexpr std::size_t wrong = 5;

Position joined(Position a, const Position& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Shape part(const Shape& shape, std::size_t begin, std::size_t end) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(begin),
          shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::int64_t wrapped(const Dense& indices, const Position& at, std::int64_t size) {
  const Int128 value = load_integer(indices.type.dtype, indices.at(at));
  return static_cast<std::int64_t>(value < 0 ? value + size : value);
}

void scatter_update(const Call& call, Reaching& into) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  const Dense& axis_operand = call.operand("axis");
  const Int128 given = load_integer(axis_operand.type.dtype, axis_operand.element(0));
  const std::size_t rank = data.shape.size();
  const auto axis = static_cast<std::size_t>(given < 0 ? given + static_cast<Int128>(rank) : given);
  std::size_t entry = 0;
  for_each_index(indices.shape, [&](const Position& index) {
    const std::int64_t to = wrapped(indices, index, data.shape[axis]);
    for_each_index(part(data.shape, 0, axis), [&](const Position& before) {
      for_each_index(part(data.shape, axis + 1, rank), [&](const Position& after) {
        const std::size_t element = row_major(data.shape, joined(joined(before, {to}), after));
        const std::size_t update = row_major(updates.shape, joined(joined(before, index), after));
        into.writers[element].push_back({.entry = entry, .update = update});
      });
    });
    ++entry;
  });
}

void scatter_nd(const Call& call, Reaching& into) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  std::size_t entry = 0;
  for_each_index(part(indices.shape, 0, indices.shape.size() - 1), [&](const Position& index) {
    Position to;
    for (std::size_t axis = 0; axis < depth; ++axis) {
      to.push_back(
          wrapped(indices, joined(index, {static_cast<std::int64_t>(axis)}), data.shape[axis]));
    }
    for_each_index(part(data.shape, depth, data.shape.size()), [&](const Position& inside) {
      const bool is_single = updates.count() == 1;
      const std::size_t update = is_single ? 0 : row_major(updates.shape, joined(index, inside));
      into.writers[row_major(data.shape, joined(to, inside))].push_back(
          {.entry = entry, .update = update});
    });
    ++entry;
  });
}

// The oracle itself, over elements that are their own numbers.
void slice_scatter(Call call, Reaching& into) {
  const auto number = [](Dense& dense, std::int64_t first) {
    Dense numbers = Dense::zeros(ElementType::of(DType::int64), dense.shape);
    for (std::size_t i = 0; i < numbers.count(); ++i)
      store_integer(DType::int64, first + static_cast<std::int64_t>(i), numbers.element(i));
    dense = numbers;
  };
  number(call.operands["data"], -static_cast<std::int64_t>(call.operand("data").count()));
  number(call.operands["updates"], 0);
  const Result result = apply(call);
  for (std::size_t i = 0; i < result.output.count(); ++i) {
    if (!result.written[i]) continue;
    const Int128 update = load_integer(DType::int64, result.output.element(i));
    into.writers[i].push_back({.entry = i, .update = static_cast<std::size_t>(update)});
  }
}

// Bit for bit; of bools whether they are true.
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
  counts[explains.back() ? in_order : is_any ? reordered : torn] += explained;
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

}  // namespace

Reaching reaching(const Call& call) {
  Reaching all;
  all.writers.resize(call.operand("data").count());
  if (call.operation == "scatter_update_3") {
    scatter_update(call, all);
  } else if (call.operation == "slice_scatter_15") {
    slice_scatter(call, all);
  } else {
    scatter_nd(call, all);
  }
  // Of signed numbers: on big-endian machines libstdc++ 12 compares vectors of unsigned ones by
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
  std::vector<std::byte> value(data.element(element), data.element(element) + data.type.size);
  for (const std::size_t i : order) {
    const std::vector<std::byte> update = update_of(call, reaching.writers[element][i]);
    if (call.reduction == Reduction::none) {
      value = update;
    } else {
      combine(data.type, call.reduction, value.data(), update.data());
    }
  }
  return value;
}

NaiveCounts naive_counts(const Call& call, const Reaching& reaching, const Dense& actual) {
  NaiveCounts counts{};
  for (std::size_t element = 0; element < actual.count(); ++element) {
    const bool is_touched = !reaching.writers[element].empty();
    if (!is_touched) {
      ++counts[equal(actual, element, value_after(call, reaching, element, {})) ? untouched
                                                                                : wrong];
    } else if (call.reduction != Reduction::none) {
      ++counts[reduced_class(call, reaching, actual, element)];
    }
  }
  if (call.reduction != Reduction::none) return counts;
  for (const std::vector<std::size_t>& block : reaching.blocks)
    count_block(call, reaching, actual, block, counts);
  return counts;
}

}  // namespace tscatter::oracle
