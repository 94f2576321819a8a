#include "jobs/job_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/views/computed_mask.hpp"

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

}  // namespace tscatter::app
