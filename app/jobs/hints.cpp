#include "jobs/hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/index_items.hpp"
#include "jobs/job_policies.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/registry.hpp"
#include "tscatter/ops/newest_operation.hpp"

namespace tscatter::app {
namespace {

// Some names in the folder, in alphabetical order, but those of .npy files first.
std::vector<std::string> names_beside(const std::filesystem::path& path) {
  constexpr std::size_t most = 4096;
  std::vector<std::string> names;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end;
       !error && each != end && names.size() < most; each.increment(error)) {
    names.push_back(each->path().filename().native());
  }
  std::ranges::sort(names);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& each) { return each.ends_with(".npy"); });
  return names;
}

// "case-1.npy" is no misspelling of "case-2.npy".
bool differ_in_digits_only(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::equal(a, b,
                            [&](char x, char y) { return x == y || (is_digit(x) && is_digit(y)); });
}

// "dd.npy" for d.npy: one letter too many or too few, or two swapped.
bool differ_in_a_slip(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::string_view rest = a.substr(std::min(at + 1, a.size()));
  if (a.size() == b.size() + 1) return rest == b.substr(at);
  const bool is_swap =
      a.size() == b.size() && !rest.empty() && a[at] == b[at + 1] && a[at + 1] == b[at];
  return is_swap && rest.substr(1) == b.substr(at + 2);
}

// For a name that is too short for nearest_name(): returns a name that differs by one slip, or only
// in its ending; nullptr if there is none.
const std::string* nearest_short_name(const std::filesystem::path& name,
                                      const std::vector<std::string>& names) {
  const auto slips = [&](const std::string& each) { return differ_in_a_slip(each, name.native()); };
  const auto other_ending = [&](const std::filesystem::path& each) {
    return name.has_extension() && each.has_extension() && each.stem() == name.stem();
  };
  auto found = std::ranges::find_if(names, slips);
  if (found == names.end()) found = std::ranges::find_if(names, other_ending);
  return found == names.end() ? nullptr : &*found;
}

std::string nearest_file_hint(const std::filesystem::path& path) {
  const std::string name = path.filename().native();
  std::vector<std::string> names = names_beside(path);
  std::erase_if(names, [&](const std::string& each) { return differ_in_digits_only(each, name); });
  const std::string* nearest = nearest_name(name, names);
  if (nearest == nullptr) nearest = nearest_short_name(name, names);
  if (nearest == nullptr) return {};
  return fmt::format(" (nearest: {})", (path.parent_path() / *nearest).native());
}

// "2x3xf32=0", and what was meant to be one: "3Xf32=1", "3xhalf=1".
bool resembles_literal(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' &&
         text.find('=') != std::string_view::npos;
}

// "2x3xf32=@x.bin", and what was meant to be that: "@x.bin".
bool resembles_raw(std::string_view text) {
  return text.starts_with('@') ||
         (resembles_literal(text) && text.find("=@") != std::string_view::npos);
}

// " (f33 is no dtype, nearest: f32)" for "3xf33=0", " (sizes are divided by x: 3x2xf32=1)" for
// "3,2xf32=1".
std::string literal_hint(std::string_view text) {
  const std::string_view front = text.substr(0, text.find('='));
  const std::size_t dtype = front.find_first_not_of("0123456789xX,");
  std::string sizes(front.substr(0, dtype));
  const std::string name(dtype == std::string_view::npos ? "" : front.substr(dtype));
  if (name.empty()) return " (a literal is written like 2x3xf32=0)";
  if (!dtype_from_name(name)) {
    const std::string hint = dtype_hint(name, "tscatter help operands lists them");
    return fmt::format(" ({} is no dtype, {}", name, hint.substr(hint.find('(') + 1));
  }
  if (sizes.find(',') == std::string::npos) return " (a literal is written like 2x3xf32=0)";
  std::ranges::replace(sizes, ',', 'x');
  return fmt::format(" (sizes are divided by x: {}{})", sizes, text.substr(dtype));
}

bool is_in_quotes(std::string_view text) {
  return text.size() > 2 && text.starts_with('"') && text.ends_with('"');
}

// A word of Python code, without the module in front of it.
struct PythonWord {
  std::string_view begin;
  std::string_view instead;
  bool is_whole = false;
};
constexpr std::array python_words{
    PythonWord{"nan", "nan", true},
    PythonWord{"inf", "inf", true},
    PythonWord{"newaxis", "newaxis", true},
    PythonWord{"()", "...", true},
    PythonWord{"True", "true, or a mask as [true, false]", true},
    PythonWord{"False", "false, or a mask as [true, false]", true},
    PythonWord{"range(", "a slice, START:STOP:STEP"},
    PythonWord{"arange(", "a slice, START:STOP:STEP"},
    PythonWord{"slice(", "a slice, START:STOP:STEP"},
    PythonWord{"float(", "nan, inf or the number"},
};

// " (write a slice, START:STOP:STEP)" for range(5).
std::string python_hint(std::string_view text) {
  const bool is_negative = text.starts_with("-np.") || text.starts_with("-math.");
  std::string_view name = text.substr(is_negative ? 1 : 0);
  for (const std::string_view module : {"np.", "numpy.", "math.", "torch.", "jnp."}) {
    if (name.starts_with(module)) name = name.substr(module.size());
  }
  for (const PythonWord& each : python_words) {
    if (each.is_whole ? name == each.begin : name.starts_with(each.begin))
      return fmt::format(" (write {}{})", is_negative ? "-" : "", each.instead);
  }
  return {};
}

bool is_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos;
  return has_digit && error == std::errc{} && end == text.data() + text.size();
}

// The number that Python reads in 1_000, +5, 0x10, 0b11 and 0o7; nullopt if it is none.
std::optional<std::string> python_number(std::string_view text) {
  std::string plain(text.substr(text.starts_with('+') ? 1 : 0));
  std::erase(plain, '_');
  if (is_decimal(plain)) return plain;
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0b", 2), std::pair("0o", 8)}) {
    std::int64_t value = 0;
    const char* const end = plain.data() + plain.size();
    if (!plain.starts_with(prefix) || plain.size() == 2) continue;
    const auto read = std::from_chars(plain.data() + 2, end, value, base);
    if (read.ec == std::errc{} && read.ptr == end) return std::to_string(value);
  }
  return std::nullopt;
}

// " (write 1000)" for 1_000, " (write [1, 2])" for (1, 2).
std::string value_hint(std::string_view text) {
  if (const auto number = python_number(text)) return fmt::format(" (write {})", *number);
  const bool is_tuple = text.size() > 2 && text.starts_with('(') && text.ends_with(')');
  return is_tuple ? fmt::format(" (write [{}])", text.substr(1, text.size() - 2)) : std::string();
}

}  // namespace

std::string missing_file_hint(const std::filesystem::path& path, const OperandWord& word) {
  const bool is_in_job = word.form == WordForm::path;
  const bool is_plain_path = path.native().find_first_of("+,=@") == std::string::npos;
  if (resembles_raw(word.text) && is_plain_path) return nearest_file_hint(path);
  if (resembles_raw(word.text))
    return " (raw bytes are written SHAPExDTYPE=@FILE[+OFFSET][,be][,f], as 2x3xf32=@x.bin+8)";
  if (is_in_job && resembles_literal(word.text))
    return R"( (a job has no literals: write {"dtype": "float32", "data": [1, 2]}))";
  if (is_in_job && resembles_json(word.text)) return " (a value stands without quotes)";
  if (resembles_literal(word.text)) return literal_hint(word.text);
  if (is_in_quotes(word.text)) return " (a value stands without quotes)";
  if (std::string hint = python_hint(word.text); !hint.empty()) return hint;
  if (std::string hint = value_hint(word.text); !hint.empty()) return hint;
  if (word.is_compared && path.extension().empty())
    return " (without a name the condition asks data itself: [< 0])";
  if (std::string hint = nearest_file_hint(path); !hint.empty()) return hint;
  if (word.is_item) {
    if (std::string hint = nearest_hint(word.text, item_words()); !hint.empty()) return hint;
  }
  return is_in_job ? "" : " (for values see tscatter help operands)";
}

namespace {

// For each form, where a hint looks for an operation that has what is missing: among operations of
// the same form first, then of the forms next to it, the nearest first.
constexpr std::array<std::array<std::optional<Form>, 3>, 14> neighbours{{
    {Form::rows, Form::nd, Form::elements},
    {Form::nd, Form::rows, Form::elements},
    {Form::elements, Form::nd, Form::rows},
    {Form::window},
    {Form::start},
    {Form::slice, Form::rows, Form::nd},
    {Form::batched_rows},
    {Form::index},
    {Form::flat},
    {Form::mask},
    {Form::section},
    {Form::diagonal},
    {Form::segment},
    {Form::block, Form::start, Form::slice},
}};
static_assert(std::ranges::equal(
                  neighbours, forms::form_table, {}, [](const auto& row) { return row.front(); },
                  [](const auto& form) { return std::optional(form.form); }),
              "each form has a row, in the order of form_table");

// By our name, an alias or another tool's word.
std::optional<Reduction> reduction_meant_by(std::string_view word) {
  if (const auto reduction = reduction_from_name(word)) return reduction;
  return reduction_from_name(synonym_of(word));
}

std::string operations_hint(const std::vector<const Operation*>& all, Reduction reduction) {
  std::vector<std::string_view> names(all.size());
  std::ranges::transform(all, names.begin(), &Operation::name);
  return fmt::format(" ({} {} {})", fmt::join(names, ", "), all.size() == 1 ? "has" : "have",
                     all.front()->word_of(reduction));
}

}  // namespace

std::string reduction_hint(const Operation& operation, std::string_view word) {
  const std::optional<Reduction> meant = reduction_meant_by(word);
  if (meant) {
    const bool has_it = std::ranges::count(operation.reductions(), *meant) > 0;
    if (has_it) return fmt::format(" (use {})", operation.word_of(*meant));
    const std::vector<const Operation*> others = operations_with(*meant, operation);
    if (!others.empty()) return operations_hint(others, *meant);
  }
  return nearest_hint(word, words_of(*operation.find_attribute("reduction")));
}

std::string other_operation_hint(const Operation& operation, std::string_view name) {
  const bool is_letter = name.size() == 2 && name[0] == '-';
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const auto is_it = [&](const auto& row) {
    return is_letter ? row.flag == name[1] : row.name == bare;
  };
  if (std::string hint = policy_hint(operation, bare); !hint.empty()) return hint;
  const auto has_it = [&](const Operation& each) {
    return std::ranges::any_of(each.operands, is_it) || std::ranges::any_of(each.attributes, is_it);
  };
  for (const auto& form : neighbours[static_cast<std::size_t>(operation.form)]) {
    const Operation* other = newest_operation(
        operation.id, [&](const Operation& each) { return each.form == form && has_it(each); });
    if (other != nullptr) return fmt::format(" ({} has it)", other->name);
  }
  return {};
}

}  // namespace tscatter::app
