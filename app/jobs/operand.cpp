#include "jobs/operand.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <utility>

#include "jobs/hints.hpp"
#include "jobs/run_log.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"
#include "tscatter/io/formats/text/literal.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

using Wanted = OperandOpener::Wanted;

struct SpecialNumber {
  std::string_view json;
  std::string_view word;  // as Python and typed literals write it
};
constexpr std::array special_numbers{SpecialNumber{"NaN", "nan"}, SpecialNumber{"NaN", "-nan"},
                                     SpecialNumber{"Infinity", "inf"},
                                     SpecialNumber{"-Infinity", "-inf"}};

bool is_not_finite(std::string_view text) {
  return std::ranges::count(special_numbers, text, &SpecialNumber::json) > 0;
}

// A number as JSON writes it, true or false.
bool is_json_scalar(std::string_view text) {
  if (text == "true" || text == "false" || is_not_finite(text)) return true;
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string_view::npos)
    return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() &&
         (error == std::errc{} || error == std::errc::result_out_of_range);
}

// What looks like a number in a list: what is wrong with it is said by the reader of JSON.
bool resembles_number(std::string_view text) {
  if (text.empty() || is_not_finite(text)) return true;
  return text.find_first_not_of("+-.0123456789eE ") == std::string_view::npos &&
         std::string_view("+-.0123456789").find(text.front()) != std::string_view::npos;
}

// "0,1", "-1, 0.5", "1.5,2e3", "5,"; where a list is wanted also "-1"
bool is_short_list(std::string_view text, OperandRole role) {
  if (role != OperandRole::list && text.find(',') == std::string_view::npos) return false;
  if (text == "-") return false;  // stdin
  bool has_number = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = trimmed(rest.substr(0, rest.find(',')));
    if (!resembles_number(piece)) return false;
    has_number = has_number || !piece.empty();
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  }
  return has_number;
}

// A format's reading, and whether values may have another dtype than the wanted one.
struct OperandReading : FormatReading {
  bool is_cast = false;
};

// Whether the reader found a value that its dtype does not have.
bool does_not_fit(const Error& error) {
  return error.label() == "json.f4" || error.label() == "csv.f4";
}

// `read(dtype)`, or with the dtype that values have on their own where they are to be cast.
template <typename Read>
Tensor read_to_cast(std::optional<DType> dtype, bool is_cast, const Read& read) {
  try {
    return read(dtype);
  } catch (const Error& error) {
    if (!is_cast || !dtype || !does_not_fit(error)) throw;
    for (const DType own : {DType::int64, DType::float64, DType::boolean}) {
      try {
        return read(own);
      } catch (const Error& other) {
        if (!does_not_fit(other)) throw;
      }
    }
    throw;
  }
}

// A number alone is a complex one without an imaginary part.
Tensor inline_json(std::string_view text, const Wanted& wanted) {
  const bool is_complex = wanted.dtype && info(*wanted.dtype).kind == DTypeKind::complex;
  const bool is_number = is_complex && is_json_scalar(text) && text != "true" && text != "false";
  const std::string with_imaginary = is_number ? fmt::format("[{}, 0]", text) : std::string();
  if (is_number) text = with_imaginary;
  return read_to_cast(wanted.dtype, wanted.is_cast, [&](std::optional<DType> dtype) {
    return json_tensor(text, {.name = wanted.name,
                              .kind = ErrorKind::usage,
                              .dtype = dtype,
                              .spool_directory = temporary_directory(),
                              .progress = ProgressLine::of_run()});
  });
}

// The tensor that a word spells out; nullopt if the word is a path.
std::optional<Tensor> inline_tensor(const std::string& text, const Wanted& wanted) {
  const std::string_view word = trimmed(text);
  const auto special = std::ranges::find(special_numbers, word, &SpecialNumber::word);
  if (special != special_numbers.end()) return inline_json(special->json, wanted);
  if (is_short_list(word, wanted.role)) {
    const bool has_end = word.ends_with(',');  // "5,"
    return inline_json(fmt::format("[{}]", word.substr(0, word.size() - (has_end ? 1 : 0))),
                       wanted);
  }
  if (word.starts_with('[') || word.starts_with('{') || is_json_scalar(word)) {
    return inline_json(word, wanted);
  }
  return literal_tensor(word, wanted.name);
}

[[noreturn]] void refuse_archive(const Archive& archive, const std::string& name) {
  const std::vector<ArchiveMember> members = archive.members();
  // cli.c31
  fail(ErrorKind::usage, "cli.c31", name,
       "an archive must be named with a member, as in {}:{}, got the archive of {} alone", name,
       members.empty() ? "name" : members.front().name,
       several(static_cast<std::int64_t>(members.size()), "member"));
}

// What the file is, where its format cannot say it: a Git LFS pointer named .onnx, .json or .csv.
[[noreturn]] void refuse_content(const Error& error, const Format& format, const Source& file,
                                 const std::string& name) {
  const bool is_of_content = error.kind() == ErrorKind::format && format.may_be_other;
  const auto kind = is_of_content ? advised_kind_in(file) : std::nullopt;
  if (!kind) throw;
  throw Error(error.kind(), error.label(), name,
              fmt::format("must be the file that its name says, got {}", *kind));
}

// What is read by parts is a table.
const Format& format_to_read(const Source& file, const FormatReading& reading) {
  return reading.part.empty() ? format_of(file, reading.name) : csv_format;
}

// The tensor in a source that holds a whole file.
Tensor tensor_in(std::shared_ptr<const Source> file, OperandReading reading) {
  const Format& format = format_to_read(*file, reading);
  if (format.is_archive())
    refuse_archive(*format.open_archive(std::move(file), reading), reading.name);
  try {
    return read_to_cast(reading.dtype, reading.is_cast, [&](std::optional<DType> dtype) {
      reading.dtype = dtype;
      return format.open(file, reading);
    });
  } catch (const Error& error) {
    refuse_content(error, format, *file, reading.name);
  }
}

void log_spooled(const StepClock& clock, const Spool& spool, const std::string& name) {
  const bool is_in_memory = spool.view().has_value();
  clock.tell(spool_log(),
             fmt::format("{}: {} of a pipe put into {}", name, several(spool.size(), "byte"),
                         is_in_memory ? "memory" : "a temporary file"));
}

Tensor tensor_in_pipe(const File& pipe, OperandReading reading) {
  const StepClock clock;
  reading.path.clear();
  auto spool = std::make_shared<Spool>(temporary_directory(), reading.name);
  const bool goes_on = spool->fill_from(pipe, first_bytes_size);
  const Format* const by_bytes =
      reading.part.empty() ? format_by_first_bytes(*spool, reading.name) : &csv_format;
  if (goes_on && by_bytes != nullptr) {
    if (by_bytes->open_pipe != nullptr) return by_bytes->open_pipe(*spool, pipe, reading);
    by_bytes->spool(*spool, pipe);
  }
  log_spooled(clock, *spool, reading.name);
  return tensor_in(std::move(spool), std::move(reading));
}

// A pipe or device is read to its end first.
Tensor tensor_in_file(File file, OperandReading reading) {
  if (!file.is_regular()) return tensor_in_pipe(file, std::move(reading));
  return tensor_in(std::make_shared<FileSource>(std::move(file)), reading);
}

// `part`: of a table.
OperandReading reading_of(const std::string& name, const Wanted& wanted, std::string part = {}) {
  OperandReading reading{format_reading(name, wanted.dtype, wanted.missing), wanted.is_cast};
  reading.part = std::move(part);
  return reading;
}

std::shared_ptr<const Source> archive_in_file(File file, const Format& format) {
  if (file.is_regular()) return std::make_shared<FileSource>(std::move(file));
  const StepClock clock;
  auto spool = std::make_shared<Spool>(temporary_directory(), file.name());
  if (spool->fill_from(file, first_bytes_size) &&
      format_by_first_bytes(*spool, file.name()) == &format)
    format.spool(*spool, file);
  log_spooled(clock, *spool, file.name());
  return spool;
}

// Raw bytes that an archive names are read as it describes them.
MemberName as_described(const MemberName& place, const std::string& word) {
  return place.format->has_members() ? place : *split_member_name(word);
}

// The word as a part of a table, x.csv:id or csv:-; nullopt for any other.
std::optional<MemberName> named_table(const std::string& word) {
  auto name = split_member_name(word);
  return name && name->format == &csv_format ? std::move(name) : std::nullopt;
}

// What csv:- reads of stdin; empty for -.
std::string table_part(const std::string& word) {
  auto table = named_table(word);
  return table ? std::move(table->member) : std::string();
}

// The same bytes with another dtype, if it has the size of theirs.
Tensor with_dtype(const Tensor& tensor, DType dtype) {
  const ElementType& type = tensor.type();
  if (info(dtype).size != type.size) return tensor;
  const std::endian order = type.size == 1 ? std::endian::native : type.byte_order;
  return {{.type = ElementType::of(dtype, order), .shape = tensor.shape(), .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

// Whether the part of a table, "csv:id", is one of its columns.
bool has_column(const std::filesystem::path& table, const std::string& part) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(table, error)) return false;
  FormatReading reading = format_reading(table.native());
  reading.part = part;
  const auto columns = table_columns(FileSource(open_settled(table, table.native())), reading);
  return std::ranges::count(columns, part.substr(part.find(':') + 1)) > 0;
}

// What is no index may be a part of a name, unless what stands before it has that name.
std::optional<IndexedWord> index_in(const std::filesystem::path& base, const std::string& word) {
  try {
    return split_index(word);
  } catch (const Error&) {
    if (is_named(base, word.substr(0, word.find('[')))) throw;
    return std::nullopt;
  }
}

std::vector<BasicItem> basic_items(const IndexedWord& view, const std::string& word,
                                   const std::string& where) {
  std::vector<BasicItem> items;
  for (const std::string& text : view.items) {
    const std::optional<BasicItem> item = parse_basic_item(text);
    // cli.c132
    if (!item) {
      fail(ErrorKind::usage, "cli.c132", where,
           "the index of a view must have integers, slices, ... and None (tscatter get reads at "
           "positions and masks, too; set, add and their like write there), got {} in {}",
           text, word);
    }
    items.push_back(*item);
  }
  return items;
}

// Where a list is wanted, a number is a list of one.
Tensor as_wanted(const Tensor& tensor, OperandRole role) {
  if (role != OperandRole::list || !tensor.shape().empty()) return tensor;
  return {{.type = tensor.type(), .shape = {1}, .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

}  // namespace

Tensor OperandOpener::open(const OperandWord& word, const Wanted& wanted) {
  if (word.tensor) return as_wanted(*word.tensor, wanted.role);
  if (word.form == WordForm::json) return as_wanted(inline_json(word.text, wanted), wanted.role);
  const auto view = indexed_word(base_, word.text);
  return view ? open_view(*view, word, wanted) : open_whole(word, wanted);
}

Tensor OperandOpener::open_view(const IndexedWord& view, const OperandWord& word,
                                const Wanted& wanted) {
  const std::vector<BasicItem> items = basic_items(view, word.text, wanted.name);
  const Tensor whole = open_whole({.text = view.operand, .form = word.form}, wanted);
  return as_wanted(basic_view(whole, items, word.text), wanted.role);
}

Tensor OperandOpener::open_whole(const OperandWord& word, const Wanted& wanted) {
  if (word.form == WordForm::word) {
    if (auto tensor = inline_tensor(word.text, wanted)) return *std::move(tensor);
  }
  if (is_stdin(word)) return open_stdin(table_part(word.text), wanted);
  require_file(base_, word, wanted);
  if (const auto member = member_name(base_, word.text))
    return open_member(as_described(*member, word.text), wanted);
  return open_path(word.text, wanted);
}

Tensor OperandOpener::open_path(const std::string& text, const Wanted& wanted) {
  const std::string name = shown_word(base_, text);
  File file = open_settled(base_ / text, name, LockHolder::anybody, InterruptScope::stop());
  OperandReading reading = reading_of(name, wanted);
  reading.path = base_ / text;
  return tensor_in_file(std::move(file), std::move(reading));
}

Tensor OperandOpener::open_member(const MemberName& word, const Wanted& wanted) const {
  const Format& format = *word.format;
  const std::filesystem::path path = base_ / word.archive;
  const std::string name = shown_word(base_, word.archive);
  File file = open_settled(path, name, LockHolder::anybody, InterruptScope::stop());
  OperandReading reading = reading_of(name, wanted);
  reading.path = path;
  if (!format.is_archive()) {
    reading.part = word.member;
    return tensor_in_file(std::move(file), std::move(reading));
  }
  const std::shared_ptr<const Source> archive = archive_in_file(std::move(file), format);
  try {
    return format.open_archive(archive, reading)->tensor(word.member);
  } catch (const Error& error) {
    refuse_content(error, format, *archive, name);
  }
}

Tensor OperandOpener::open_stdin(std::string part, const Wanted& wanted) {
  // cli.c6
  if (std::exchange(stdin_is_taken_, true)) {
    fail(ErrorKind::usage, "cli.c6", wanted.name,
         "only one operand can be read from stdin, got a second -");
  }
  File file = stdin_file();
  OperandReading reading = reading_of(file.name(), wanted, std::move(part));
  // file.f2
  if (S_ISDIR(file.status().st_mode))
    fail(ErrorKind::file, "file.f2", reading.name, "must be a file, got a directory");
  const bool is_at_front = ::lseek(file.descriptor(), 0, SEEK_CUR) == 0;
  if (is_at_front) return tensor_in_file(std::move(file), std::move(reading));
  return tensor_in_pipe(file, std::move(reading));
}

void require_file(const std::filesystem::path& base, const OperandWord& word,
                  const OperandOpener::Wanted& wanted) {
  const std::string text = word_behind(base, word.text);
  const std::optional<MemberName> member = member_name(base, text);
  const std::filesystem::path path = base / (member ? member->archive : text);
  std::error_code error;
  // file.f1
  if (word.text.empty()) {
    fail(ErrorKind::file, "file.f1", wanted.name, "must be a file or a value, got an empty word");
  }
  // file.f1
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    fail(ErrorKind::file, "file.f1", shown_word(base, member ? member->archive : text),
         "{} cannot be opened{}: {}", wanted.name, missing_file_hint(path, word),
         errno_text(error.value() == 0 ? ENOENT : error.value()));
  }
}

bool names_table(const OperandWord& word) {
  if (word.tensor || word.form == WordForm::json) return false;
  const std::string text = word_behind({}, word.text);
  return csv_format.has_ending(text) || named_table(text);
}

void require_table(Missing missing, bool has_table, const std::string& where) {
  // cli.c120
  if (missing == Missing::nan && !has_table) {
    fail(ErrorKind::usage, "cli.c120", where, "is for tables of numbers (.csv, .tsv, .txt)");
  }
}

bool resembles_json(std::string_view text) {
  const std::string_view word = trimmed(text);
  return word.starts_with('[') || word.starts_with('{') || is_json_scalar(word) ||
         is_short_list(word, OperandRole::integers);
}

bool names_a_path(const OperandWord& word, const OperandOpener::Wanted& wanted) {
  if (word.form == WordForm::json || is_stdin(word)) return false;
  const std::string text = word_behind({}, word.text);
  return word.form == WordForm::path || !inline_tensor(text, wanted);
}

bool is_named(const std::filesystem::path& base, const std::string& word) {
  std::error_code error;
  if (std::filesystem::exists(base / word, error)) return true;
  const auto place = split_member_name(word);
  if (!place) return false;
  const std::filesystem::path file = base / place->archive;
  const bool is_table = place->format == &csv_format;
  if (!is_table && !place->format->has_members()) return std::filesystem::exists(file, error);
  try {
    if (is_table) return has_column(file, place->member);
    const auto archive = archive_named(file.native());
    return archive != nullptr &&
           std::ranges::any_of(archive->members(), [&](const ArchiveMember& each) {
             return each.name == place->member;
           });
  } catch (const Error&) {
    return false;  // whoever opens it learns why
  }
}

std::optional<IndexedWord> indexed_word(const std::filesystem::path& base,
                                        const std::string& word) {
  if (word.find('[') == std::string::npos) return std::nullopt;
  if (is_named(base, word)) return std::nullopt;
  auto view = index_in(base, word);
  if (view && view->operand.ends_with('=')) return std::nullopt;  // a literal: 2xf32=[1, 2]
  // cli.c132
  if (view && view->operand.ends_with(']') && split_index(view->operand) &&
      !is_named(base, view->operand)) {
    fail(ErrorKind::usage, "cli.c132", "index", "an operand must have one index at most, got {}",
         word);
  }
  return view;
}

std::string word_behind(const std::filesystem::path& base, const std::string& word) {
  try {
    const auto view = indexed_word(base, word);
    return view ? view->operand : word;
  } catch (const Error&) {
    return word;  // whoever opens it learns why
  }
}

void require_no_view(const std::filesystem::path& base, const std::string& word,
                     const std::string& where, std::string_view rule) {
  // cli.c132
  if (word_behind(base, word) != word)
    fail(ErrorKind::usage, "cli.c132", where, "{}, got the view {}", rule, word);
}

std::optional<MemberName> member_name(const std::filesystem::path& base, const std::string& word) {
  auto member = split_member_name(word);
  std::error_code error;
  if (!member || std::filesystem::exists(base / word, error)) return std::nullopt;
  try {
    return located(*member, base);
  } catch (const Error&) {
    return member;  // whoever opens it learns why
  }
}

std::optional<MemberName> place_of_elements(const std::filesystem::path& base,
                                            const std::string& word) {
  if (auto member = member_name(base, word)) return member;
  const Format& format = in_place_format(word);
  if (format.locate == nullptr || format.is_archive()) return std::nullopt;
  MemberName place = format.locate({.format = &format, .archive = word, .member = {}}, base);
  return place.format == &format ? std::nullopt : std::optional(std::move(place));
}

FormatReading format_reading(const std::string& name, std::optional<DType> dtype, Missing missing) {
  return {.name = name,
          .dtype = dtype,
          .missing = missing,
          .spool_directory = temporary_directory(),
          .stop = InterruptScope::stop(),
          .progress = ProgressLine::of_run(),
          .log = spool_log(),
          .note = file_notes()};
}

std::unique_ptr<Archive> archive_named(const std::string& word, const std::filesystem::path& base) {
  const std::filesystem::path path = base / word;
  const std::string name = shown_word(base, word);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return nullptr;
  auto file = std::make_shared<FileSource>(open_settled(path, name));
  const Format* format = archive_format_of(*file, name);
  if (format == nullptr) return nullptr;
  FormatReading reading = format_reading(name);
  reading.path = path;
  try {
    return format->open_archive(file, reading);
  } catch (const Error& error) {
    refuse_content(error, *format, *file, name);
  }
}

bool is_stdin(const OperandWord& word) {
  if (word.form == WordForm::json || word.tensor) return false;
  const std::string text = word_behind({}, word.text);
  const auto table = named_table(text);
  return stream_or_path(table ? table->archive : text) == "-";
}

File stdin_file() {
  const std::string name = "<stdin>";
  File file(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), name);
  const bool is_open = file.descriptor() >= 0;
  // file.f1
  if (!is_open || (::fcntl(file.descriptor(), F_GETFL) & O_ACCMODE) == O_WRONLY) {
    fail(ErrorKind::file, "file.f1", name, "is not open: {}", errno_text(EBADF));
  }
  return file;
}

Tensor viewed_as(const Tensor& tensor, DType dtype) {
  const std::string& descr = tensor.type().descr;
  const bool is_small_record = descr == "'|V1'" || descr == "'|V2'" || descr == "'>V2'";
  return is_small_record ? with_dtype(tensor, dtype) : tensor;
}

Tensor viewed_as_asked(const Tensor& tensor, DType asked) {
  const bool keeps_bfloat16 = tensor.type().dtype == DType::uint16 && asked == DType::bfloat16;
  return keeps_bfloat16 ? with_dtype(tensor, asked) : viewed_as(tensor, asked);
}

std::optional<std::size_t> record_size(std::string_view name) {
  if (name.starts_with('|') || name.starts_with('<')) name.remove_prefix(1);
  if (name == "V1") return 1;
  return name == "V2" ? std::optional<std::size_t>(2) : std::nullopt;
}

Tensor viewed_as_records(const Tensor& tensor, std::size_t size, const std::string& where) {
  const ElementType& type = tensor.type();
  const std::string record = fmt::format("'|V{}'", size);
  if (type.descr == record) return tensor;
  const bool keeps_order = type.word() == 1 || type.byte_order == std::endian::little;
  // cli.c7
  if (type.dtype == DType::opaque || type.size != size || !keeps_order) {
    fail(ErrorKind::usage, "cli.c7", where,
         "elements that are viewed as records must be of {} bytes, little-endian, got {}{}", size,
         keeps_order ? "" : "big-endian ", to_string(type));
  }
  const ElementType records{
      .dtype = DType::opaque, .size = size, .byte_order = std::endian::little, .descr = record};
  return {{.type = records, .shape = tensor.shape(), .order = tensor.order()},
          tensor.shared_source(),
          tensor.name()};
}

DType parse_dtype(const std::string& name, std::string_view label, std::string_view where) {
  const auto dtype = dtype_from_name(name);
  if (!dtype) {
    fail(ErrorKind::usage, label, where, "must be the name of a numeric dtype{}, got {}",
         dtype_hint(name, "see tscatter help operands"), name);
  }
  return *dtype;
}

void require_dtype(const Tensor& tensor, DType asked, const std::string& where) {
  const std::string_view short_name = info(asked).short_name;
  const bool is_type_code = info(tensor.type().dtype).descr == short_name;
  // cli.c7
  if (tensor.type().dtype != asked) {
    const bool has_values = tensor.type().dtype != DType::opaque;
    const std::string_view name = info(asked).name;
    const std::string hint = is_type_code ? type_code_hint(short_name)
                             : has_values
                                 ? fmt::format(" (convert --to {} converts the values)", name)
                                 : "";
    fail(ErrorKind::usage, "cli.c7", where,
         "must not contradict the dtype that {} has, {}{}, got {}", tensor.name(),
         to_string(tensor.type()), hint, name);
  }
}

}  // namespace tscatter::app
