// What the cases of every operation have among them: ranks, axes, depths, indices out of range.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "oracle/base.hpp"
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
  return operation.unanswered.empty() && operation.form != Form::slice;
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

TEST_CASE("with a policy for indices out of range, two cases in three have some", "[generate]") {
  const PolicyInfo& policy = info(Policy::outside);
  for (const Operation* operation : operations()) {
    if (!has_indices(*operation)) continue;
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
