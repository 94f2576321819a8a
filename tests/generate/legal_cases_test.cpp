// Legal cases are legal for the oracle, show every feature within 200, and have true names.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "ops/answered.hpp"
#include "oracle/base.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

constexpr std::array<std::uint64_t, 3> seeds{0, 7, 18446744073709551615U};

using Facets = std::map<std::string, std::set<std::string>>;

std::string text(const Shape& shape) { return tscatter::to_string(shape); }

bool is_long(const Shape& shape) {
  const auto longest = std::ranges::max(shape);
  return longest >= 64 && std::ranges::count_if(shape, [](auto s) { return s <= 2; }) + 1 ==
                              static_cast<std::ptrdiff_t>(shape.size());
}

std::string kind_of(const Shape& shape) {
  if (std::ranges::count(shape, 0) > 0) return "zero";
  if (std::ranges::count(shape, 1) == static_cast<std::ptrdiff_t>(shape.size())) return "ones";
  if (is_long(shape)) return "long";
  const std::set<std::int64_t> primes{11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};
  const auto is_prime = [&](auto s) { return primes.contains(s); };
  return std::ranges::any_of(shape, is_prime) ? "primes" : "other";
}

std::string set_of(const GeneratedCase& generated) {
  for (const std::string_view set : value_set_names) {
    if (has_word(generated, std::string(set))) return std::string(set);
  }
  return "";
}

std::string entries_kind(const Shape& entries) {
  if (entries.size() != 1) return "rank-" + std::to_string(entries.size());
  if (entries[0] > 1) return "many";
  return entries[0] == 1 ? "one" : "none";
}

// Where the entries of an axis or of several go, counted from the front.
std::vector<std::int64_t> destinations_of(const GeneratedCase& generated) {
  const oracle::Call call = call_of(generated);
  const Shape& data = call.operand("data").shape;
  Shape sizes;
  if (call.row().form == Form::rows) {
    const std::int64_t axis = integers_of(generated.operand("axis"))[0];
    const auto rank = static_cast<std::int64_t>(data.size());
    sizes = {data[static_cast<std::size_t>((axis + rank) % rank)]};
  } else {
    sizes = {data.begin(), data.begin() + call.operand("indices").shape.back()};
  }
  std::vector<std::int64_t> destinations;
  const std::vector<std::int64_t> coordinates = integers_of(generated.operand("indices"));
  for (std::size_t at = 0; at < coordinates.size(); at += sizes.size()) {
    std::int64_t destination = 0;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const std::int64_t c = coordinates[at + j];
      destination = destination * sizes[j] + (c < 0 ? c + sizes[j] : c);
    }
    destinations.push_back(destination);
  }
  return destinations;
}

void count_common(const GeneratedCase& generated, Facets& facets) {
  const TensorHeader& data = generated.operand("data").header;
  facets["dtype"].insert(to_string(data.type));
  facets["rank"].insert(std::to_string(data.rank()));
  facets["shape"].insert(kind_of(data.shape));
  facets["set"].insert(set_of(generated));
  if (info(data.type.dtype).kind == DTypeKind::real) facets["real set"].insert(set_of(generated));
}

void count_entries(const GeneratedCase& generated, Facets& facets) {
  const TensorHeader& indices = generated.operand("indices").header;
  facets["index dtype"].insert(to_string(indices.type));
  const std::vector<std::int64_t> destinations = destinations_of(generated);
  const std::set<std::int64_t> places(destinations.begin(), destinations.end());
  if (destinations.size() > 3) {
    const std::string arrangement = std::ranges::is_sorted(destinations) ? "sorted"
                                    : std::ranges::is_sorted(destinations, std::ranges::greater{})
                                        ? "reversed"
                                        : "plain";
    const std::string duplicates = places.size() == destinations.size()       ? "none"
                                   : places.size() == 1                       ? "one place"
                                   : places.size() * 4 <= destinations.size() ? "heavy"
                                                                              : "some";
    facets["pattern"].insert(duplicates + " " + arrangement);
  }
  if (has_word(generated, "ends")) facets["pattern"].insert("ends");
}

void count_nd(const GeneratedCase& generated, Facets& facets) {
  const TensorHeader& data = generated.operand("data").header;
  Shape entries = generated.operand("indices").header.shape;
  facets["depth"].insert(std::to_string(data.rank()) + "/" + std::to_string(entries.back()));
  entries.pop_back();
  facets["entries"].insert(entries_kind(entries));
  if (entries.empty() &&
      generated.operand("indices").header.shape.back() == static_cast<std::int64_t>(data.rank()))
    facets["single"].insert(text(generated.operand("updates").header.shape));
  const auto indices = integers_of(generated.operand("indices"));
  const bool negative = std::ranges::any_of(indices, [](auto i) { return i < 0; });
  facets["negative"].insert(negative ? "yes" : "no");
}

}  // namespace

TEST_CASE("every operation of the registry has generated cases, legal for oracle and library",
          "[generate]") {
  for (const Operation* operation : operations()) {
    if (!has_answers(*operation)) continue;
    for (const std::uint64_t seed : seeds) {
      std::set<std::string> names;
      for (const GeneratedCase& each :
           all_cases(options_for(operation->name, seed, generated_cases()))) {
        INFO(each.name << ", seed " << seed);
        const oracle::Call call = call_of(each);
        const auto refusal = oracle::refusal_of(call);
        CHECK((refusal ? refusal->label : "") == "");
        if (oracle::based(call).operand("data").count() <= 4096) {
          CHECK(std::ranges::equal(output_of(each), expected_output_of(call)));
        }
        CHECK(names.insert(each.name).second);
        CHECK(each.name.size() < 200);
        CHECK(each.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.") ==
              std::string::npos);
      }
    }
  }
}

TEST_CASE("200 cases of ScatterNDUpdate-15 have every feature", "[generate]") {
  for (const std::uint64_t seed : seeds) {
    Facets facets;
    for (const GeneratedCase& each : all_cases(options_for("ScatterNDUpdate-15", seed))) {
      count_common(each, facets);
      count_entries(each, facets);
      count_nd(each, facets);
      facets["combination"].insert(
          to_string(each.operand("data").header.type) + " " +
          std::string(to_string(each.operation->reduction(each.attributes))));
    }
    INFO("seed " << seed);
    CHECK(facets["dtype"].size() == 15);
    CHECK(facets["combination"].size() == 13 * 6 + 2 * 4);
    CHECK(facets["rank"].size() == 6);
    CHECK(facets["depth"].size() == 27);
    CHECK(facets["shape"] == std::set<std::string>{"zero", "ones", "long", "primes", "other"});
    CHECK(facets["real set"].size() == 5);
    CHECK(facets["index dtype"] == std::set<std::string>{"int32", "int64"});
    CHECK(facets["pattern"] == std::set<std::string>{"none plain", "none sorted", "none reversed",
                                                     "some plain", "some sorted", "some reversed",
                                                     "heavy plain", "heavy sorted",
                                                     "heavy reversed", "one place sorted", "ends"});
    CHECK(facets["entries"] ==
          std::set<std::string>{"none", "one", "many", "rank-0", "rank-2", "rank-3"});
    CHECK(facets["negative"].size() == 2);
  }
}

TEST_CASE("where updates would have rank 0 they have one element of rank 0 to 2", "[generate]") {
  Facets facets;
  for (const GeneratedCase& each : all_cases(options_for("ScatterNDUpdate-3", 1, 1000)))
    count_nd(each, facets);
  CHECK(facets["single"].contains("[]"));
  CHECK(facets["single"].contains("[1]"));
  CHECK(facets["single"].contains("[1, 1]"));
  CHECK(facets["negative"] == std::set<std::string>{"no"});
}

TEST_CASE("cases of onnx.ScatterND have its words, int64 indices and updates of the exact shape",
          "[generate]") {
  Facets facets;
  std::set<std::string> words;
  for (const GeneratedCase& each : all_cases(options_for("onnx.ScatterND-18", 1, 1000))) {
    count_common(each, facets);
    count_entries(each, facets);
    count_nd(each, facets);
    for (const char* word : {"none", "add", "mul", "max", "min"})
      if (has_word(each, word)) words.insert(word);
    CHECK(each.name.starts_with("onnx.scatter_nd_18-"));
  }
  CHECK(words == std::set<std::string>{"none", "add", "mul", "max", "min"});
  CHECK(facets["index dtype"] == std::set<std::string>{"int64"});
  CHECK(facets["single"] == std::set<std::string>{"[]"});
  CHECK(facets["negative"].size() == 2);
  CHECK(facets["dtype"].contains("bfloat16"));
  Facets old;
  for (const GeneratedCase& each : all_cases(options_for("onnx.ScatterND-11", 1, 1000)))
    count_common(each, old);
  CHECK(old["dtype"].size() == 14);
  CHECK_FALSE(old["dtype"].contains("bfloat16"));
}

TEST_CASE("200 cases of ScatterUpdate-3 have every feature", "[generate]") {
  for (const std::uint64_t seed : seeds) {
    Facets facets;
    for (const GeneratedCase& each : all_cases(options_for("ScatterUpdate-3", seed))) {
      count_common(each, facets);
      count_entries(each, facets);
      const GeneratedTensor& axis = each.operand("axis");
      const std::int64_t at = integers_of(axis)[0];
      const auto rank = static_cast<std::int64_t>(each.operand("data").header.rank());
      facets["axis"].insert(std::to_string(rank) + "/" + std::to_string((at + rank) % rank));
      facets["axis form"].insert(text(axis.header.shape) + (at < 0 ? " negative" : ""));
      facets["entries"].insert(entries_kind(each.operand("indices").header.shape));
    }
    INFO("seed " << seed);
    CHECK(facets["dtype"].size() == 15);
    CHECK(facets["axis"].size() == 21);
    CHECK(facets["axis form"].size() == 4);
    CHECK(facets["index dtype"].size() == 8);
    CHECK(facets["shape"].size() == 5);
    CHECK(facets["entries"].size() == 6);
  }
}

TEST_CASE("200 cases of SliceScatter-15 have every feature", "[generate]") {
  for (const std::uint64_t seed : seeds) {
    Facets facets;
    for (const GeneratedCase& each : all_cases(options_for("SliceScatter-15", seed))) {
      count_common(each, facets);
      const auto rank = static_cast<std::int64_t>(each.operand("data").header.rank());
      const oracle::Call call = call_of(each);
      const bool has_axes = call.operands.contains("axes");
      const std::vector<std::int64_t> step = integers_of(each.operand("step"));
      facets["sliced"].insert(std::to_string(rank) + "/" + std::to_string(step.size()));
      for (const char* list : {"start", "stop", "step"}) {
        facets[std::string(list) + " dtype"].insert(
            to_string(call.operands.find(list)->second.type));
        for (const std::int64_t value : integers_of(each.operand(list))) {
          if (value == INT64_MAX) facets[list].insert("max");
          if (value == INT64_MIN) facets[list].insert("min");
          facets[list].insert(value < 0 ? "negative" : value == 0 ? "zero" : "positive");
        }
      }
      facets["axes"].insert(has_axes ? "given" : "left out");
      if (!has_axes) continue;
      const auto axes = integers_of(each.operand("axes"));
      const bool negative = std::ranges::any_of(axes, [](auto axis) { return axis < 0; });
      facets["axes"].insert(negative ? "negative" : "positive");
      if (!negative && !std::ranges::is_sorted(axes)) facets["axes"].insert("in another order");
    }
    INFO("seed " << seed);
    CHECK(facets["dtype"].size() == 15);
    CHECK(facets["sliced"].size() == 27);
    CHECK(facets["shape"].size() == 5);
    CHECK(facets["axes"].size() == 5);
    for (const char* list : {"start", "stop", "step"}) {
      CHECK(facets[std::string(list) + " dtype"].size() == 8);
      CHECK(facets[list].contains("max"));
      CHECK(facets[list].contains("min"));
      CHECK(facets[list].contains("negative"));
    }
    CHECK(facets["start"].contains("zero"));
    CHECK_FALSE(facets["step"].contains("zero"));
  }
}

TEST_CASE("a case's name says what is special about it", "[generate]") {
  for (const char* operation : {"ScatterNDUpdate-15", "ScatterUpdate-3"}) {
    for (const GeneratedCase& each : all_cases(options_for(operation))) {
      INFO(each.name);
      const std::vector<std::int64_t> destinations = destinations_of(each);
      const std::set<std::int64_t> places(destinations.begin(), destinations.end());
      const bool is_unique = !destinations.empty() && places.size() == destinations.size();
      const bool is_deep = each.operand("indices").header.shape.empty() ||
                           each.operand("indices").header.shape.back() != 0;
      if (is_deep) CHECK(has_word(each, "unique") == is_unique);
      if (has_word(each, "sorted")) CHECK(std::ranges::is_sorted(destinations));
      if (has_word(each, "reversed"))
        CHECK(std::ranges::is_sorted(destinations, std::ranges::greater{}));
      if (has_word(each, "one-place") && is_deep) CHECK(places.size() == 1);
      const Shape& data = each.operand("data").header.shape;
      CHECK(has_word(each, "zero-dim") == (std::ranges::count(data, 0) > 0));
      const auto indices = integers_of(each.operand("indices"));
      CHECK(has_word(each, "negative-indices") ==
            std::ranges::any_of(indices, [](auto i) { return i < 0; }));
    }
  }
}

TEST_CASE("an index tensor has the dtype that it draws, or the first one that holds its values",
          "[generate]") {
  CHECK(holding(DType::int8, {127, -128}) == DType::int8);
  CHECK(holding(DType::int8, {128}) == DType::int16);
  CHECK(holding(DType::int8, {-129}) == DType::int16);
  CHECK(holding(DType::uint8, {255, 0}) == DType::uint8);
  CHECK(holding(DType::uint8, {256}) == DType::int16);
  CHECK(holding(DType::uint8, {-1}) == DType::int8);
  CHECK(holding(DType::uint64, {INT64_MAX}) == DType::uint64);
  CHECK(holding(DType::uint64, {INT64_MAX, -1}) == DType::int64);
  CHECK(holding(DType::uint32, {(std::int64_t{1} << 32) - 1}) == DType::uint32);
  CHECK(holding(DType::uint32, {std::int64_t{1} << 32}) == DType::int64);
  CHECK(holding(DType::int16, {}) == DType::int16);
}

namespace {

// Of all operands, one after another.
std::vector<std::byte> bytes_of(const GeneratedCase& generated) {
  std::vector<std::byte> bytes;
  for (const auto& [operand, tensor] : generated.operands)
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

}  // namespace

TEST_CASE("a case does not depend on how many there are", "[generate]") {
  for (const Operation* operation : sampled_operations(has_answers)) {
    GenerateOptions few = options_for(operation->name, 3, 20);
    GenerateOptions many = options_for(operation->name, 3, 90000);
    few.broken = many.broken = Broken::added;
    const CaseGenerator a(few);
    const CaseGenerator b(many);
    for (std::int64_t i = 0; i < 20; ++i) {
      CHECK(a.at(i).name == b.at(i).name);
      CHECK(bytes_of(a.at(i)) == bytes_of(b.at(i)));
      CHECK(a.at(20 + i).name == b.at(90000 + i).name);
      CHECK(bytes_of(a.at(20 + i)) == bytes_of(b.at(90000 + i)));
    }
  }
}

TEST_CASE("another seed gives other cases", "[generate]") {
  const auto a = all_cases(options_for("ScatterNDUpdate-15", 1, 50));
  const auto b = all_cases(options_for("ScatterNDUpdate-15", 2, 50));
  std::set<std::string> names;
  for (const auto& each : a) names.insert(each.name.substr(27));
  for (const auto& each : b) names.insert(each.name.substr(27));
  CHECK(names.size() > 90);
}

TEST_CASE("what is asked for is kept", "[generate]") {
  GenerateOptions options = options_for("ScatterNDUpdate-15", 5, 300);
  options.dtypes = {DType::float16, DType::bfloat16};
  options.reductions = {Reduction::sum, Reduction::max};
  options.max_rank = 2;
  options.max_elements = 100;
  options.duplicates = Duplicates::none;
  options.broken = Broken::added;
  std::set<std::string> combinations;
  for (const GeneratedCase& each : all_cases(options)) {
    INFO(each.name);
    if (each.expected_error.empty()) {
      combinations.insert(to_string(each.operand("data").header.type) + " " +
                          std::string(to_string(each.operation->reduction(each.attributes))));
      CHECK(duplicates_of(each) == 0);
      CHECK(each.operand("data").header.rank() <= 2);
    }
    for (const auto& [operand, tensor] : each.operands) CHECK(tensor.header.count() <= 100);
  }
  CHECK(combinations ==
        std::set<std::string>{"float16 sum", "float16 max", "bfloat16 sum", "bfloat16 max"});
  options.duplicates = Duplicates::heavy;
  std::int64_t with_duplicates = 0;
  const auto heavy = all_cases(options);
  for (const GeneratedCase& each : heavy)
    with_duplicates += each.expected_error.empty() && duplicates_of(each) > 0 ? 1 : 0;
  CHECK(with_duplicates > 150);
}

TEST_CASE("legal cases of and, or and xor: of integers and bool, and the same in any order",
          "[generate]") {
  const Operation row = answered(Form::nd);
  GenerateOptions options = options_for("generic.scatter", 7, 9 * 3 * 8);
  options.operation = &row;
  options.reductions = {Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor};
  std::set<std::string> combinations;
  for (const GeneratedCase& each : all_cases(options)) {
    INFO(each.name);
    oracle::Call call = call_of(each);
    call.variant = std::make_shared<Operation>(row);
    REQUIRE(!oracle::refusal_of(call));
    CHECK(output_of(each) == expected_output_of(call));
    std::vector<std::size_t> order(entries_of(each));
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    CHECK(output_of(reordered(each, order)) == output_of(each));
    const std::string_view reduction = to_string(row.reduction(each.attributes));
    CHECK(has_word(each, std::string(reduction)));
    combinations.insert(fmt::format("{} {}", to_string(call.operand("data").type), reduction));
  }
  CHECK(combinations.size() == 9 * 3);
  options.dtypes = {DType::float32};
  CHECK(refusal([&] {
          const CaseGenerator generator(options);
        }).starts_with("generate: no case of float32 has the requested reductions"));
}

}  // namespace tscatter::generate
