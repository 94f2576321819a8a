// verify() of results with other bits that stand for the same, and of what a library leaves in
// another of its ways.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/ops/operation.hpp"
#include "verify/class_counts.hpp"

namespace tscatter {
namespace {

using orders::Deviation;

const float quiet = std::bit_cast<float>(0x7FC00000U);
const float payload = std::bit_cast<float>(0x7FC01234U);

template <class T>
Tensor row(std::vector<T> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return tensor({count}, std::move(values));
}

// The same elements in the other byte order.
Tensor turned(const std::vector<float>& values) {
  std::vector<float> bytes = values;
  ElementType type = ElementType::of(DType::float32);
  type.byte_order =
      std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  turn_elements(std::as_writable_bytes(std::span(bytes)), type);
  return {{.type = type, .shape = {static_cast<std::int64_t>(values.size())}},
          owned_source(std::move(bytes))};
}

// Of ScatterNDUpdate-15 on rank 1: entry i goes to indices[i].
Arguments call_of(const Tensor& data, const std::vector<std::int64_t>& indices,
                  const Tensor& updates, Reduction reduction) {
  const auto entries = static_cast<std::int64_t>(indices.size());
  return arguments_of(data, tensor<std::int64_t>({entries, 1}, indices), updates,
                      {{"reduction", reduction}});
}

const Operation& nd() { return *find_operation("ScatterNDUpdate-15"); }

std::int64_t hinted(const Verification& v, Deviation deviation) {
  return v.would_explain[static_cast<std::size_t>(deviation)];
}
std::int64_t needed(const Verification& v, Deviation deviation) {
  return v.needed[static_cast<std::size_t>(deviation)];
}

// "kept: 1 untouched, …; nan 1, zero 0", and the same with any bits.
std::string told(const Operation& operation, const Arguments& arguments, const Tensor& actual) {
  const auto told_of = [&](const VerifyOptions& options) {
    const Verification v = verify(operation, arguments, actual, options);
    return fmt::format("{}; hints {} and {}; needed {} and {}", text_of(counts_of(v)),
                       hinted(v, Deviation::other_nan), hinted(v, Deviation::other_zero),
                       needed(v, Deviation::other_nan), needed(v, Deviation::other_zero));
  };
  return fmt::format("{}\n{}", told_of({}),
                     told_of({.nan_bits = OtherBits::any, .zeros = OtherBits::any}));
}

std::string told(const Arguments& arguments, const Tensor& actual) {
  return told(nd(), arguments, actual);
}

Verification verified(const Arguments& arguments, const Tensor& actual,
                      const VerifyOptions& options = {}) {
  return verify(nd(), arguments, actual, options);
}

}  // namespace

TEST_CASE("verify: a NaN or a zero that is moved or stays has its bits, or any", "[verify]") {
  const std::vector<float> data{payload, -0.0F, 1, 2, 3};
  const std::vector<float> updates{payload, 0.0F};
  const std::vector<float> actual{quiet, 0.0F, quiet, -0.0F, 3};
  const Arguments call = call_of(row(data), {2, 3}, row(updates), Reduction::none);
  const std::string expected =
      "1 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 4 wrong; hints 2 and 2; needed 0 "
      "and 0\n"
      "1 untouched, 0 in order, 0 reordered, 4 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 2 "
      "and 2";
  CHECK(told(call, row(actual)) == expected);
  const Arguments foreign = call_of(turned(data), {2, 3}, turned(updates), Reduction::none);
  CHECK(told(foreign, turned(actual)) == expected);
  CHECK(told(foreign, row(actual)) == expected);

  const VerifyOptions nan{.nan_bits = OtherBits::any};
  const Verification with_nan = verified(call, row(actual), nan);
  CHECK(with_nan.count(ElementClass::rounded) == 2);
  CHECK(with_nan.count(ElementClass::wrong) == 2);
  CHECK(hinted(with_nan, Deviation::other_zero) == 2);
  const VerifyOptions zeros{.zeros = OtherBits::any};
  const Verification with_zeros = verified(call, row(actual), zeros);
  CHECK(with_zeros.count(ElementClass::rounded) == 2);
  CHECK(hinted(with_zeros, Deviation::other_nan) == 2);
}

TEST_CASE("verify: what stands for nothing else is wrong whatever bits are legal", "[verify]") {
  const VerifyOptions any{.nan_bits = OtherBits::any, .zeros = OtherBits::any};
  const float least = std::numeric_limits<float>::denorm_min();
  const Arguments call =
      call_of(row<float>({quiet, 0, 1, 1}), {2, 3}, row<float>({quiet, 0}), Reduction::none);
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor actual = row<float>({infinity, least, infinity, -least});
  CHECK(verified(call, actual, any).count(ElementClass::wrong) == 4);
  // Of integers there is one zero, and no NaN.
  const Arguments integers =
      call_of(row<std::int32_t>({0, 1}), {0}, row<std::int32_t>({0}), Reduction::none);
  const Tensor other = row<std::int32_t>({std::numeric_limits<std::int32_t>::min(), 1});
  CHECK(verified(integers, other, any).count(ElementClass::wrong) == 1);
}

TEST_CASE("verify: half floats and both parts of complex numbers may have other bits", "[verify]") {
  const auto half = [](std::uint16_t bits) { return std::bit_cast<Half>(bits); };
  const Arguments halves =
      call_of(row<Half>({half(0x7E01), half(0)}), {1}, row<Half>({half(0xFE02)}), Reduction::none);
  CHECK(told(halves, row<Half>({half(0x7E00), half(0x7E00)})) ==
        "0 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 2 wrong; hints 2 and 0; needed 0 "
        "and 0\n"
        "0 untouched, 0 in order, 0 reordered, 2 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 2 "
        "and 0");
  using Complex = std::complex<float>;
  const Arguments complex = call_of(row<Complex>({{payload, 1}, {payload, 0.0F}}), {1},
                                    row<Complex>({{payload, 0.0F}}), Reduction::none);
  // A NaN and a zero at once: no single flag makes it legal.
  CHECK(told(complex, row<Complex>({{quiet, 1}, {quiet, -0.0F}})) ==
        "0 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 2 wrong; hints 1 and 0; needed 0 "
        "and 0\n"
        "0 untouched, 0 in order, 0 reordered, 2 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 2 "
        "and 0");
}

TEST_CASE("verify: the elements of a slice may have other bits", "[verify]") {
  const auto list = [](std::int64_t value) { return row<std::int64_t>({value}); };
  const Arguments call{.operands = {{"data", row<float>({payload, 1, 2})},
                                    {"updates", row<float>({payload, -0.0F})},
                                    {"start", list(1)},
                                    {"stop", list(3)},
                                    {"step", list(1)}},
                       .attributes = {}};
  CHECK(told(*find_operation("SliceScatter-15"), call, row<float>({quiet, quiet, 0.0F})) ==
        "0 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 3 wrong; hints 2 and 1; needed 0 "
        "and 0\n"
        "0 untouched, 0 in order, 0 reordered, 3 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 2 "
        "and 1");
}

namespace {

// Blocks of two elements, two entries on the first one.
Arguments blocks(std::array<float, 4> updates) {
  return arguments_of(tensor<float>({2, 2}, {1, 2, 3, 4}), tensor<std::int64_t>({2, 1}, {0, 0}),
                      tensor<float>({2, 2}, {updates.begin(), updates.end()}),
                      {{"reduction", Reduction::none}});
}

Tensor first_block(float first, float second) {
  return tensor<float>({2, 2}, {first, second, 3, 4});
}

}  // namespace

TEST_CASE("verify: whole blocks with other bits are of the last writer, an earlier one, or torn",
          "[verify]") {
  const Arguments call = blocks({5, payload, payload, 6});
  CHECK(told(call, first_block(quiet, 6)) ==
        "2 untouched, 1 in order, 0 reordered, 0 rounded, 0 torn, 1 wrong; hints 1 and 0; needed 0 "
        "and 0\n"
        "2 untouched, 1 in order, 0 reordered, 1 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 1 "
        "and 0");
  CHECK(told(call, first_block(5, quiet)) ==
        "2 untouched, 0 in order, 1 reordered, 0 rounded, 0 torn, 1 wrong; hints 0 and 0; needed 0 "
        "and 0\n"
        "2 untouched, 0 in order, 1 reordered, 1 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 1 "
        "and 0");
  // Of two NaN, neither of which one writer's block has: the flag would tear it.
  CHECK(told(call, first_block(quiet, quiet)) ==
        "2 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 2 wrong; hints 0 and 0; needed 0 "
        "and 0\n"
        "2 untouched, 0 in order, 0 reordered, 0 rounded, 2 torn, 0 wrong; hints 0 and 0; needed 0 "
        "and 0");
  CHECK(told(blocks({5, 6, 7, payload}), first_block(5, quiet)) ==
        "2 untouched, 0 in order, 1 reordered, 0 rounded, 0 torn, 1 wrong; hints 0 and 0; needed 0 "
        "and 0\n"
        "2 untouched, 0 in order, 0 reordered, 0 rounded, 2 torn, 0 wrong; hints 0 and 0; needed 0 "
        "and 0");
}

TEST_CASE("verify: the sign of a zero that is computed is the text's, or any", "[verify]") {
  // -1 + 1 is +0, and 0 * -1 is -0; the least of 0 and -0 is data's.
  const auto zero = [](Reduction reduction, std::vector<float> data, std::vector<float> updates,
                       float actual) {
    std::vector<float> result = data;
    result[0] = actual;
    const std::vector<std::int64_t> indices(updates.size(), 0);
    return told(call_of(row(std::move(data)), indices, row(std::move(updates)), reduction),
                row(std::move(result)));
  };
  const std::string one_zero =
      "1 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 1 wrong; hints 0 and 1; needed 0 "
      "and 0\n"
      "1 untouched, 0 in order, 0 reordered, 1 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 0 "
      "and 1";
  CHECK(zero(Reduction::sum, {-1, 9}, {1}, -0.0F) == one_zero);
  CHECK(zero(Reduction::prod, {0, 9}, {-1}, 0.0F) == one_zero);
  CHECK(zero(Reduction::min, {0, 9}, {-0.0F}, -0.0F) == one_zero);
  CHECK(zero(Reduction::max, {-1, 9}, {-0.0F, -0.0F}, 0.0F) == one_zero);
  Arguments mean = call_of(row<float>({-1, 9}), {0}, row<float>({1}), Reduction::mean);
  mean.operands.insert_or_assign("indices", row<std::int64_t>({0}));
  mean.operands.emplace("axis", tensor<std::int64_t>({}, {0}));
  CHECK(told(*find_operation("ScatterElementsUpdate-12"), mean, row<float>({-0.0F, 9})) ==
        one_zero);
  // A zero that no zero is.
  const std::string wrong =
      "1 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 1 wrong; hints 0 and 0; needed 0 "
      "and 0";
  CHECK(zero(Reduction::sum, {1, 9}, {1}, -0.0F) == wrong + "\n" + wrong);
  CHECK(zero(Reduction::max, {1, 9}, {1}, 0.0F) == wrong + "\n" + wrong);
}

TEST_CASE("verify: the zeros of both parts of a sum may have either sign", "[verify]") {
  using Complex = std::complex<float>;
  const Arguments call = call_of(row<Complex>({{-1, -1}, {-1, 2}, {3, 3}}), {0, 1},
                                 row<Complex>({{1, 1}, {1, 1}}), Reduction::sum);
  CHECK(told(call, row<Complex>({{-0.0F, -0.0F}, {-0.0F, 3}, {3, 3}})) ==
        "1 untouched, 0 in order, 0 reordered, 0 rounded, 0 torn, 2 wrong; hints 0 and 2; needed 0 "
        "and 0\n"
        "1 untouched, 0 in order, 0 reordered, 2 rounded, 0 torn, 0 wrong; hints 0 and 0; needed 0 "
        "and 2");
}

TEST_CASE("verify: other bits are counted alike by any number of threads", "[verify]") {
  constexpr std::int64_t elements = 50000;
  constexpr std::int64_t block = 10;
  std::vector<float> data(elements, payload);
  std::vector<float> actual(elements, quiet);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < elements / block; i += 3) indices.push_back(i);
  const auto entries = static_cast<std::int64_t>(indices.size());
  std::vector<float> updates(static_cast<std::size_t>(entries * block), -0.0F);
  for (const std::int64_t destination : indices)
    std::fill_n(actual.begin() + destination * block, block, 0.0F);
  const Arguments call = arguments_of(
      tensor<float>({elements / block, block}, data), tensor<std::int64_t>({entries, 1}, indices),
      tensor<float>({entries, block}, updates), {{"reduction", Reduction::none}});
  const Tensor result = tensor<float>({elements / block, block}, actual);
  for (const int threads : {1, 3}) {
    VerifyOptions options{.threads = threads, .tile_bytes = 4096};
    const Verification kept = verified(call, result, options);
    CHECK(hinted(kept, Deviation::other_nan) == elements - entries * block);
    CHECK(hinted(kept, Deviation::other_zero) == entries * block);
    options.nan_bits = OtherBits::any;
    options.zeros = OtherBits::any;
    const Verification any = verified(call, result, options);
    CHECK(any.is_legal());
    CHECK(needed(any, Deviation::other_nan) == elements - entries * block);
    CHECK(needed(any, Deviation::other_zero) == entries * block);
    CHECK(any.count(ElementClass::rounded) == elements);
  }
}

namespace {

constexpr std::array variants{
    Variant{.says = "half floats rounded once", .accumulation = Accumulation::float32},
    Variant{.says = "each step rounded", .accumulation = Accumulation::each_step},
    Variant{.says = "products that are not rounded", .is_fused = true},
    Variant{.says = "either of two zeros", .takes_any_zero = true}};

// A row with the variants, and an attribute alpha.
Operation with_variants(Accumulation accumulation) {
  static const std::vector<AttributeInfo> attributes = [] {
    std::vector<AttributeInfo> all(nd().attributes.begin(), nd().attributes.end());
    all.push_back({.name = "alpha",
                   .flag = 0,
                   .default_value = Number(std::int64_t{1}),
                   .choices = {},
                   .help = ""});
    return all;
  }();
  Operation operation = nd();
  operation.attributes = attributes;
  operation.policies.accumulation = accumulation;
  operation.variants = variants;
  return operation;
}

// "in-order, 1 of half floats rounded once": the class of the first element, and which variants
// count it.
std::string way_of(const Operation& operation, const Arguments& arguments, const Tensor& actual) {
  const Verification v = verify(operation, arguments, actual, {.worst = 5});
  std::string text(v.worst.empty() ? "in-order" : to_string(v.worst[0].verdict.element_class));
  REQUIRE(v.variants.size() == variants.size());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (v.variants[i].elements > 0)
      text += fmt::format(", {} of {}", v.variants[i].elements, v.variants[i].says);
    if (!v.worst.empty() && v.worst[0].verdict.variant == i + 1) text += " (told)";
  }
  if (!v.worst.empty() && !v.worst[0].order.empty())
    text += fmt::format(", in an order of {}", v.worst[0].order.size());
  return text;
}

// float16: 2048, and three times 1 that it does not notice.
std::string way_of_halves(const Operation& operation, float actual) {
  std::vector<Half> updates{Half(2048.0F), Half(1.0F), Half(1.0F), Half(1.0F)};
  const Arguments call = call_of(row<Half>({Half(0.0F), Half(7.0F)}), {0, 0, 0, 0},
                                 row(std::move(updates)), Reduction::sum);
  return way_of(operation, call, row<Half>({Half(actual), Half(7.0F)}));
}

}  // namespace

TEST_CASE("verify: a variant of the accumulator is legal, and counted", "[verify]") {
  const Operation once = with_variants(Accumulation::float32);
  CHECK(way_of_halves(once, 2052) == "in-order");
  CHECK(way_of_halves(once, 2048) == "reordered, 1 of each step rounded (told), in an order of 4");
  CHECK(way_of_halves(once, 2044) == "wrong");
  const Operation step = with_variants(Accumulation::each_step);
  CHECK(way_of_halves(step, 2048) == "in-order");
  // 2051 rounded once is 2052, which is also the sum of 1, 1, 2048 and 1 in the order of three.
  CHECK(way_of_halves(step, 2050) == "rounded");
  CHECK(way_of_halves(step, 2044) == "wrong");
}

TEST_CASE("verify: what the operation's own rounding explains in some order is no variant's",
          "[verify]") {
  // 1 + 300 times 2^-9 in float16: each step is rounded away.
  std::vector<Half> updates(300, Half(0.001F));
  const std::vector<std::int64_t> indices(300, 0);
  const Arguments call = call_of(row<Half>({Half(4.0F)}), indices, row(updates), Reduction::sum);
  float sum = 4;
  for (const Half each : updates) sum += static_cast<float>(each);
  CHECK(way_of(with_variants(Accumulation::each_step), call, row<Half>({Half(sum)})) ==
        "reordered, 1 of half floats rounded once (told)");
  Operation without = with_variants(Accumulation::each_step);
  without.variants = {};
  const Verification own = verify(without, call, row<Half>({Half(sum)}));
  CHECK(own.count(ElementClass::rounded) == 1);
  CHECK(own.variants.empty());
}

TEST_CASE("verify: unrounded products are legal only where alpha multiplies, and is not overridden",
          "[verify]") {
  // 3 * 0.1 in float32 is more than 3 * 0.1.
  const float alpha = 3;
  const float update = 0.1F;
  const float product = alpha * update;
  const float fused = std::fma(alpha, update, -product);
  REQUIRE(fused != 0);
  Arguments call = call_of(row<float>({-product}), {0}, row<float>({update}), Reduction::sum);
  const Operation operation = with_variants(Accumulation::each_step);
  CHECK(way_of(operation, call, row<float>({fused})) == "wrong");
  call.attributes["alpha"] = Number(1.0);
  CHECK(way_of(operation, call, row<float>({fused})) == "wrong");
  call.attributes["alpha"] = Number(std::int64_t{3});
  CHECK(way_of(operation, call, row<float>({fused})) ==
        "rounded, 1 of products that are not rounded (told)");
  CHECK(way_of(operation, call, row<float>({product})) == "wrong");
  Operation answered = operation;
  answered.overridden.insert(Policy::accumulation);
  CHECK(way_of(answered, call, row<float>({fused})) == "wrong");
  // Of complex numbers a product is more than one rounding.
  using Complex = std::complex<float>;
  Arguments complex =
      call_of(row<Complex>({{-product, 0}}), {0}, row<Complex>({{update, 0}}), Reduction::sum);
  complex.attributes["alpha"] = Number(3.0);
  CHECK(way_of(operation, complex, row<Complex>({{fused, 0}})) == "wrong");
}

TEST_CASE("verify: of equal zeros min and max may leave either, as a variant says", "[verify]") {
  const Operation operation = with_variants(Accumulation::each_step);
  const auto least = [](Reduction reduction) {
    return call_of(row<float>({0.0F}), {0}, row<float>({-0.0F}), reduction);
  };
  CHECK(way_of(operation, least(Reduction::min), row<float>({-0.0F})) ==
        "rounded, 1 of either of two zeros (told)");
  Operation answered = operation;
  answered.overridden.insert(Policy::extremes);
  CHECK(way_of(answered, least(Reduction::min), row<float>({-0.0F})) == "wrong");
  const Arguments sum = call_of(row<float>({-1.0F}), {0}, row<float>({1.0F}), Reduction::sum);
  CHECK(way_of(operation, sum, row<float>({-0.0F})) == "wrong");
}

TEST_CASE("verify: variants of wide blocks and of blocks in several tiles are counted",
          "[verify]") {
  constexpr std::int64_t block = 3000;
  constexpr std::int64_t rounds = 4;
  const std::vector<Half> data(block, Half(0.0F));
  std::vector<Half> updates(rounds * block, Half(1.0F));
  std::fill_n(updates.begin(), block, Half(2048.0F));
  const Arguments call =
      arguments_of(tensor<Half>({1, block}, data), tensor<std::int64_t>({rounds, 1}, {0, 0, 0, 0}),
                   tensor<Half>({rounds, block}, updates), {{"reduction", Reduction::sum}});
  std::vector<Half> actual(block, Half(2052.0F));
  for (std::size_t i = 0; i < block; i += 3) actual[i] = Half(2048.0F);
  actual[7] = Half(99.0F);
  const Operation once = with_variants(Accumulation::float32);
  for (const int threads : {1, 2}) {
    const Verification v = verify(once, call, tensor<Half>({1, block}, actual),
                                  {.threads = threads, .tile_bytes = 1024});
    CHECK(text_of(counts_of(v)) ==
          "0 untouched, 1999 in order, 1000 reordered, 0 rounded, 0 torn, 1 wrong");
    CHECK(v.variants[1].elements == 1000);
    CHECK(v.variants[0].elements == 0);
  }
}

namespace {

// A call of torch's along axis 0 of a vector.
Arguments along_0(const Tensor& data, const std::vector<std::int64_t>& index,
                  const Tensor& source) {
  return arguments_of(data, row(index), source, {{"axis", std::int64_t{0}}});
}

// "rounded; 1, 0": the first element's class, and what variants count.
std::string counted(const char* operation, const Arguments& arguments, const Tensor& actual) {
  const Verification v = verify(*find_operation(operation), arguments, actual, {.worst = 1});
  const ElementVerdict own{.element_class = ElementClass::in_order};
  const ElementVerdict& first = v.worst.empty() ? own : v.worst[0].verdict;
  REQUIRE(v.variants.size() >= 2);
  return fmt::format("{}; {}, {}", to_string(first.element_class), v.variants[0].elements,
                     v.variants[1].elements);
}

}  // namespace

TEST_CASE("verify: the roundings of torch.index_add are legal under its name", "[verify]") {
  const auto bits = [](std::uint16_t some) { return std::bit_cast<BFloat16>(some); };
  const std::vector<std::int64_t> index(300, 0);
  const Arguments halves =
      along_0(row<BFloat16>({BFloat16(0.0F)}), index, row(std::vector(300, BFloat16(1.0F))));
  CHECK(counted("torch.index_add", halves, row<BFloat16>({bits(0x4380)})) == "in-order; 0, 0");
  CHECK(counted("torch.index_add", halves, row<BFloat16>({bits(0x4396)})) == "reordered; 1, 0");
  CHECK(counted("torch.index_add", halves, row<BFloat16>({bits(0x4480)})) == "wrong; 0, 0");
  const float product = 3 * 0.1F;
  const float fused = std::fma(3.0F, 0.1F, -product);
  Arguments scaled = along_0(row<float>({-product}), {0}, row<float>({0.1F}));
  scaled.attributes["alpha"] = Number(std::int64_t{3});
  CHECK(counted("torch.index_add", scaled, row<float>({0})) == "in-order; 0, 0");
  CHECK(counted("torch.index_add", scaled, row<float>({fused})) == "rounded; 0, 1");
  CHECK(counted("torch.index_add", scaled, row<float>({product})) == "wrong; 0, 0");
}

namespace {

// [2, columns]: data near the least number, and updates whose doubles are infinite, or just not.
Arguments overflowing(std::int64_t columns) {
  std::vector<float> data;
  std::vector<float> updates;
  for (std::int64_t i = 0; i < 2 * columns; ++i) {
    data.push_back(-3e38F + static_cast<float>(i) * 1e34F);
    updates.push_back(1.9e38F + static_cast<float>(i % 7) * 1e35F);
  }
  const bool is_row = columns == 1;
  return arguments_of(is_row ? row(data) : tensor({2, columns}, data), row<std::int64_t>({1, 0}),
                      is_row ? row(updates) : tensor({2, columns}, updates),
                      {{"axis", std::int64_t{0}}, {"alpha", Number(std::int64_t{2})}});
}

}  // namespace

TEST_CASE("verify: torch.index_add may stay finite where a rounded product is infinite",
          "[verify]") {
  for (const std::int64_t columns : {1, 2, 5, 64, 3000}) {
    INFO(columns << " columns");
    const Arguments call = overflowing(columns);
    const auto values_of = [&](const char* name) {
      std::vector<float> values(static_cast<std::size_t>(2 * columns));
      std::memcpy(values.data(), call.operand(name).source().view()->data(),
                  static_cast<std::size_t>(8 * columns));
      return values;
    };
    std::vector<float> actual = values_of("data");
    const std::vector<float> updates = values_of("updates");
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const std::size_t from = (i + actual.size() / 2) % actual.size();
      actual[i] = std::fma(2.0F, updates[from], actual[i]);
      REQUIRE(std::isfinite(actual[i]));
    }
    const auto classes = [&] {
      const Tensor result = columns == 1 ? row(actual) : tensor({2, columns}, actual);
      return text_of(counts_of(
          verify(*find_operation("torch.index_add"), call, result, {.tile_bytes = 4096})));
    };
    CHECK(classes() ==
          fmt::format("0 untouched, 0 in order, 0 reordered, {} rounded, 0 torn, 0 wrong",
                      2 * columns));
    actual.back() *= 0.99F;
    CHECK(classes() ==
          fmt::format("0 untouched, 0 in order, 0 reordered, {} rounded, 0 torn, 1 wrong",
                      2 * columns - 1));
  }
}

// 1 and 299 zeros: a count in bfloat16 stays at 256, another one is 300.
TEST_CASE("verify: the counts and ties of torch.index_reduce are legal under its name",
          "[verify]") {
  std::vector<BFloat16> source(300, BFloat16(0.0F));
  source[0] = BFloat16(1.0F);
  const std::vector<std::int64_t> index(300, 0);
  Arguments mean = along_0(row<BFloat16>({BFloat16(9.0F)}), index, row(source));
  mean.attributes["reduction"] = Reduction::mean;
  mean.attributes["use_init_val"] = false;
  const auto of = [](float value) { return row<BFloat16>({BFloat16(value)}); };
  CHECK(counted("torch.index_reduce", mean, of(1.0F / 256)) == "in-order; 0, 0");
  CHECK(counted("torch.index_reduce", mean, of(1.0F / 300)) == "reordered; 1, 0");
  CHECK(counted("torch.index_reduce", mean, of(1.0F / 280)) == "wrong; 0, 0");
  Operation answered = *find_operation("torch.index_reduce");
  answered.overridden.insert(Policy::divisor);
  CHECK_FALSE(verify(answered, mean, of(1.0F / 300)).is_legal());

  Arguments least = along_0(row<float>({0, 1}), {0}, row<float>({-0.0F}));
  least.attributes["reduction"] = Reduction::min;
  CHECK(counted("torch.index_reduce", least, row<float>({0, 1})) == "in-order; 0, 0");
  CHECK(counted("torch.index_reduce", least, row<float>({-0.0F, 1})) == "rounded; 0, 1");
  CHECK(counted("torch.index_reduce", least, row<float>({1, 1})) == "wrong; 0, 0");
}

}  // namespace tscatter
