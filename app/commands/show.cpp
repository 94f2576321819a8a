#include "commands/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands/convert.hpp"
#include "operand.hpp"
#include "result.hpp"
#include "signals.hpp"
#include "text/json_line.hpp"
#include "text/statistics_text.hpp"
#include "tscatter/io/formats/json_tensor.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

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

std::optional<Statistics> wanted_statistics(const Tensor& tensor, const ShowWanted& wanted) {
  if (wanted.part == ShowPart::header) return std::nullopt;
  tensor.source().check_content(wanted.threads, InterruptScope::stop());
  if (tensor.type().dtype == DType::opaque) return std::nullopt;
  return statistics(tensor, {.threads = wanted.threads, .stop = InterruptScope::stop()});
}

void show_tensor(const std::string& word, const ShowWanted& wanted) {
  const Tensor tensor = open_tensor(word, "TENSOR", wanted.dtype);
  const std::optional<Statistics> statistics = wanted_statistics(tensor, wanted);
  const DType dtype = tensor.type().dtype;
  if (wanted.form == ShowForm::json) {
    ordered_json json = header_json(tensor);
    if (statistics) json.update(statistics_json(*statistics, dtype, tensor.count()));
    return print(json_line(json));
  }
  print(header_words(tensor) +
        (statistics ? statistics_words(*statistics, dtype, tensor.count()) : ""));
  if (wanted.part == ShowPart::all) print_preview(tensor);
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

void show_archive(const Archive& archive, const ShowWanted& wanted) {
  const std::vector<ShownMember> members = shown_members(archive);
  if (wanted.form == ShowForm::json) {
    ordered_json list = ordered_json::array();
    for (const ShownMember& shown : members) list.push_back(member_json(shown));
    return print(json_line(list));
  }
  std::vector<std::array<std::string, 5>> rows{{"name", "dtype", "shape", "bytes", "compression"}};
  for (const ShownMember& shown : members) rows.push_back(member_row(shown));
  print(table(rows));
}

}  // namespace

void show(const std::string& word, const ShowWanted& wanted) {
  const bool is_path = names_a_path({.text = word}, {.name = "TENSOR", .dtype = std::nullopt});
  if (const auto archive = is_path ? archive_named(word) : nullptr)
    return show_archive(*archive, wanted);
  show_tensor(word, wanted);
}

}  // namespace tscatter::app
