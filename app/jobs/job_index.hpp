// The index of a job: its items, from words or JSON, and the tensors that they name; and the
// dimension numbers of a job with windows.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "jobs/index_items.hpp"
#include "jobs/job.hpp"
#include "jobs/operand.hpp"
#include "tscatter/apply/apply.hpp"

namespace tscatter::app {

// Adds the item to the job's index, and its operand to the operands.
void add_index_item(Job& job, IndexWord item);

// Adds all items of a text, as they stand between brackets: "ids.npy, 1:9". `where` is used in
// messages. Throws Error (usage).
void add_index(Job& job, const std::string& text, WordForm form, const std::string& where);

// Where data's word has an index, "a.npy[ids.npy]", it becomes the job's.
void take_index_of_data(Job& job, const std::string& where);

// Whether the operation has dimension numbers, which may be given as one text.
bool takes_dims(const Operation& operation);

inline constexpr std::string_view dims_help =
    "dimension numbers as MLIR prints them, in the place of the lists";

// Takes the dimension numbers of a text as MLIR prints it, "#stablehlo.scatter<update_window_dims =
// [1], index_vector_dim = 1>", with or without what is around them. Throws Error (usage, job.j18).
void set_dims(Job& job, const std::string& text, const std::string& where);

// The job's operands, with those that its text of dimension numbers names. Throws Error (usage,
// job.j18).
std::map<std::string, OperandWord, std::less<>> operands_with_dims(const Job& job);

// Gets an operand that was opened, and its name in messages.
using CheckOperand = std::function<void(const Tensor& operand, const std::string& name)>;

// Opens the operands of the index, and adds its items. Throws Error, also what `check` throws.
void open_index(const Job& job, OperandOpener& opener, Arguments& arguments,
                const CheckOperand& check);

// How an operand of the job is opened, without a dtype.
OperandOpener::Wanted wanted_of(const Job& job, std::string_view name, OperandRole role,
                                const OperandWord& word);

}  // namespace tscatter::app
