// tscatter ops: the operations, their inputs, rules and examples.
#pragma once

#include <string>

namespace tscatter::app {

void list_operations();

// Throws Error (usage, cli.c9).
void describe_operation(const std::string& name);

// Prints one labelled rule. Throws Error (usage, cli.c8).
void print_rule(const std::string& label);

}  // namespace tscatter::app
