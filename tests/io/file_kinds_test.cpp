#include "tscatter/io/formats/file_kinds.hpp"

#include <set>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

using namespace std::string_view_literals;

std::vector<std::string> endings_of(const FileKind& kind) {
  std::vector<std::string> endings;
  std::string_view left = kind.endings;
  while (!left.empty()) {
    endings.emplace_back(left.substr(0, left.find(' ')));
    left.remove_prefix(std::min(endings.back().size() + 1, left.size()));
  }
  return endings;
}

// "" if it is not known.
std::string_view name_of_file(std::string_view text, std::string_view name) {
  const FileKind* kind = kind_of_file(bytes_of(text), name);
  return kind == nullptr ? "" : kind->name;
}

struct Beginning {
  std::string_view kind;
  std::string_view bytes;
  std::string_view ending;  // without it the kind is not told from another
};

const std::vector<Beginning> beginnings{
    {"a zip archive", "PK\3\4", ""},
    {"a zip archive", "PK\5\6", ""},
    {"a pickle", "\x80\4\x95", ""},
    {"a PyTorch file", "PK\3\4", ".pt"},
    {"a PyTorch file", "\x80\2", ".PTH"},
    {"a Keras file", "PK\3\4", ".keras"},
    {"a spreadsheet", "PK\3\4", ".xlsx"},
    {"a safetensors file", "\x40\0\0\0\0\0\0\0{"sv, ""},
    {"an ONNX model", "\x08\x07\x12\x07pytorch", ""},
    {"a TensorFlow Lite model", "\x1c\0\0\0TFL3"sv, ""},
    {"a GGUF file", "GGUF\3", ""},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n", ""},
    {"a NetCDF file", "CDF\1", ""},
    {"a MATLAB file", "MATLAB 5.0 MAT-file", ""},
    {"a FITS file", "SIMPLE  = T", ""},
    {"a Parquet file", "PAR1", ""},
    {"an Arrow file", "ARROW1\0\0"sv, ""},
    {"a database", "SQLite format 3\0"sv, ""},
    {"a gzip file", "\x1f\x8b\x08", ""},
    {"a bzip2 file", "BZh9", ""},
    {"an xz file",
     "\xfd"
     "7zXZ\0"sv,
     ""},
    {"a Zstandard file", "\x28\xb5\x2f\xfd", ""},
    {"an LZ4 file", "\x04\x22\x4d\x18", ""},
    {"a 7z archive", "7z\xbc\xaf\x27\x1c", ""},
    {"a PNG picture", "\x89PNG\r\n\x1a\n", ""},
    {"a JPEG picture", "\xff\xd8\xff\xe0", ""},
    {"a GIF picture", "GIF89a", ""},
    {"a TIFF picture", "II*\0"sv, ""},
    {"a TIFF picture", "MM\0*"sv, ""},
    {"a WebP picture", "RIFF\1\2\3\4WEBP", ""},
    {"an SVG picture", "<svg xmlns=", ""},
    {"an SVG picture", "<?xml version=\"1.0\"?>", ".svg"},
    {"a PDF file", "%PDF-1.7", ""},
    {"a program",
     "\x7f"
     "ELF\2",
     ""},
    {"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00", ""},
    {"an HTML page", "\n<!DOCTYPE html>", ""},
    {"an HTML page", "<html>", ""},
    {"an XML file", "\xef\xbb\xbf<?xml version=\"1.0\"?>", ""},
    {"an XML file", "<testsuites>", ""},
    {"a CSV file", "1,2\n3,4\n", ".csv"},
    {"a TSV file", "a\tb\n", ".tsv"},
    {"a text file", "1,2\n3,4\n", ""},
    {"a text file", "\x1b[31mred\x1b[0m\n", ""},
    {"a .npy file", "\x93NUMPY\1\0"sv, ""},
    {"a .npz archive", "PK\3\4", ".npz"},
    {"an ONNX tensor", "\x08\x02\x10\x01\x4a\x08", ""},
    {"a JSON file", " {\"a\": 1}", ""},
    {"a JSON file", "[1, 2]", ".csv"},
    {"a JSON file", "7\n", ".json"},
};

}  // namespace

TEST_CASE("each kind has a name and endings of its own", "[io]") {
  std::set<std::string_view> names;
  std::set<std::string> endings;
  for (const FileKind& kind : file_kinds()) {
    CAPTURE(kind.name);
    CHECK(names.insert(kind.name).second);
    const bool has_any = kind.name == "a Git LFS pointer";
    REQUIRE(endings_of(kind).empty() == has_any);
    if (!has_any) CHECK(usual_ending(kind) == endings_of(kind).front());
    for (const std::string& ending : endings_of(kind)) {
      CAPTURE(ending);
      CHECK(endings.insert(ending).second);
      CHECK(ending_of("dir.d/x" + ending) == ending);
      CHECK(kind_with_ending(ending) == &kind);
    }
  }
  for (const Format* format : formats()) {
    if (format->create != nullptr) CHECK(kind_of(*format).name == format->kind);
  }
}

TEST_CASE("each kind that can be told by its first bytes is, under any name", "[io]") {
  std::set<std::string_view> told;
  for (const Beginning& each : beginnings) {
    CAPTURE(each.bytes);
    CHECK(name_of_file(each.bytes, "x" + std::string(each.ending)) == each.kind);
    if (each.ending.empty()) CHECK(name_of_file(each.bytes, "x.npy") == each.kind);
    told.insert(each.kind);
  }
  for (const FileKind& kind : file_kinds()) {
    CAPTURE(kind.name);
    const bool begins_so = !kind.first_bytes.empty() || kind.begins_as != nullptr;
    CHECK(told.contains(kind.name) == begins_so);
  }
}

TEST_CASE("what stands in the place of a tensor is said, with what to do", "[io]") {
  const auto said = [](std::string_view bytes, const Format& format, std::string_view name) {
    return other_kind_in(SpanSource(bytes_of(bytes)), format, name).value_or("?");
  };
  for (const Format* format : {&npy_format, &npz_format, &safetensors_format, &shards_format}) {
    CHECK(said("version https://git-lfs.github.com/spec/v1\noid sha256:0", *format, "x.npy") ==
          "a Git LFS pointer (git lfs pull fetches the file)");
    CHECK(said("\x1f\x8b\x08", *format, "x.npy.gz") == "a gzip file (gunzip unpacks it)");
    CHECK(said("404: Not Found", *format, "x") == "a text file that begins \"404: Not Found\"");
    CHECK(said("\x01\x02", *format, "x") == "?");
    CHECK(said("", *format, "x") == "?");
  }
  CHECK(said("PK\3\4", npz_format, "x.npz") == "?");
  CHECK(said("PK\3\4", npy_format, "x.pt") ==
        "a PyTorch file (safetensors.torch.save_file writes what torch.load gives)");
  CHECK(said("\x93NUMPY\1", npy_format, "x.npy") == "?");
  CHECK(said("\x93NUMPY\1", safetensors_format, "x.safetensors") == "a .npy file");
  CHECK(said("\x40\0\0\0\0\0\0\0{"sv, safetensors_format, "x.safetensors") == "?");
}

TEST_CASE("an index of shards may name a variant", "[io]") {
  for (const char* ending :
       {".safetensors.index.json", ".safetensors.index.fp16.json", ".safetensors.fp16.index.json",
        ".SafeTensors.BF16.Index.JSON", ".safetensors.index.index.json"}) {
    CAPTURE(ending);
    CHECK(shards_ending_of("dir.d/m.v2" + std::string(ending)) == ending);
    CHECK(shards_format.has_ending("m" + std::string(ending)));
    CHECK(ending_of("m" + std::string(ending)) == ending);
    CHECK(kind_with_ending(ending)->name == "an index of shards");
  }
  for (const char* name :
       {"m.safetensors", "m.index.json", "m.safetensors.json", "m.safetensors.fp16.json",
        "m.safetensors.fp16.x.index.json", "m.safetensors.index.json.gz", "index.json", "",
        "m.safetensors..index.json", "m.safetensors.index..json", "m.safetensors.a/b.index.json"}) {
    CAPTURE(name);
    CHECK(shards_ending_of(name).empty());
  }
  CHECK(split_member_name("d/m.safetensors.fp16.index.json:a:b")->member == "a:b");
}

TEST_CASE("other first bytes say nothing", "[io]") {
  for (const std::string_view bytes :
       {""sv, "\0"sv, "t\0\0\0"sv, "1\1"sv, "\x80\1"sv, "\x80\6"sv, "\x40\0\0\0\1\0\0\0{"sv,
        "\x40\0\0\0\0\0\0\0["sv, "\x08\x20\x12"sv, "\x08\x07\x13"sv, "\x89PN"sv,
        "RIFF\1\2\3\4WAVE"sv}) {
    CAPTURE(bytes);
    CHECK(name_of_file(bytes, "x").empty());
  }
}

TEST_CASE("the ending is what follows the last dot of the file's name", "[io]") {
  CHECK(ending_of("x.npy.gz") == ".gz");
  CHECK(ending_of("a.b/x") == "");
  CHECK(ending_of("x.") == ".");
  CHECK(ending_of("") == "");
  CHECK(ending_of("out.csv/") == "");
  CHECK(kind_with_ending("") == nullptr);
  CHECK(kind_with_ending(".") == nullptr);
  CHECK(kind_with_ending(".h5 .hdf5") == nullptr);
  CHECK(kind_with_ending(".HdF5")->name == "an HDF5 file");
  for (const char* open : {".out", ".dat", ".data", ".tmp", ".1"})
    CHECK(kind_with_ending(open) == nullptr);
}

TEST_CASE("plain text may be cut inside its last character", "[io]") {
  CHECK(
      is_plain_text("gr\xc3\xb6\xc3\x9f"
                    "e\t1\r\n"));
  CHECK(is_plain_text("a\xe6\x95"));
  CHECK(is_plain_text("a\xf0\x9f\x98"));
  CHECK(!is_plain_text(""));
  CHECK(
      !is_plain_text("a\xe6"
                     "b"));
  CHECK(!is_plain_text("a\xff\xff\xff\xff"));
  CHECK(!is_plain_text("a\x01"));
  CHECK(!is_plain_text("a\x7f"));
}

}  // namespace tscatter
