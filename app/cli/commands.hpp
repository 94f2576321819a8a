// Each command's flags and what they start, added to the tree in the order of the help.
#pragma once

#include "cli/command_tree.hpp"

namespace tscatter::app {

void add_operations(CommandTree& tree);
void add_run(CommandTree& tree);
void add_batch(CommandTree& tree);
void add_compare(CommandTree& tree);
void add_verify(CommandTree& tree);
void add_explain(CommandTree& tree);
void add_generate(CommandTree& tree);
void add_show(CommandTree& tree);
void add_convert(CommandTree& tree);
void add_ops(CommandTree& tree);
void add_recover(CommandTree& tree);
void add_help(CommandTree& tree);

}  // namespace tscatter::app
