#include "c/command_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "cli/parser.hpp"
#include "jobs/resources.hpp"
#include "process/host.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter::app {
namespace {

using Arrays = std::map<std::string, Array, std::less<>>;

std::span<const tsc_option> options_of(const tsc_request& request) {
  return {request.options, request.option_count};
}

// Names of options and tensors, as the flags are called.
std::string flag_name_of(const char* word) {
  std::string name = word == nullptr ? "" : word;
  std::ranges::replace(name, '_', '-');
  return name;
}

bool is_given(const tsc_request& request, std::string_view flag) {
  return std::ranges::any_of(options_of(request), [&](const tsc_option& option) {
    return flag_name_of(option.name) == flag;
  });
}

Arrays arrays_of(const tsc_request& request) {
  Arrays arrays;
  for (const tsc_tensor& tensor : std::span(request.tensors, request.tensor_count)) {
    const std::string name = flag_name_of(tensor.name);
    // array.a7
    if (!arrays.emplace(name, array_of(tensor)).second)
      fail(ErrorKind::usage, "array.a7", name, "the tensor is given twice");
  }
  return arrays;
}

bool is_data(const Operation* operation, std::string_view name) {
  if (operation == nullptr) return false;
  return std::ranges::any_of(operation->operands, [&](const OperandInfo& each) {
    return each.role == OperandRole::data && each.has_name(name);
  });
}

// An output that is data's own memory is changed in place.
void settle_output(Arrays& arrays, const Operation* operation) {
  const auto output = arrays.find("output");
  if (output == arrays.end()) return;
  for (const auto& [name, array] : arrays) {
    if (is_data(operation, name) && is_same_memory(output->second, array)) {
      output->second.is_data = true;
    } else if (name != "output") {
      require_apart(output->second, array, name);
    }
  }
}

void add_made_output(Arrays& arrays, const MakeMemory& make) {
  const Tensor nothing({.type = ElementType::of(DType::uint8), .shape = {0}},
                       std::span<const std::byte>(), "output");
  Array output{.tensor = nothing, .bytes = {}, .is_writable = true, .make = make};
  // array.a7
  if (!arrays.emplace("output", std::move(output)).second)
    fail(ErrorKind::usage, "array.a7", "output", "must be left out where alloc gives its memory");
}

// "ACTUAL" is given as actual.
bool is_named(const Argument& argument, std::string_view name) {
  return equal_ignoring_case(argument.name, name);
}

// The items of an index, some of them arrays. "index1" is the second item; the option index
// gives the others, in order.
class Items {
 public:
  explicit Items(Target into) : into_{std::move(into)} {}

  // False if there is an array at this place already.
  bool add(std::size_t place, const Array& array) { return arrays_.emplace(place, array).second; }

  void set(const std::string& text, const std::string& where) {
    take_arrays();
    into_.set(text, where);
    ++count_;
  }

  // After the last option.
  void end() {
    take_arrays();
    if (arrays_.empty()) return;
    // array.a7
    fail(ErrorKind::usage, "array.a7", arrays_.begin()->second.tensor.name(),
         "the items of an index must be numbered without a gap, got {} before this one", count_);
  }

 private:
  void take_arrays() {
    for (auto next = arrays_.find(count_); next != arrays_.end(); next = arrays_.find(++count_)) {
      into_.take(next->second);
      arrays_.erase(next);
    }
  }

  Target into_;
  std::map<std::size_t, Array> arrays_;  // by their places
  std::size_t count_ = 0;                // of the items so far
};

// The place among the values of a flag that is repeated; nullopt if the name is another's.
std::optional<std::size_t> place_among(const Flag& flag, std::string_view name) {
  const std::string_view word = name.substr(0, name.find_first_of("0123456789"));
  if (flag.occurrence == Occurrence::once || !flag.has_name(word)) return std::nullopt;
  const std::string_view digits = name.substr(word.size());
  return digits.empty() ? std::optional<std::size_t>(0) : number_in<std::size_t>(digits);
}

// The arrays that are items of an index leave `arrays`. nullptr if there are none.
std::shared_ptr<Items> items_among(FlagTable& table, Arrays& arrays) {
  std::shared_ptr<Items> items;
  const auto flag = std::ranges::find_if(table.flags, [](const Flag& each) {
    return each.occurrence == Occurrence::repeated && each.into.take;
  });
  if (flag == table.flags.end()) return items;
  std::erase_if(arrays, [&](const auto& named) {
    const auto& [name, array] = named;
    const auto place = place_among(*flag, name);
    if (!place) return false;
    if (!items) items = std::make_shared<Items>(flag->into);
    // array.a7
    if (!items->add(*place, array))
      fail(ErrorKind::usage, "array.a7", name, "the item is given twice");
    return true;
  });
  if (!items) return items;
  flag->presence = Presence::optional;
  flag->into.set = [items](const auto& text, const auto& where) { items->set(text, where); };
  return items;
}

bool is_named(const Flag& flag, std::string_view name) { return flag.has_name(name); }

// Gives the tensor to the row of this name, which leaves the table: it needs no word.
template <class Row>
bool give(std::vector<Row>& rows, std::string_view name, const Array& array) {
  const auto row = std::ranges::find_if(
      rows, [&](const Row& each) { return is_named(each, name) && each.into.take; });
  if (row == rows.end()) return false;
  row->into.take(array);
  rows.erase(row);
  return true;
}

void give_all(FlagTable& table, const Arrays& arrays) {
  for (const auto& [name, array] : arrays) {
    // array.a7
    if (!give(table.flags, name, array) && !give(table.arguments, name, array)) {
      fail(ErrorKind::usage, "array.a7", table.name, "the call takes no tensor {}",
           array.tensor.name());
    }
  }
}

// "--json", "--reduction=sum". Without a name it is a flag that no command has, not the end of the
// flags.
std::string word_of(const std::string& name, const char* value) {
  const bool is_switch = value == nullptr && !name.empty();
  return is_switch ? "--" + name : fmt::format("--{}={}", name, value == nullptr ? "" : value);
}

// What a shell would give the program.
std::vector<std::string> words_of(const FlagTable& table, const tsc_request& request) {
  std::vector<std::string> words;
  std::vector<std::string> arguments;
  for (const tsc_option& option : options_of(request)) {
    const std::string name = flag_name_of(option.name);
    const auto argument = std::ranges::find_if(
        table.arguments, [&](const Argument& each) { return is_named(each, name); });
    if (argument != table.arguments.end() && option.value != nullptr) {
      arguments.emplace_back(option.value);
    } else {
      words.push_back(word_of(name, option.value));
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

void read(FlagTable table, const tsc_request& request, const MakeMemory& make) {
  Arrays arrays = arrays_of(request);
  settle_output(arrays, table.operation);
  if (make) add_made_output(arrays, make);
  const std::shared_ptr<Items> items = items_among(table, arrays);
  give_all(table, arrays);
  const std::vector<std::string> words = words_of(table, request);
  if (const Parsed parsed = parse(table, words); parsed.error) throw Error(*parsed.error);
  if (items) items->end();
}

}  // namespace

const Operation& operation_called(const char* name) {
  const std::string word = name == nullptr ? "" : name;
  const Operation* operation = find_operation(word);
  // cli.c1
  if (operation == nullptr) {
    fail(ErrorKind::usage, "cli.c1", "operation", "must be an operation{}, got {}",
         unknown_operation_hint(word, {}, "see tscatter ops"),
         word.empty() ? "an empty name" : word);
  }
  return *operation;
}

Answer call(const Command& command, const Operation* operation, const tsc_request& request,
            const MakeMemory& make) {
  Invocation invocation = command.bind(operation);
  const bool is_told = request.stop != nullptr && command.progress_by == ProgressBy::program;
  Host host(flag_of(request.stop), is_told ? &request.stop->progress : nullptr);
  const HostScope scope(&host);
  const KeptWorkers workers;
  read({.name = std::string(operation == nullptr ? command.name : operation->name),
        .usage = fmt::format("tscatter {}", command.name),
        .operation = operation,
        .arguments = std::move(invocation.arguments),
        .flags = std::move(invocation.flags)},
       request, make);
  const int code = invocation.run({.is_quiet = true});
  return {.code = code, .text = host.printed()};
}

void require_place_of_result(const Command& command, const tsc_request& request) {
  const bool has_array = std::ranges::any_of(
      std::span(request.tensors, request.tensor_count),
      [](const tsc_tensor& each) { return flag_name_of(each.name) == "output"; });
  if (has_array || is_given(request, "in-place") || is_given(request, "dry-run")) return;
  const bool is_file = std::ranges::any_of(options_of(request), [](const tsc_option& option) {
    return flag_name_of(option.name) == "output" && option.value != nullptr &&
           std::string_view(option.value) != "-";
  });
  // cli.c3
  if (!is_file) {
    fail(ErrorKind::usage, "cli.c3", std::string(command.name),
         "output is missing: memory or a file{}",
         command.operation == nullptr ? "" : ", or in_place");
  }
}

}  // namespace tscatter::app
