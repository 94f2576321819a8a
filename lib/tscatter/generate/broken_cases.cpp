#include "tscatter/generate/broken_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/generate/legal_parts.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter::generate {
namespace {

constexpr std::uint64_t changes_of_a_call = 64;
constexpr std::uint64_t calls_for_a_rule = 64;

// A row whose calls choose the form has rules of other forms, too.
bool is_of_form(const Operation& operation, Check check) {
  if (!operation.unanswered.contains(Policy::form)) return true;
  constexpr std::array of_any_form{Check::data_dtype, Check::indices_length, Check::reduction_dtype,
                                   Check::duplicates};
  const std::span<const Check> checks = forms::info(operation.form).checks;
  const Check of_form = check == Check::axis_scalar ? Check::axis_range : check;
  return std::ranges::count(of_any_form, check) + std::ranges::count(checks, of_form) > 0;
}

// Whether the operation's policies refuse what fails the check.
bool is_refused(const Operation& operation, Check check) {
  const Policies& policies = operation.policies;
  if (check == Check::index_range) return policies.outside == OutsideIndex::error;
  if (check == Check::duplicates) return policies.duplicates == DuplicatePolicy::forbidden;
  return true;
}

// The rules that calls can break: the operation's, and a policy's.
std::vector<std::string_view> labels_of(const Operation& operation) {
  std::vector<std::string_view> labels;
  for (const OperationRule& rule : operation.rules) {
    if (is_of_form(operation, rule.check) && is_refused(operation, rule.check))
      labels.push_back(rule.label);
  }
  const bool is_unique_by_policy = operation.label(Check::duplicates).empty() &&
                                   is_refused(operation, Check::duplicates) &&
                                   forms::info(operation.form).repeats_places();
  if (is_unique_by_policy) labels.emplace_back("operation.o6");
  return labels;
}

// Data is [4, 3, 2]; axis 2 goes along with axis 1 of indices, and windows are [2, 1]: three that
// may meet, or two that do not. All lists of dimension numbers have one.
GeneratedCase small_window(const Setting& setting) {
  GeneratedCase made;
  const bool may_meet = setting.operation->policies.duplicates == DuplicatePolicy::ordered;
  const std::int64_t entries = may_meet ? 3 : 2;
  std::vector<std::int64_t> starts{0, 0, 2, 2};
  for (std::uint64_t i = 0; may_meet && i < 6; ++i) {
    starts.resize(6);
    starts[i] = static_cast<std::int64_t>(setting.draws.word(Stream::places, i) % 3);
  }
  made.operands = {{"data", data_values(setting, {4, 3, 2}, 2)},
                   {"indices", integers(draw_index_dtype(setting), {entries, 2, 1}, starts)},
                   {"updates", update_values(setting, {entries, 2, 2}, 2)},
                   {"update_window_dims", integers(DType::int64, {1}, {2})},
                   {"inserted_window_dims", integers(DType::int64, {1}, {1})},
                   {"input_batching_dims", integers(DType::int64, {1}, {2})},
                   {"scatter_indices_batching_dims", integers(DType::int64, {1}, {1})},
                   {"scatter_dims_to_operand_dims", integers(DType::int64, {1}, {0})}};
  if (setting.operation->find_operand("index_vector_dim") != nullptr)
    made.operands.push_back({"index_vector_dim", integers(DType::int64, {}, {2})});
  return made;
}

// At most 16 elements of rank 3, or as many as a larger depth needs: the change is what a reader
// looks for. For a rule that no call of the largest rank breaks, as that on sizes beside the axis,
// later attempts have rank 3.
GeneratedCase small_case(const Setting& setting, std::uint64_t attempt) {
  Setting small = setting;
  small.draws = setting.draws.again(attempt);
  const bool is_late = attempt % calls_for_a_rule >= calls_for_a_rule / 2;
  const std::size_t rank = std::max<std::size_t>(setting.depth.value_or(3), 3);
  small.max_rank = is_late ? rank : std::min(setting.max_rank, rank);
  small.limit = std::max(std::int64_t{16}, std::int64_t{1} << rank);
  const Form form = setting.operation->form;
  const bool is_of_many_axes = form == Form::window && setting.entries != IndexEntries::plain;
  GeneratedCase made = is_of_many_axes ? small_window(small) : cases_of(form).legal(small);
  made.operation = setting.operation;
  made.attributes.merge(default_attributes(small));
  return made;
}

// Whether all index tensors have the dtype; that of a call that breaks the rule on it is any.
bool has_index_dtype(const GeneratedCase& made, std::optional<DType> dtype,
                     std::string_view broken) {
  if (!dtype || broken == made.operation->label(Check::indices_dtype)) return true;
  return std::ranges::all_of(made.operands, [&](const NamedTensor& each) {
    const bool is_index = each.operand == "indices" || is_operand_of_item(each.operand);
    return !is_index || each.tensor.header.type.dtype == *dtype;
  });
}

// nullopt if the call is not legal, or none of the changes breaks that rule first.
std::optional<GeneratedCase> broken_by(const GeneratedCase& legal, const Setting& setting,
                                       const Draws& draws, std::string_view label) {
  if (refusing_rule(*legal.operation, arguments_of(legal)) != "") return std::nullopt;
  for (std::uint64_t number = 0; number < changes_of_a_call; ++number) {
    GeneratedCase made = legal;
    const std::optional<std::string> words = change(made, draws, number);
    if (!words || refusing_rule(*made.operation, arguments_of(made)) != label) continue;
    if (!has_index_dtype(made, setting.index_dtype, label)) continue;
    made.expected_error = label;
    made.name = fmt::format("{}-{}", label.substr(label.rfind('.') + 1), *words);
    return made;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusing_rule(const Operation& operation, const Arguments& arguments) {
  try {
    operation.lower(prepared(operation, arguments), {});
    return "";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rule) return std::nullopt;
    return error.label();
  }
}

// A rule that the options leave no way to break, as with --reduction none, gives its turn to the
// next one.
GeneratedCase broken_case(const Setting& setting) {
  const std::vector<std::string_view> labels = labels_of(*setting.operation);
  const std::size_t turn = setting.draws.turn(Stream::variant, labels.size());
  for (std::uint64_t attempt = 0;; ++attempt) {
    const std::string_view label = labels[(turn + attempt / calls_for_a_rule) % labels.size()];
    const GeneratedCase legal = small_case(setting, attempt);
    if (auto made = broken_by(legal, setting, setting.draws.again(attempt), label))
      return *std::move(made);
  }
}

}  // namespace tscatter::generate
