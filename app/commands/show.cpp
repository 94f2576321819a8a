#include "commands/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/targets.hpp"
#include "commands/open_tensor.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "process/signals.hpp"
#include "text/json_line.hpp"
#include "text/statistics_text.hpp"
#include "tscatter/io/formats/json_tensor.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

enum class ShowForm : bool { words, json };
enum class ShowPart : bool { all, header };  // header: the elements are not read

struct ShowFlags {
  std::string tensor;
  std::optional<ElementsAs> elements;
  ShowForm form = ShowForm::words;
  ShowPart part = ShowPart::all;
  int threads = 0;
};

std::string_view order_name(const TensorHeader& header) {
  if (header.order == MemoryOrder::fortran) return "fortran";
  return "c";
}

// Where bytes can be turned: not of one byte, not inside opaque elements.
std::string_view byte_order_name(const ElementType& type) {
  if (type.word() == 1) return "none";
  return type.byte_order == std::endian::little ? "little" : "big";
}

std::string header_words(const Tensor& tensor) {
  return fmt::format(
      "name        {}\n"
      "dtype       {}\n"
      "shape       {}\n"
      "elements    {}\n"
      "bytes       {}\n"
      "order       {}\n"
      "byte order  {}\n",
      escape_control(tensor.name()), escape_control(to_string(tensor.type())),
      to_string(tensor.shape()), tensor.count(), tensor.byte_size(), order_name(tensor.header()),
      byte_order_name(tensor.type()));
}

ordered_json header_json(const Tensor& tensor) {
  return {
      {"name", tensor.name()},
      {"dtype", to_string(tensor.type())},
      {"shape", tensor.shape()},
      {"elements", tensor.count()},
      {"bytes", tensor.byte_size()},
      {"order", order_name(tensor.header())},
      {"byte_order", byte_order_name(tensor.type())},
  };
}

// The first elements of a tensor that is only moved, a line each.
std::string hexadecimal_preview(const Tensor& tensor) {
  constexpr std::int64_t most_elements = 4;
  constexpr std::size_t most_bytes = 32;
  const std::size_t size = tensor.type().size;
  std::vector<std::byte> bytes(std::min(size, most_bytes));
  std::string text;
  for (std::int64_t i = 0; i < std::min(most_elements, tensor.count()); ++i) {
    tensor.source().read(i * static_cast<std::int64_t>(size), bytes);
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", byte);
    text += size > most_bytes ? "...\n" : "\n";
  }
  return tensor.count() > most_elements ? text + "...\n" : text;
}

void print_preview(const Tensor& tensor) {
  print("\n");
  if (tensor.type().dtype == DType::opaque) return print(hexadecimal_preview(tensor));
  write_json(tensor, JsonForm::preview, [](std::string_view text) { print(text); });
}

std::optional<Statistics> wanted_statistics(const Tensor& tensor, const ShowFlags& flags) {
  if (flags.part == ShowPart::header) return std::nullopt;
  tensor.source().check_content(flags.threads, InterruptScope::stop());
  if (tensor.type().dtype == DType::opaque) return std::nullopt;
  return statistics(tensor, {.threads = flags.threads, .stop = InterruptScope::stop()});
}

void show_tensor(const ShowFlags& flags) {
  const Tensor tensor = open_tensor(flags.tensor, "TENSOR", flags.elements);
  const std::optional<Statistics> statistics = wanted_statistics(tensor, flags);
  const DType dtype = tensor.type().dtype;
  if (flags.form == ShowForm::json) {
    ordered_json json = header_json(tensor);
    if (statistics) json.update(statistics_json(*statistics, dtype, tensor.count()));
    return print(json_line(json));
  }
  print(header_words(tensor) +
        (statistics ? statistics_words(*statistics, dtype, tensor.count()) : ""));
  if (flags.part == ShowPart::all) print_preview(tensor);
}

// A member of an archive: its tensor, or why it is none.
struct ShownMember {
  ArchiveMember member;
  std::optional<Tensor> tensor;
  std::string reason;
};

std::vector<ShownMember> shown_members(const Archive& archive) {
  std::vector<ShownMember> all;
  std::vector<ArchiveMember> members = archive.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    ShownMember shown{.member = std::move(members[i]), .tensor = std::nullopt, .reason = {}};
    try {
      shown.tensor = archive.tensor_at(i);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::format) throw;
      shown.reason = fmt::format("{} [{}]", error.message(), error.label());
    }
    all.push_back(std::move(shown));
  }
  return all;
}

ordered_json member_json(const ShownMember& shown) {
  ordered_json json{{"name", shown.member.name},
                    {"member", shown.member.file_name},
                    {"compression", shown.member.compression},
                    {"member_bytes", shown.member.size},
                    {"packed_bytes", shown.member.packed_size}};
  if (shown.tensor) {
    ordered_json header = header_json(*shown.tensor);
    header.erase("name");
    json.update(header);
  } else {
    json["reason"] = shown.reason;
  }
  return json;
}

// In characters; those of UTF-8 that begin none are not counted.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// A table with its columns as wide as they must be.
std::string table(const std::vector<std::array<std::string, 5>>& rows) {
  std::array<std::size_t, 5> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::array<std::string, 5> member_row(const ShownMember& shown) {
  const std::string compression(shown.member.compression);
  if (!shown.tensor) {
    return {escape_control(shown.member.file_name), "no tensor", "",
            fmt::format("{}", shown.member.size), compression};
  }
  return {escape_control(shown.member.name), escape_control(to_string(shown.tensor->type())),
          to_string(shown.tensor->shape()), fmt::format("{}", shown.tensor->byte_size()),
          compression};
}

void show_archive(const Archive& archive, const ShowFlags& flags) {
  const std::vector<ShownMember> members = shown_members(archive);
  if (flags.form == ShowForm::json) {
    ordered_json list = ordered_json::array();
    for (const ShownMember& shown : members) list.push_back(member_json(shown));
    return print(json_line(list));
  }
  std::vector<std::array<std::string, 5>> rows{{"name", "dtype", "shape", "bytes", "compression"}};
  for (const ShownMember& shown : members) rows.push_back(member_row(shown));
  print(table(rows));
}

void show(const ShowFlags& flags) {
  const bool is_path = names_a_path({.text = flags.tensor}, {.name = "TENSOR", .dtype = {}});
  if (const auto archive = is_path ? archive_named(flags.tensor) : nullptr)
    return show_archive(*archive, flags);
  show_tensor(flags);
}

Invocation bind(const Operation*) {
  const auto flags = std::make_shared<ShowFlags>();
  return {.arguments = {{.name = "TENSOR", .help = tensor_help, .into = text(flags->tensor)}},
          .flags = {dtype_flag(parsed(flags->elements, parse_elements)),
                    {.name = "header",
                     .group = "Output",
                     .help = "the header only: no element is read",
                     .into = set_to(flags->part, ShowPart::header)},
                    {.name = "json",
                     .group = "Output",
                     .help = "header and statistics as one JSON object",
                     .into = set_to(flags->form, ShowForm::json)},
                    threads_flag(flags->threads)},
          .run = [flags](const Messages&) {
            show(*flags);
            return 0;
          }};
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "header, statistics and preview of a tensor; members of an archive",
          .examples = {"tscatter show weights.npy", "tscatter show model.npz",
                       "tscatter show model.npz:bias", "tscatter show --header huge.npy",
                       "tscatter show 2x3xf16=0"},
          .bind = bind};
}

}  // namespace tscatter::app
