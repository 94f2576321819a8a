// Every operation of NumPy's index: which calls are refused, by which rule and with which message,
// and what each policy and each way of walking an index gives.
#include <fmt/format.h>

#include <array>
#include <complex>
#include <optional>
#include <span>

#include "catch.hpp"
#include "ops/call.hpp"
#include "property/random_case.hpp"
#include "property/run_case.hpp"
#include "property/wrong_with.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter {
namespace {

using Items = std::vector<std::variant<Tensor, IntegerItem, SliceItem, EllipsisItem, NewAxisItem>>;

struct IndexCall {
  Tensor data;
  Items items;
  Tensor updates;
};

// Tensors have the names i0, i1 and so on, by the number of their item.
Arguments index_arguments(const IndexCall& call) {
  const Tensor data(call.data.header(), call.data.shared_source(), "data");
  const Tensor updates(call.updates.header(), call.updates.shared_source(), "updates");
  Arguments arguments{.operands = {{"data", data}, {"updates", updates}}, .attributes = {}};
  for (std::size_t i = 0; i < call.items.size(); ++i) {
    const std::string name = operand_of_item(i);
    const auto put = [&]<class Item>(const Item& item) {
      if constexpr (std::is_same_v<Item, Tensor>) {
        arguments.operands.emplace(name, item);
        arguments.index.push_back({OperandItem{name}, fmt::format("i{}", i)});
      } else {
        arguments.index.push_back({item, fmt::format("i{}", i)});
      }
    };
    std::visit(put, call.items[i]);
  }
  return arguments;
}

Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return floats(shape, std::move(values));
}

struct RefusedIndexCall {
  Check check;
  const char* what;
  IndexCall call;
  std::string message;
};

constexpr SliceItem all{};

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<RefusedIndexCall> refused_index_calls() {
  const Tensor complex = tensor<std::complex<float>>({2}, {0, 0});
  const Tensor text = opaque({2}, "'|S3'", 3);
  return {
      {Check::data_rank, "data of rank 0", IndexCall{zeros({}), {EllipsisItem{}}, zeros({})},
       "data must have rank 1 or more, got rank 0"},
      {Check::indices_rank, "more items than axes",
       IndexCall{zeros({4, 3}), {all, all, IntegerItem{0}}, zeros({})},
       "data has 2 axes, and the index has items for 3 (positions along one axis are a list: [[0, "
       "1]])"},
      {Check::indices_rank, "a mask of more axes than are left",
       IndexCall{zeros({4, 3}), {all, bools({4, 3}, std::vector<std::uint8_t>(12))}, zeros({})},
       "data has 2 axes, and the index has items for 3 (positions along one axis are a list: [[0, "
       "1]])"},
      {Check::indices_rank, "two ellipses",
       IndexCall{zeros({4, 3}), {EllipsisItem{}, EllipsisItem{}}, zeros({})},
       "an index must have at most one item ..., got 2"},
      {Check::indices_dtype, "positions of floats",
       IndexCall{zeros({4}), {floats({1}, {0})}, zeros({})},
       "i0 must be of an integer dtype, or a mask of dtype bool, got float32"},
      {Check::indices_shape, "positions that do not broadcast",
       IndexCall{zeros({4, 3}), {int64s({2}, {0, 1}), int64s({3}, {0, 1, 2})}, zeros({})},
       "the shapes of an index's positions must broadcast to one, got [2] of i0, [3] of i1"},
      {Check::indices_shape, "positions as many as the mask has no trues",
       IndexCall{zeros({4, 3}), {bools({4}, {1, 1, 0, 1}), int64s({2}, {0, 1})}, zeros({})},
       "the shapes of an index's positions must broadcast to one, got [3] of i0, [2] of i1"},
      {Check::indices_shape, "a mask that is shorter than data",
       IndexCall{zeros({4, 3}), {all, bools({2}, {1, 1})}, zeros({})},
       "the mask i1 must have the shape [3] of data from axis 1 on, got [2]"},
      {Check::indices_shape, "a mask of rank 0",
       IndexCall{zeros({4, 3}), {bools({}, {1})}, zeros({})},
       "the mask i0 must have one axis or more, got rank 0"},
      {Check::indices_shape, "a mask of rank 0 behind the last axis",
       IndexCall{zeros({4}), {int64s({1}, {0}), bools({}, {1})}, zeros({})},
       "the mask i1 must have one axis or more, got rank 0"},
      {Check::step_not_zero, "the step 0", IndexCall{zeros({4}), {SliceItem{.step = 0}}, zeros({})},
       "the step of i0 must not be 0"},
      {Check::index_range, "an index past its axis",
       IndexCall{zeros({4, 3}), {all, int64s({2, 1}, {0, 3})}, zeros({})},
       "i1[1, 0] must be in [-3, 3) for axis 1 of data, got 3"},
      {Check::index_range, "an index far before its axis",
       IndexCall{zeros({4}), {int64s({1}, {-5})}, zeros({})},
       "i0[0] must be in [-4, 4) for axis 0 of data, got -5"},
      {Check::index_range, "an integer past its axis",
       IndexCall{zeros({4, 3}), {IntegerItem{4}}, zeros({})},
       "i0 must be in [-4, 4) for axis 0 of data, got 4"},
      {Check::index_range, "the largest uint64, with its exact value",
       IndexCall{zeros({4}), {tensor<std::uint64_t>({1}, {~std::uint64_t{0}})}, zeros({})},
       "i0[0] must be in [-4, 4) for axis 0 of data, got 18446744073709551615"},
      {Check::index_range, "of several wrong items the first",
       IndexCall{zeros({4, 3}), {int64s({2}, {0, 9}), int64s({2}, {8, 0})}, zeros({})},
       "i0[1] must be in [-4, 4) for axis 0 of data, got 9"},
      {Check::index_range, "an index beside an axis without elements",
       IndexCall{zeros({4, 0}), {int64s({1}, {4})}, zeros({})},
       "i0[0] must be in [-4, 4) for axis 0 of data, got 4"},
      {Check::index_range, "an index beside positions that are none",
       IndexCall{zeros({4, 3}), {IntegerItem{4}, int64s({0}, {})}, zeros({})},
       "i0 must be in [-4, 4) for axis 0 of data, got 4"},
      {Check::updates_shape, "updates of another length",
       IndexCall{zeros({4, 3}), {int64s({2}, {0, 1})}, zeros({2})},
       "updates must broadcast to [2, 3], the shape of the places that the index names, got [2]"},
      {Check::updates_shape, "updates with an axis too many",
       IndexCall{zeros({4}), {int64s({2}, {0, 1})}, zeros({2, 2})},
       "updates must broadcast to [2], the shape of the places that the index names, got [2, 2]"},
      {Check::updates_dtype, "updates of another dtype",
       IndexCall{zeros({4}), {all}, tensor<double>({}, {0})},
       "updates must have data's dtype float32 (--cast same-kind), got float64"},
  };
}

std::string index_refusal(const Operation& operation, const IndexCall& call) {
  return refusal(operation, index_arguments(call));
}

bool drops_outside(const Operation& operation) {
  return operation.policies.outside == OutsideIndex::drop_window;
}

template <class Visit>
void for_each_index_operation(const Visit& visit) {
  for_each_operation(Form::index, [&](const Operation& operation) {
    // The calls are of floats, which have no bits to combine.
    if (is_defined(operation.fixed, DType::float32)) visit(operation);
  });
}

std::vector<float> indexed(const Operation& operation, const IndexCall& call,
                           const RunOptions& options = {}) {
  return left_by(operation, index_arguments(call), options);
}

const Operation& setitem() { return *find_operation("numpy.setitem"); }
const Operation& add_at() { return *find_operation("numpy.add.at"); }

Operation with_outside(Operation operation, OutsideIndex outside,
                       NegativeIndex negative = NegativeIndex::from_the_end) {
  operation.policies.outside = outside;
  operation.policies.negative = negative;
  return operation;
}

}  // namespace

TEST_CASE("index: a call that breaks a rule is refused by its label, its place and its value",
          "[ops]") {
  for_each_index_operation([](const Operation& operation) {
    for (const RefusedIndexCall& refused : refused_index_calls()) {
      INFO(operation.label(refused.check) << ": " << refused.what);
      if (refused.check == Check::index_range && drops_outside(operation)) {
        CHECK(index_refusal(operation, refused.call) == "legal");
        continue;
      }
      CHECK(index_refusal(operation, refused.call) ==
            message_of(operation, refused.check, refused.message));
    }
  });
}

TEST_CASE("index: an index that is read is refused by the rules of numpy.getitem", "[ops]") {
  for (const RefusedIndexCall& refused : refused_index_calls()) {
    const std::string label(names::getitem.label(refused.check));
    if (label.empty()) continue;
    INFO(label << ": " << refused.what);
    const Arguments arguments = index_arguments(refused.call);
    CHECK(refusal([&](Output&) { forms::gathered(names::getitem, arguments, {}, "read"); }) ==
          message_of(names::getitem, refused.check, refused.message));
  }
}

TEST_CASE("index: what the dtype of data does not define is refused", "[ops]") {
  const IndexCall text{opaque({2}, "'|S3'", 3), {all}, opaque({}, "'|S3'", 3)};
  const Tensor complex = tensor<std::complex<float>>({}, {0});
  const IndexCall complexes{tensor<std::complex<float>>({2}, {0, 0}), {all}, complex};
  CHECK(index_refusal(setitem(), text) == "legal");
  for (const std::string name : {"add", "subtract", "multiply"}) {
    const Operation& operation = *find_operation("numpy." + name + ".at");
    CHECK(index_refusal(operation, text).ends_with(" [numpy." + name + ".at.c9]"));
    CHECK(index_refusal(operation, complexes) == "legal");
  }
  for (const std::string name : {"minimum", "maximum"}) {
    const Operation& operation = *find_operation("numpy." + name + ".at");
    CHECK(index_refusal(operation, text).ends_with(" [numpy." + name + ".at.c9]"));
    CHECK(index_refusal(operation, complexes).ends_with(" [numpy." + name + ".at.c9]"));
  }
}

TEST_CASE("numpy.subtract.at.c10: data of bools has no difference", "[ops]") {
  const IndexCall call{bools({2}, {0, 1}), {all}, bools({}, {1})};
  CHECK(index_refusal(*find_operation("numpy.subtract.at"), call)
            .ends_with(" got bool [numpy.subtract.at.c10]"));
  CHECK(index_refusal(add_at(), call) == "legal");
}

TEST_CASE("jax.at.add.c10, jax.at.multiply.c10, jax.at.subtract.c10: data of bool is refused",
          "[ops]") {
  const IndexCall call{bools({2}, {0, 1}), {all}, bools({}, {1})};
  for (const char* name : {"jax.at.add", "jax.at.multiply", "jax.at.subtract"}) {
    const Operation& operation = *find_operation(name);
    CHECK(index_refusal(operation, call) ==
          message_of(operation, Check::data_dtype, "data must be of any dtype but bool, got bool"));
  }
}

TEST_CASE("index: a call at the inner edge of each rule is legal", "[ops]") {
  const std::vector<IndexCall> calls{
      {zeros({4, 3}), {all, IntegerItem{-3}, EllipsisItem{}}, zeros({4})},
      {zeros({4}), {int64s({0}, {})}, zeros({0})},
      {zeros({0}), {int64s({0}, {})}, zeros({})},
      {zeros({0, 3}), {bools({0, 3}, {})}, zeros({})},
      {zeros({4}), {int64s({2}, {-4, 3})}, zeros({2})},
      {zeros({4}), {tensor<std::uint64_t>({1}, {3})}, zeros({})},
      {zeros({4}), {tensor<std::int8_t>({1}, {-4})}, zeros({})},
      {zeros({4}), {SliceItem{.start = 9, .stop = 99}}, zeros({0})},
  };
  const IndexCall with_more_axes{zeros({4}), {int64s({2}, {-4, 3})}, zeros({1, 1, 2})};
  for_each_index_operation([&](const Operation& operation) {
    INFO(operation.name);
    for (const IndexCall& call : calls) CHECK(index_refusal(operation, call) == "legal");
    const bool takes_ones = operation.updates_shape == UpdatesShape::broadcast_ones;
    CHECK((index_refusal(operation, with_more_axes) == "legal") == takes_ones);
  });
  CHECK(index_refusal(*find_operation("jax.at.set"), with_more_axes) ==
        "jax.at.set: updates must broadcast to [2], the shape of the places that the index names, "
        "got [1, 1, 2] [jax.at.set.c7]");
}

TEST_CASE("index: positions that stand apart come first in the result", "[ops]") {
  const Tensor ids = int64s({2}, {0, 1});
  CHECK(indexed(setitem(), {zeros({2, 2, 2}), {ids, all, ids}, counting({2, 2})}) ==
        std::vector<float>{0, 0, 1, 0, 0, 2, 0, 3});
  CHECK(indexed(setitem(), {zeros({2, 2, 2}), {all, ids, ids}, counting({2, 2})}) ==
        std::vector<float>{0, 0, 0, 1, 2, 0, 0, 3});
}

TEST_CASE("index: policies say what becomes of an index that is out of range", "[ops]") {
  const IndexCall call{zeros({3}), {int64s({4}, {0, 4, -1, -5})}, floats({4}, {1, 2, 3, 4})};
  using enum OutsideIndex;
  CHECK(indexed(with_outside(add_at(), drop_window), call) == std::vector<float>{1, 0, 3});
  CHECK(indexed(with_outside(add_at(), clip_index), call) == std::vector<float>{5, 0, 5});
  CHECK(indexed(with_outside(add_at(), modulo), call) == std::vector<float>{1, 6, 3});
  CHECK(indexed(with_outside(add_at(), drop_window, NegativeIndex::outside), call) ==
        std::vector<float>{1, 0, 0});
  CHECK(indexed(with_outside(add_at(), clip_index, NegativeIndex::outside), call) ==
        std::vector<float>{8, 0, 2});
  CHECK(indexed(with_outside(add_at(), drop_window),
                {zeros({3}), {IntegerItem{7}}, floats({}, {1})}) == std::vector<float>{0, 0, 0});
  CHECK(indexed(with_outside(add_at(), clip_index),
                {zeros({3}), {IntegerItem{7}}, floats({}, {1})}) == std::vector<float>{0, 0, 1});
}

TEST_CASE("index: a place that is named twice is refused where that is asked for", "[ops]") {
  Operation unique = setitem();
  unique.policies.duplicates = DuplicatePolicy::forbidden;
  const IndexCall rows{zeros({3}), {int64s({3}, {0, 2, -3})}, zeros({})};
  CHECK(
      index_refusal(unique, rows) ==
      "numpy.setitem: index[2] must name another place than index[0], got data[0] [operation.o6]");
  const Items columns{all, int64s({2, 2}, {0, 2, 1, 2}), IntegerItem{1}};
  for (const Tensor& data : {zeros({4, 3, 2}), fortran(zeros({4, 3, 2}))}) {
    CHECK(index_refusal(unique, {data, columns, zeros({})}) ==
          "numpy.setitem: index[1, 1] must name another place than index[0, 1], got data[:, 2, 1] "
          "[operation.o6]");
  }
  CHECK(index_refusal(unique, {zeros({3}), {int64s({3}, {0, 2, -2})}, zeros({})}) == "legal");
  CHECK(index_refusal(unique, {zeros({3}), {bools({3}, {1, 0, 1})}, zeros({})}) == "legal");
}

// Calls whose index has masks and positions before, between and behind slices.
std::vector<IndexCall> calls_of_all_kinds() {
  const std::vector<std::uint8_t> trues{1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1};
  const Tensor ids = int64s({5}, {3, 0, -1, 3, 1});
  return {
      {counting({4, 3, 2}), {bools({4}, {1, 0, 1, 1})}, counting({3, 3, 2})},
      {counting({4, 3, 2}), {bools({4, 3}, trues)}, counting({7, 2})},
      {counting({4, 3}), {bools({4, 3}, trues)}, counting({7})},
      {fortran(counting({4, 3})), {bools({4, 3}, trues)}, counting({7})},
      {counting({4, 3}), {fortran(bools({4, 3}, trues))}, counting({7})},
      {counting({4, 3}), {bools({4, 3}, trues)}, floats({}, {9})},
      {counting({4, 3, 2}), {ids}, counting({5, 3, 2})},
      {counting({4, 3, 2}), {ids, all, SliceItem{.step = -1}}, counting({5, 3, 2})},
      {counting({2, 4, 3}),
       {SliceItem{.step = -1}, ids, SliceItem{.step = 2}},
       counting({2, 5, 2})},
      {counting({2, 4, 3}), {all, ids, int64s({2, 1}, {0, 2})}, counting({2, 2, 5})},
      {counting({4, 2, 4}), {ids, NewAxisItem{}, all, ids}, counting({5, 1, 2})},
      {fortran(counting({4, 3})), {ids}, fortran(counting({5, 3}))},
  };
}

namespace {

oracle::Dense dense_of(const Tensor& tensor) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.header().byte_size()));
  tensor.source().read(0, bytes);
  return oracle::loaded({.type = tensor.type(), .shape = tensor.shape(), .bytes = {}},
                        {.order = tensor.order()}, bytes);
}

property::Case case_of_index(const Operation& operation, const IndexCall& call) {
  const Arguments arguments = index_arguments(call);
  property::Case c{
      .call = {.operation = operation.id, .operands = {}}, .layouts = {}, .delivery = {}};
  c.call.index = arguments.index;
  for (const auto& [name, operand] : arguments.operands) {
    c.call.operands[name] = dense_of(operand);
    c.layouts[name] = {.order = operand.order()};
    c.delivery.sources[name] = property::SourceKind::view;
  }
  return c;
}

}  // namespace

TEST_CASE("index: however it is delivered, a call gives the oracle's result", "[ops]") {
  using property::Destination;
  for (const IndexCall& call : calls_of_all_kinds()) {
    for (const Operation* operation : {&setitem(), &add_at()}) {
      property::Case c = case_of_index(*operation, call);
      for (const auto destination : {Destination::memory, Destination::in_place,
                                     Destination::random_access, Destination::sequential}) {
        c.delivery.destination = destination;
        for (const int threads : {1, 3}) {
          c.delivery.options.threads = threads;
          for (const std::int64_t memory : {0, 32, 96}) {
            c.delivery.options.entry_memory = memory;
            c.delivery.options.tile_bytes = memory == 32 ? 8 : 524288;
            INFO(property::to_string(c));
            CHECK(property::wrong_with_legal(c).empty());
          }
        }
      }
    }
  }
}

TEST_CASE("index: each range of the output has what the whole has there", "[ops]") {
  for (const IndexCall& call : calls_of_all_kinds()) {
    for (const Operation* operation : {&setitem(), &add_at()}) {
      const std::vector<float> whole = indexed(*operation, call);
      for (std::int64_t first = 0; first < call.data.count(); first += 5) {
        const std::int64_t end = std::min(first + 5, call.data.count());
        RunOptions options;
        options.range = OutputRange{first, end};
        const std::vector<float> part = indexed(*operation, call, options);
        for (std::int64_t i = first; i < end; ++i)
          CHECK(part[static_cast<std::size_t>(i)] == whole[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST_CASE("index: what an index names is read, in the shape of the result", "[ops]") {
  for (const IndexCall& call : calls_of_all_kinds()) {
    const Arguments arguments = index_arguments(call);
    const Tensor read = forms::gathered(names::getitem, arguments, {}, "read");
    const property::Case c = case_of_index(setitem(), call);
    CHECK(read.shape() == oracle::updates_shape(c.call));
    const oracle::Dense values = dense_of(read);
    const oracle::Dense& data = c.call.operand("data");
    oracle::Call all_of_result = c.call;
    all_of_result.operands["updates"] = values;
    std::size_t at = 0;
    oracle::for_each_write(all_of_result, [&](const oracle::Write& write) {
      CHECK(std::equal(data.at(write.element), data.at(write.element) + data.type.size,
                       values.element(at++)));
    });
    CHECK(at == values.count());
  }
}

}  // namespace tscatter
