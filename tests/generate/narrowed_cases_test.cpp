// Cases of one depth, with index tensors of given dtypes, or with plain index entries: legal and
// broken ones of every operation that has them.
#include <algorithm>
#include <functional>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "ops/answered.hpp"
#include "oracle/base.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

// generic.scatter in two forms and the operations, also where indices may be out of range.
std::vector<Operation> rows_to_try(std::span<const Operation* const> among) {
  std::vector<Operation> rows{answered(Form::nd), answered(Form::window)};
  for (const Operation* operation : among)
    if (has_answers(*operation)) rows.push_back(*operation);
  const std::size_t as_they_are = rows.size();
  for (const char* outside : {"drop-window", "modulo"}) {
    for (std::size_t i = 0; i < as_they_are; ++i) {
      Operation row = rows[i];
      if (!can_override(row, Policy::outside)) continue;
      override_policy(row, info(Policy::outside), outside);
      rows.push_back(row);
    }
  }
  return rows;
}

GenerateOptions options_of(const Operation& row, std::int64_t count) {
  GenerateOptions options{.operation = &row, .seed = 11, .count = count};
  options.max_elements = 256;
  options.broken = Broken::added;
  return options;
}

std::string answer_of(const GeneratedCase& made) {
  return refusal([&] { output_of(made); });
}

// The cases, which are legal, or refused as they say.
std::vector<GeneratedCase> judged_cases(const GenerateOptions& options) {
  std::vector<GeneratedCase> cases = all_cases(options);
  for (const GeneratedCase& each : cases) {
    INFO(each.name);
    const bool is_legal = each.expected_error.empty();
    CHECK(answer_of(each).ends_with(is_legal ? "accepted" : " [" + each.expected_error + "]"));
  }
  return cases;
}

std::vector<const GeneratedTensor*> index_tensors_of(const GeneratedCase& made) {
  std::vector<const GeneratedTensor*> found;
  for (const NamedTensor& each : made.operands) {
    if (each.operand == "indices" || is_operand_of_item(each.operand))
      found.push_back(&each.tensor);
  }
  return found;
}

bool has_index_tensors(const Operation& row) {
  return row.form == Form::index || row.find_operand("indices") != nullptr;
}

bool has_negative(const GeneratedTensor& tensor) {
  return std::ranges::any_of(integers_of(tensor), [](std::int64_t value) { return value < 0; });
}

// The integers of an index have no dtype, but are indices.
bool has_negative_item(const GeneratedCase& made) {
  return std::ranges::any_of(made.index, [](const IndexItem& item) {
    const auto* integer = std::get_if<IntegerItem>(&item.what);
    return integer != nullptr && integer->index < 0;
  });
}

// Whether a row that takes no index that is negative or out of range takes the case.
bool is_in_range(GeneratedCase made, Operation row) {
  row.policies.outside = OutsideIndex::error;
  row.policies.negative = NegativeIndex::outside;
  made.operation = &row;
  return answer_of(made) == "accepted";
}

// Axes of plain index entries; nullopt: any.
std::optional<std::size_t> plain_rank(Form form) {
  switch (form) {
    case Form::rows:
    case Form::flat:
    case Form::segment:
    case Form::index: return 1;
    case Form::nd: return 2;
    default: return std::nullopt;
  }
}

// Given, or made.
Shape shape_of_data(const GeneratedCase& made) {
  return oracle::based(call_of(made)).operand("data").shape;
}

void check_plain(const GeneratedCase& made, const Operation& row) {
  INFO(made.name);
  const std::vector<const GeneratedTensor*> tensors = index_tensors_of(made);
  REQUIRE(tensors.size() == 1);
  const TensorHeader& indices = tensors[0]->header;
  if (const auto rank = plain_rank(row.form)) CHECK(indices.rank() == *rank);
  if (row.form == Form::window)
    CHECK(made.operand("updates").header.rank() ==
          1 + made.operand("data").header.rank() -
              static_cast<std::size_t>(made.operand("inserted_window_dims").header.count()));
  CHECK(is_in_range(made, row));
  if (oracle::product(shape_of_data(made)) > 0 && !indices.shape.empty())
    CHECK(indices.shape.front() > 0);
}

}  // namespace

TEST_CASE("with a depth, all legal entries have so many coordinates", "[generate]") {
  int rows = 0;
  for (const Operation& row : rows_to_try(operations())) {
    if (row.form != Form::nd) continue;
    ++rows;
    for (std::int64_t depth = 0; depth <= 6; ++depth) {
      GenerateOptions options = options_of(row, 24);
      options.depth = depth;
      std::set<std::size_t> ranks;
      for (const GeneratedCase& each : judged_cases(options)) {
        if (!each.expected_error.empty()) continue;
        INFO(each.name);
        CHECK(each.operand("indices").header.shape.back() == depth);
        ranks.insert(shape_of_data(each).size());
      }
      CHECK(ranks.size() == static_cast<std::size_t>(depth == 0 ? 6 : 7 - depth));
    }
  }
  CHECK(rows > 20);
}

TEST_CASE("index tensors have the dtypes that are asked for, without a sign none is negative",
          "[generate]") {
  int suites = 0;
  for (const Operation& row : rows_to_try(sampled_operations(has_answers))) {
    for (const DType dtype : {DType::int32, DType::int64, DType::uint32, DType::uint64}) {
      if (!has_index_tensors(row) || std::ranges::count(row.index_dtypes, dtype) == 0) continue;
      ++suites;
      GenerateOptions options = options_of(row, 16);
      options.index_dtypes = {dtype};
      const bool is_unsigned = info(dtype).kind == DTypeKind::unsigned_integer;
      for (const GeneratedCase& each : judged_cases(options)) {
        INFO(each.name << ", " << info(dtype).name);
        if (each.expected_error == row.label(Check::indices_dtype) && !each.expected_error.empty())
          continue;
        if (is_unsigned) CHECK_FALSE(has_negative_item(each));
        for (const GeneratedTensor* tensor : index_tensors_of(each)) {
          CHECK(tensor->header.type.dtype == dtype);
          const bool is_legal = each.expected_error.empty();
          if (is_unsigned && is_legal) CHECK_FALSE(has_negative(*tensor));
        }
      }
    }
  }
  CHECK(suites > 100);
}

TEST_CASE("several index dtypes take turns, those with a sign may be negative", "[generate]") {
  GenerateOptions options = options_for("ScatterElementsUpdate-12", 5, 60);
  options.index_dtypes = {DType::uint64, DType::int32, DType::uint64};
  std::set<DType> dtypes;
  bool is_negative = false;
  for (const GeneratedCase& each : all_cases(options)) {
    const GeneratedTensor& indices = each.operand("indices");
    dtypes.insert(indices.header.type.dtype);
    is_negative = is_negative || has_negative(indices);
  }
  CHECK(dtypes == std::set<DType>{DType::int32, DType::uint64});
  CHECK(is_negative);
}

TEST_CASE("plain entries are one list, not empty, in range and from the front", "[generate]") {
  std::set<Form> forms;
  for (const Operation& row : rows_to_try(sampled_operations(has_answers))) {
    GenerateOptions options = options_of(row, 40);
    options.entries = IndexEntries::plain;
    if (refusal([&] { const CaseGenerator generator(options); }) != "accepted") continue;
    forms.insert(row.form);
    for (const GeneratedCase& each : judged_cases(options)) {
      if (each.expected_error.empty()) {
        check_plain(each, row);
      } else if (row.form == Form::window) {
        INFO(each.name);
        const bool is_changed = each.name.ends_with("-axis-more");
        CHECK((is_changed || each.operand("indices").header.rank() <= 2));
      }
    }
  }
  CHECK(forms == std::set<Form>{Form::rows, Form::nd, Form::elements, Form::window,
                                Form::batched_rows, Form::index, Form::flat, Form::segment});
}

TEST_CASE("plain, a depth and an index dtype go together", "[generate]") {
  GenerateOptions options = options_for("ScatterNDUpdate-15", 3, 100);
  options.entries = IndexEntries::plain;
  options.depth = 1;
  options.index_dtypes = {DType::int64};
  for (const GeneratedCase& each : all_cases(options)) {
    INFO(each.name);
    const TensorHeader& indices = each.operand("indices").header;
    CHECK(indices.type.dtype == DType::int64);
    REQUIRE(indices.rank() == 2);
    CHECK(indices.shape[1] == 1);
    CHECK((indices.shape[0] > 0) == (each.operand("data").header.shape[0] > 0));
    CHECK_FALSE(has_negative(each.operand("indices")));
  }
}

}  // namespace tscatter::generate
