// generic.scatter: every question is answered by the call, and its rules are those of the forms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "catch.hpp"
#include "ops/answered.hpp"
#include "ops/call.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

struct GenericCall {
  Form form;
  Tensor data;
  Tensor indices;
  Tensor updates;
  std::optional<Tensor> axis = std::nullopt;
  Reduction reduction = Reduction::none;
};

Arguments generic_arguments(const GenericCall& call) {
  Arguments arguments =
      arguments_of(call.data, call.indices, call.updates, {{"reduction", call.reduction}});
  if (call.axis) arguments.operands.emplace("axis", *call.axis);
  return arguments;
}

std::string generic_refusal(const GenericCall& call) {
  return refusal(answered(call.form), generic_arguments(call));
}

struct RefusedGenericCall {
  Check check;
  GenericCall call;
};

std::vector<RefusedGenericCall> refused_generic_calls() {
  const Tensor data = zeros({3, 2});
  const Tensor row = zeros({1, 2});
  const Tensor index = ints({1}, {0});
  return {
      {Check::data_rank, {Form::rows, zeros({}), index, zeros({1}), scalar(0)}},
      {Check::indices_rank, {Form::elements, data, index, zeros({1}), scalar(0)}},
      {Check::index_depth, {Form::nd, data, ints({1, 3}, {0, 0, 0}), zeros({1})}},
      {Check::axis_scalar, {Form::rows, data, index, row, floats({}, {0})}},
      {Check::axis_range, {Form::rows, data, index, row, scalar(2)}},
      {Check::indices_dtype, {Form::rows, data, floats({1}, {0}), row, scalar(0)}},
      {Check::indices_shape,
       {Form::elements, data, ints({1, 3}, {0, 0, 0}), zeros({1, 3}), scalar(0)}},
      {Check::updates_shape, {Form::rows, data, index, zeros({1, 3}), scalar(0)}},
      {Check::updates_dtype, {Form::rows, data, index, ints({1, 2}, {0, 0}), scalar(0)}},
      {Check::index_range, {Form::rows, data, ints({1}, {3}), row, scalar(0)}},
      {Check::reduction_dtype,
       {Form::rows, opaque({1}, "'|S3'", 3), index, opaque({1}, "'|S3'", 3), scalar(0),
        Reduction::sum}},
  };
}

constexpr std::array bit_words{std::pair(Reduction::bit_and, std::string_view("and")),
                               std::pair(Reduction::bit_or, std::string_view("or")),
                               std::pair(Reduction::bit_xor, std::string_view("xor"))};

template <class T>
T in_order(T value, std::endian order) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  if (order != std::endian::native) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

// What is left of one element, in files of the byte order.
template <class T>
T bits_of(Reduction reduction, std::endian order, T data, std::vector<T> updates) {
  const auto in_file = [&](Shape shape, std::vector<T> values) {
    for (T& each : values) each = in_order(each, order);
    return Tensor(
        {.type = ElementType::of(detail::dtype_of<T>(), order), .shape = std::move(shape)},
        owned_source(std::move(values)));
  };
  const auto count = static_cast<std::int64_t>(updates.size());
  std::vector<T> result(1);
  MemoryOutput output{std::span(result)};
  apply(answered(Form::nd),
        generic_arguments({Form::nd, in_file({1}, {data}),
                           ints({count, 1}, std::vector<std::int32_t>(updates.size())),
                           in_file({count}, updates), std::nullopt, reduction}),
        output);
  return in_order(result.front(), order);
}

}  // namespace

TEST_CASE("generic.scatter: a call that breaks a rule of its form is refused by its label",
          "[ops]") {
  const Operation& operation = *find_operation("generic.scatter");
  for (const RefusedGenericCall& refused : refused_generic_calls()) {
    const std::string label = fmt::format("[{}]", operation.label(refused.check));
    INFO(label);
    CHECK(generic_refusal(refused.call).ends_with(label));
  }
}

TEST_CASE("generic.scatter: each form writes what an operation of that form writes", "[ops]") {
  const auto written = [](const GenericCall& call) {
    return left_by(answered(call.form), generic_arguments(call));
  };
  CHECK(written({Form::rows, zeros({2, 2}), ints({1}, {1}), floats({1, 2}, {5, 6}), scalar(0)}) ==
        std::vector<float>{0, 0, 5, 6});
  CHECK(written({Form::nd, zeros({2, 2}), ints({1, 2}, {1, 0}), floats({1}, {5})}) ==
        std::vector<float>{0, 0, 5, 0});
  CHECK(written({Form::elements, zeros({2, 2}), ints({1, 2}, {1, 0}), floats({1, 2}, {5, 6}),
                 scalar(0)}) == std::vector<float>{0, 6, 5, 0});
}

TEST_CASE(
    "generic.scatter.c11: and, or and xor of dtypes whose bits are not their value are refused",
    "[ops]") {
  const auto refused = [](const ElementType& type, Reduction reduction) {
    const auto zero = [&](Shape shape) {
      const auto bytes = static_cast<std::size_t>(element_count(shape)) * type.size;
      return Tensor({.type = type, .shape = std::move(shape)},
                    owned_source(std::vector<std::uint8_t>(bytes)));
    };
    return generic_refusal(
        {Form::nd, zero({2}), ints({1, 1}, {0}), zero({1}), std::nullopt, reduction});
  };
  for (const auto& [reduction, word] : bit_words) {
    for (const DType dtype : all_dtypes) {
      if (is_integer(dtype) || dtype == DType::boolean)
        CHECK(refused(ElementType::of(dtype), reduction) == "legal");
    }
    const auto message = [word = word](std::string_view defined, std::string_view type) {
      return fmt::format(
          "generic.scatter: reduction must be {} for {}, got {} [generic.scatter.c11]", defined,
          type, word);
    };
    const std::string_view of_reals = "none, sum, sub, prod, min, max or mean";
    const std::string_view of_complex = "none, sum, sub or prod";
    for (const DType real : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
      CHECK(refused(ElementType::of(real), reduction) == message(of_reals, info(real).name));
    for (const DType complex : {DType::complex64, DType::complex128})
      CHECK(refused(ElementType::of(complex), reduction) ==
            message(of_complex, info(complex).name));
    const ElementType text{.dtype = DType::opaque, .size = 3, .descr = "'|S3'"};
    CHECK(refused(text, reduction) == message("none", to_string(text)));
  }
}

TEST_CASE("generic.scatter: and, or and xor write the same values in both byte orders", "[ops]") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    CHECK(bits_of<std::int16_t>(Reduction::bit_and, order, -2, {0x7F0F, 0x0FF0}) == 0x0F00);
    CHECK(bits_of<std::int32_t>(Reduction::bit_or, order, 1, {0x10000, -0x7FFFFFFF}) ==
          -0x7FFEFFFF);
    CHECK(bits_of<std::uint64_t>(Reduction::bit_xor, order, 0x0123456789ABCDEF, {1, 0xFF00}) ==
          0x0123456789AB32EE);
  }
}

TEST_CASE("operation.o5: a question that the call leaves open is refused, by the name of its key",
          "[ops]") {
  const GenericCall call{Form::nd, zeros({2}), ints({1, 1}, {0}), zeros({1})};
  for (const PolicyInfo& each : policy_table()) {
    if (!find_operation("generic.scatter")->unanswered.contains(each.policy)) continue;
    const Operation row = answered(Form::nd, PolicySet(each.policy));
    CHECK(refusal(row, generic_arguments(call)) ==
          fmt::format("generic.scatter: {} is missing: {} [operation.o5]", each.key,
                      words_text(each)));
  }
  CHECK(generic_refusal(call) == "legal");
}

TEST_CASE("operation.o1: the reduction of generic.scatter has no default, nor has its axis",
          "[ops]") {
  Arguments arguments =
      generic_arguments({Form::rows, zeros({2}), ints({1}, {0}), zeros({1}), scalar(0)});
  const auto refused = [&] { return refusal(answered(Form::rows), arguments); };
  CHECK(refused() == "legal");
  arguments.operands.erase("axis");
  CHECK(refused() == "generic.scatter: axis is missing [operation.o1]");
  arguments.attributes.clear();
  CHECK(refused() ==
        "generic.scatter: reduction is missing: none, sum, sub, prod, min, max, mean, and, or, xor "
        "[operation.o1]");
}

TEST_CASE("operation.o2: the form nd takes no axis", "[ops]") {
  CHECK(generic_refusal({Form::nd, zeros({2}), ints({1, 1}, {0}), zeros({1}), scalar(0)}) ==
        "generic.scatter: axis must be left out: the form nd has none [operation.o2]");
}

}  // namespace tscatter
