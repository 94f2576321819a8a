// Dimension numbers as MLIR prints them: "#stablehlo.scatter<update_window_dims = [1], …>"; and as
// HLO does: "update_window_dims={1}".

#include "jobs/job_index.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <utility>
#include <vector>

#include "process/environment.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter::app {
namespace {

// The same elements, computed once.
Tensor spooled(const Tensor& tensor) {
  constexpr std::int64_t at_once = std::int64_t{1} << 20U;
  auto spool = std::make_shared<Spool>(temporary_directory(), tensor.name());
  std::vector<std::byte> some;
  for (std::int64_t at = 0; at < tensor.byte_size(); at += at_once) {
    some.resize(static_cast<std::size_t>(std::min(at_once, tensor.byte_size() - at)));
    tensor.source().read(at, some);
    spool->append(some);
  }
  return {tensor.header(), std::move(spool), tensor.name()};
}

// Whether a computed mask is read from front to back, in the order in which data is written, so
// that each place is tested before it changes.
bool is_read_beside_data(const Job& job, const Tensor& mask, const Tensor* updates) {
  const bool is_c =
      mask.order() == MemoryOrder::c && (updates == nullptr || updates->order() == MemoryOrder::c);
  return job.index.size() == 1 && is_c &&
         job.operation->policies.duplicates == DuplicatePolicy::ordered;
}

// The mask that the word describes, if it is one that is computed.
Tensor computed(const IndexWord& word, const Tensor& tensor) {
  if (!word.computed) return tensor;
  const ComputedWord& wanted = *word.computed;
  const DTypeKind kind = info(tensor.type().dtype).kind;
  Number number = wanted.number;
  if (wanted.is_beyond && kind != DTypeKind::real && kind != DTypeKind::complex)
    number = std::copysign(std::numeric_limits<double>::infinity(), std::get<double>(number));
  const Tensor mask = computed_mask(tensor, wanted.test, number, word.text);
  return wanted.is_opposite ? computed_mask(mask, MaskTest::is_false, {}, word.text) : mask;
}

// Of an item's values without one: a list of true and false alone is a mask.
DType dtype_of_item(const OperandWord& word) {
  const std::size_t first = word.text.find_first_not_of("[ \t\n");
  const std::string_view value =
      std::string_view(word.text).substr(std::min(first, word.text.size()));
  const bool begins = value.starts_with("true") || value.starts_with("false");
  const bool has_number = value.find_first_of("0123456789") != std::string_view::npos;
  return begins && !has_number ? DType::boolean : DType::int64;
}

// `check` gets the tensor and its name in messages.
Tensor open_item(const Job& job, const OperandWord& word, OperandOpener& opener,
                 const CheckOperand& check) {
  OperandOpener::Wanted wanted = wanted_of(job, "index", OperandRole::integers, word);
  wanted.dtype = dtype_of_item(word);
  Tensor tensor = opener.open(word, wanted);
  check(tensor, wanted.name);
  return tensor;
}

void add_items(Job& job, const std::vector<std::string>& items, WordForm form,
               const std::string& where) {
  for (const std::string& item : form == WordForm::word ? with_whole_literals(items) : items)
    add_index_item(job, parse_index_word(item, job.base, form, where));
}

}  // namespace

void add_index_item(Job& job, IndexWord item) {
  if (item.operand) job.operands[operand_of_item(job.index.size())] = *item.operand;
  job.index.push_back(std::move(item));
}

void add_index(Job& job, const std::string& text, WordForm form, const std::string& where) {
  const auto words = split_index(fmt::format("index[{}]", text));
  // job.j4
  if (!words || words->operand != "index") {
    fail(ErrorKind::usage, "job.j4", where,
         "must be items divided by commas, in brackets that are closed, got {}", text);
  }
  add_items(job, words->items, form, where);
}

void take_index_of_data(Job& job, const std::string& where) {
  const auto data = job.operands.find("data");
  if (data == job.operands.end()) return;
  const WordForm form = data->second.form;
  if (form == WordForm::json) return;
  const auto indexed = indexed_word(job.base, data->second.text);
  if (!indexed) return;
  add_items(job, indexed->items, form, where);
  job.operands["data"] = {.text = indexed->operand, .form = form};
}

OperandOpener::Wanted wanted_of(const Job& job, std::string_view name, OperandRole role,
                                const OperandWord& word) {
  return {.name = word.where.empty() ? fmt::format("{}{}", job.name_prefix, name) : word.where,
          .role = role,
          .dtype = {},
          .missing = job.missing};
}

void open_index(const Job& job, OperandOpener& opener, Arguments& arguments,
                const CheckOperand& check) {
  for (const IndexWord& word : job.index) {
    if (word.basic) {
      std::visit(
          [&](const auto& item) {
            arguments.index.push_back({item, word.text});
          },
          *word.basic);
      continue;
    }
    const bool is_of_data = word.computed && word.computed->is_about_data;
    const Tensor* const data = is_of_data ? arguments.find("data") : nullptr;
    if (is_of_data && data == nullptr) return;  // which is refused
    Tensor read = computed(word, is_of_data ? *data : open_item(job, *word.operand, opener, check));
    if (word.computed && !is_read_beside_data(job, read, arguments.find("updates")))
      read = spooled(read);
    const std::string name = operand_of_item(arguments.index.size());
    arguments.operands.insert_or_assign(name, std::move(read));
    arguments.index.push_back({OperandItem{name}, word.text});
  }
}

namespace {

constexpr std::string_view vector_dim = "index_vector_dim";

bool is_dims(const OperandInfo& operand) {
  return operand.role == OperandRole::list || operand.name == vector_dim;
}

// What stands between the brackets of an attribute of MLIR, or the whole text.
std::string between_brackets(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  const std::size_t open = text.find('<');
  const std::size_t close = text.rfind('>');
  if (begin == std::string::npos || text[begin] != '#' || open >= close) return text;
  return text.substr(open + 1, close - open - 1);
}

bool is_left_open(std::string_view text) {
  return text.starts_with('#') && text.find('<') != std::string_view::npos && !text.ends_with('>');
}

// The numbers of "[0, 1]", "dense<[0, 1]> : tensor<2xi64>" and "{0, 1}" as a list; of "3".
std::string numbers_of(const std::smatch& found) {
  if (found[4].matched) return found[4].str();
  return "[" + (found[2].matched ? found[2].str() : found[3].str()) + "]";
}

}  // namespace

bool takes_dims(const Operation& operation) {
  return operation.find_operand("update_window_dims") != nullptr;
}

void set_dims(Job& job, const std::string& text, const std::string& where) {
  constexpr std::size_t longest = 1024;
  static const std::regex entry(
      R"(\s*(\w+)\s*=\s*)"
      R"((?:(?:dense<)?\[([\d,\s]*)\](?:>\s*:\s*tensor<\w+>)?|\{([\d,\s]*)\}|(\d+)))"
      R"(\s*(?:,|$))");
  // job.j18
  if (is_left_open(trimmed(text))) {
    fail(ErrorKind::usage, "job.j18", where, "the < is not closed by a > at the end, got {}",
         text.substr(0, 200));
  }
  std::string rest = between_brackets(text.substr(0, longest));
  std::map<std::string, std::string, std::less<>> dims;
  std::smatch found;
  while (std::regex_search(rest, found, entry, std::regex_constants::match_continuous)) {
    const OperandInfo* operand = job.operation->find_operand(found[1].str());
    const bool is_new = operand != nullptr && is_dims(*operand) &&
                        dims.emplace(operand->name, numbers_of(found)).second;
    if (!is_new) {
      std::vector<std::string_view> names;
      for (const OperandInfo& each : job.operation->operands)
        if (is_dims(each)) names.push_back(each.word());
      // job.j18
      fail(ErrorKind::usage, "job.j18", where,
           "each name must be one of {}{}, and stand once, got {}", fmt::join(names, ", "),
           operand == nullptr ? nearest_hint(found[1].str(), {names.begin(), names.end()}) : "",
           found[1].str());
    }
    rest = found.suffix();
  }
  const bool is_read = rest.find_first_not_of(" \t\n") == std::string::npos;
  // job.j18
  if (!is_read || text.size() > longest) {
    fail(ErrorKind::usage, "job.j18", where,
         "must be dimension numbers as MLIR has them, update_window_dims = [1, 2], "
         "index_vector_dim = 1, got {}",
         text.substr(0, 200));
  }
  job.dims = std::move(dims);
}

std::map<std::string, OperandWord, std::less<>> operands_with_dims(const Job& job) {
  if (!job.dims) return job.operands;
  auto operands = job.operands;
  for (const OperandInfo& operand : job.operation->operands) {
    if (!is_dims(operand)) continue;
    const auto found = job.dims->find(operand.name);
    std::string word = operand.name == vector_dim ? "0" : "[]";
    if (found != job.dims->end()) word = found->second;
    const bool is_new = operands.emplace(operand.name, OperandWord{.text = std::move(word)}).second;
    // job.j18
    if (!is_new) {
      fail(ErrorKind::usage, "job.j18", job.name_of(operand.word()),
           "dimension numbers must be given as lists, or all together as {}", job.name_of("dims"));
    }
  }
  return operands;
}

}  // namespace tscatter::app
