// The row of ONNX tensors, .pb, and what it shares with that of ONNX models.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format pb_format;

// No more than a message may have: a pipe may never end.
void spool_protobuf(Spool& spool, const File& pipe);

// The file that has what is named, if `find` finds one beside the named one, which is regular; else
// the name itself, also where something is wrong: whoever opens it learns what.
using FindBeside = std::function<std::optional<MemberName>(
    const std::shared_ptr<const Source>& file, const FormatReading& reading)>;
MemberName located_beside(const MemberName& name, const std::filesystem::path& base,
                          const FindBeside& find);

}  // namespace tscatter
