#include "tscatter/generate/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/generate/broken_cases.hpp"
#include "tscatter/generate/legal_parts.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {
namespace {

constexpr std::array generator_rule_rows{
    Rule{"generate.g1", "a reduction is requested of an operation that has reductions"},
    Rule{"generate.g2",
         "each requested dtype and reduction has cases with the others, the value set "
         "and the number of elements"},
    Rule{"generate.g3",
         "there are 1 to 100000 cases, of rank 1 to 6 and at most 64 to 16777216 elements"},
    Rule{"generate.g4", "duplicates are requested of an operation that has index entries"},
    Rule{"generate.g5",
         "the directory of the cases is new, is empty, or holds cases of the same command with no "
         "greater count"},
    Rule{
        "generate.g6",
        "the layout onnx is requested for an operation of ONNX, mlir for stablehlo.scatter without "
        "other policies; both without cases that break a rule"},
    Rule{"generate.g7",
         "a depth is requested of an operation of the form nd, from 0 to the largest rank"},
    Rule{
        "generate.g8",
        "index dtypes are requested of an operation with index tensors; each is one that it takes, "
        "of 32 or 64 bits"},
    Rule{"generate.g9", "plain index entries are requested of an operation that has index entries"},
};

constexpr std::string_view where = "generate";
constexpr std::int64_t usual_elements = 4096;
constexpr std::int64_t broken_numbers = std::int64_t{1} << 32;  // their cases begin here

void require_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  // generate.g3
  if (value < low || value > high) {
    fail(ErrorKind::usage, "generate.g3", where, "{} must be from {} to {}, got {}", name, low,
         high, value);
  }
}

bool names_no_place_twice(const Operation& operation) {
  return !forms::info(operation.form).repeats_places() ||
         operation.policies.duplicates == DuplicatePolicy::forbidden;
}

// Whether a value of an attribute says that no place is named twice.
bool promises_unique(const Operation& operation, const Attributes& attributes) {
  return operation.policies.duplicates != DuplicatePolicy::forbidden &&
         operation.policies_of_call(attributes).duplicates == DuplicatePolicy::forbidden;
}

void take_promise_back(const Operation& operation, Attributes& attributes) {
  const auto is_promise = [](const IndexAnswer& each) {
    return each.duplicates == DuplicatePolicy::forbidden;
  };
  for (const AttributeInfo& each : operation.attributes) {
    if (std::ranges::any_of(each.answers, is_promise))
      attributes.insert_or_assign(std::string(each.name), each.default_value);
  }
}

void require_reductions(const GenerateOptions& options) {
  // generate.g1
  if (!options.reductions.empty() && options.operation->reductions().empty()) {
    fail(ErrorKind::usage, "generate.g1", where, "{} takes no reduction, got {}",
         options.operation->name, to_string(options.reductions.front()));
  }
  const bool wants_duplicates = options.duplicates && *options.duplicates != Duplicates::none;
  // generate.g4
  if (wants_duplicates && names_no_place_twice(*options.operation)) {
    fail(ErrorKind::usage, "generate.g4", where,
         "{} names no place twice: duplicates must be none, got {}", options.operation->name,
         duplicates_names[static_cast<std::size_t>(*options.duplicates)]);
  }
}

// A model names an operation of ONNX, a module one of StableHLO, which says no policies; and both
// have a result.
void require_layout(const GenerateOptions& options) {
  if (options.layout == Layout::npy) return;
  const Operation& operation = *options.operation;
  // generate.g6
  if (options.layout == Layout::onnx && namespace_of(operation.name) != "onnx") {
    fail(ErrorKind::usage, "generate.g6", where,
         "the layout onnx is for operations of ONNX (tscatter ops onnx lists them), got {}",
         operation.name);
  }
  // generate.g6
  if (options.layout == Layout::mlir && operation.name != "stablehlo.scatter") {
    fail(ErrorKind::usage, "generate.g6", where,
         "the layout mlir is for stablehlo.scatter (the layout npy has all operations), got {}",
         operation.name);
  }
  // generate.g6
  if (options.layout == Layout::mlir && !overrides_of(operation).empty()) {
    fail(ErrorKind::usage, "generate.g6", where,
         "the layout mlir cannot hold policies (the layout npy can), got {}",
         overrides_of(operation).front().policy);
  }
  // generate.g6
  if (options.broken == Broken::added) {
    fail(ErrorKind::usage, "generate.g6", where,
         "the layout {} cannot hold cases that break a rule: leave out --errors, or use the "
         "layout npy",
         layout_names[static_cast<std::size_t>(options.layout)]);
  }
}

// StableHLO has no difference of bool.
bool is_written(Layout layout, Reduction reduction, DType dtype) {
  return layout != Layout::mlir || reduction != Reduction::sub || dtype != DType::boolean;
}

void require_depth(const GenerateOptions& options) {
  if (!options.depth) return;
  // generate.g7
  if (options.operation->form != Form::nd) {
    fail(ErrorKind::usage, "generate.g7", where,
         "depth is for operations of the form nd, whose index entries are rows of coordinates, got "
         "{}",
         options.operation->name);
  }
  // generate.g7
  if (*options.depth < 0 || *options.depth > options.max_rank) {
    fail(ErrorKind::usage, "generate.g7", where, "depth must be from 0 to max-rank, {}, got {}",
         options.max_rank, *options.depth);
  }
}

// Each holds every position of the largest case.
std::vector<DType> wide_index_dtypes(const Operation& operation) {
  const bool has_tensors =
      operation.form == Form::index || operation.find_operand("indices") != nullptr;
  std::vector<DType> dtypes;
  for (const DType dtype : operation.index_dtypes) {
    if (has_tensors && info(dtype).size >= 4) dtypes.push_back(dtype);
  }
  return dtypes;
}

void require_index_dtypes(const GenerateOptions& options) {
  if (options.index_dtypes.empty()) return;
  const std::vector<DType> possible = wide_index_dtypes(*options.operation);
  // generate.g8
  if (possible.empty()) {
    fail(ErrorKind::usage, "generate.g8", where,
         "an index dtype is for operations with index tensors, got {}", options.operation->name);
  }
  std::vector<std::string_view> names;
  names.reserve(possible.size());
  for (const DType dtype : possible) names.push_back(info(dtype).name);
  for (const DType dtype : options.index_dtypes) {
    // generate.g8
    if (std::ranges::count(possible, dtype) == 0) {
      fail(ErrorKind::usage, "generate.g8", where,
           "each index dtype must be one that {} takes, and have 32 or 64 bits, since narrower "
           "ones cannot hold each position of a case ({}), got {}",
           options.operation->name, fmt::join(names, ", "), info(dtype).name);
    }
  }
}

void require_entries(const GenerateOptions& options) {
  // generate.g9
  if (options.entries == IndexEntries::plain &&
      !forms::info(options.operation->form).repeats_places()) {
    fail(ErrorKind::usage, "generate.g9", where,
         "plain is for operations with index entries (the forms rows, nd, elements, window, "
         "batched_rows, index, flat and segment), got {}",
         options.operation->name);
  }
}

template <class T>
bool is_among(const std::vector<T>& wanted, T value) {
  return wanted.empty() || std::ranges::count(wanted, value) > 0;
}

}  // namespace

CaseGenerator::CaseGenerator(GenerateOptions options) : options_{std::move(options)} {
  require_answers(*options_.operation);
  require_range("count", options_.count, 1, 100000);
  require_range("max-rank", options_.max_rank, 1, 6);
  if (options_.max_elements) require_range("max-elements", *options_.max_elements, 64, 16777216);
  require_reductions(options_);
  require_layout(options_);
  require_depth(options_);
  require_index_dtypes(options_);
  require_entries(options_);
  const std::vector<DType> dtypes = possible_dtypes();
  const std::vector<Reduction> reductions = possible_reductions();
  for (std::size_t shift = 0; shift < reductions.size(); ++shift) {
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
      const Reduction reduction = reductions[(i + shift) % reductions.size()];
      if (is_defined(reduction, dtypes[i]) && is_written(options_.layout, reduction, dtypes[i]))
        combinations_.push_back({dtypes[i], reduction});
    }
  }
  require_combinations();
  for (const DType dtype : options_.operation->index_dtypes) {
    if (std::ranges::count(options_.index_dtypes, dtype) > 0) index_dtypes_.push_back(dtype);
  }
}

std::vector<DType> CaseGenerator::possible_dtypes() const {
  std::vector<DType> dtypes;
  for (const DTypeInfo& dtype : dtype_table) {
    const bool is_wanted = is_among(options_.dtypes, dtype.dtype);
    const bool is_taken = takes_data_of(*options_.operation, dtype.dtype);
    if (is_wanted && is_taken && !sets_for(dtype.dtype).empty()) dtypes.push_back(dtype.dtype);
  }
  return dtypes;
}

std::vector<Reduction> CaseGenerator::possible_reductions() const {
  std::vector<Reduction> reductions = options_.operation->reductions();
  if (reductions.empty()) return {Reduction::none};
  std::erase_if(reductions, [&](Reduction r) { return !is_among(options_.reductions, r); });
  return reductions;
}

void CaseGenerator::require_combinations() const {
  for (const DType dtype : options_.dtypes) {
    // generate.g2
    if (std::ranges::count(combinations_, dtype, &TypedReduction::dtype) == 0) {
      fail(ErrorKind::usage, "generate.g2", where,
           "no case of {} has the requested reductions, values and max-elements", info(dtype).name);
    }
  }
  for (const Reduction reduction : options_.reductions) {
    // generate.g2
    if (std::ranges::count(combinations_, reduction, &TypedReduction::reduction) == 0) {
      fail(ErrorKind::usage, "generate.g2", where,
           "no case of {} has the requested dtypes, values and max-elements",
           options_.operation->word_of(reduction));
    }
  }
}

std::int64_t CaseGenerator::size() const {
  return options_.broken == Broken::added ? 2 * options_.count : options_.count;
}

GeneratedCase CaseGenerator::at(std::int64_t index) const {
  return index < options_.count ? legal(index) : broken(index - options_.count);
}

std::int64_t CaseGenerator::limit(ValueSet set, DType dtype) const {
  const std::int64_t needed = std::int64_t{1} << full_bits(set, dtype);
  return options_.max_elements.value_or(std::max(usual_elements, needed));
}

bool CaseGenerator::has_room(ValueSet set, DType dtype) const {
  return limit(set, dtype) >= std::int64_t{1} << full_bits(set, dtype);
}

std::vector<ValueSet> CaseGenerator::sets_for(DType dtype) const {
  std::vector<ValueSet> sets;
  for (std::size_t i = 0; i < value_set_names.size(); ++i) {
    const auto set = static_cast<ValueSet>(i);
    const bool is_wanted = !options_.set || *options_.set == set;
    if (is_wanted && fits(set, dtype) && has_room(set, dtype)) sets.push_back(set);
  }
  return sets;
}

Setting CaseGenerator::setting(std::uint64_t number) const {
  const Draws draws(options_.seed, number);
  const auto [dtype, reduction] =
      combinations_[draws.turn(Stream::combination, combinations_.size())];
  const std::vector<ValueSet> sets = sets_for(dtype);
  const ValueSet set = sets[draws.turn(Stream::value_set, sets.size())];
  const std::span<const DType> index_dtypes(index_dtypes_);
  return {.operation = options_.operation,
          .draws = draws,
          .dtype = dtype,
          .reduction = reduction,
          .set = set,
          .limit = limit(set, dtype),
          .max_rank = static_cast<std::size_t>(options_.max_rank),
          .duplicates = names_no_place_twice(*options_.operation) ? std::optional(Duplicates::none)
                                                                  : options_.duplicates,
          .depth = options_.depth,
          .index_dtype = index_dtypes.empty()
                             ? std::nullopt
                             : std::optional(draws.among(Stream::index_dtype, index_dtypes)),
          .entries = options_.entries};
}

GeneratedCase CaseGenerator::legal(std::int64_t index) const {
  Setting setting = this->setting(static_cast<std::uint64_t>(index));
  const Operation& operation = *setting.operation;
  Attributes drawn = attributes_of(setting);
  const bool is_promised = promises_unique(operation, drawn);
  if (is_promised && !setting.duplicates) setting.duplicates = Duplicates::none;
  GeneratedCase made = cases_of(operation.form).legal(setting);
  made.operation = &operation;
  made.attributes.insert(drawn.begin(), drawn.end());
  if (is_promised && refusing_rule(operation, arguments_of(made)) != "") {
    take_promise_back(operation, drawn);
    take_promise_back(operation, made.attributes);
  }
  const bool reduces = operation.reductions().size() > 1;
  made.name = joined({operation.id, fmt::format("{:05}", index), info(setting.dtype).short_name,
                      reduces ? operation.word_of(setting.reduction) : std::string_view(),
                      attribute_words(setting, drawn), made.name});
  return made;
}

GeneratedCase CaseGenerator::broken(std::int64_t index) const {
  Setting setting = this->setting(static_cast<std::uint64_t>(broken_numbers + index));
  setting.set = ValueSet::exact;
  GeneratedCase made = broken_case(setting);
  made.name = fmt::format("{}-error-{:05}-{}", options_.operation->id, index, made.name);
  return made;
}

std::string CaseGenerator::command() const {
  std::string text = fmt::format("{} --seed {}", options_.operation->name, options_.seed);
  std::string reduction(options_.operation->called("reduction"));
  std::ranges::replace(reduction, '_', '-');
  for (const DType dtype : options_.dtypes) text += fmt::format(" --dtype {}", info(dtype).name);
  for (const Reduction r : options_.reductions)
    text += fmt::format(" --{} {}", reduction, options_.operation->word_of(r));
  for (const DType dtype : options_.index_dtypes)
    text += fmt::format(" --index-dtype {}", info(dtype).name);
  if (options_.depth) text += fmt::format(" --depth {}", *options_.depth);
  if (options_.entries == IndexEntries::plain) text += " --plain";
  if (options_.max_rank != 6) text += fmt::format(" --max-rank {}", options_.max_rank);
  if (options_.max_elements) text += fmt::format(" --max-elements {}", *options_.max_elements);
  if (options_.duplicates) {
    text += fmt::format(" --duplicates {}",
                        duplicates_names[static_cast<std::size_t>(*options_.duplicates)]);
  }
  if (options_.set) text += fmt::format(" --values {}", to_string(*options_.set));
  if (options_.broken == Broken::added) text += " --errors";
  if (options_.layout != Layout::npy)
    text += fmt::format(" --layout {}", layout_names[static_cast<std::size_t>(options_.layout)]);
  for (const PolicyAnswer& each : overrides_of(*options_.operation))
    text += fmt::format(" --{} {}", find_policy(each.policy)->flag, each.answer);
  return text;
}

const std::span<const Rule> generate_rules{generator_rule_rows};

}  // namespace tscatter::generate
