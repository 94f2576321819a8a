// What TensorFlow's names leave, against what TensorFlow 2.21 printed on a CPU, bit for bit.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

constexpr float tf_nan = std::numeric_limits<float>::quiet_NaN();

struct TfPrinted {
  const char* name;  // behind "tf.tensor_scatter_nd_"
  std::vector<float> data;
  std::vector<std::int32_t> indices;  // an entry each
  std::vector<float> updates;
  std::vector<float> printed;
  Word policy = "DEFAULT";
};

const std::vector<TfPrinted> printed_by_tf{
    // Of duplicates the last is left.
    {"update", {0, 0, 0}, {1, 1}, {1, 2}, {0, 2, 0}},
    {"add", {0, 0, 0}, {2, 2, 0}, {1, 2, 4}, {4, 0, 3}},
    // (1 + 2^24) + 1, where each step is rounded, then less 2^24.
    {"add", {1}, {0, 0, 0}, {16777216, 1, -16777216}, {0}},
    {"sub", {1, 5}, {1, 1, 0}, {1, 2, 4}, {-3, 2}},
    // -0.0 - 0.0 is -0.0, -0.0 + 0.0 is 0.0.
    {"sub", {-0.0F}, {0}, {0}, {-0.0F}},
    {"add", {-0.0F}, {0}, {0}, {0}},
    {"add", {-0.0F, -0.0F}, {0}, {-0.0F}, {-0.0F, -0.0F}},
    // A NaN of data stays, one of updates is passed over; of equals data.
    {"max", {tf_nan, 1, -0.0F, 0}, {0, 1, 2, 3}, {1, tf_nan, 0, -0.0F}, {tf_nan, 1, -0.0F, 0}},
    {"min", {tf_nan, 1, -0.0F, 0}, {0, 1, 2, 3}, {1, tf_nan, 0, -0.0F}, {tf_nan, 1, -0.0F, 0}},
    {"max", {0, 0, 0}, {1, 1, 2}, {3, 2, -1}, {0, 3, 0}},
    {"min", {0, 0, 0}, {1, 1, 2}, {-3, -2, 1}, {0, -3, 0}},
    // What is out of range is dropped, negative or not, first or last.
    {"update", {0, 0, 0}, {0, 7, -1}, {1, 2, 3}, {1, 0, 0}, "IGNORE"},
    {"add", {0, 0, 0}, {3, 0, 0, -3}, {1, 2, 3, 4}, {5, 0, 0}, "IGNORE"},
    {"sub", {0, 0, 0}, {-1, 2}, {1, 2}, {0, 0, -2}, "IGNORE"},
    {"max", {0, 0}, {2, 1}, {9, 8}, {0, 8}, "IGNORE"},
    {"min", {0, 0}, {1, -2147483647}, {-9, -8}, {0, -9}, "IGNORE"},
    {"add", {0}, {0, 0}, {1, 2}, {3}, "ERROR"},
};

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float each : values)
    bits.push_back(std::isnan(each) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(each));
  return bits;
}

Arguments arguments_of_tf(const TfPrinted& each) {
  const auto size = static_cast<std::int64_t>(each.indices.size());
  return arguments_of(floats({static_cast<std::int64_t>(each.data.size())}, each.data),
                      ints({size, 1}, each.indices), floats({size}, each.updates),
                      {{"bad_indices_policy", each.policy}});
}

}  // namespace

TEST_CASE("tf: each name leaves what TensorFlow leaves", "[ops]") {
  for (const TfPrinted& each : printed_by_tf) {
    const std::string name = std::string("tf.tensor_scatter_nd_") + each.name;
    INFO(name << ", the first update " << each.updates.front());
    CHECK(bits_of(left_by(*find_operation(name), arguments_of_tf(each))) == bits_of(each.printed));
  }
}

TEST_CASE("tf: an entry with one coordinate out of range is dropped as a whole", "[ops]") {
  const Arguments arguments =
      arguments_of(zeros({2, 2, 2}), ints({3, 2}, {0, 2, 1, 1, -1, 0}),
                   floats({3, 2}, {1, 2, 3, 4, 5, 6}), {{"bad_indices_policy", Word("IGNORE")}});
  for (const char* name : {"tf.tensor_scatter_nd_update", "tf.tensor_scatter_nd_add"}) {
    CHECK(left_by(*find_operation(name), arguments) == std::vector<float>{0, 0, 0, 0, 0, 0, 3, 4});
  }
}

TEST_CASE("tf: half floats are rounded at each step, integers wrap around", "[ops]") {
  const Operation& add = *find_operation("tf.tensor_scatter_nd_add");
  const auto bfloat16s = [](std::vector<std::uint16_t> bits) {
    const auto size = static_cast<std::int64_t>(bits.size());
    return Tensor({.type = ElementType::of(DType::bfloat16), .shape = {size}},
                  owned_source(std::move(bits)));
  };
  // 0 + 300 x 1 stays at 256.
  std::vector<std::uint16_t> sum{0};
  MemoryOutput rounded{std::span(sum)};
  apply(add,
        arguments_of(bfloat16s({0}), ints({300, 1}, std::vector<std::int32_t>(300)),
                     bfloat16s(std::vector<std::uint16_t>(300, 0x3f80))),
        rounded);
  CHECK(sum.front() == 0x4380);

  const Tensor hundred = tensor<std::int8_t>({1}, {100});
  std::vector<std::int8_t> small{0};
  MemoryOutput wrapped{std::span(small)};
  apply(add, arguments_of(hundred, ints({1, 1}, {0}), hundred), wrapped);
  CHECK(small.front() == -56);
}

}  // namespace tscatter
