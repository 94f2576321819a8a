// What a user may write for a tensor: a file, an archive's member, -, inline JSON, a typed literal.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/views/basic_index.hpp"

namespace tscatter::app {

enum class WordForm : std::uint8_t {
  word,  // as on the command line: -, inline JSON, a literal or a path
  path,  // a path, or -
  json,  // JSON text
};

struct OperandWord {
  std::string text;
  WordForm form = WordForm::word;
  std::optional<Tensor> tensor = std::nullopt;  // in the caller's memory: the words only name it
  bool is_item = false;                         // of an index
  bool is_compared = false;                     // in a condition of an index
  std::string where =
      {};  // the flag or argument that it was given to; empty: by the operand's name
};

// Opens operands for one job. Stdin can be read only once.
class OperandOpener {
 public:
  // Relative paths are relative to `base`.
  explicit OperandOpener(std::filesystem::path base) : base_{std::move(base)} {}

  struct Wanted {
    std::string name;  // of the flag or key, for messages: "--data"
    OperandRole role = OperandRole::data;
    std::optional<DType> dtype;  // of values without a dtype
    Missing missing = Missing::refused;
    bool is_cast = false;  // values that do not fit `dtype` may have one of their own
  };

  // Reads only the header of a file. Throws Error (usage, file or format).
  Tensor open(const OperandWord& word, const Wanted& wanted);

 private:
  Tensor open_whole(const OperandWord& word, const Wanted& wanted);
  Tensor open_view(const IndexedWord& view, const OperandWord& word, const Wanted& wanted);
  Tensor open_path(const std::string& text, const Wanted& wanted);
  Tensor open_member(const MemberName& word, const Wanted& wanted) const;
  Tensor open_stdin(std::string part, const Wanted& wanted);

  std::filesystem::path base_;
  bool stdin_is_taken_ = false;
};

// "a.npy[ids.npy, :]" in parts; nullopt if there is no index, or if a file, or a member of an
// archive, has exactly this name. Relative paths are relative to `base`. Throws Error (usage) for
// an index that is not closed, or not the only one.
std::optional<IndexedWord> indexed_word(const std::filesystem::path& base, const std::string& word);

// Whether a file, a member of an archive, or a column of a table has exactly the name that the word
// is. Relative paths are relative to `base`.
bool is_named(const std::filesystem::path& base, const std::string& word);

// The word of the tensor that is read for `word`: ids.npy for the view ids.npy[:, None]; for all
// other words they themselves. Who asks for the file or member of a word that is read asks with
// this; an output's name has no index.
std::string word_behind(const std::filesystem::path& base, const std::string& word);

// Throws Error (usage, cli.c132) if the word is a view, which is read only. `rule`: what must be
// whole.
void require_no_view(const std::filesystem::path& base, const std::string& word,
                     const std::string& where, std::string_view rule);

// "x.npz:name": a member of an archive, in the file that has it. nullopt if the word does not name
// one, or if a file with exactly this name exists. Relative paths are relative to `base`.
std::optional<MemberName> member_name(const std::filesystem::path& base, const std::string& word);

// The same for a word that is read or changed in place: also for x.pb, if a file beside it has the
// elements.
std::optional<MemberName> place_of_elements(const std::filesystem::path& base,
                                            const std::string& word);

// How a file of this name is read. `dtype`: of values without one.
FormatReading format_reading(const std::string& name, std::optional<DType> dtype = {},
                             Missing missing = Missing::refused);

// The archive that `word` names; nullptr if it does not name a file, or one that is not an archive.
std::unique_ptr<Archive> archive_named(const std::string& word,
                                       const std::filesystem::path& base = {});

// Whether the word reads stdin: -, or a table in it, csv:-.
bool is_stdin(const OperandWord& word);

// Stdin, on a duplicate descriptor. Throws Error (file.f1) when it is closed.
File stdin_file();

// Whether the word is the name of a table of numbers: only their names tell them.
bool names_table(const OperandWord& word);

// Throws Error (usage, cli.c120) if missing values are to become NaN where there is no table.
// `where`: the flag or key.
void require_table(Missing missing, bool has_table, const std::string& where);

// Throws Error (file.f1) if there is no file, or no archive, of this name. Relative paths are
// relative to `base`. REQUIRES: the word is a path.
void require_file(const std::filesystem::path& base, const OperandWord& word,
                  const OperandOpener::Wanted& wanted);

// Whether a command line would take the text as inline JSON.
bool resembles_json(std::string_view text);

// Whether the word is a path, neither a value nor stdin.
bool names_a_path(const OperandWord& word, const OperandOpener::Wanted& wanted);

// Opaque records reinterpreted as `dtype`, if they have its size (1 or 2 bytes); otherwise the
// tensor unchanged.
Tensor viewed_as(const Tensor& tensor, DType dtype);

// The same for a dtype that a flag or key asks for: bfloat16 that was kept as uint16 is viewed,
// too.
Tensor viewed_as_asked(const Tensor& tensor, DType asked);

// 1 for "V1", 2 for "V2", with or without a byte order mark; nullopt for anything else.
std::optional<std::size_t> record_size(std::string_view name);

// The reverse: elements as opaque records, which have no byte order. Throws Error (usage, cli.c7)
// when their size differs, or when their byte order would be lost. `where`: the flag.
Tensor viewed_as_records(const Tensor& tensor, std::size_t size, const std::string& where);

// Throws Error (usage, cli.c7) when the tensor's dtype is not the requested one. `where`: the flag
// or key.
void require_dtype(const Tensor& tensor, DType asked, const std::string& where);

// The dtype that a flag or key names. Throws Error (usage, `label`).
DType parse_dtype(const std::string& name, std::string_view label, std::string_view where);

// Raw bytes as a tensor value of a job or a flag: an object that says what its file does not.
// {"raw": "x.bin", "dtype": "f32", "shape": [2, 3], "offset": 8, "byte_order": "big"} -> the path
// 2x3xf32=@x.bin+8,be. nullopt for other JSON, and other words of a flag. `where` is used in
// messages. Throws Error (usage, cli.c104, job.j12).
std::optional<OperandWord> raw_operand(const std::string& text, const std::string& where);

nlohmann::ordered_json raw_operand_schema();

}  // namespace tscatter::app
