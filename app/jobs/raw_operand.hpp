// Raw bytes as a tensor value of a job or a flag: an object that says what its file does not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "jobs/operand.hpp"

namespace tscatter::app {

bool is_raw_operand(const nlohmann::json& value);

// {"raw": "x.bin", "dtype": "f32", "shape": [2, 3], "offset": 8, "byte_order": "big"} -> the path
// 2x3xf32=@x.bin+8,be. `where` is used in messages. Throws Error (usage, cli.c104, job.j12).
// REQUIRES: is_raw_operand(value).
OperandWord read_raw_operand(const nlohmann::json& value, const std::string& where);

// The word of a flag; of such an object, which begins with a brace, the path. `where`: the flag.
// Throws Error as read_raw_operand().
OperandWord operand_word(const std::string& text, const std::string& where);

nlohmann::ordered_json raw_operand_schema();

}  // namespace tscatter::app
