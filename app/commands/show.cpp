#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/open_tensor.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/conversion.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"
#include "tscatter/statistics/statistics.hpp"

namespace tscatter::app {
namespace {

enum class ShowPart : bool { all, header };  // header: the elements are not read

struct ShowFlags {
  std::string tensor;
  std::optional<ElementsAs> elements;
  Missing missing = Missing::refused;
  ReportForm form = ReportForm::words;
  ShowPart part = ShowPart::all;
  int threads = 0;
};

// The first elements of an opaque tensor, one per line.
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
  tensor.source().check_content({.threads = flags.threads, .stop = InterruptScope::stop()});
  if (tensor.type().dtype == DType::opaque) return std::nullopt;
  return statistics(tensor, {.threads = flags.threads,
                             .stop = InterruptScope::stop(),
                             .progress = ProgressLine::of_run()});
}

void show_tensor(const ShowFlags& flags) {
  const Tensor tensor = open_tensor(flags.tensor, "TENSOR", flags.elements, flags.missing);
  const Tensor numbers = as_numbers(tensor);
  const std::optional<Statistics> statistics = wanted_statistics(numbers, flags);
  Document document;
  document.add("name", "name", text_figure(tensor.name()));
  document.add(header_document(tensor));
  add_table_header(document, tensor);
  if (const std::int64_t more = bytes_after_npy(flags.tensor); more > 0)
    document.add(
        "bytes_after", "after it",
        {.value = more, .text = fmt::format("{} bytes, another array", grouped(more).text)});
  if (statistics) document.add(statistics_document(*statistics, numbers.type(), tensor.count()));
  if (flags.form == ReportForm::json) return print(json_line(document));
  print(document_text(document));
  if (flags.part == ShowPart::all) print_preview(numbers);
}

// A member of an archive: its tensor, or why it is not one.
struct ShownMember {
  ArchiveMember member;
  std::optional<Tensor> tensor;
  std::string reason;
  std::exception_ptr failure;  // the file that has it cannot be read
};

ShownMember shown_member(const Archive& archive, ArchiveMember member, std::size_t index) {
  ShownMember shown{
      .member = std::move(member), .tensor = std::nullopt, .reason = {}, .failure = {}};
  try {
    shown.tensor = archive.tensor_at(index);
  } catch (const Error& error) {
    const bool is_of_journal = error.label().starts_with("undo.");
    if (is_of_journal) throw;
    if (error.kind() != ErrorKind::format) shown.failure = std::current_exception();
    shown.reason = fmt::format("{} [{}]", error.message(), error.label());
  }
  return shown;
}

// The first cells of a member's row, in words.
void show_cells(Document& row, const std::string& name, const std::string& dtype,
                const std::string& shape, const std::string& bytes) {
  for (const std::string& cell : {name, dtype, shape, bytes}) row.show("", cell);
}

Document title_row(bool has_compression) {
  Document row;
  show_cells(row, "name", "dtype", "shape", "bytes");
  if (has_compression) row.show("", "compression");
  return row;
}

Document member_row(const ShownMember& shown) {
  const ArchiveMember& member = shown.member;
  Document row{{"name", member.name}, {"member", member.file_name}};
  if (!member.compression.empty()) {
    row.put({{"compression", member.compression},
             {"member_bytes", member.size},
             {"packed_bytes", member.packed_size}});
  }
  if (!shown.tensor) row.put("reason", shown.reason);
  if (shown.tensor) {
    row.put(header_document(*shown.tensor));
    show_cells(row, member.name, dtype_figure(shown.tensor->type()).text,
               tscatter::to_string(shown.tensor->shape()), grouped(shown.tensor->byte_size()).text);
  } else if (!member.dtype.empty()) {  // its elements are listed only
    row.put({{"dtype", member.dtype}, {"bytes", member.size}});
    row.put("shape", position_figure(member.shape).value);
    show_cells(row, member.name, member.dtype, tscatter::to_string(member.shape),
               grouped(member.size).text);
  } else {
    show_cells(row, member.file_name, shown.failure ? "not there" : "no tensor", "",
               shown.failure ? std::string() : grouped(member.size).text);
  }
  if (member.is_hidden) row.put("hidden", true);
  if (!member.compression.empty())
    row.show("", fmt::format("{}{}", member.compression, member.is_hidden ? ", hidden" : ""));
  return row;
}

// REQUIRES: `metadata` outlives the document, whose keys are its own.
void add_metadata(Document& document, const ArchiveMetadata& metadata) {
  Document members;
  if (!metadata.empty()) document.paragraph("metadata");
  for (const auto& [key, value] : metadata) {
    members.put(key, value);
    document.line(fmt::format("  {}: {}", key, value));
  }
  document.put("metadata", std::move(members));
}

void print_archive(const Archive& archive, const ShowFlags& flags, Table table) {
  const auto metadata = archive.metadata();
  if (!metadata) return print(report_text(table, flags.form));
  Document document;
  document.add("tensors", std::move(table));
  add_metadata(document, *metadata);
  print(report_text(document, flags.form));
}

void require_no_reading(const ShowFlags& flags) {
  // cli.c82
  if (flags.elements || flags.missing != Missing::refused) {
    fail(ErrorKind::usage, "cli.c82", flags.elements ? "--dtype" : "--missing",
         "is for one tensor, got the archive {}", flags.tensor);
  }
}

// A file that cannot be read is reported after the others were listed.
void show_archive(const Archive& archive, const ShowFlags& flags) {
  require_no_reading(flags);
  std::vector<ArchiveMember> members = archive.members();
  const bool has_compression = members.empty() || !members.front().compression.empty();
  Table table{.rows = {title_row(has_compression)}, .front = TableFront::nothing};
  std::exception_ptr failure;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ShownMember shown = shown_member(archive, std::move(members[i]), i);
    if (!failure) failure = shown.failure;
    table.rows.push_back(member_row(shown));
  }
  print_archive(archive, flags, std::move(table));
  if (failure) std::rethrow_exception(failure);
}

void show(const ShowFlags& flags) {
  const bool is_path = names_a_path({.text = flags.tensor}, {.name = "TENSOR", .dtype = {}});
  if (const auto archive = is_path ? archive_named(flags.tensor) : nullptr)
    return show_archive(*archive, flags);
  show_tensor(flags);
}

Invocation bind_show(const Operation*) {
  const auto flags = std::make_shared<ShowFlags>();
  return {.arguments = {{.name = "TENSOR", .help = tensor_help, .into = text(flags->tensor)}},
          .flags = in_group("Output",
                            {dtype_flag(named_elements(flags->elements, parse_elements)),
                             missing_flag(flags->missing),
                             switch_flag("header", "the header only: no element is read",
                                         set_to(flags->part, ShowPart::header)),
                             json_flag("header and statistics as one JSON object", flags->form),
                             never_beside("header", threads_flag(flags->threads))}),
          .run = runs(flags, show)};
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "header, statistics and preview of a tensor; members of an archive",
          .examples = {"tscatter show weights.npy", "tscatter show model.npz",
                       "tscatter show model.npz:bias", "tscatter show --header huge.npy",
                       "tscatter show 2x3xf16=0"},
          .bind = bind_show};
}

}  // namespace tscatter::app
