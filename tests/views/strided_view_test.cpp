// strided_view() against a loop of its own, in any ranges of bytes.
#include "tscatter/views/strided_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "catch.hpp"
#include "property/environment.hpp"
#include "property/random.hpp"

namespace tscatter {
namespace {

using property::Random;

enum class Addressed : std::uint8_t { as_memory, by_reads };

// Random bytes, which are handed out by view() or only by read(). Reads outside are counted.
class RandomBytes final : public Source {
 public:
  RandomBytes(Random& random, std::int64_t size, Addressed addressed) : addressed_{addressed} {
    for (std::int64_t i = 0; i < size; ++i)
      bytes_.push_back(static_cast<std::byte>(random.bits() & 255U));
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    const auto length = static_cast<std::int64_t>(into.size());
    if (offset < 0 || offset + length > size()) {
      ++reads_outside;
      return;
    }
    std::copy_n(bytes_.begin() + offset, length, into.begin());
  }
  std::optional<std::span<const std::byte>> view() const override {
    return addressed_ == Addressed::as_memory ? std::optional(std::span<const std::byte>(bytes_))
                                              : std::nullopt;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  mutable std::atomic<int> reads_outside{0};

 private:
  std::vector<std::byte> bytes_;
  Addressed addressed_;
};

// What the view shows, one element after the other.
std::vector<std::byte> naive(const std::vector<std::byte>& base, std::size_t element,
                             std::int64_t origin, const std::vector<ViewAxis>& axes) {
  std::vector<std::byte> all;
  std::vector<std::int64_t> at(axes.size(), 0);
  const bool is_empty =
      std::any_of(axes.begin(), axes.end(), [](const ViewAxis& axis) { return axis.count == 0; });
  while (!is_empty) {
    std::int64_t place = origin;
    for (std::size_t i = 0; i < axes.size(); ++i) place += at[i] * axes[i].stride;
    const auto first = base.begin() + place * static_cast<std::int64_t>(element);
    all.insert(all.end(), first, first + static_cast<std::int64_t>(element));
    std::size_t axis = axes.size();
    while (axis > 0 && ++at[axis - 1] == axes[axis - 1].count) at[--axis] = 0;
    if (axis == 0) break;
  }
  return all;
}

struct RandomView {
  std::int64_t origin = 0;
  std::vector<ViewAxis> axes;
  std::int64_t base_count = 0;  // the elements that it needs
};

// Strides of any sign, also 0, and also such that axes continue each other.
RandomView random_view(Random& random) {
  RandomView view;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::int64_t continued = 1;
  const auto rank = random.between(0, 4);
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t count = random.chance(3) ? 0 : random.between(1, random.chance(30) ? 40 : 6);
    const std::int64_t stride = random.chance(15)   ? 0
                                : random.chance(50) ? continued
                                                    : random.between(-50, 50);
    continued = stride * std::max<std::int64_t>(count, 1);
    const std::int64_t reach = std::max<std::int64_t>(count - 1, 0) * stride;
    (reach < 0 ? lowest : highest) += reach;
    view.axes.insert(view.axes.begin(), {.count = count, .stride = stride});
  }
  view.origin = random.between(0, 9) - lowest;
  view.base_count = view.origin + highest + random.between(1, 9);
  return view;
}

struct MadeView {
  RandomView wanted;
  std::shared_ptr<RandomBytes> base;
  Tensor view;
  std::vector<std::byte> expected;
};

MadeView made_view(Random& random) {
  RandomView wanted = random_view(random);
  const auto type = ElementType::of(random.among(
      {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128}));
  const auto addressed = random.among({Addressed::as_memory, Addressed::by_reads});
  auto base = std::make_shared<RandomBytes>(
      random, wanted.base_count * static_cast<std::int64_t>(type.size), addressed);
  const Tensor tensor({.type = type, .shape = {wanted.base_count}}, base);
  Tensor view = strided_view(tensor, wanted.origin, wanted.axes, "view");
  std::vector<std::byte> expected = naive(base->bytes(), type.size, wanted.origin, wanted.axes);
  return {std::move(wanted), std::move(base), std::move(view), std::move(expected)};
}

bool is_right(const MadeView& made, std::int64_t offset, std::int64_t length) {
  // A byte before and after must stay.
  std::vector<std::byte> into(static_cast<std::size_t>(length) + 2, std::byte{0xa5});
  made.view.source().read(offset, std::span(into).subspan(1, static_cast<std::size_t>(length)));
  return into.front() == std::byte{0xa5} && into.back() == std::byte{0xa5} &&
         std::equal(into.begin() + 1, into.end() - 1, made.expected.begin() + offset);
}

void check_ranges(const MadeView& made, Random& random) {
  const auto size = static_cast<std::int64_t>(made.expected.size());
  REQUIRE(made.view.byte_size() == size);
  REQUIRE(is_right(made, 0, size));
  for (int i = 0; i < 8; ++i) {
    const std::int64_t offset = random.between(0, size);
    const std::int64_t length = random.between(0, size - offset);
    CAPTURE(offset, length);
    REQUIRE(is_right(made, offset, length));
  }
  REQUIRE(made.base->reads_outside == 0);
}

void check_shortcuts(const MadeView& made) {
  if (const auto bytes = made.view.source().view())
    REQUIRE(std::equal(bytes->begin(), bytes->end(), made.expected.begin(), made.expected.end()));
  const auto element = made.view.source().repeated();
  if (!element) return;
  for (std::size_t at = 0; at < made.expected.size(); at += element->size())
    REQUIRE(std::memcmp(made.expected.data() + at, element->data(), element->size()) == 0);
}

std::string words_of(const RandomView& view) {
  std::string text = fmt::format("origin {}", view.origin);
  for (const ViewAxis& axis : view.axes) text += fmt::format(" {}x{}", axis.count, axis.stride);
  return text;
}

}  // namespace

TEST_CASE("any strided view shows what a loop over its axes shows", "[views][property]") {
  const int views = property::is_slowed ? 300 : 6000;
  for (int seed = 0; seed < views; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const MadeView made = made_view(random);
    CAPTURE(seed, words_of(made.wanted));
    check_ranges(made, random);
    check_shortcuts(made);
  }
}

TEST_CASE("a strided view is read by several threads", "[views]") {
  Random random(7);
  auto base = std::make_shared<RandomBytes>(random, 64 * 300 * 4, Addressed::by_reads);
  const Tensor tensor({.type = ElementType::of(DType::float32), .shape = {64 * 300}}, base);
  const std::vector<ViewAxis> axes{{.count = 64, .stride = 300}, {.count = 100, .stride = -3}};
  const Tensor view = strided_view(tensor, 299, axes, "view");
  const std::vector<std::byte> expected = naive(base->bytes(), 4, 299, axes);
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      Random own(static_cast<std::uint64_t>(i));
      for (int read = 0; read < 200; ++read) {
        const std::int64_t offset = own.between(0, view.byte_size());
        std::vector<std::byte> into(
            static_cast<std::size_t>(own.between(0, view.byte_size() - offset)));
        view.source().read(offset, into);
        if (!std::equal(into.begin(), into.end(), expected.begin() + offset)) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(base->reads_outside == 0);
}

TEST_CASE("a view that lies together is the memory itself", "[views]") {
  const std::vector<std::int32_t> values{0, 1, 2, 3, 4, 5};
  const Tensor tensor({.type = ElementType::of(DType::int32), .shape = {2, 3}},
                      std::as_bytes(std::span(values)));
  const std::vector<ViewAxis> row{{.count = 1, .stride = 0}, {.count = 3, .stride = 1}};
  const auto bytes = strided_view(tensor, 3, row, "view").source().view();
  REQUIRE(bytes);
  CHECK(static_cast<const void*>(bytes->data()) == &values[3]);
  const std::vector<ViewAxis> column{{.count = 2, .stride = 3}};
  CHECK(!strided_view(tensor, 0, column, "view").source().view());
}

TEST_CASE("source_behind() is that of the innermost tensor", "[views]") {
  const std::vector<std::int32_t> values{0, 1, 2, 3};
  const Tensor tensor({.type = ElementType::of(DType::int32), .shape = {4}},
                      std::as_bytes(std::span(values)));
  const std::vector<ViewAxis> every_other{{.count = 2, .stride = 2}};
  const Tensor view = strided_view(tensor, 0, every_other, "view");
  CHECK(&source_behind(tensor) == &tensor.source());
  CHECK(&source_behind(view) == &tensor.source());
  CHECK(&source_behind(broadcast_to(view, {3, 2})) == &tensor.source());
}

TEST_CASE("broadcast_to() repeats axes as NumPy does", "[views]") {
  const std::vector<std::int8_t> values{1, 2};
  const Tensor tensor({.type = ElementType::of(DType::int8), .shape = {2, 1}},
                      std::as_bytes(std::span(values)));
  const Tensor wide = broadcast_to(tensor, {2, 2, 3});
  std::vector<std::int8_t> shown(12);
  wide.source().read(0, std::as_writable_bytes(std::span(shown)));
  CHECK(shown == std::vector<std::int8_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  CHECK(wide.shape() == Shape{2, 2, 3});
}

}  // namespace tscatter
