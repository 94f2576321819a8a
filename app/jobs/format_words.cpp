#include "jobs/format_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

#include "text/document.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {
namespace {

// word(format) for each format that passes the test.
template <class Test, class Word>
std::vector<std::string> words_where(const Test& test, const Word& word) {
  std::vector<std::string> words;
  for (const Format* format : formats()) {
    if (test(*format)) words.push_back(word(*format));
  }
  return words;
}

template <class Test, class Word>
std::string joined(const Test& test, const Word& word, std::string_view separator = ", ") {
  return fmt::format("{}", fmt::join(words_where(test, word), separator));
}

bool is_output(const Format& format) { return format.names_outputs(); }
bool is_stdout_format(const Format& format) {
  return format.create != nullptr && !format.has_members();
}
bool is_in_place(const Format& format) { return format.in_place == InPlace::possible; }

std::string format_name(const Format& format) { return std::string(format.name); }
// "x.npy" or "x.npz:name"
std::string operand_of(const Format& format, std::string_view stem) {
  return fmt::format("{}{}{}", stem, format.ending, format.has_members() ? ":name" : "");
}

std::string output_of(const Format& format) { return operand_of(format, "x"); }

// Of raw bytes without what may be left out: "4x3xf32=@path".
std::string in_place_of(const Format& format) {
  if (format.has_members() || !format.is_archive()) return output_of(format);
  return std::string(format.operands.substr(0, format.operands.find('+')));
}

// "a, b or c"
std::string alternatives(std::vector<std::string> words) {
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", fmt::join(words, ", "), last);
}

std::string member_help(const Format& format) {
  if (!format.operands_help.empty()) return std::string(format.operands_help);
  return fmt::format("a member of an archive, with or without {}", format.member_ending);
}

// The endings of files that are not written as tensors.
std::string other_endings() {
  std::string endings;
  for (const FileKind& kind : file_kinds()) {
    const Format& format = format_of_name(usual_ending(kind));
    if (!kind.endings.empty() && &kind_of(format) != &kind)
      endings += fmt::format(" {}", kind.endings);
  }
  return endings.substr(1);
}

}  // namespace

std::string output_forms() { return joined(is_output, output_of); }

std::string output_kinds() {
  std::vector<std::string> words = words_where(is_output, output_of);
  words.emplace_back("-");
  return alternatives(std::move(words));
}

std::string in_place_kinds() { return alternatives(words_where(is_in_place, in_place_of)); }

std::vector<std::string> stdout_names() { return words_where(is_stdout_format, format_name); }

std::vector<OperandForm> file_operand_forms() {
  const auto path_of = [](const Format& format) { return operand_of(format, "path"); };
  const auto is_plain = [](const Format& format) {
    return !format.is_archive() && format.operands.empty();
  };
  std::vector<OperandForm> forms{
      {joined(is_plain, path_of), "a file; the first bytes decide, not the extension"}};
  for (const Format* format : formats()) {
    if (format->has_members()) forms.push_back({path_of(*format), member_help(*format)});
    if (!format->operands.empty())
      forms.push_back({std::string(format->operands), std::string(format->operands_help)});
  }
  return forms;
}

std::string formats_help() {
  TextTable table;
  for (const Format* format : formats())
    table.add({fmt::format("  {}", format->ending), std::string(format->help)});
  const std::vector<std::string> outputs = words_where(is_output, output_of);
  return table.text() +
         fmt::format(
             "\n-o {}, -o - (stdout: .npy, or JSON where stdout is a terminal). The ending "
             "decides, without regard to case; other names get .npy. --format {} decides "
             "instead. Without it, endings of other kinds of files are refused: {}. A file of "
             "another kind is replaced with --force only. Without -o the result is printed "
             "as nested lists, whole, but on a terminal long ones are shortened. A file "
             "appears under its name only when it is complete.\n",
             fmt::join(outputs, ", -o "), fmt::join(stdout_names(), "|"), other_endings());
}

}  // namespace tscatter::app
