// The index of a job: its items, from words or JSON, and the tensors that they name.
#pragma once

#include <functional>
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

// Gets an operand that was opened, and its name in messages.
using CheckOperand = std::function<void(const Tensor& operand, const std::string& name)>;

// Opens the operands of the index, and adds its items. Throws Error, also what `check` throws.
void open_index(const Job& job, OperandOpener& opener, Arguments& arguments,
                const CheckOperand& check);

// How an operand of the job is opened, without a dtype.
OperandOpener::Wanted wanted_of(const Job& job, std::string_view name, OperandRole role,
                                const OperandWord& word);

}  // namespace tscatter::app
