// The texts' examples that give only shapes, at full size, compared with direct loops.
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

const Shape data_shape{1000, 256, 10, 15};
constexpr std::size_t data_elements = std::size_t{1000} * 256 * 10 * 15;

std::uint64_t mixed(std::uint64_t seed) {
  seed = (seed ^ (seed >> 30U)) * 0xBF58476D1CE4E5B9U;
  seed = (seed ^ (seed >> 27U)) * 0x94D049BB133111EBU;
  return seed ^ (seed >> 31U);
}

// In [-2, 2), with 22 bits: sums round.
float value_at(std::uint64_t stream, std::uint64_t i) {
  const auto bits = static_cast<float>(mixed(stream * 0x9E3779B97F4A7C15U + i) >> 42U);
  return bits / 0x1p20F - 2.0F;
}

constexpr std::uint64_t data_stream = 1;
constexpr std::uint64_t updates_stream = 2;
constexpr std::uint64_t indices_stream = 3;

float update_at(std::size_t i) { return value_at(updates_stream, i); }

// Updates that are computed when read, so that 1.5 GB need not be held.
class ComputedUpdates final : public Source {
 public:
  explicit ComputedUpdates(std::int64_t elements) : elements_{elements} {}

  std::int64_t size() const override { return elements_ * 4; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (offset % 4 != 0 || into.size() % 4 != 0)
      throw std::logic_error("a read of half an element");
    for (std::size_t at = 0; at < into.size(); at += 4) {
      const float value = update_at((static_cast<std::size_t>(offset) + at) / 4);
      std::memcpy(&into[at], &value, 4);
    }
  }

 private:
  std::int64_t elements_;
};

Tensor updates_of(const Shape& shape) {
  return {{.type = ElementType::of(DType::float32), .shape = shape},
          std::make_shared<ComputedUpdates>(element_count(shape))};
}

std::vector<float> full_size_data() {
  std::vector<float> data(data_elements);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_at(data_stream, i);
  return data;
}

// Index entries with coordinates in [low * size, size) of their axes; a quarter of them repeat an
// earlier entry.
std::vector<std::int32_t> index_entries(std::size_t entries, const std::vector<std::int64_t>& sizes,
                                        std::int64_t low) {
  std::vector<std::int32_t> indices;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const std::uint64_t choice = mixed(indices_stream + entry);
    const std::uint64_t source = choice % 4 == 0 ? choice / 4 % (entry + 1) : entry;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const std::int64_t span = sizes[j] * (1 - low);
      const std::uint64_t place = mixed((source + 1) * 8 + j) % static_cast<std::uint64_t>(span);
      indices.push_back(
          static_cast<std::int32_t>(static_cast<std::int64_t>(place) + low * sizes[j]));
    }
  }
  return indices;
}

// Compares bits; counts here, since a matcher over 38 million elements is slow.
std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::memcmp(&a[i], &b[i], 4) != 0 ? 1 : 0;
  return count;
}

float combined(Reduction reduction, float x, float y) {
  switch (reduction) {
    case Reduction::sum: return x + y;
    case Reduction::max: return y > x ? y : x;
    default: return y;
  }
}

// indices [25,125,3] into data, blocks of 15.
void scatter_nd_in_place(std::vector<float>& out, const std::vector<std::int32_t>& indices,
                         Reduction reduction) {
  const auto from_the_front = [](std::int32_t index, std::int32_t size) {
    return static_cast<std::size_t>(index < 0 ? index + size : index);
  };
  for (std::size_t entry = 0; entry < 25 * 125; ++entry) {
    const std::size_t i = from_the_front(indices[entry * 3], 1000);
    const std::size_t j = from_the_front(indices[entry * 3 + 1], 256);
    const std::size_t k = from_the_front(indices[entry * 3 + 2], 10);
    for (std::size_t l = 0; l < 15; ++l) {
      float& element = out[((i * 256 + j) * 10 + k) * 15 + l];
      element = combined(reduction, element, update_at(entry * 15 + l));
    }
  }
}

// indices [125,20] along axis 1, updates [1000,125,20,10,15].
void scatter_in_place(std::vector<float>& out, const std::vector<std::int32_t>& indices) {
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t entry = 0; entry < 125 * 20; ++entry) {
      const auto j = static_cast<std::size_t>(indices[entry]);
      for (std::size_t block = 0; block < 10 * 15; ++block) {
        out[(i * 256 + j) * 150 + block] = update_at((i * 2500 + entry) * 150 + block);
      }
    }
  }
}

}  // namespace

TEST_CASE("ScatterUpdate-3, example 1 at full size", "[full_size]") {
  const std::vector<float> data = full_size_data();
  const std::vector<std::int32_t> indices = index_entries(2500, {250}, 0);
  std::vector<float> result(data_elements);
  MemoryOutput output{std::span(result)};
  const Report report =
      scatter_update_3(view(std::span(data), data_shape), view(std::span(indices), {125, 20}),
                       updates_of({1000, 125, 20, 10, 15}), scalar(1), output);
  std::vector<float> expected = data;
  scatter_in_place(expected, indices);
  CHECK(differences(result, expected) == 0);
  CHECK(report.index_entries == 2500);
  CHECK(report.counts.duplicates == 2250);
  CHECK(report.counts.elements_written == 250 * 1000 * 150);
}

TEST_CASE("ScatterNDUpdate-3, example at full size", "[full_size]") {
  const std::vector<float> data = full_size_data();
  const std::vector<std::int32_t> indices = index_entries(25 * 125, {1000, 256, 10}, 0);
  std::vector<float> result(data_elements);
  MemoryOutput output{std::span(result)};
  const Report report =
      scatter_nd_update_3(view(std::span(data), data_shape), view(std::span(indices), {25, 125, 3}),
                          updates_of({25, 125, 15}), output);
  std::vector<float> expected = data;
  scatter_nd_in_place(expected, indices, Reduction::none);
  CHECK(differences(result, expected) == 0);
  CHECK(report.counts.duplicates > 500);
}

TEST_CASE("ScatterNDUpdate-15, example 5 at full size, with each kind of reduction",
          "[full_size]") {
  const std::vector<float> data = full_size_data();
  const std::vector<std::int32_t> indices = index_entries(25 * 125, {1000, 256, 10}, -1);
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::max}) {
    INFO(to_string(reduction));
    std::vector<float> result(data_elements);
    MemoryOutput output{std::span(result)};
    scatter_nd_update_15(view(std::span(data), data_shape), view(std::span(indices), {25, 125, 3}),
                         updates_of({25, 125, 15}), reduction, output);
    std::vector<float> expected = data;
    scatter_nd_in_place(expected, indices, reduction);
    CHECK(differences(result, expected) == 0);
  }
}

}  // namespace tscatter
