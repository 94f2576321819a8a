// The file formats, a row each: how a file is recognised, read, listed, written and changed in
// place. A new format takes one pair of files and a row in formats().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/journal/in_place_file.hpp"

namespace tscatter {

// Whether a member of an archive is deflated when it is written.
enum class Compression : bool { stored, deflated };

// What becomes of a table's missing values: empty cells, NA, null.
enum class Missing : std::uint8_t { refused, nan };

struct FormatReading {
  std::string name;                 // of the file, for messages
  std::filesystem::path path = {};  // of the file, beside which others may lie; empty: a pipe
  std::string part = {};            // of the file, as Format::split() says it; empty: all of it
  std::optional<DType> dtype = {};  // of values without a dtype
  Missing missing = Missing::refused;
  std::filesystem::path spool_directory = "/tmp";
  StopFlag stop = nullptr;  // reading throws Cancelled when it becomes true
  Progress* progress = nullptr;
  TellStep log = {};   // what was read into a spool
  TellStep note = {};  // what the file has beside the tensor, which is not read
};

struct OutputPlace {
  std::filesystem::path path;                     // of the file
  std::string name;                               // of the file, for messages
  std::string member = {};                        // of an archive
  std::optional<int> descriptor = {};             // instead of the file; the caller keeps it
  Compression compression = Compression::stored;  // of a member
  Durability durability = Durability::kill;
  std::filesystem::path spool_directory = "/tmp";
  StopFlag stop = nullptr;  // writing throws Cancelled when it becomes true
  Progress* progress = nullptr;
  Waiting waiting = {};                         // for the file's lock
  std::shared_ptr<const OutputLock> lock = {};  // that lock, if it is held already
  TellNaming naming = {};

  // Nothing replaces a file that is half changed. Throws Error (undo.u5).
  OutputTurn turn(Replaced what) const;
};

// The file of the place, or its descriptor, opened for writing. Throws Error (file.f4 or file.f7).
std::unique_ptr<OutputFile> open_output_file(const OutputPlace& place);

// The same for an archive, whose front is written last. Throws Error (file.f4) for a pipe, too.
std::unique_ptr<OutputFile> open_archive_file(const OutputPlace& place);

// What the archive held until now, which keeps its other members; nullptr if there is none. Locks
// it first. Throws Error (file.f1, file.f4, file.f9, undo.u5) and Cancelled.
std::shared_ptr<const FileSource> open_replaced(OutputFile& archive, const std::string& name);

struct ArchiveMember {
  std::string name;              // as in an operand
  std::string file_name;         // in the archive
  std::string_view compression;  // "stored"; empty: the format knows none
  std::int64_t size = 0;         // bytes
  std::int64_t packed_size = 0;  // bytes that it takes in the archive
  bool is_hidden = false;        // a later member has its name, and is read by it
  std::string dtype = {};        // of elements that are listed only, as the file names it
  Shape shape = {};              // of those
};

using ArchiveMetadata = std::vector<std::pair<std::string, std::string>>;

// A tensor whose elements cannot be used, as F4: what the file says of it, and its bytes as uint8.
struct ListedTensor {
  std::string dtype;
  Shape shape;
  Tensor bytes;
};

// A file of several tensors.
class Archive {
 public:
  virtual ~Archive() = default;

  virtual std::vector<ArchiveMember> members() const = 0;  // in the file's order

  // Only the header is read. Throws Error (file, Format::no_member; format).
  virtual Tensor tensor(std::string_view name) const = 0;

  // The tensor of members()[index]. Throws Error (format).
  virtual Tensor tensor_at(std::size_t index) const = 0;

  // The same where its elements cannot be used; nullopt: they can.
  virtual std::optional<ListedTensor> listed_at(std::size_t /*index*/) const {
    return std::nullopt;
  }

  // What the file says about itself, in its order; nullopt: its format has no room for it.
  virtual std::optional<ArchiveMetadata> metadata() const { return std::nullopt; }
};

struct Format;

// "x.npz:name" -> x.npz, name
struct MemberName {
  const Format* format;
  std::string archive;
  std::string member;
};

// What the ending of a file's name says about its format.
enum class EndingRole : std::uint8_t {
  ignored,     // the first bytes decide
  required,    // the file has this format if its first bytes agree
  sufficient,  // the file has this format, whatever its first bytes say
  decisive,    // the same, and no file of another name has it
};

enum class InPlace : bool {
  refused,
  possible,  // each tensor is contiguous in the file
};

struct Format {
  std::string_view name;    // "npy"
  std::string_view ending;  // ".npy", of a file's name, without regard to case
  std::span<const std::string_view> other_endings = {};
  std::string_view kind =
      {};  // "a .npy file", for messages, of a format that is written or changed
  EndingRole ending_role = EndingRole::ignored;
  bool (*names)(std::string_view file_name) = nullptr;  // what else a name's end may be
  bool (*begins_as)(std::span<const std::byte> first_bytes);
  bool may_be_other = false;  // its refusals do not say what else the file is: advised_kind_in()
  // If begins_as takes more: what no other kind of file begins with.
  bool (*surely_begins_as)(std::span<const std::byte> first_bytes) = nullptr;

  // Reads from a pipe what the tensor needs; the spool has the first bytes already.
  void (*spool)(Spool& spool, const File& pipe) = nullptr;
  // Instead of spool and open, where the length is known only at the end: checks meanwhile.
  Tensor (*open_pipe)(Spool& spool, const File& pipe, const FormatReading& reading) = nullptr;

  // A format has one of these two: its file is a tensor or an archive. Only a tensor's header is
  // read. Both throw Error (file or format).
  Tensor (*open)(const std::shared_ptr<const Source>& file, const FormatReading& reading) = nullptr;
  std::unique_ptr<Archive> (*open_archive)(std::shared_ptr<const Source> file,
                                           const FormatReading& reading) = nullptr;
  std::string_view member_ending = {};  // ".npy": a member x may be called x.npy too
  std::string_view no_member = {};      // the label of the rule that a member must be there
  bool has_metadata = false;            // keys and values of an archive that is written

  // For files without metadata (raw bytes): reads dtype, shape and offset from the operand. Of a
  // format that is no archive: the part of the file that is read (columns of a table).
  std::optional<MemberName> (*split)(std::string_view word) = nullptr;

  // For such a file: the bytes of the member. Throws Error as its opening does.
  ByteRange (*range)(std::string_view member) = nullptr;

  // For a file whose elements may be in other files: returns the file that has the member (or the
  // tensor); the name unchanged if the file itself has it. A relative name is relative to `base`.
  // Throws Error (file or format).
  MemberName (*locate)(const MemberName& name, const std::filesystem::path& base) = nullptr;
  // Returns all files in which such a file has elements, each once. Throws Error (file or format).
  std::vector<std::string> (*files)(const std::string& archive) = nullptr;

  // nullptr: the format is read only. Nothing is opened before Output::begin(). Throws Error
  // (usage) for an impossible member name.
  std::unique_ptr<Output> (*create)(const OutputPlace& place) = nullptr;

  // Returns the header bytes, for formats that are a header followed by the elements. Such a file
  // can be written by parts.
  std::vector<std::byte> (*front)(const TensorHeader& tensor) = nullptr;

  // Writes a new file with all of these tensors. Throws Error (usage or file) and Cancelled.
  void (*write_all)(const OutputPlace& place, const Archive& tensors) = nullptr;

  bool can_deflate = false;  // members
  InPlace in_place = InPlace::refused;

  std::span<const Rule> (*rules)();
  std::string_view help;  // what it holds, and what is written: one paragraph
  // The format's own line in the help about operands; most formats share one for all files, or for
  // all archives. `operands` is empty where an operand is a member, as in x.npz:name.
  std::string_view operands = {};  // "path.csv, path.tsv, path.txt"
  std::string_view operands_help = {};

  bool is_archive() const { return open_archive != nullptr; }
  bool has_members() const { return is_archive() && split == nullptr; }
  // Whether an output gets this format by its name.
  bool names_outputs() const { return create != nullptr && split == nullptr; }
  bool has_ending(std::string_view file_name) const;
};

// Reads a pipe to its end.
void spool_all(Spool& spool, const File& pipe);

// A format comes before other formats that would also recognise its files. The first one takes
// files that no format recognises, and names without a known ending.
std::span<const Format* const> formats();

// The format with this name; nullptr if there is none.
const Format* find_format(std::string_view name);

// Whether a file with these first bytes and this name has the format.
bool is_of_format(const Format& format, std::span<const std::byte> first_bytes,
                  std::string_view name);
const Format& format_of(const Source& file, std::string_view name);

// The format that the first bytes show (with the name, for a format that needs both); nullptr if
// they show none.
const Format* format_by_first_bytes(const Source& file, std::string_view name);

// The archive format that a file's first bytes or its name's ending show; nullptr if they show
// none.
const Format* archive_format_of(const Source& file, std::string_view name);

// The format in which a file of this name is written.
const Format& format_of_name(std::string_view name);

// The word at the first colon after the ending of an archive.
std::optional<MemberName> split_member_name(std::string_view word);

// The file that has the member, if it is not the archive itself. Throws Error (file or format).
MemberName located(const MemberName& name, const std::filesystem::path& base);

// The files that hold what the word names: one for a member; for a file whose elements may be in
// other files, all of these; else the file itself. Throws Error (file or format).
std::vector<std::string> files_of(const std::string& word);

// The format in which a file of this name is changed in place.
const Format& in_place_format(std::string_view name);

// Opens a file to change it in place. `member`: the tensor of an archive. Throws as InPlaceFile
// does. REQUIRES: format.in_place is possible.
std::unique_ptr<InPlaceFile> open_in_place(const Format& format, const std::filesystem::path& path,
                                           const std::string& member,
                                           const InPlaceOptions& options);

// What tells the format of a file. How many bytes a format may look at to recognise a file.
inline constexpr std::size_t first_bytes_size = 64;

// The beginning of a file, from which its format is told.
using FirstBytes = std::span<const std::byte>;
using FirstBytesBuffer = std::array<std::byte, first_bytes_size>;

// Reads them into `bytes`; fewer of a shorter file. Throws Error (file).
FirstBytes read_first_bytes(const Source& file, FirstBytesBuffer& bytes);

inline std::string_view characters_of(FirstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether what comes behind blanks is one of these characters, or may come yet.
inline bool begins_with_one_of(FirstBytes bytes, std::string_view characters) {
  const std::string_view text = characters_of(bytes);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return text.size() >= first_bytes_size;
  return characters.find(text[begin]) != std::string_view::npos;
}

// ---- The rows of the table of formats, each defined beside its reader, and what rows share.

extern const Format npy_format;
extern const Format npz_format;
extern const Format safetensors_format;
extern const Format shards_format;  // the index of a checkpoint in several safetensors files
extern const Format pb_format;      // ONNX tensors
extern const Format onnx_format;    // ONNX models: their initializers are members of an archive
extern const Format csv_format;     // tables of numbers: .csv, .tsv and .txt
extern const Format raw_format;     // bytes without a header: the operand has dtype and shape

// A new archive of all these tensors, in their order, as np.savez writes it, stored or deflated as
// the place says. Throws Error (usage, npz.z19; file) and Cancelled.
void write_npz(const OutputPlace& place, const Archive& tensors);

// How a word chooses each named column of a table, as reading.part says it: "id", "\"a,b\"". Throws
// Error (format).
std::vector<std::string> table_columns(const Source& file, const FormatReading& reading);

// The colon, at `from` or behind it, where a path may end and a member's name begin: not behind
// PATH_MAX characters, so that a long list is no long search. npos: there is none.
std::size_t end_of_path(std::string_view word, std::size_t from = 0);

// ".safetensors.index.json", or a variant's ending, as transformers and diffusers name it:
// ".safetensors.index.fp16.json", ".safetensors.fp16.index.json". Empty if the name has none.
std::string_view shards_ending_of(std::string_view file_name);

// A ModelProto: ir_version (field 1, a small number), then a producer, domain, graph or opset.
bool begins_as_onnx(std::span<const std::byte> first_bytes);

// Reads no more than a message may have: a pipe may never end.
void spool_protobuf(Spool& spool, const File& pipe);

// The file that has what is named, if `find` finds one beside the named one, which is regular; else
// the name itself, also where something is wrong: whoever opens it learns what.
using FindBeside = std::function<std::optional<MemberName>(
    const std::shared_ptr<const Source>& file, const FormatReading& reading)>;
MemberName located_beside(const MemberName& name, const std::filesystem::path& base,
                          const FindBeside& find);

}  // namespace tscatter
