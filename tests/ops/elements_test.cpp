// Every operation of the form elements: which calls are refused, by which rule and with which
// message, and which are legal.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {
namespace {

struct ElementsCall {
  Tensor data, indices, updates;
  Tensor axis = scalar(0);
  Reduction reduction = Reduction::none;
};

struct RefusedElementsCall {
  Check check;
  const char* what;
  ElementsCall call;
  std::string message;  // "@8" stands for the range of an index on an axis of 8, "@dtypes" for
                        // those of indices, "@nd" for the operation that takes coordinates
};

ElementsCall along_axis_0(const Tensor& indices) {
  return {zeros({8}), indices, zeros(indices.shape())};
}

ElementsCall with_axis(const Tensor& axis) {
  return {zeros({3, 2}), ints({1, 1}, {0}), zeros({1, 1}), axis};
}

// In Fortran order: [[0, 9], [5, 0]], so that 5 comes first in the file.
Tensor two_wrong() { return fortran(ints({2, 2}, {0, 5, 9, 0})); }

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<RefusedElementsCall> refused_elements_calls() {
  const std::string one_axis = "axis must be an integer of rank 0 or shape [1], got ";
  const std::string size = "the size of indices along axis ";
  return {
      {Check::data_rank, "data of rank 0", ElementsCall{zeros({}), ints({}, {0}), zeros({})},
       "data must have rank 1 or more, got rank 0"},
      {Check::indices_rank, "indices of a lower rank",
       ElementsCall{zeros({2, 3}), ints({2}, {0, 1}), zeros({2})},
       "indices must have rank 2, the rank of data, got rank 1"},
      {Check::indices_rank, "indices of a higher rank",
       ElementsCall{zeros({3}), ints({1, 1}, {0}), zeros({1, 1})},
       "indices must have rank 1, the rank of data, got rank 2"},
      {Check::axis_scalar, "two axes", with_axis(ints({2}, {0, 1})),
       one_axis + "int32 of shape [2]"},
      {Check::axis_scalar, "an axis of floats", with_axis(floats({}, {0})),
       one_axis + "float32 of shape []"},
      {Check::axis_range, "an axis past the rank", with_axis(scalar(2)),
       "axis must be in [-2, 2) for data of rank 2, got 2"},
      {Check::axis_range, "an axis before the first", with_axis(scalar(-3)),
       "axis must be in [-2, 2) for data of rank 2, got -3"},
      {Check::indices_dtype, "indices of floats",
       ElementsCall{zeros({8}), floats({1}, {0}), zeros({1})},
       "indices must be @dtypes (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, "indices of bools: a mask",
       ElementsCall{zeros({8}), view(std::span<const std::byte>(), DType::boolean, {0}),
                    zeros({0})},
       "indices must be @dtypes (numpy.setitem and its like take a mask), got bool"},
      {Check::indices_shape, "indices longer than data behind the axis",
       ElementsCall{zeros({2, 3}), ints({1, 4}, {0, 0, 0, 0}), zeros({1, 4})},
       size + "1 must be at most 3, that of data, got 4"},
      {Check::indices_shape, "indices longer than data before the axis",
       ElementsCall{zeros({2, 3}), ints({3, 1}, {0, 0, 0}), zeros({3, 1}), scalar(-1)},
       size + "0 must be at most 2, that of data, got 3"},
      {Check::updates_shape, "fewer updates than indices",
       ElementsCall{zeros({2, 3}), ints({1, 2}, {0, 0}), zeros({1, 1})},
       "updates must have shape [1, 2] (the shape of indices) (a literal fills it with one value: "
       "1x2xf32=VALUE), got [1, 1]"},
      {Check::updates_shape, "updates of another rank",
       ElementsCall{zeros({2, 3}), ints({1, 2}, {0, 0}), zeros({2})},
       "updates must have shape [1, 2] (the shape of indices) (np.broadcast_to(updates, [1, 2]) "
       "repeats them), got [2]"},
      {Check::updates_dtype, "updates of another dtype",
       ElementsCall{zeros({8}), ints({1}, {0}), tensor<double>({1}, {0})},
       "updates must have data's dtype float32 (--cast same-kind), got float64"},
      {Check::index_range, "an index past its axis", along_axis_0(ints({2}, {7, 8})),
       "indices[1] must be in @8 for data axis 0, got 8"},
      {Check::index_range, "an index far before its axis", along_axis_0(ints({1}, {-9})),
       "indices[0] must be in @8 for data axis 0, got -9"},
      {Check::index_range, "the largest uint64, with its exact value",
       along_axis_0(tensor<std::uint64_t>({1}, {std::numeric_limits<std::uint64_t>::max()})),
       "indices[0] must be in @8 for data axis 0, got 18446744073709551615"},
      {Check::index_range, "an index past its own axis, though not past another",
       ElementsCall{zeros({3, 2}), ints({1, 1}, {2}), zeros({1, 1}), scalar(1)},
       "indices[0, 0] must be in @2 for data axis 1, got 2"},
      {Check::index_range, "of several wrong indices the first in row-major order",
       ElementsCall{zeros({4, 4}), two_wrong(), zeros({2, 2})},
       "indices[0, 1] must be in @4 for data axis 0, got 9"},
  };
}

std::vector<ElementsCall> legal_calls() {
  return {
      {zeros({1}), ints({1}, {0}), zeros({1})},
      {zeros({2, 3}), ints({2, 3}, {0, 1, 1, 0, 0, 1}), zeros({2, 3})},
      {zeros({2, 3}), ints({1, 1}, {2}), zeros({1, 1}), scalar(-1)},
      {zeros({2, 3}), ints({1, 0}, {}), zeros({1, 0}), ints({1}, {0})},
      {zeros({0, 3}), ints({0, 2}, {}), zeros({0, 2}), scalar(1)},
      {zeros({8}), tensor<std::uint8_t>({1}, {7}), zeros({1})},
      {opaque({2}, "'|S3'", 3), ints({1}, {1}), opaque({1}, "'|S3'", 3)},
  };
}

// Whether the operation has the rule, and gets as far as to it.
bool is_refused_by(const Operation& operation, const RefusedElementsCall& refused) {
  const bool is_of_dtype = refused.check == Check::indices_dtype ||
                           takes_indices_of(operation, refused.call.indices.type().dtype);
  return is_of_dtype && !operation.label(refused.check).empty();
}

Arguments elements_arguments(const Operation& operation, const ElementsCall& call) {
  Arguments arguments = arguments_of(call.data, call.indices, call.updates);
  if (operation.find_attribute("axis") == nullptr) {
    arguments.operands.emplace("axis", call.axis);
  } else {
    arguments.attributes["axis"] = read_integers(call.axis).front();
  }
  if (!operation.reductions().empty()) arguments.attributes["reduction"] = call.reduction;
  return arguments;
}

bool wraps(const Operation& operation) {
  return operation.policies.negative == NegativeIndex::from_the_end;
}

std::string elements_refusal(const Operation& operation, const ElementsCall& call) {
  return refusal(operation, elements_arguments(operation, call));
}

std::vector<float> elements_updated(const Operation& operation, const ElementsCall& call) {
  return left_by(operation, elements_arguments(operation, call));
}

// The whole line, with the range of the operation's indices.
std::string elements_message(const Operation& operation, Check check, std::string message) {
  if (const std::size_t at = message.find("@dtypes"); at != std::string::npos)
    message.replace(at, 7, index_dtypes_text(operation));
  const bool is_onnx = operation.name.starts_with("onnx.");
  if (const std::size_t at = message.find("@nd"); at != std::string::npos)
    message.replace(at, 3, is_onnx ? "onnx.ScatterND-18" : "ScatterNDUpdate-15");
  if (const std::size_t at = message.find('@'); at != std::string::npos) {
    const char size = message[at + 1];
    const std::string low = wraps(operation) ? fmt::format("-{}", size) : "0";
    message.replace(at, 2, fmt::format("[{}, {})", low, size));
  }
  return message_of(operation, check, message);
}

const Operation& version(std::string_view name) { return *find_operation(name); }

std::string reduction_refusal(std::string_view name, const Tensor& data, Reduction reduction) {
  return elements_refusal(version(name), {data, ints({0}, {}), data, scalar(0), reduction});
}

std::string bfloat16_refusal(std::string_view name) {
  return reduction_refusal(name, view(std::span<const std::byte>(), DType::bfloat16, {0}),
                           Reduction::none);
}

}  // namespace

TEST_CASE("elements: a call that breaks a rule is refused by its label, its place and its value",
          "[ops]") {
  for_each_operation(Form::elements, [](const Operation& operation) {
    for (const RefusedElementsCall& refused : refused_elements_calls()) {
      if (!is_refused_by(operation, refused)) continue;
      INFO(operation.label(refused.check) << ": " << refused.what);
      CHECK(elements_refusal(operation, refused.call) ==
            elements_message(operation, refused.check, refused.message));
    }
  });
}

TEST_CASE("elements: a call at the inner edge of each rule is legal", "[ops]") {
  for_each_operation(Form::elements, [](const Operation& operation) {
    INFO(operation.name);
    for (const ElementsCall& call : legal_calls()) {
      if (takes_indices_of(operation, call.indices.type().dtype))
        CHECK(elements_refusal(operation, call) == "legal");
    }
  });
}

TEST_CASE("elements: an axis that is an attribute is 0 if it is left out", "[ops]") {
  const Arguments arguments =
      arguments_of(zeros({2, 2}), ints({1, 2}, {1, -1}), floats({1, 2}, {5, 6}));
  CHECK(left_by(version("onnx.ScatterElements-18"), arguments) == std::vector<float>{0, 0, 5, 6});
}

TEST_CASE("onnx.scatter_9.c9: bfloat16 is refused", "[ops]") {
  CHECK(bfloat16_refusal("onnx.Scatter-9").ends_with("[onnx.scatter_9.c9]"));
}

TEST_CASE("onnx.scatter_elements_11.c9: bfloat16 is refused before opset 13", "[ops]") {
  CHECK(bfloat16_refusal("onnx.ScatterElements-11").ends_with("[onnx.scatter_elements_11.c9]"));
  CHECK(bfloat16_refusal("onnx.ScatterElements-13") == "legal");
}

TEST_CASE("onnx.scatter_elements_16.c9: opaque dtypes have no reduction", "[ops]") {
  CHECK(reduction_refusal("onnx.ScatterElements-16", opaque({0}, "'|S3'", 3), Reduction::sum)
            .ends_with("[onnx.scatter_elements_16.c9]"));
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  CHECK(reduction_refusal("onnx.ScatterElements-16", complex, Reduction::prod) == "legal");
}

TEST_CASE("onnx.scatter_elements_18.c9: complex numbers have no max and min", "[ops]") {
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  CHECK(reduction_refusal("onnx.ScatterElements-18", complex, Reduction::max)
            .ends_with("[onnx.scatter_elements_18.c9]"));
}

TEST_CASE("scatter_elements_update_3.c8: indices longer than data along axis are refused",
          "[ops]") {
  const ElementsCall longer{zeros({2, 3}), ints({3, 1}, {0, 1, 0}), zeros({3, 1})};
  CHECK(elements_refusal(version("ScatterElementsUpdate-3"), longer) ==
        "scatter_elements_update_3: the size of indices along axis 0 must be at most 2, that of "
        "data, got 3 [scatter_elements_update_3.c8]");
  CHECK(elements_refusal(version("ScatterElementsUpdate-12"), longer) == "legal");
}

TEST_CASE("elements: a negative index counts from the end of the axis, or is refused", "[ops]") {
  for_each_operation(Form::elements, [](const Operation& operation) {
    const ElementsCall call{zeros({2, 3}), ints({2, 1}, {-1, -3}), floats({2, 1}, {5, 6}),
                            scalar(1)};
    if (wraps(operation)) {
      CHECK(elements_updated(operation, call) == std::vector<float>{0, 0, 5, 6, 0, 0});
    } else {
      CHECK(elements_refusal(operation, call) ==
            elements_message(operation, Check::index_range,
                             "indices[0, 0] must be in @3 for data axis 1 (--negative "
                             "from-the-end counts it from the end), got -1"));
    }
  });
}

TEST_CASE("elements: each axis, memory order of data and indices smaller than data", "[ops]") {
  for_each_operation(Form::elements, [](const Operation& operation) {
    const Tensor indices = ints({2, 2}, {1, 0, 0, 1});
    const Tensor updates = floats({2, 2}, {1, 2, 3, 4});
    CHECK(elements_updated(operation, {zeros({2, 3}), indices, updates}) ==
          std::vector<float>{3, 2, 0, 1, 4, 0});
    CHECK(elements_updated(operation, {zeros({2, 3}), indices, updates, scalar(-1)}) ==
          std::vector<float>{2, 1, 0, 3, 4, 0});
    CHECK(elements_updated(operation, {fortran(zeros({2, 3})), fortran(indices),
                                       fortran(updates)}) == std::vector<float>{2, 1, 3, 4, 0, 0});
  });
}

TEST_CASE("elements: of several updates of one place the last in row-major order wins", "[ops]") {
  for_each_operation(Form::elements, [](const Operation& operation) {
    const ElementsCall call{zeros({2, 2}), ints({2, 2}, {1, 1, 1, 0}),
                            floats({2, 2}, {1, 2, 3, 4})};
    CHECK(elements_updated(operation, call) == std::vector<float>{0, 4, 3, 2});
    // In Fortran order: indices [[1, 1], [1, 0]], updates [[1, 2], [3, 4]].
    const ElementsCall turned{zeros({2, 2}), fortran(ints({2, 2}, {1, 1, 1, 0})),
                              fortran(floats({2, 2}, {1, 3, 2, 4})), scalar(1)};
    CHECK(elements_updated(operation, turned) == std::vector<float>{0, 2, 4, 3});
  });
}

TEST_CASE("elements: without data's values the identity enters the arithmetic", "[ops]") {
  const float largest = std::numeric_limits<float>::max();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto one = [&](Reduction reduction, float update) {
    Arguments arguments = elements_arguments(
        version("ScatterElementsUpdate-12"),
        {floats({2}, {7, 7}), ints({1}, {1}), floats({1}, {update}), scalar(0), reduction});
    arguments.attributes["use_init_val"] = false;
    return left_by(version("ScatterElementsUpdate-12"), arguments);
  };
  CHECK(one(Reduction::none, 3) == std::vector<float>{7, 3});
  CHECK(one(Reduction::sum, 3) == std::vector<float>{7, 3});
  CHECK(one(Reduction::prod, 3) == std::vector<float>{7, 3});
  CHECK(one(Reduction::mean, 3) == std::vector<float>{7, 3});
  CHECK(one(Reduction::max, -infinity) == std::vector<float>{7, -largest});
  CHECK(one(Reduction::min, infinity) == std::vector<float>{7, largest});
  CHECK(!std::signbit(one(Reduction::sum, -0.0F)[1]));
}

TEST_CASE("elements: the mean of integers is exact and rounded down, their sum wraps", "[ops]") {
  const auto mean = [&]<class T>(std::vector<T> values) {
    std::vector<T> data{values.front()};
    std::vector<T> updates(values.begin() + 1, values.end());
    const auto count = static_cast<std::int64_t>(updates.size());
    const Arguments arguments{
        .operands = {{"data", tensor<T>({1}, data)},
                     {"indices", ints({count}, std::vector<std::int32_t>(updates.size(), 0))},
                     {"updates", tensor<T>({count}, updates)},
                     {"axis", scalar(0)}},
        .attributes = {{"reduction", Reduction::mean}}};
    MemoryOutput output{std::span(data)};
    apply(version("ScatterElementsUpdate-12"), arguments, output);
    return data.front();
  };
  CHECK(mean(std::vector<std::int32_t>{-3, 0}) == -2);
  CHECK(mean(std::vector<std::int32_t>{-4, 0}) == -2);
  CHECK(mean(std::vector<std::int32_t>{3, 0}) == 1);
  CHECK(mean(std::vector<std::int16_t>{30000, 30000}) == -2768);
  const std::int64_t large = std::int64_t{1} << 60;
  CHECK(mean(std::vector<std::int64_t>{large + 1, large + 4}) == large + 2);
  CHECK(mean(std::vector<std::uint64_t>{~std::uint64_t{0}, 0}) == ~std::uint64_t{0} / 2);
}

TEST_CASE("scatter_elements_update_12.c10: a reduction that the dtype does not define is refused",
          "[ops]") {
  const Operation& operation = version("ScatterElementsUpdate-12");
  const auto refused = [&](const Tensor& data, Reduction reduction) {
    return elements_refusal(operation, {data, ints({0}, {}), data, scalar(0), reduction});
  };
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  CHECK(refused(complex, Reduction::prod) == "legal");
  CHECK(refused(complex, Reduction::max) ==
        "scatter_elements_update_12: reduction must be none, sum or prod for complex64, got max "
        "[scatter_elements_update_12.c10]");
  CHECK(refused(view(std::span<const std::byte>(), DType::boolean, {0}), Reduction::mean) ==
        "scatter_elements_update_12: reduction must be none, sum, prod, min or max for bool, got "
        "mean [scatter_elements_update_12.c10]");
  CHECK(refused(opaque({0}, "'|S3'", 3), Reduction::sum) ==
        "scatter_elements_update_12: reduction must be none for |S3, got sum "
        "[scatter_elements_update_12.c10]");
}

}  // namespace tscatter
