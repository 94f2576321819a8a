// The rows of the table of formats, each defined beside its reader, and what rows share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

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
