// Diagnoses of values that were computed otherwise: in another dtype, with other NaNs, by another
// rule for means and extremes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Device;
using planted::Meeting;
using planted::named;
using planted::names;
using planted::verdict_on;
using planted::verified;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// data [2], the first of which is updated; the values' bits as those of the dtype.
template <class T>
Verification overwritten(DType dtype, T data, T update, std::vector<T> actual) {
  const auto as_dtype = [dtype](std::vector<T> values) -> Tensor {
    const TensorHeader header{.type = ElementType::of(dtype), .shape = {std::ssize(values)}};
    return {header, owned_source(std::move(values))};
  };
  Arguments arguments;
  arguments.operands.emplace("data", as_dtype({data, data}));
  arguments.operands.emplace("indices", int64s({1}, {0}));
  arguments.operands.emplace("updates", as_dtype({update}));
  arguments.operands.emplace("axis", int64s({}, {0}));
  return verified("ScatterUpdate-3", arguments, as_dtype(std::move(actual)));
}

}  // namespace

TEST_CASE("diagnose: precision", "[diagnose]") {
  const Meeting<double> sum{0.1, {0.2, 1.0 / 3, 1.7}, Reduction::sum};
  const float in_float = ((0.1F + 0.2F) + 1.0F / 3) + 1.7F;
  CHECK(names(verdict_on(sum, static_cast<double>(in_float)), "precision", "computed in float32"));
  const double whole = ((0.1 + 0.2) + 1.0 / 3) + 1.7;
  CHECK(names(verdict_on(sum, static_cast<double>(static_cast<float>(whole))), "precision",
              "rounded to float32"));
  const Meeting<std::int64_t> large{(std::int64_t{1} << 60) + 1, {4}, Reduction::sum};
  CHECK(names(verdict_on(large, std::int64_t{1} << 60), "precision", "computed in float64"));
  const Meeting<std::int64_t> cut{std::int64_t{1} << 31, {5, 6}, Reduction::sum};
  CHECK(names(verdict_on(cut, static_cast<std::int64_t>(
                                  static_cast<std::int32_t>((std::int64_t{1} << 31) + 11))),
              "precision", "computed in int32"));
  const Meeting<std::int32_t> moved{5, {16777217}, Reduction::none};
  CHECK(names(verdict_on(moved, 16777216), "precision", "computed in float32"));
  const Meeting<float> half{0, {2048, 1, 1}, Reduction::sum};
  CHECK(names(verdict_on(half, 2048.0F), "precision", "computed in float16"));
  CHECK(names(verdict_on(Meeting<float>{0, {256, 1, 1}, Reduction::sum}, 256.0F), "precision",
              "computed in bfloat16"));
}

TEST_CASE("diagnose: families of NaN and of equal values", "[diagnose]") {
  const Meeting<double> in_updates{1, {not_a_number}, Reduction::max};
  CHECK(names(verdict_on(in_updates, not_a_number), "policy", "as with --extremes propagate"));
  CHECK(names(verdict_on(in_updates, not_a_number), "policy", "as with --extremes update"));
  const Meeting<double> in_data{not_a_number, {1}, Reduction::max};
  CHECK(names(verdict_on(in_data, 1.0), "policy", "as with --extremes ignore"));
  const Meeting<double> zeros{0.0, {-0.0}, Reduction::max};
  CHECK(names(verdict_on(zeros, -0.0), "policy", "as with --extremes update"));
}

TEST_CASE("diagnose: a NaN is explained by what is done to NaNs, not by arithmetic", "[diagnose]") {
  const auto halves = [](std::uint16_t data, std::uint16_t update, std::uint16_t first,
                         std::uint16_t second) {
    return overwritten<std::uint16_t>(DType::float16, data, update, {first, second});
  };
  const Verification on_data = halves(0x7C01, 0x3C00, 0x3C00, 0x7E00);
  CHECK(names(on_data, "nan", "a NaN replaced by the one without payload"));
  CHECK(on_data.diagnoses.named.size() == 1);
  CHECK(names(halves(0x7C01, 0x3C00, 0x3C00, 0x7E01), "nan", "a signalling NaN made quiet"));
  CHECK(names(halves(0, 0xFD01, 0xFF01, 0), "nan", "a signalling NaN made quiet"));
  const Verification v = halves(0, 0x7E00, 0x7D01, 0);
  INFO(all_of(v));
  CHECK(v.diagnoses.examined == 1);
  CHECK(names(v, "nan", "another NaN where bits only move"));
  CHECK(v.diagnoses.named.size() == 1);
  CHECK(names(
      overwritten<std::uint32_t>(DType::float32, 0x3F800000, 0x7F800001, {0x7FC00001, 0x3F800000}),
      "nan", "a signalling NaN made quiet"));
}

TEST_CASE("diagnose: values beyond another dtype are cast, or become its largest number",
          "[diagnose]") {
  const auto moved = []<class T>(T update, T got) {
    return overwritten<T>(detail::dtype_of<T>(), 1, update, {got, 1});
  };
  const std::uint64_t large = 9223372036854775806U;
  CHECK(
      names(moved(large, std::uint64_t{18446744073709551614U}), "precision", "computed in int32"));
  CHECK(names(moved(large, std::uint64_t{2147483647}), "precision",
              "computed in int32, which saturates"));
  CHECK(!names(moved(large, std::uint64_t{2147483647}), "precision", "computed in int32"));
  const auto largest = static_cast<double>(std::numeric_limits<float>::max());
  CHECK(names(moved(1e300, largest), "precision", "computed in float32, which saturates"));
  CHECK(names(moved(-1e300, -largest), "precision", "computed in float32, which saturates"));
  CHECK(names(moved(1e300, infinite), "precision", "computed in float32"));
  CHECK(!names(moved(1e300, infinite), "precision", "computed in float32, which saturates"));
}

TEST_CASE("diagnose: overflow that saturates, at each step or at the end", "[diagnose]") {
  const Meeting<std::int8_t> both{100, {20, 20}, Reduction::sum};
  CHECK(names(verdict_on(both, std::int8_t{127}), "precision", "overflow saturates at each step"));
  CHECK(names(verdict_on(both, std::int8_t{127}), "precision", "overflow saturates at the end"));
  const Meeting<std::int8_t> back{100, {20, 20, -50}, Reduction::sum};
  const Verification steps = verdict_on(back, std::int8_t{77});
  CHECK(names(steps, "precision", "overflow saturates at each step"));
  CHECK(!names(steps, "precision", "overflow saturates at the end"));
  const Meeting<std::int8_t> least{-100, {-20, -20, 5}, Reduction::sum};
  CHECK(
      names(verdict_on(least, std::int8_t{-123}), "precision", "overflow saturates at each step"));
  const Meeting<std::int64_t> wide{
      std::int64_t{1} << 62U, {std::int64_t{1} << 62U}, Reduction::sum};
  CHECK(names(verdict_on(wide, std::numeric_limits<std::int64_t>::max()), "precision",
              "overflow saturates at each step"));
  const Meeting<std::uint8_t> lower{10, {20}, Reduction::sub};
  CHECK(names(verdict_on(lower, std::uint8_t{0}), "precision", "overflow saturates at each step"));
  const Meeting<std::int16_t> product{300, {-300}, Reduction::prod};
  CHECK(names(verdict_on(product, std::int16_t{-32768}), "precision",
              "overflow saturates at each step"));
}

TEST_CASE("diagnose: what no update reaches may not fit the narrower dtype", "[diagnose]") {
  Device<float> device{.destinations = 3,
                       .data = {1.0F, 0.1F, 70000.0F},
                       .indices = {0, 0},
                       .updates = {2049.0F, 0.1F}};
  // In float16: 1 + 2049 = 2050, and 0.1 more is lost.
  CHECK(names(device.verify({2050.0F, 0.1F, 70000.0F}), "precision", "computed in float16"));
  // 0.1 in float16, the sum in float32.
  const float tenth = 0.0999755859375F;
  const std::vector<float> actual{1.0F + 2048.0F + tenth, 0.1F, 70000.0F};
  const Verification v = device.verify(actual);
  INFO(all_of(v));
  CHECK(names(v, "precision", "updates rounded to float16"));
  CHECK(!names(v, "precision", "rounded to float16"));
}

TEST_CASE("diagnose: floats that were compared as integers of the same bits", "[diagnose]") {
  CHECK(names(verdict_on(Meeting<float>{-1, {-3}, Reduction::max}, -3.0F), "precision",
              "computed as if the bits were int32"));
  CHECK(names(verdict_on(Meeting<double>{-1, {-3}, Reduction::max}, -3.0), "precision",
              "computed as if the bits were int64"));
}

TEST_CASE("diagnose: integers that were computed as floats of the same bits", "[diagnose]") {
  const Verification v = verdict_on(Meeting<std::int32_t>{2, {3}, Reduction::prod}, 0);
  INFO(all_of(v));
  CHECK(names(v, "precision", "computed as if the bits were float32"));
}

TEST_CASE("diagnose: and, or and xor are told apart, and only where the operation has them",
          "[diagnose]") {
  Operation own = *find_operation("generic.scatter");
  own.form = Form::nd;
  own.overridden = own.unanswered;
  const auto verdict = [&](const Meeting<std::int32_t>& meeting, std::int32_t got) {
    return verify(own, meeting.arguments(), tensor<std::int32_t>({1}, {got}));
  };
  const auto has_words = [](const Verification& v, const std::string& words) {
    return names(v, "reduction", "as with the reduction " + words);
  };
  // 0x6C ^ 0x35 ^ 0x1F is 0x46.
  const Meeting<std::int32_t> bits{0x6C, {0x35, 0x1F}, Reduction::bit_xor};
  CHECK(verdict(bits, 0x46).is_legal());
  CHECK(verdict({0x6C, {0x1F, 0x35}, Reduction::bit_xor}, 0x46).is_legal());
  for (int bit = 0; bit < 32; ++bit) {
    const auto other =
        static_cast<std::int32_t>(0x46U ^ (std::uint32_t{1} << static_cast<unsigned>(bit)));
    CHECK(verdict(bits, other).count(ElementClass::wrong) == 1);
  }
  CHECK(has_words(verdict(bits, 0x7F), "or"));
  CHECK(has_words(verdict(bits, 0x04), "and"));
  CHECK(has_words(verdict(bits, 0xC0), "sum"));
  CHECK(names(verdict(bits, 0x59), "without-entry", "without indices[1]"));
  const Meeting<std::int32_t> sum{0x6C, {0x35, 0x1F}, Reduction::sum};
  CHECK(has_words(verdict(sum, 0x7F), "or"));
  CHECK(!has_words(verdict_on(sum, 0x7F), "or"));
  const auto is_true = [](Shape shape) {
    return Tensor({.type = ElementType::of(DType::boolean), .shape = std::move(shape)},
                  owned_source(std::vector<std::uint8_t>{1}));
  };
  const Verification of_bool = verify(own,
                                      arguments_of(is_true({1}), int64s({1, 1}, {0}), is_true({1}),
                                                   {{"reduction", Reduction::bit_xor}}),
                                      is_true({1}));
  INFO(all_of(of_bool));
  CHECK(has_words(of_bool, "or"));
  CHECK(!has_words(of_bool, "sum"));
}

TEST_CASE("diagnose: a mean of integers rounded towards 0", "[diagnose]") {
  const auto mean = [](std::int32_t data, std::int32_t update, std::int32_t got) {
    Arguments arguments =
        arguments_of(tensor<std::int32_t>({1}, {data}), int64s({1}, {0}),
                     tensor<std::int32_t>({1}, {update}), {{"reduction", Reduction::mean}});
    arguments.operands.emplace("axis", int64s({}, {0}));
    return verified("ScatterElementsUpdate-12", arguments, tensor<std::int32_t>({1}, {got}));
  };
  CHECK(mean(-3, 0, -2).is_legal());
  CHECK(names(mean(-3, 0, -1), "policy", "as with --quotient truncate"));
}

TEST_CASE("diagnose: a sum divided by the root of a count", "[diagnose]") {
  const auto left = [](float got) {
    Arguments arguments{.operands = {{"updates", tensor<float>({3}, {1, 2, 13})},
                                     {"indices", tensor<std::int32_t>({3}, {0, 0, 0})}},
                        .attributes = {{"num_segments", std::int64_t{1}}}};
    return verified("tf.math.unsorted_segment_sqrt_n", arguments, tensor<float>({1}, {got}));
  };
  CHECK(left(16.0F / 1.7320508F).is_legal());
  CHECK(names(left(16.0F / 3), "reduction", "as with the reduction mean"));
  CHECK(names(left(16), "reduction", "the sum, not divided"));
  CHECK(names(left(8), "reduction", "the sum, divided by the root of one too many"));
  CHECK(
      names(left(16.0F / 1.41421354F), "reduction", "the sum, divided by the root of one too few"));
  CHECK(!left(std::nextafterf(16.0F / 1.7320508F, 0)).is_legal());
}

TEST_CASE("diagnose: an extreme without data's value begins with infinity", "[diagnose]") {
  const auto extreme = [](Reduction reduction, float update, float got, bool uses_data) {
    Arguments arguments = arguments_of(tensor<float>({1}, {5}), int64s({1}, {0}),
                                       tensor<float>({1}, {update}), {{"reduction", reduction}});
    arguments.attributes["use_init_val"] = uses_data;
    arguments.operands.emplace("axis", int64s({}, {0}));
    return verified("ScatterElementsUpdate-12", arguments, tensor<float>({1}, {got}));
  };
  const auto infinity = static_cast<float>(infinite);
  const float lowest = std::numeric_limits<float>::lowest();
  CHECK(extreme(Reduction::max, -infinity, lowest, false).is_legal());
  CHECK(names(extreme(Reduction::max, -infinity, -infinity, false), "policy",
              "as with --self infinite"));
  CHECK(names(extreme(Reduction::min, infinity, infinity, false), "policy",
              "as with --self infinite"));
  CHECK(names(extreme(Reduction::max, -infinity, -infinity, true), "policy",
              "as with --self infinite"));
  CHECK(names(extreme(Reduction::max, -infinity, lowest, true), "policy",
              "as with --use-init-val false"));
  CHECK(!names(extreme(Reduction::max, 3, 3, true), "policy", "as with --self infinite"));
}

TEST_CASE("diagnose: of two identities the operation's own is named", "[diagnose]") {
  Arguments arguments = arguments_of(tensor<float>({3}, {9, 9, 9}), int64s({3}, {0, 0, 2}),
                                     tensor<float>({3}, {4, 5, 2}), {{"axis", std::int64_t{0}}});
  arguments.attributes["reduction"] = Reduction::max;
  const Verification verdict =
      verified("torch.scatter_reduce", arguments, tensor<float>({3}, {5, 9, 2}));
  CHECK(names(verdict, "policy", "as with --include-self false"));
  CHECK(!names(verdict, "policy", "as with --self identity"));
}

TEST_CASE("diagnose: another reduction meets as the call says", "[diagnose]") {
  const auto verdict_with = [](const Policies& policies, const Arguments& arguments,
                               const Tensor& actual) {
    return verify(
        with_policies({.operation = find_operation("ScatterNDUpdate-15"), .arguments = arguments},
                      policies),
        actual);
  };
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.initial = InitialValue{.kind = InitialValue::Kind::number, .number = std::int64_t{7}};
  const Meeting<std::int32_t> sum{10, {3}, Reduction::sum};
  const auto with_seven = [&](std::int32_t got) {
    return verdict_with(policies, sum.arguments(), tensor<std::int32_t>({1}, {got}));
  };
  CHECK(with_seven(10).is_legal());
  CHECK(names(with_seven(21), "reduction", "as with the reduction prod"));
  CHECK(!names(with_seven(30), "reduction", "as with the reduction prod"));
  CHECK(!names(with_seven(23), "data-twice", "data's value twice"));
  policies.initial.reset();
  policies.accumulation = Accumulation::float64;
  const Meeting<float> difference{16777216, {1, 1, 4}, Reduction::sub};
  const auto in_double = [&](float got) {
    return verdict_with(policies, difference.arguments(), tensor<float>({1}, {got}));
  };
  CHECK(names(in_double(16777222), "reduction", "as with the reduction sum"));
  CHECK(!names(in_double(16777220), "reduction", "as with the reduction sum"));
}

TEST_CASE("diagnose: another reduction is of the operation's family", "[diagnose]") {
  const Meeting<double> in_updates{-1, {not_a_number}, Reduction::sum};
  CHECK(names(verdict_on(in_updates, -1.0), "reduction", "as with the reduction min"));
  CHECK(!names(verdict_on(in_updates, -1.0, "onnx.ScatterND-18"), "reduction",
               "as with the reduction min"));
}

TEST_CASE("diagnose: a difference does not have data's value twice", "[diagnose]") {
  const Meeting<std::int32_t> difference{10, {3}, Reduction::sub};
  CHECK(!names(verdict_on(difference, -3), "data-twice", "data's value twice"));
  const Meeting<std::int32_t> product{10, {3}, Reduction::prod};
  CHECK(names(verdict_on(product, 300), "data-twice", "data's value twice"));
}

TEST_CASE("diagnose: a call's own accumulator and number, in another dtype", "[diagnose]") {
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.accumulation = Accumulation::float32;
  const Meeting<float> sum{0, {2048, 1, 2}, Reduction::sum};
  const auto got = [&](float actual) {
    return verify(with_policies({.operation = find_operation("ScatterNDUpdate-15"),
                                 .arguments = sum.arguments()},
                                policies),
                  tensor<float>({1}, {actual}));
  };
  CHECK(names(got(2052), "precision", "computed in float16"));
  CHECK(names(got(2050), "precision", "computed in float16, rounded at each step"));
  policies.accumulation = Accumulation::each_step;
  policies.initial = InitialValue{.kind = InitialValue::Kind::number, .number = 2048.0};
  CHECK(names(got(4096), "precision", "computed in float16"));
}

TEST_CASE("diagnose: flushed subnormal numbers are no narrower dtype", "[diagnose]") {
  const auto has_precision = [](const Verification& v) {
    return std::ranges::any_of(
        v.diagnoses.named, [](const orders::Diagnosis& each) { return each.name == "precision"; });
  };
  constexpr std::string_view words = "subnormal numbers flushed to zero";
  const Verification added = verdict_on(Meeting<float>{1e-38F, {-9e-39F}, Reduction::sum}, 0.0F);
  CHECK(names(added, "flush", words));
  CHECK(!has_precision(added));
  CHECK(added.would_explain[static_cast<std::size_t>(orders::Deviation::flushed)] == 1);
  const Verification moved = verdict_on(Meeting<float>{1, {1e-39F}, Reduction::none}, 0.0F);
  CHECK(names(moved, "flush", words));
  CHECK(!has_precision(moved));
  CHECK(moved.would_explain[static_cast<std::size_t>(orders::Deviation::flushed)] == 0);
  CHECK(has_precision(verdict_on(Meeting<float>{1e-20F, {1e-20F}, Reduction::sum}, 0.0F)));
}

TEST_CASE("diagnose: a NaN without payload does not tell where it is from", "[diagnose]") {
  const auto bfloat16 = [](std::vector<std::uint16_t> values) -> Tensor {
    const auto count = static_cast<std::int64_t>(values.size());
    return {{.type = ElementType::of(DType::bfloat16), .shape = {count}},
            owned_source(std::move(values))};
  };
  constexpr std::uint16_t one = 0x3F80;
  // Added one place further on, the last update would make the NaN there, too.
  const auto got = [&](std::uint16_t nan) {
    return verified("ScatterNDUpdate-15",
                    arguments_of(bfloat16({one, 0x7FC0, 0xFFC5}), int64s({1, 1}, {1}),
                                 bfloat16({0x7FC0}), {{"reduction", Reduction::none}}),
                    bfloat16({one, 0x7FC0, nan}));
  };
  const Verification lost = got(0x7FC0);
  CHECK(named(lost) == std::vector<std::string>{"nan: a NaN replaced by the one without payload"});
  CHECK(names(got(0xFFC0), "nan", "a NaN replaced by the one without payload, its sign kept"));
  CHECK(names(got(0x7FD1), "nan", "another NaN where bits only move"));
  CHECK(!names(got(one), "nan", "another NaN where bits only move"));
}

}  // namespace tscatter
