// What the cases of every operation have among them: ranks, axes, depths, indices out of range.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "ops/answered.hpp"
#include "oracle/base.hpp"
#include "oracle/window.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

// What the cases of an operation with index entries must have among them.
void count_features(const GeneratedCase& each, std::map<std::string, int>& features) {
  const oracle::Call call = oracle::based(call_of(each));
  const Shape& data = call.operand("data").shape;
  const auto rank = static_cast<std::int64_t>(data.size());
  ++features["rank " + std::to_string(rank)];
  const bool has_one_element_dim = rank > 1 && std::ranges::count(data, 1) > 0;
  if (has_one_element_dim) ++features["a dim of one"];
  const bool has_axis =
      each.operation->find_attribute("axis") != nullptr || call.operands.contains("axis");
  if (has_axis) {
    const auto axis = static_cast<std::int64_t>(oracle::given_axis(call));
    ++features[axis < 0 ? "negative axis" : "axis from the front"];
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    ++features[at == 0 ? "first axis" : at == rank - 1 ? "last axis" : "axis between"];
  }
  if (each.operation->form == Form::nd) {
    const std::int64_t depth = call.operand("indices").shape.back();
    ++features[depth == 0 ? "depth 0" : depth == rank ? "depth of rank" : "depth between"];
  }
  if (each.operation->form != Form::elements) return;
  const Shape& indices = call.operand("indices").shape;
  const auto at = static_cast<std::size_t>((oracle::given_axis(call) + rank) % rank);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (axis != at && indices[axis] < data[axis]) ++features["smaller beside the axis"];
    if (axis == at && indices[axis] < data[axis]) ++features["smaller along the axis"];
  }
}

std::vector<std::string> wanted_features(const Operation& operation) {
  if (operation.base == BaseFrom::counts) return {"rank 1"};
  std::vector<std::string> wanted{"a dim of one", "rank 3"};
  if (operation.form != Form::batched_rows) wanted.insert(wanted.end(), {"rank 2", "rank 6"});
  const bool is_along_an_axis = operation.form == Form::rows || operation.form == Form::elements;
  if (is_along_an_axis || operation.form == Form::start)
    wanted.insert(wanted.end(), {"negative axis", "axis from the front", "last axis"});
  if (is_along_an_axis) wanted.insert(wanted.end(), {"first axis", "axis between", "rank 1"});
  if (operation.form == Form::nd)
    wanted.insert(wanted.end(), {"depth 0", "depth of rank", "depth between", "rank 1"});
  if (operation.form == Form::elements)
    wanted.insert(wanted.end(), {"smaller beside the axis", "smaller along the axis"});
  return wanted;
}

bool has_entries(const Operation& operation) {
  return has_answers(operation) && operation.form != Form::slice;
}

// Whether indices say how many rows data has: then none is beyond them.
bool has_rows_by_indices(const Operation& operation) {
  return operation.form == Form::segment && operation.find_attribute("num_segments") == nullptr;
}

// Whether a call may have indices that are out of range, as many as it likes.
bool has_indices(const Operation& operation) {
  return has_entries(operation) && can_override(operation, Policy::outside) &&
         operation.form != Form::section && !has_rows_by_indices(operation);
}

}  // namespace

TEST_CASE("200 cases of each operation have ranks, depths and axes at both ends", "[generate]") {
  for (const Operation* operation : operations()) {
    if (!has_entries(*operation)) continue;
    std::map<std::string, int> features;
    for (const GeneratedCase& each : all_cases(options_for(operation->name)))
      count_features(each, features);
    for (const std::string& wanted : wanted_features(*operation)) {
      INFO(operation->name << ": " << wanted);
      CHECK(features[wanted] > 0);
    }
  }
}

namespace {

using Features = std::map<std::string, int>;

void count_vectors(const oracle::Call& call, const forms::WindowDims& dims, Features& features) {
  const auto has = [&](const char* feature, bool is_so) { features[feature] += is_so ? 1 : 0; };
  const Shape& data = call.operand("data").shape;
  const Shape& indices = call.operand("indices").shape;
  const auto& moved = dims.scatter_dims_to_operand_dims;
  has("one number", moved.size() == 1);
  has("numbers of all axes", moved.size() == data.size() && data.size() > 1);
  has("numbers in another order", !std::ranges::is_sorted(moved));
  has("a vector of size 0", moved.empty());
  has("scalar indices", dims.index_vector_dim == indices.size());
  has("the vector first", dims.index_vector_dim == 0 && indices.size() > 1);
  has("the vector between",
      dims.index_vector_dim > 0 && dims.index_vector_dim + 1 < indices.size());
  has("the vector last", dims.index_vector_dim + 1 == indices.size());
  has("no index entries", std::ranges::count(indices, 0) > 0 && !moved.empty());
}

void count_batching(const oracle::Call& call, const forms::WindowDims& dims, Features& features) {
  const auto has = [&](const char* feature, bool is_so) { features[feature] += is_so ? 1 : 0; };
  const Shape& updates = call.operand("updates").shape;
  const auto is_moved = [&](std::size_t axis) {
    return std::ranges::count(dims.scatter_dims_to_operand_dims, axis) > 0;
  };
  has("one batching axis", dims.input_batching_dims.size() == 1);
  has("more batching axes", dims.input_batching_dims.size() > 1);
  has("batching axes in another order",
      !std::ranges::is_sorted(dims.scatter_indices_batching_dims));
  has("batching with entries", !dims.input_batching_dims.empty() && updates.size() > 1 &&
                                   call.operand("updates").count() > 0);
  has("an inserted axis that is moved", std::ranges::any_of(dims.inserted_window_dims, is_moved));
  has("an inserted axis that is not", !std::ranges::all_of(dims.inserted_window_dims, is_moved));
}

// How the axes of a call with windows lie.
void count_window(const GeneratedCase& each, Features& features) {
  const oracle::Call call = call_of(each);
  const forms::WindowDims dims = oracle::window_dims(call);
  count_vectors(call, dims, features);
  count_batching(call, dims, features);
  const auto has = [&](const char* feature, bool is_so) { features[feature] += is_so ? 1 : 0; };
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  const auto& windows = dims.update_window_dims;
  const std::size_t entries = updates.size() - windows.size();
  has("no window axes", windows.empty());
  if (!windows.empty() && entries > 0) {
    has("windows first", windows.back() < windows.size());
    has("windows last", windows.front() == entries);
    has("windows between", windows.back() >= windows.size() && windows.front() != entries);
  }
  has("an empty window",
      std::ranges::any_of(windows, [&](std::size_t axis) { return updates[axis] == 0; }) &&
          std::ranges::count(data, 0) == 0);
  has("empty updates of entries",
      call.operand("updates").count() == 0 && call.operand("indices").count() > 0);
  has("data without elements", call.operand("data").count() == 0);
}

bool has_vector_dim(const Operation& operation) {
  return operation.find_operand("index_vector_dim") != nullptr;
}

// generic.scatter among them.
std::vector<Operation> rows_with_windows() {
  std::vector<Operation> rows{answered(Form::window)};
  for (const Operation* operation : operations())
    if (operation->unanswered.empty() && operation->form == Form::window)
      rows.push_back(*operation);
  return rows;
}

}  // namespace

TEST_CASE("300 cases of each operation with windows have dimension numbers of every kind",
          "[generate]") {
  for (const Operation& row : rows_with_windows()) {
    const Operation* const operation = &row;
    for (const std::uint64_t seed : {0U, 7U}) {
      std::map<std::string, int> features;
      GenerateOptions options = options_for(operation->name, seed, 300);
      options.operation = operation;
      for (const GeneratedCase& each : all_cases(options)) {
        oracle::Call call = call_of(each);
        call.variant = std::make_shared<Operation>(row);
        INFO(each.name << ", seed " << seed);
        if (call.operand("data").count() <= 4096)
          CHECK(output_of(each) == expected_output_of(call));
        count_window(each, features);
      }
      for (const auto& [feature, cases] : features) {
        const bool is_of_vector = feature == "scalar indices" || feature == "the vector first" ||
                                  feature == "the vector between";
        INFO(operation->name << ", seed " << seed << ": " << feature << ", " << cases);
        CHECK((cases >= 3) == (has_vector_dim(*operation) || !is_of_vector));
      }
      CHECK(features.size() == 22);
    }
  }
}

namespace {

std::vector<const GeneratedTensor*> index_tensors(const GeneratedCase& made) {
  std::vector<const GeneratedTensor*> found;
  for (const NamedTensor& each : made.operands) {
    const bool is_mask = each.tensor.header.type.dtype == DType::boolean;
    if (!is_mask && (each.operand == "indices" || is_operand_of_item(each.operand)))
      found.push_back(&each.tensor);
  }
  return found;
}

}  // namespace

TEST_CASE("with the policy drop for negative indices some cases have them", "[generate]") {
  const PolicyInfo& policy = info(Policy::negative);
  for (const Operation* operation : sampled_operations(has_indices)) {
    Operation row = *operation;
    override_policy(row, policy, "drop");
    GenerateOptions options = options_for(operation->name, 3, 120);
    options.operation = &row;
    int dropped = 0;
    for (const GeneratedCase& each : all_cases(options)) {
      INFO(each.name);
      oracle::Call call = call_of(each);
      call.variant = std::make_shared<Operation>(row);
      CHECK(!oracle::refusal_of(call));
      CHECK(output_of(each) == expected_output_of(call));
      const std::vector<const GeneratedTensor*> tensors = index_tensors(each);
      dropped +=
          std::ranges::any_of(tensors,
                              [](const GeneratedTensor* tensor) {
                                return std::ranges::any_of(integers_of(*tensor),
                                                           [](auto index) { return index < 0; });
                              })
              ? 1
              : 0;
    }
    INFO(operation->name);
    CHECK(dropped >= 10);
  }
}

namespace {

// The axes that the numbers of an index tensor may count along: the longest of all data's where
// the form does not say which.
std::int64_t longest_counted(const oracle::Call& call) {
  const Shape& data = call.operand("data").shape;
  if (call.row().form == Form::flat) return oracle::product(data);
  return std::ranges::max(data);
}

}  // namespace

TEST_CASE("indices of 8 bits name places of axes that are longer than they can count",
          "[generate]") {
  int rows = 0;
  for (const Operation* operation : operations()) {
    const bool takes_int8 = std::ranges::count(operation->index_dtypes, DType::int8) > 0;
    if (!has_indices(*operation) || !takes_int8 || operation->form == Form::start) continue;
    ++rows;
    std::map<std::string, int> features;
    for (const GeneratedCase& each : all_cases(options_for(operation->name, 3, 1000))) {
      const std::int64_t longest = longest_counted(oracle::based(call_of(each)));
      for (const GeneratedTensor* tensor : index_tensors(each)) {
        const DType dtype = tensor->header.type.dtype;
        if (info(dtype).size > 1 || tensor->header.count() == 0 || longest <= 256) continue;
        const std::vector<std::int64_t> indices = integers_of(*tensor);
        ++features[std::string(info(dtype).name)];
        if (std::ranges::max(indices) > 127) ++features["beyond int8"];
        if (std::ranges::min(indices) < 0) ++features["negative"];
      }
    }
    INFO(operation->name);
    CHECK(features["int8"] >= 2);
    CHECK(features["uint8"] >= 2);
    CHECK(features["beyond int8"] >= 1);
    if (operation->policies.negative == NegativeIndex::from_the_end)
      CHECK(features["negative"] >= 1);
  }
  CHECK(rows > 20);
}

TEST_CASE("with a policy for indices out of range, two cases in three have some", "[generate]") {
  const PolicyInfo& policy = info(Policy::outside);
  for (const Operation* operation : sampled_operations(has_indices)) {
    Operation refusing = *operation;
    override_policy(refusing, policy, 0);
    for (std::size_t word = 1; word < policy.words.size(); ++word) {
      Operation row = *operation;
      override_policy(row, policy, word);
      GenerateOptions options = options_for(operation->name, 3, 60);
      options.operation = &row;
      int outside = 0;
      for (const GeneratedCase& each : all_cases(options)) {
        INFO(each.name << ", " << policy.words[word].word);
        oracle::Call call = call_of(each);
        call.variant = std::make_shared<Operation>(refusing);
        const auto refused = oracle::refusal_of(call);
        outside += refused && refused->label == operation->label(Check::index_range) ? 1 : 0;
        call.variant = std::make_shared<Operation>(row);
        CHECK(!oracle::refusal_of(call));
        if (oracle::based(call).operand("data").count() <= 4096)
          CHECK(output_of(each) == expected_output_of(call));
      }
      INFO(operation->name << ", " << policy.words[word].word);
      const bool may_meet = operation->policies.duplicates == DuplicatePolicy::ordered;
      const bool is_refused = operation->policies.outside == OutsideIndex::error;
      CHECK(outside >= (is_refused && (may_meet || can_drop(row.policies)) ? 5 : 0));
    }
  }
}

}  // namespace tscatter::generate
