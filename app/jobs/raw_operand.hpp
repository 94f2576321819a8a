// Raw bytes as a tensor value of a job or a flag: an object that says what its file does not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "jobs/operand.hpp"

namespace tscatter::app {

// {"raw": "x.bin", "dtype": "f32", "shape": [2, 3], "offset": 8, "byte_order": "big"} -> the path
// 2x3xf32=@x.bin+8,be. nullopt for other JSON, and other words of a flag. `where` is used in
// messages. Throws Error (usage, cli.c104, job.j12).
std::optional<OperandWord> raw_operand(const std::string& text, const std::string& where);

nlohmann::ordered_json raw_operand_schema();

}  // namespace tscatter::app
