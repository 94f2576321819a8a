#include "tscatter/io/formats/file_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter {
namespace {

using namespace std::string_view_literals;

bool begins_with_any(FirstBytes bytes, std::span<const std::string_view> beginnings) {
  const std::string_view text = characters_of(bytes);
  return std::ranges::any_of(beginnings, [&](auto each) { return text.starts_with(each); });
}

// Without blanks and a byte order mark, in small letters.
std::string markup_of(FirstBytes bytes) {
  std::string_view text = characters_of(bytes);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string markup(text);
  std::ranges::transform(markup, markup.begin(), lower);
  return markup;
}

bool begins_as_html(FirstBytes bytes) {
  const std::string markup = markup_of(bytes);
  return markup.starts_with("<!doctype html") || markup.starts_with("<html");
}

bool begins_as_xml(FirstBytes bytes) {
  const std::string markup = markup_of(bytes);
  return markup.starts_with("<?xml") || markup.starts_with("<testsuite");
}

bool begins_as_svg(FirstBytes bytes) {
  return begins_as_xml(bytes) || markup_of(bytes).starts_with("<svg");
}

// Text, but not the list or object that a JSON file holds.
bool begins_as_text(FirstBytes bytes) {
  const std::string_view text = characters_of(bytes);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '{');
  return !is_json && is_plain_text(text);
}

// A protocol that Python's pickle writes in a first byte pair: 2 to 5.
bool begins_as_pickle(FirstBytes bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{5};
}

bool begins_as_torch(FirstBytes bytes) { return begins_as_zip(bytes) || begins_as_pickle(bytes); }

bool begins_as_tflite(FirstBytes bytes) {
  return characters_of(bytes).substr(0, 8).ends_with("TFL3");
}

bool begins_as_tiff(FirstBytes bytes) {
  constexpr std::array beginnings{"II*\0"sv, "MM\0*"sv};
  return begins_with_any(bytes, beginnings);
}

bool begins_as_webp(FirstBytes bytes) {
  const std::string_view text = characters_of(bytes);
  return text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP");
}

bool begins_as_netcdf(FirstBytes bytes) {
  constexpr std::array beginnings{"CDF\1"sv, "CDF\2"sv, "CDF\5"sv};
  return begins_with_any(bytes, beginnings);
}

constexpr std::string_view shards_ending = ".safetensors.index.json";
constexpr std::string_view raw_advice = "SHAPExDTYPE=@FILE+OFFSET reads an array in it";

constexpr auto other_kinds = std::to_array<FileKind>({
    {.name = "a zip archive",
     .endings = ".zip",
     .begins_as = begins_as_zip,
     .advice = "named x.npz, the .npy files in it are read as x.npz:name"},
    {.name = "a pickle",
     .endings = ".pkl .pickle",
     .begins_as = begins_as_pickle,
     .advice = "numpy.save writes the array that pickle.load gives"},
    {.name = "a PyTorch file",
     .endings = ".pt .pth .ckpt",
     .begins_as = begins_as_torch,
     .advice = "safetensors.torch.save_file writes what torch.load gives"},
    {.name = "a Keras file", .endings = ".keras", .begins_as = begins_as_zip},
    {.name = "a spreadsheet", .endings = ".xlsx .ods", .begins_as = begins_as_zip},
    {.name = "an ONNX model", .endings = ".onnx", .begins_as = begins_as_onnx},
    {.name = "a protocol buffer", .endings = ".pbtxt .tfrecord"},
    {.name = "a TensorFlow Lite model", .endings = ".tflite", .begins_as = begins_as_tflite},
    {.name = "a GGUF file", .endings = ".gguf", .first_bytes = "GGUF", .advice = raw_advice},
    {.name = "an HDF5 file",
     .endings = ".h5 .hdf5 .hdf .he5",
     .first_bytes = "\x89HDF\r\n\x1a\n",
     .advice = raw_advice},
    {.name = "a NetCDF file", .endings = ".nc", .begins_as = begins_as_netcdf},
    {.name = "a MATLAB file", .endings = ".mat", .first_bytes = "MATLAB "},
    {.name = "a FITS file", .endings = ".fits", .first_bytes = "SIMPLE  =", .advice = raw_advice},
    {.name = "a Zarr array", .endings = ".zarr"},
    {.name = "a Parquet file", .endings = ".parquet", .first_bytes = "PAR1"},
    {.name = "an Arrow file", .endings = ".arrow .feather", .first_bytes = "ARROW1"},
    {.name = "a database", .endings = ".sqlite .db", .first_bytes = "SQLite format 3\0"sv},
    {.name = "a file of raw bytes", .endings = ".bin .raw"},
    {.name = "a gzip file",
     .endings = ".gz .tgz",
     .first_bytes = "\x1f\x8b",
     .advice = "gunzip unpacks it"},
    {.name = "a bzip2 file",
     .endings = ".bz2",
     .first_bytes = "BZh",
     .advice = "bunzip2 unpacks it"},
    {.name = "an xz file",
     .endings = ".xz",
     .first_bytes = "\xfd"
                    "7zXZ\0"sv,
     .advice = "unxz unpacks it"},
    {.name = "a Zstandard file",
     .endings = ".zst",
     .first_bytes = "\x28\xb5\x2f\xfd",
     .advice = "unzstd unpacks it"},
    {.name = "an LZ4 file",
     .endings = ".lz4",
     .first_bytes = "\x04\x22\x4d\x18",
     .advice = "unlz4 unpacks it"},
    {.name = "a 7z archive",
     .endings = ".7z",
     .first_bytes = "7z\xbc\xaf\x27\x1c",
     .advice = "7z x unpacks it"},
    {.name = "a tar archive", .endings = ".tar"},
    {.name = "a PNG picture", .endings = ".png", .first_bytes = "\x89PNG\r\n\x1a\n"},
    {.name = "a JPEG picture", .endings = ".jpg .jpeg", .first_bytes = "\xff\xd8\xff"},
    {.name = "a GIF picture", .endings = ".gif", .first_bytes = "GIF8"},
    {.name = "a TIFF picture", .endings = ".tif .tiff", .begins_as = begins_as_tiff},
    {.name = "a WebP picture", .endings = ".webp", .begins_as = begins_as_webp},
    {.name = "a BMP picture", .endings = ".bmp"},
    {.name = "a PDF file", .endings = ".pdf", .first_bytes = "%PDF-"},
    {.name = "a program",
     .endings = ".elf .o .so .exe",
     .first_bytes = "\x7f"
                    "ELF"},
    {.name = "a Git LFS pointer",
     .endings = "",
     .first_bytes = "version https://git-lfs.github.com/spec/",
     .advice = "git lfs pull fetches the file"},
    {.name = "an HTML page",
     .endings = ".html .htm .xhtml",
     .begins_as = begins_as_html,
     .advice = "a download that failed may leave one"},
    {.name = "an XML file", .endings = ".xml", .begins_as = begins_as_xml},
    {.name = "an SVG picture", .endings = ".svg", .begins_as = begins_as_svg},
    {.name = "a text file",
     .endings = ".txt .text .log .md .rst .yaml .yml .toml .ini .cfg .sh .py .c .cc .cpp .h .hpp",
     .begins_as = begins_as_text},
    {.name = "a CSV file", .endings = ".csv", .begins_as = begins_as_text},
    {.name = "a TSV file", .endings = ".tsv", .begins_as = begins_as_text},
    {.name = "a JSON Lines file", .endings = ".jsonl .ndjson"},
    {.name = "an index of shards", .endings = shards_ending},
});

FileKind kind_made_of(const Format& format) {
  const bool takes_more = format.surely_begins_as != nullptr;
  return {.name = format.kind,
          .endings = format.ending,
          .begins_as = takes_more ? format.surely_begins_as : format.begins_as};
}

std::vector<FileKind> all_kinds() {
  std::vector<FileKind> all(other_kinds.begin(), other_kinds.end());
  for (const Format* format : formats()) {
    if (format->names_outputs()) all.push_back(kind_made_of(*format));
  }
  return all;
}

// nullptr if no kind passes the test.
template <class Test>
const FileKind* first_kind(const Test& test) {
  const auto kinds = file_kinds();
  const auto found = std::ranges::find_if(kinds, test);
  return found == kinds.end() ? nullptr : &*found;
}

// The first line of a text whose first bytes these are, as far as they go.
std::string first_line(FirstBytes bytes, std::int64_t file_size) {
  std::string_view text = characters_of(bytes);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_cut =
      text.find_first_of("\r\n") == std::string_view::npos && file_size > std::ssize(bytes);
  text = text.substr(0, text.find_first_of("\r\n"));
  std::string line;
  while (!text.empty() && character_size(text) > 0) line += take_character(text);
  return escape_control(line) + (is_cut ? "..." : "");
}

// A line above a number, or with commas, semicolons or tabs that no blank follows, as in a
// sentence.
bool resembles_table(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t next = text.find_first_not_of("\r\n\" ", line.size());
  const bool is_above_number = next != std::string_view::npos &&
                               "+-.0123456789"sv.find(text[next]) != std::string_view::npos;
  const std::size_t mark = line.find_first_of(",;\t");
  return is_above_number ||
         (mark != std::string_view::npos && !line.substr(mark + 1).starts_with(' '));
}

bool has_ending(const FileKind& kind, std::string_view ending) {
  std::string_view left = kind.endings;
  while (!left.empty()) {
    const std::string_view each = left.substr(0, left.find(' '));
    if (equal_ignoring_case(each, ending)) return true;
    left.remove_prefix(std::min(each.size() + 1, left.size()));
  }
  return false;
}

}  // namespace

bool begins_as(const FileKind& kind, FirstBytes bytes) {
  if (kind.begins_as != nullptr) return kind.begins_as(bytes);
  return !kind.first_bytes.empty() && characters_of(bytes).starts_with(kind.first_bytes);
}

std::span<const FileKind> file_kinds() {
  static const std::vector<FileKind> all = all_kinds();
  return all;
}

const FileKind& kind_of(const Format& format) { return *kind_with_ending(format.ending); }

std::string_view ending_of(std::string_view name) {
  name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
  if (const auto ending = shards_ending_of(name); !ending.empty()) return ending;
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

const FileKind* kind_with_ending(std::string_view ending) {
  if (!shards_ending_of(ending).empty()) ending = shards_ending;
  return first_kind([&](const FileKind& kind) { return has_ending(kind, ending); });
}

std::string_view usual_ending(const FileKind& kind) {
  return kind.endings.substr(0, kind.endings.find(' '));
}

const FileKind* kind_of_file(std::span<const std::byte> first_bytes, std::string_view name) {
  const std::string_view ending = ending_of(name);
  const FileKind* named = first_kind([&](const FileKind& kind) {
    return has_ending(kind, ending) && begins_as(kind, first_bytes);
  });
  if (named != nullptr) return named;
  return first_kind([&](const FileKind& kind) { return begins_as(kind, first_bytes); });
}

namespace {

std::string with_advice(const FileKind& kind) {
  return fmt::format("{} ({})", kind.name, kind.advice);
}

}  // namespace

std::optional<std::string> advised_kind_in(const Source& file) {
  if (file.size() == 0) return "an empty file";
  FirstBytesBuffer bytes{};
  const FileKind* kind = kind_of_file(read_first_bytes(file, bytes), {});
  if (kind == nullptr || kind->advice.empty()) return std::nullopt;
  return with_advice(*kind);
}

std::optional<std::string> other_kind_in(const Source& file, const Format& format,
                                         std::string_view name) {
  FirstBytesBuffer bytes{};
  const auto first = read_first_bytes(file, bytes);
  const FileKind* kind = kind_of_file(first, name);
  if (kind == nullptr || format.begins_as(first)) return std::nullopt;
  if (!kind->advice.empty()) return with_advice(*kind);
  if (!is_plain_text(characters_of(first))) return std::string(kind->name);
  const std::string line = first_line(first, file.size());
  const bool may_be_table = &format == &npy_format && kind->begins_as == begins_as_text &&
                            resembles_table(characters_of(first));
  if (may_be_table && !line.empty())
    return fmt::format("{} that begins \"{}\" (csv:FILE reads a table, csv:- one in stdin)",
                       kind->name, line);
  return line.empty() || line == "..." ? std::string(kind->name)
                                       : fmt::format("{} that begins \"{}\"", kind->name, line);
}

}  // namespace tscatter
