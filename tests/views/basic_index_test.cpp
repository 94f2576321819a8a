// Items of NumPy's basic index, and words that end with an index; which masks
// are computed.
#include "tscatter/views/basic_index.hpp"

#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

std::string text_of_item(const std::optional<BasicItem>& item) {
  if (!item) return "another word";
  const auto number = [](std::optional<std::int64_t> some) {
    return some ? std::to_string(*some) : "_";
  };
  if (const auto* integer = std::get_if<IntegerItem>(&*item)) return number(integer->index);
  if (const auto* slice = std::get_if<SliceItem>(&*item))
    return number(slice->start) + ":" + number(slice->stop) + ":" + number(slice->step);
  return std::holds_alternative<NewAxisItem>(*item) ? "None" : "...";
}

std::string item_of(std::string_view text) { return text_of_item(parse_basic_item(text)); }

// "operand | item | item"
std::string parts_of_word(std::string_view word) {
  const auto split = split_index(word);
  if (!split) return "no index";
  std::string text = split->operand;
  for (const std::string& item : split->items) text += " | " + item;
  return text;
}

// 0, 1, 2 and so on.
struct Counted {
  explicit Counted(const Shape& shape, MemoryOrder order = MemoryOrder::c)
      : values(static_cast<std::size_t>(element_count(shape))),
        tensor({.type = ElementType::of(DType::int32), .shape = shape, .order = order},
               std::as_bytes(std::span(values)), "a.npy") {
    std::iota(values.begin(), values.end(), 0);
  }

  std::vector<std::int32_t> values;
  Tensor tensor;
};

Tensor view_of(const Tensor& tensor, std::string_view index) {
  std::vector<BasicItem> items;
  const auto split = split_index("a[" + std::string(index) + "]");
  for (const std::string& item : split.value().items)
    items.push_back(parse_basic_item(item).value());
  return basic_view(tensor, items, "view");
}

// "[2]: 1, 3"
std::string seen(const Tensor& tensor, std::string_view index) {
  const Tensor view = view_of(tensor, index);
  std::vector<std::int32_t> values(static_cast<std::size_t>(view.count()));
  view.source().read(0, std::as_writable_bytes(std::span(values)));
  return fmt::format("{}: {}", to_string(view.shape()), fmt::join(values, ", "));
}

}  // namespace

TEST_CASE("an item of a basic index is an integer, a slice, ... or None", "[views]") {
  CHECK(item_of("5") == "5");
  CHECK(item_of(" -1 ") == "-1");
  CHECK(item_of("+2") == "2");
  CHECK(item_of(":") == "_:_:_");
  CHECK(item_of("1:9:2") == "1:9:2");
  CHECK(item_of("::-1") == "_:_:-1");
  CHECK(item_of(" 1 : -9 ") == "1:-9:_");
  CHECK(item_of("...") == "...");
  CHECK(item_of("None") == "None");
  CHECK(item_of("newaxis") == "None");
}

TEST_CASE("numbers of a slice beyond int64 are its nearest", "[views]") {
  CHECK(item_of("99999999999999999999:-99999999999999999999") ==
        "9223372036854775807:-9223372036854775808:_");
  CHECK(item_of("0:18446744073709551615") == "0:9223372036854775807:_");
}

TEST_CASE("what is no item of a basic index is another word", "[views]") {
  for (const std::string_view word :
       {"",         " ",       "-",      "+",    "--1", "1.0",     "1e3", "0x1",
        "1 2",      "ids.npy", "none",   "....", "..",  "x:1",     "1:x", "c.csv:id",
        "m.npz:0x", "[1, 2]",  "~m.npy", "< 0",  "1_0", "\xd9\xa1"}) {
    CAPTURE(word);
    CHECK(item_of(word) == "another word");
  }
}

TEST_CASE("view.v1: a slice of four parts is refused", "[views]") {
  CHECK(refusal([] { parse_basic_item("1:2:3:4"); }) ==
        "index: a slice must have at most three parts, got 1:2:3:4 [view.v1]");
  CHECK(refusal([] { parse_basic_item(":::"); }) ==
        "index: a slice must have at most three parts, got ::: [view.v1]");
}

TEST_CASE("a word with an index is split at the commas outside of brackets and quotes", "[views]") {
  CHECK(parts_of_word("a.npy[ids.npy, 1:9]") == "a.npy | ids.npy | 1:9");
  CHECK(parts_of_word("  a.npy [ 5 , ] ") == "a.npy | 5");
  CHECK(parts_of_word("a[[3, 0], {\"data\": [1, 2]}, f(1, 2)]") ==
        "a | [3, 0] | {\"data\": [1, 2]} | f(1, 2)");
  CHECK(parts_of_word(R"(a["x,]y", 'z]', "\"]"])") == R"(a | "x,]y" | 'z]' | "\"]")");
  CHECK(parts_of_word("m.safetensors:w[0]") == "m.safetensors:w | 0");
  CHECK(parts_of_word("a[b.npy[0], 1]") == "a | b.npy[0] | 1");
}

TEST_CASE("the index of a word is its end: brackets before belong to a name", "[views]") {
  CHECK(parts_of_word("data[1]/a.npy[0, 1]") == "data[1]/a.npy | 0 | 1");
  CHECK(parts_of_word("data[1].npz:x[0]") == "data[1].npz:x | 0");
  CHECK(parts_of_word("a[0][1]") == "a[0] | 1");
  CHECK(parts_of_word("data[1].npy") == "no index");
  CHECK(parts_of_word("data[1]/a.npy") == "no index");
  CHECK(parts_of_word("a.npy") == "no index");
  CHECK(parts_of_word("") == "no index");
  CHECK(parts_of_word("a]") == "no index");
  CHECK(parts_of_word("[1, 2]") == "no index");
  CHECK(parts_of_word(" [1, 2][0]") == "[1, 2] | 0");
  CHECK(parts_of_word("[[1, 2], [3, 4]]") == "no index");
  CHECK(parts_of_word("{\"data\": [1]}") == "no index");
}

TEST_CASE("view.v2: an index that is not closed, or has an item without text, is refused",
          "[views]") {
  const auto refused = [](std::string_view word) { return refusal([&] { split_index(word); }); };
  CHECK(refused("a[1") ==
        "index: the bracket at character 2 is not closed in a[1 (in a shell the word is quoted: "
        "'a[...]') [view.v2]");
  CHECK(refused("a[\"1]") ==
        "index: the bracket at character 2 is not closed in a[\"1] (in a shell the word is quoted: "
        "'a[...]') [view.v2]");
  CHECK(refused("a[(1]") ==
        "index: the bracket at character 2 is not closed in a[(1] (in a shell the word is quoted: "
        "'a[...]') [view.v2]");
  CHECK(refused("d[1]/a[") ==
        "index: the bracket at character 7 is not closed in d[1]/a[ (in a shell the word is "
        "quoted: 'd[1]/a[...]') [view.v2]");
  CHECK(refused("a[]") == "index: an item is missing before character 3 of a[] [view.v2]");
  CHECK(refused("a[,1]") == "index: an item is missing before character 3 of a[,1] [view.v2]");
  CHECK(refused("a[1,,2]") == "index: an item is missing before character 5 of a[1,,2] [view.v2]");
  CHECK(refused("a[1]" + std::string(1000, '[')).ends_with("[view.v2]"));
}

TEST_CASE("a view has NumPy's shape and elements", "[views]") {
  const Counted a({2, 3});
  CHECK(seen(a.tensor, "0") == "[3]: 0, 1, 2");
  CHECK(seen(a.tensor, "-1, 1") == "[]: 4");
  CHECK(seen(a.tensor, ":, ::-2") == "[2, 2]: 2, 0, 5, 3");
  CHECK(seen(a.tensor, "..., 0") == "[2]: 0, 3");
  CHECK(seen(a.tensor, "..., 1:, None") == "[2, 2, 1]: 1, 2, 4, 5");
  CHECK(seen(a.tensor, "None, 1") == "[1, 3]: 3, 4, 5");
  CHECK(seen(a.tensor, "0, 0, ...") == "[]: 0");
  CHECK(seen(a.tensor, "9:, 1") == "[0]: ");
  CHECK(seen(a.tensor, "-99:99, 5:1:-1") == "[2, 1]: 2, 5");
  CHECK(seen(Counted({2, 3}, MemoryOrder::fortran).tensor, "1") == "[3]: 1, 3, 5");
  CHECK(seen(Counted({}).tensor, "...") == "[]: 0");
  CHECK(seen(Counted({0, 3}).tensor, ":, 1") == "[0]: ");
}

TEST_CASE("view.v3: an index of more axes than there are, or with two ..., is refused", "[views]") {
  const Counted a({2, 3});
  CHECK(refusal([&] { view_of(a.tensor, "0, :, 0"); }) ==
        "a.npy: there are 2 axes, and the index has items for 3 [view.v3]");
  CHECK(refusal([&] { view_of(Counted({}).tensor, ":"); }) ==
        "a.npy: there are 0 axes, and the index has items for 1 [view.v3]");
  CHECK(refusal([&] { view_of(a.tensor, "..., 0, ..."); }) ==
        "a.npy: an index must have at most one item ..., got 2 [view.v3]");
}

TEST_CASE("tensor.t1: a view of more than 64 axes is refused", "[views]") {
  const Counted a({2});
  std::vector<BasicItem> items(64, NewAxisItem{});
  CHECK(refusal([&] { basic_view(a.tensor, items, "view"); }).ends_with("[tensor.t1]"));
}

TEST_CASE("view.v4: an integer that is out of range is refused", "[views]") {
  const Counted a({2, 3});
  CHECK(refusal([&] { view_of(a.tensor, "2"); }) ==
        "a.npy: an index must be in [-2, 2) for axis 0, got 2 [view.v4]");
  CHECK(refusal([&] { view_of(a.tensor, "None, ..., -4"); }) ==
        "a.npy: an index must be in [-3, 3) for axis 1, got -4 [view.v4]");
  CHECK(refusal([&] { view_of(a.tensor, "-9223372036854775808"); }) ==
        "a.npy: an index must be in [-2, 2) for axis 0, got -9223372036854775808 [view.v4]");
  for (const std::string beyond : {"99999999999999999999", "-9223372036854775809"})
    CHECK(refusal([&] { view_of(a.tensor, beyond); }) ==
          "index: an integer must fit int64, got " + beyond + " [view.v4]");
  CHECK(refusal([&] { view_of(Counted({0}).tensor, "0"); }) ==
        "a.npy: an index must be in [-0, 0) for axis 0, got 0 [view.v4]");
}

namespace {

std::string refused_mask(ElementType type, MaskTest test) {
  const std::vector<std::byte> bytes(type.size);
  const Tensor tensor({.type = std::move(type), .shape = {1}}, bytes, "x.npy");
  return refusal([&] { computed_mask(tensor, test, Number{std::int64_t{0}}, "x.npy < 0"); });
}

}  // namespace

TEST_CASE("view.m1: a test that has no meaning for the dtype is refused", "[views]") {
  const ElementType complex = ElementType::of(DType::complex64);
  CHECK(refused_mask(complex, MaskTest::less) ==
        "x.npy < 0: the mask must be about elements whose dtype has that test, got one about "
        "complex64 [view.m1]");
  CHECK(refused_mask(complex, MaskTest::equal) == "accepted");
  CHECK(refused_mask(ElementType::of(DType::int32), MaskTest::is_false) ==
        "x.npy < 0: the mask must be computed from a mask of dtype bool, got one about int32 "
        "[view.m1]");
  CHECK(refused_mask(ElementType::of(DType::boolean), MaskTest::is_false) == "accepted");
  CHECK(refused_mask(ElementType::of(DType::float32), MaskTest::is_nan) == "accepted");
  const ElementType records{
      .dtype = DType::opaque, .size = 2, .byte_order = std::endian::little, .descr = "'|V2'"};
  CHECK(refused_mask(records, MaskTest::equal).ends_with("[view.m1]"));
}

}  // namespace tscatter
