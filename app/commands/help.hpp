// tscatter help, --help, --version, and what tscatter says without arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// Examples first, then flags in groups; -h leaves the examples out.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// The operation whose flags stand for all in the help of a command that takes one.
const Operation& operation_for_help();

void print_introduction();
void print_version();

std::vector<std::string_view> help_topics();

// Throws Error (usage, cli.c9), with the nearest of the topics and `commands`.
void print_topic(const std::string& topic, const std::vector<std::string>& commands);

}  // namespace tscatter::app
