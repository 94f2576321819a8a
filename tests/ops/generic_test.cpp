// generic.scatter: every question is answered by the call, and its rules are those of the forms.
#include <fmt/format.h>

#include <optional>

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
  Arguments arguments{
      .operands = {{"data", call.data}, {"indices", call.indices}, {"updates", call.updates}},
      .attributes = {{"reduction", call.reduction}}};
  if (call.axis) arguments.operands.emplace("axis", *call.axis);
  return arguments;
}

std::string generic_refusal(const GenericCall& call) {
  return refusal(
      [&](Output& output) { apply(answered(call.form), generic_arguments(call), output); });
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
    return result(static_cast<std::size_t>(call.data.count()), [&](Output& output) {
      apply(answered(call.form), generic_arguments(call), output);
    });
  };
  CHECK(written({Form::rows, zeros({2, 2}), ints({1}, {1}), floats({1, 2}, {5, 6}), scalar(0)}) ==
        std::vector<float>{0, 0, 5, 6});
  CHECK(written({Form::nd, zeros({2, 2}), ints({1, 2}, {1, 0}), floats({1}, {5})}) ==
        std::vector<float>{0, 0, 5, 0});
  CHECK(written({Form::elements, zeros({2, 2}), ints({1, 2}, {1, 0}), floats({1, 2}, {5, 6}),
                 scalar(0)}) == std::vector<float>{0, 6, 5, 0});
}

TEST_CASE("operation.o5: a question that the call leaves open is refused, by the name of its key",
          "[ops]") {
  const GenericCall call{Form::nd, zeros({2}), ints({1, 1}, {0}), zeros({1})};
  for (const PolicyInfo& each : policy_table()) {
    const Operation row = answered(Form::nd, PolicySet(each.policy));
    CHECK(refusal([&](Output& output) { apply(row, generic_arguments(call), output); }) ==
          fmt::format("generic.scatter: {} must be given ({}), got nothing [operation.o5]",
                      each.key, words_text(each)));
  }
  CHECK(generic_refusal(call) == "legal");
}

TEST_CASE("operation.o1: the reduction of generic.scatter has no default, nor has its axis",
          "[ops]") {
  Arguments arguments =
      generic_arguments({Form::rows, zeros({2}), ints({1}, {0}), zeros({1}), scalar(0)});
  const auto refused = [&] {
    return refusal([&](Output& output) { apply(answered(Form::rows), arguments, output); });
  };
  CHECK(refused() == "legal");
  arguments.operands.erase("axis");
  CHECK(refused() == "generic.scatter: axis must be given, got nothing [operation.o1]");
  arguments.attributes.clear();
  CHECK(refused() ==
        "generic.scatter: reduction must be given (none, sum, sub, prod, min, max, mean), got "
        "nothing [operation.o1]");
}

TEST_CASE("operation.o2: the form nd takes no axis", "[ops]") {
  CHECK(generic_refusal({Form::nd, zeros({2}), ints({1, 1}, {0}), zeros({1}), scalar(0)}) ==
        "generic.scatter: axis must be left out in the form nd, got one [operation.o2]");
}

}  // namespace tscatter
