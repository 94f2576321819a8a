#include "diff/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "jobs/job_index.hpp"
#include "jobs/result.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/generate/broken_cases.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter::app {
namespace {

using generate::GeneratedCase;
using generate::GeneratedTensor;

// ---- The text

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// What follows the key; "" if that is all.
std::string_view behind(std::string_view line, std::string_view key) {
  return line.substr(std::min(key.size() + 1, line.size()));
}

// How another form shapes the operands that rows have as [N].
struct ShapesOfForm {
  std::string_view form;
  std::string_view data = "N";
  std::string_view indices = "N";
  std::string_view updates = "N";
  bool has_axis = false;
};

constexpr std::string_view entry_forms = "rows,elements,nd,batched_rows,start,index";
constexpr std::array shapes_of_forms{
    ShapesOfForm{.form = "nd", .indices = "Nx1"},
    ShapesOfForm{.form = "batched_rows", .data = "1xNx1", .indices = "1xN", .updates = "1xNx1"},
    ShapesOfForm{.form = "start", .data = "1xN", .updates = "1xN", .has_axis = true},
    ShapesOfForm{.form = "index"},
    ShapesOfForm{.form = "flat"},
};

std::string replaced(std::string_view text, std::string_view old, std::string_view with) {
  std::string made(text);
  for (std::size_t at = made.find(old); at != std::string::npos; at = made.find(old, at))
    made.replace(at, old.size(), with);
  return made;
}

// "1x2x1xf32=0" for "2xf32=0" and the shape 1xNx1.
std::string shaped(std::string_view literal, std::string_view shape) {
  const std::string_view size = literal.substr(0, literal.find('x'));
  return replaced(shape, "N", size).append(literal.substr(size.size()));
}

// The words of a call for rows as words for the form.
std::string words_for(std::string_view form, std::string_view words) {
  const auto* const shapes = std::ranges::find(shapes_of_forms, form, &ShapesOfForm::form);
  if (shapes == shapes_of_forms.end()) return std::string(words);
  const std::vector<std::string_view> given = split(words, ' ');
  std::vector<std::string> made;
  for (std::size_t i = 0; i + 1 < given.size(); i += 2) {
    const std::string_view flag = given[i];
    const std::string_view shape = flag == "--data"      ? shapes->data
                                   : flag == "--indices" ? shapes->indices
                                   : flag == "--updates" ? shapes->updates
                                                         : "";
    if (flag == "--axis" && !shapes->has_axis) continue;
    made.emplace_back(form == "index" && flag == "--indices" ? "--index" : flag);
    made.push_back(shape.empty() ? std::string(given[i + 1]) : shaped(given[i + 1], shape));
  }
  return fmt::format("{}", fmt::join(made, " "));
}

// The forms that a line names.
std::vector<std::string_view> forms_in(std::string_view names) {
  std::vector<std::string_view> forms;
  for (const std::string_view name : split(names, ',')) {
    const auto some = split(name == "entries" ? entry_forms : name, ',');
    forms.insert(forms.end(), some.begin(), some.end());
  }
  return forms;
}

void add_calls(Witness& witness, std::string_view line) {
  const std::string words = replaced(line.substr(line.find("--")), "{case}", witness.name);
  const std::vector<std::string_view> forms = forms_in(line.substr(0, line.find(' ')));
  for (const std::string_view form : forms)
    witness.calls.push_back({form, forms.size() > 1 ? words_for(form, words) : words});
}

std::vector<Witness> witnesses_in(std::string_view text) {
  std::vector<Witness> all;
  std::string_view question;
  std::size_t first = 0;  // of the cases of the last line
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("question")) {
      question = behind(line, "question");
    } else if (line.starts_with("case ")) {
      const std::string_view shown = behind(line, "case");
      const std::size_t colon = shown.find(':');
      const std::string_view names = shown.substr(0, colon);
      first = all.size();
      for (const std::string_view name : names.empty() ? std::vector{names} : split(names, ','))
        all.push_back(
            {.question = question, .name = name, .words = shown.substr(colon + 2), .calls = {}});
    } else {
      for (Witness& witness : std::span(all).subspan(first)) add_calls(witness, line);
    }
  }
  return all;
}

// ---- Calls

// Windows are given the calls of nd, too, whose entries are windows of one element.
bool is_for(const WitnessCall& call, Form form) {
  return call.form == witness_forms[static_cast<std::size_t>(form)] ||
         (form == Form::window && call.form == "nd");
}

bool has_form_of(const Witness& witness, const Operation& operation) {
  return std::ranges::any_of(witness.calls,
                             [&](const WitnessCall& each) { return is_for(each, operation.form); });
}

// The first call, if none is for the form.
const WitnessCall& call_for(const Witness& witness, Form form) {
  const auto found = std::ranges::find_if(
      witness.calls, [&](const WitnessCall& each) { return is_for(each, form); });
  return found == witness.calls.end() ? witness.calls.front() : *found;
}

std::string flag_of(std::string_view key) {
  std::string name = fmt::format("--{}", key);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string key_of(std::string_view flag) {
  std::string key(flag.substr(2));
  std::ranges::replace(key, '-', '_');
  return key;
}

bool has_operand(const Operation& operation, std::string_view name) {
  return std::ranges::count(operation.operands, name, &OperandInfo::name) > 0;
}

// Whether the operation's name says the reduction: numpy.add.at.
bool says_itself(const Operation& operation, std::string_view reduction) {
  return operation.fixed != Reduction::none && to_string(operation.fixed) == reduction;
}

// In the operation's words.
std::string value_of(const Operation& operation, std::string_view flag, std::string_view value) {
  if (flag == "--reduction") {
    const auto row = std::ranges::find(reduction_table, value, &ReductionInfo::name);
    return std::string(operation.word_of(row->reduction));
  }
  const bool takes_one = operation.updates_shape == UpdatesShape::fill ||
                         (operation.form == Form::section && has_operand(operation, "indices"));
  if (flag == "--updates" && takes_one) {
    value.remove_prefix(value.find('=') + 1);
    return std::string(value.substr(0, value.find(',')));
  }
  const DType index_dtype =
      takes_indices_of(operation, DType::int64) ? DType::int64 : operation.index_dtypes.front();
  return fmt::format(fmt::runtime(value), fmt::arg("index", info(index_dtype).short_name),
                     fmt::arg("axis", operation.form == Form::start ? 1 : 0));
}

// The keys and words of the witness as a call of the operation.
using CallWords = std::vector<std::pair<std::string, std::string>>;

// What operations of the same form say in another way.
bool is_left_out(const Operation& operation, std::string_view key) {
  const bool is_known = has_operand(operation, key) || operation.find_attribute(key) != nullptr;
  const bool has_own_words = operation.form == Form::section || operation.form == Form::segment;
  return !is_known && (key == "axis" || has_own_words);
}

// "2,3" of "2x3xf32=0".
std::string sizes_in(std::string_view literal) {
  std::string sizes(literal.substr(0, literal.find('=')));
  sizes.resize(sizes.rfind('x'));
  std::ranges::replace(sizes, 'x', ',');
  return sizes;
}

// The dimension numbers that say what nd means, whose indices have rank 2 here.
void add_dims(const Operation& operation, CallWords& words) {
  if (has_operand(operation, "index_vector_dim")) words.emplace_back("index_vector_dim", "1");
  if (std::ranges::count(words, "scatter_dims_to_operand_dims", &CallWords::value_type::first) > 0)
    return;
  const auto is_of_depth_2 = [](const CallWords::value_type& each) {
    return each.first == "indices" && each.second.find("x2x") != std::string::npos;
  };
  const std::string_view axes = std::ranges::any_of(words, is_of_depth_2) ? "0,1" : "0";
  words.emplace_back("inserted_window_dims", axes);
  words.emplace_back("scatter_dims_to_operand_dims", axes);
}

void add_required_reduction(const Operation& operation, CallWords& words) {
  const AttributeInfo* reduction = operation.find_attribute("reduction");
  if (reduction == nullptr || !reduction->is_required) return;
  const auto is_it = [](const auto& word) { return word.first == "reduction"; };
  if (std::ranges::none_of(words, is_it))
    words.emplace_back("reduction", words_of(*reduction).front());
}

CallWords words_of(const Witness& witness, const Operation& operation) {
  const std::vector<std::string_view> given = split(call_for(witness, operation.form).words, ' ');
  CallWords words;
  for (std::size_t i = 0; i + 1 < given.size(); i += 2) {
    const std::string key = key_of(given[i]);
    if (key == "data" && has_operand(operation, "shape")) {
      words.emplace_back("shape", sizes_in(given[i + 1]));
      continue;
    }
    if (is_left_out(operation, key)) continue;
    if (key == "reduction" && says_itself(operation, given[i + 1])) continue;
    if (key == "reduction" && given[i + 1] == "sum" &&
        operation.find_attribute("accumulate") != nullptr) {
      words.emplace_back("accumulate", "true");
    } else {
      words.emplace_back(key, value_of(operation, given[i], given[i + 1]));
    }
  }
  if (operation.form == Form::window) add_dims(operation, words);
  add_required_reduction(operation, words);
  return words;
}

Job made_job(const Operation& operation, const CallWords& words) {
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  for (const auto& [name, word] : words) {
    const AttributeInfo* attribute = operation.find_attribute(name);
    if (name == "index") {
      add_index_item(job, parse_index_word(word, job.base, WordForm::word, "--index"));
    } else if (attribute == nullptr) {
      job.operands[name] = {.text = word};
    } else {
      job.attributes.insert_or_assign(name, *parse_attribute(*attribute, word));
    }
  }
  return job;
}

// Why the command line would refuse a word; "" if it would not.
std::string refusal_of_words(const Operation& operation, const CallWords& words) {
  for (const auto& [name, word] : words) {
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

// ---- Outcomes

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

// ---- The witness set

GeneratedTensor generated(const Tensor& tensor) {
  GeneratedTensor made{.header = tensor.header(), .bytes = {}};
  made.bytes.resize(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, made.bytes);
  return made;
}

// nullopt if no data can be made of what is given, such as complex weights to count with.
std::optional<Arguments> given_arguments(const Job& job) {
  try {
    return open_arguments(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rule) throw;
    return std::nullopt;
  }
}

std::optional<GeneratedCase> case_of(const Witness& witness, const Operation& operation) {
  const CallWords words = words_of(witness, operation);
  if (!has_form_of(witness, operation) || !refusal_of_words(operation, words).empty())
    return std::nullopt;
  const std::optional<Arguments> opened = given_arguments(made_job(operation, words));
  if (!opened) return std::nullopt;
  const Arguments& arguments = *opened;
  const std::optional<std::string> label = generate::refusing_rule(operation, arguments);
  if (!label) return std::nullopt;
  GeneratedCase made{.name = {},
                     .operation = &operation,
                     .operands = {},
                     .index = arguments.index,
                     .attributes = arguments.attributes,
                     .expected_error = *label};
  for (const AttributeInfo& each : operation.attributes)
    made.attributes.emplace(each.name, each.default_value);
  for (const auto& [name, tensor] : arguments.operands) {
    const bool is_given = std::ranges::count(words, name, &CallWords::value_type::first) > 0 ||
                          is_operand_of_item(name);
    if (is_given) made.operands.push_back({name, generated(tensor)});
  }
  return made;
}

// "min, max" becomes min-max.
std::string with_hyphens(std::string_view words) {
  std::string text;
  for (const char each : words) {
    const bool is_kept = (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
    if (is_kept) text += each;
    if (!is_kept && !text.empty() && text.back() != '-') text += '-';
  }
  return text;
}

}  // namespace

const std::vector<Witness>& witnesses() {
  static const std::vector<Witness> all = witnesses_in(witness_text);
  return all;
}

std::string command_line(const Witness& witness, const Operation& operation) {
  std::string line = fmt::format("tscatter {}", operation.name);
  for (const auto& [name, word] : words_of(witness, operation))
    line += fmt::format(" {} {}", flag_of(operation.called(name)), word);
  return line;
}

Outcome outcome_of(const Witness& witness, const Operation& operation) {
  const CallWords words = words_of(witness, operation);
  if (std::string reason = refusal_of_words(operation, words); !reason.empty())
    return {.is_refused = true, .text = std::move(reason)};
  try {
    const Job job = made_job(operation, words);
    CapturedOutput output;
    apply(operation, open_arguments(job), output);
    const Tensor result = output.tensor("result");
    return {.text = tensor_text(result), .values = tensor_text(flattened(result))};
  } catch (const Error& error) {
    return {.is_refused = true, .text = error.what()};
  }
}

bool differ(const Outcome& a, const Outcome& b) {
  return a.is_refused != b.is_refused || (!a.is_refused && a.values != b.values);
}

std::vector<GeneratedCase> witness_set(const Operation& operation) {
  std::vector<GeneratedCase> cases;
  for (const Witness& witness : witnesses()) {
    std::optional<GeneratedCase> made = case_of(witness, operation);
    if (!made) continue;
    made->name = fmt::format("{}-witness", operation.id);
    for (const std::string& part : {with_hyphens(witness.question), std::string(witness.name)}) {
      if (!part.empty()) made->name += "-" + part;
    }
    cases.push_back(*std::move(made));
  }
  return cases;
}

}  // namespace tscatter::app
