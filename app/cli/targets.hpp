// Targets for the values of flags. Every value is parsed once, into the type that its command uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "jobs/operand.hpp"
#include "text/document.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {

// A flag without a value.
template <class T>
Target set_to(T& place, T value) {
  return {.set = [&place, value](const auto&, const auto&) { place = value; }};
}
Target turn_on(bool& place);
Target count_up(int& place);

Target text(std::string& place);
// The flag, which also adds its name to `given` where it is given: "--html".
Flag noting(std::vector<std::string>& given, Flag flag);
Target text(std::optional<std::string>& place);
Target operand(const std::function<void(OperandWord word)>& set);
Target operand(OperandWord& place);
Target operand(std::optional<OperandWord>& place);
Target texts(std::vector<std::string>& place);  // of a flag or argument that is repeated

// An integer from `least` to `most`. Throws Error (usage, cli.c4).
std::int64_t parse_integer(const std::string& text, const std::string& where, std::int64_t least,
                           std::int64_t most);

template <class Place>
Target integer(Place& place, std::int64_t least, std::int64_t most) {
  return {.set = [&place, least, most](const auto& text, const auto& where) {
    const std::int64_t value = parse_integer(text, where, least, most);
    if constexpr (std::is_same_v<Place, int>) {
      place = static_cast<int>(value);
    } else {
      place = value;
    }
  }};
}

// Throws Error (usage, cli.c4).
DType parse_dtype_flag(const std::string& name, const std::string& where);
Target dtype(std::optional<DType>& place);

// How many elements to list. Throws Error (usage, cli.c20).
Target worst(std::int64_t& place);

// Stores parse(text, where).
template <class T, class Parse>
Target parsed(T& place, Parse parse) {
  return {.set = [&place, parse](const std::string& text, const std::string& where) {
    place = parse(text, where);
  }};
}

// Appends one of several values.
template <class T, class Parse>
Target appended(std::vector<T>& place, Parse parse) {
  return {.set = [&place, parse](const std::string& text, const std::string& where) {
    place.push_back(parse(text, where));
  }};
}

template <class T>
struct Choice {
  std::string_view name;
  T value;
};

template <class Place, class T>
Target one_of(Place& place, std::vector<Choice<T>> choices) {
  std::vector<std::string> names(choices.size());
  std::ranges::transform(choices, names.begin(),
                         [](const Choice<T>& choice) { return std::string(choice.name); });
  return {.choices = std::move(names),
          .set = [&place, choices = std::move(choices)](const std::string& text, const auto&) {
            place = std::ranges::find(choices, text, &Choice<T>::name)->value;
          }};
}

// An enum, given the names of its values in order.
template <class Enum>
std::vector<Choice<Enum>> choices_of(std::span<const std::string_view> names) {
  std::vector<Choice<Enum>> choices;
  for (std::size_t i = 0; i < names.size(); ++i)
    choices.push_back({names[i], static_cast<Enum>(i)});
  return choices;
}

// A command's run that calls this; its exit code is 0.
template <class Options>
auto runs(std::shared_ptr<Options> options, void (*run)(const Options&)) {
  return [options = std::move(options), run](const Messages&) {
    run(*options);
    return 0;
  };
}

// Rows: a flag without a value, and one whose value is called `value` in help.
Flag switch_flag(std::string name, HelpWords help, Target into);
Flag value_flag(std::string name, std::string_view value, HelpWords help, Target into);

// The same row, for a flag that has a letter, too, or that may be given several times.
Flag with_letter(char letter, Flag flag);
Flag repeatable(Flag flag);

// Below this heading in help. Of several rows: those that have none of their own, as a table, into
// which they are moved; an initializer list would copy each.
Flag in_group(std::string_view group, Flag flag);
template <std::size_t count>
std::vector<Flag> in_group(std::string_view group, Flag (&&rows)[count]) {
  std::vector<Flag> table{std::make_move_iterator(std::begin(rows)),
                          std::make_move_iterator(std::end(rows))};
  for (Flag& row : table) {
    if (row.group.empty()) row.group = group;
  }
  return table;
}

// The flag, to be given with one of the others.
Flag beside(std::string_view others, Flag flag);
// The flag, or the flags, to be given without any of the others.
Flag never_beside(std::string_view others, Flag flag);
std::vector<Flag> without(std::string_view others, std::vector<Flag> flags);

// Joins tables.
std::vector<Flag> joined(std::vector<Flag> flags, std::vector<Flag> more);
template <class... Tables>
std::vector<Flag> joined(std::vector<Flag> flags, std::vector<Flag> more, Tables... others) {
  return joined(joined(std::move(flags), std::move(more)), std::move(others)...);
}

// Rows that several commands have.
Flag threads_flag(int& threads);
Flag dtype_flag(Target into);
Flag missing_flag(Missing& missing);
Flag cast_flag(CastPolicy& policy);
Flag sync_flag(Durability& durability);
Flag wait_flag();
Flag json_flag(HelpWords help, ReportForm& form);

}  // namespace tscatter::app
