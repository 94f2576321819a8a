#include "diff/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "diff/form_rows.hpp"
#include "jobs/captured_output.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter::app {
namespace {

// The shape of each operand, as a literal has it: "2x1x".
struct Sizes {
  std::string data;
  std::string indices;
  std::string updates;
};

std::int64_t list_size(std::string_view list) {
  return list.empty() ? 0 : 1 + std::ranges::count(list, ',');
}

std::string filled(std::string_view sizes, std::int64_t length) {
  return fmt::format(fmt::runtime(sizes), length);
}

// A list of numbers in the form.
Sizes list_sizes(const SizeWords& list, const Witness& witness) {
  const std::int64_t entries = list_size(witness.indices);
  const std::int64_t places = witness.places > 0 ? witness.places : list_size(witness.data);
  return {filled(list.data, places), filled(list.indices, entries), filled(list.updates, entries)};
}

Sizes sizes_of(const Witness& witness, Form form) {
  if (witness.layout == Layout::of_operation) return list_sizes(row_of(form).list, witness);
  const auto found = std::ranges::find(layout_rows, witness.layout, &LayoutRow::layout);
  const SizeWords sizes = found == layout_rows.end()
                              ? SizeWords{"3x", row_of(form).single_indices, "1x"}
                              : found->sizes;
  return {std::string(sizes.data), std::string(sizes.indices), std::string(sizes.updates)};
}

std::string flag_of(std::string_view key) {
  std::string name = fmt::format("--{}", key);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string_view short_name(DType dtype) { return info(dtype).short_name; }

DType index_dtype(const Witness& witness, const Operation& operation) {
  if (witness.index_dtype) return *witness.index_dtype;
  return takes_indices_of(operation, DType::int64) ? DType::int64 : operation.index_dtypes.front();
}

// A literal has no rank 0.
std::string index_word(const Witness& witness, const Operation& operation,
                       const std::string& sizes) {
  if (sizes.empty()) return std::string(witness.indices);
  return fmt::format("{}{}={}", sizes, short_name(index_dtype(witness, operation)),
                     witness.indices);
}

bool has_operand(const Operation& operation, std::string_view name) {
  return std::ranges::count(operation.operands, name, &OperandInfo::name) > 0;
}

void add_setting(CallWords& words, const Witness& witness, const Operation& operation) {
  const bool has_axis =
      has_operand(operation, "axis") || operation.find_attribute("axis") != nullptr;
  if (has_axis && witness.gives_axis) words.emplace_back("axis", row_of(operation.form).axis);
  if (witness.reduction) words.emplace_back("reduction", operation.word_of(*witness.reduction));
  if (!witness.mode.empty()) words.emplace_back("mode", witness.mode);
  if (witness.use_init_val)
    words.emplace_back("use_init_val", *witness.use_init_val ? "true" : "false");
}

Outcome refused(const Error& error) { return {.is_refused = true, .text = error.what()}; }

// Without line breaks.
std::string tensor_text(const Tensor& tensor) {
  std::string text;
  write_json(tensor, JsonForm::nested, [&](std::string_view piece) { text += piece; });
  return nlohmann::ordered_json::parse(text).dump();
}

Tensor flattened(const Tensor& tensor) {
  TensorHeader header = tensor.header();
  header.shape = {tensor.count()};
  return {header, tensor.shared_source(), tensor.name()};
}

Job made_job(const Witness& witness, const Operation& operation) {
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  for (const auto& [name, word] : words_of(witness, operation)) {
    const AttributeInfo* attribute = operation.find_attribute(name);
    if (attribute == nullptr) {
      job.operands[name] = {.text = word};
    } else {
      job.attributes.insert_or_assign(name, *parse_attribute(*attribute, word));
    }
  }
  return job;
}

// Why the command line would refuse a word; "" if it would not.
std::string refusal_of_words(const Witness& witness, const Operation& operation) {
  for (const auto& [name, word] : words_of(witness, operation)) {
    const AttributeInfo* attribute = operation.find_attribute(name);
    if (attribute == nullptr && !has_operand(operation, name))
      return fmt::format("tscatter: {} has no {}", operation.name, flag_of(name));
    if (attribute != nullptr && !parse_attribute(*attribute, word)) {
      return fmt::format("tscatter: {}: must be {}, got {}", flag_of(name), expectation(*attribute),
                         word);
    }
  }
  return {};
}

}  // namespace

CallWords words_of(const Witness& witness, const Operation& operation) {
  const Sizes sizes = sizes_of(witness, operation.form);
  const std::string_view dtype = short_name(witness.dtype);
  CallWords words{{"data", fmt::format("{}{}={}", sizes.data, dtype, witness.data)}};
  if (witness.layout == Layout::slice) {
    words.insert(words.end(), {{"start", "1"}, {"stop", "2"}, {"step", "1"}});
  } else {
    words.emplace_back("indices", index_word(witness, operation, sizes.indices));
  }
  words.emplace_back("updates", fmt::format("{}{}={}", sizes.updates, dtype, witness.updates));
  add_setting(words, witness, operation);
  return words;
}

std::string command_line(const Witness& witness, const Operation& operation) {
  std::string line = fmt::format("tscatter {}", operation.name);
  for (const auto& [name, word] : words_of(witness, operation))
    line += fmt::format(" {} {}", flag_of(name), word);
  return line;
}

bool is_for(const Witness& witness, Form form) {
  const FormRow& row = row_of(form);
  const bool is_list = witness.layout == Layout::of_operation || witness.layout == Layout::single;
  if (is_list) return row.layout != Layout::slice;  // it has no indices
  const Layout layout = witness.layout == Layout::batches ? Layout::start : witness.layout;
  return layout == row.layout;
}

std::optional<Job> job_of(const Witness& witness, const Operation& operation) {
  if (!refusal_of_words(witness, operation).empty()) return std::nullopt;
  return made_job(witness, operation);
}

Outcome outcome_of(const Witness& witness, const Operation& operation) {
  if (std::string reason = refusal_of_words(witness, operation); !reason.empty())
    return {.is_refused = true, .text = std::move(reason)};
  try {
    const Job job = made_job(witness, operation);
    CapturedOutput output;
    apply(operation, open_arguments(job), output);
    const Tensor result = output.tensor("result");
    return {.text = tensor_text(result), .values = tensor_text(flattened(result))};
  } catch (const Error& error) {
    return refused(error);
  }
}

bool differ(const Outcome& a, const Outcome& b) {
  return a.is_refused != b.is_refused || (!a.is_refused && a.values != b.values);
}

}  // namespace tscatter::app
