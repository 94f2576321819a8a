// What shells complete, and the manual page: both are made from the tables of commands and flags.
#include "cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "app/folder.hpp"
#include "catch.hpp"
#include "cli/help_text.hpp"
#include "commands/commands.hpp"

namespace tscatter {
namespace {

Strings completed(const std::string& line, const std::filesystem::path& folder = ".",
                  const std::string& shell = "bash") {
  const Result result = tscatter::Command({"__complete", shell, line}).in(folder).run();
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  Strings lines;
  std::istringstream text(result.out);
  for (std::string each; std::getline(text, each);) lines.push_back(each);
  return lines;
}

app::Invocation invocation_of(const app::Command& command) {
  return command.bind(command.takes_operation ? &app::operation_for_help() : command.operation);
}

}  // namespace

TEST_CASE("completion: what a value is, is known for every flag and argument", "[app]") {
  for (const app::Command& command : app::commands()) {
    const app::Invocation invocation = invocation_of(command);
    for (const app::Flag& flag : invocation.flags) {
      INFO(command.name << " --" << flag.name << " " << flag.value);
      CHECK((flag.value.empty() || app::value_kind(flag.value).has_value()));
      const bool is_choice = app::value_kind(flag.value) == app::ValueKind::choice;
      CHECK((!is_choice || !flag.into.choices.empty()));
    }
    for (const app::Argument& argument : invocation.arguments) {
      INFO(command.name << " " << argument.name);
      CHECK((command.group == app::CommandGroup::hidden ||
             app::value_kind(argument.name).has_value()));
    }
  }
}

TEST_CASE("completion: commands, operations, flags and choices", "[app]") {
  CHECK(completed("tscatter sh") == Strings{"show"});
  CHECK(completed("tscatter __") == Strings{});
  CHECK(completed("tscatter scatternd") ==
        Strings{"ScatterNDUpdate-15", "ScatterNDUpdate-3", "ScatterNDUpdate-4"});
  CHECK(completed("tscatter verify slice") == Strings{"SliceScatter-15"});
  CHECK(completed("tscatter --v") == Strings{"--verbose", "--version"});
  CHECK(completed("tscatter compare --m") == Strings{"--max-ulp", "--missing"});
  CHECK(completed("tscatter compare --json --js") == Strings{});
  CHECK(completed("tscatter generate SliceScatter --dtype f16 --dt") == Strings{"--dtype"});
  CHECK(completed("tscatter ScatterNDUpdate-15 -r m") == Strings{"max", "min"});
  CHECK(completed("tscatter ScatterNDUpdate-15 --reduction=m") == Strings{"max", "min"});
  CHECK(completed("tscatter show -v --color a") == Strings{"always", "auto"});
  CHECK(completed("tscatter compare --dtype bf") == Strings{"bf16", "bfloat16"});
  CHECK(completed("tscatter ops --rule slice_scatter_15.c5") == Strings{"slice_scatter_15.c5"});
  CHECK(completed("tscatter help exi") == Strings{"exit-codes"});
  CHECK(completed("tscatter completion ") == Strings{"bash", "fish", "zsh"});
  CHECK(completed("tscatter compare --rtol ") == Strings{});
  CHECK(completed("tscatter nothing --") == Strings{});
  CHECK(completed("tscatter verify --ca") == Strings{"--case", "--cast"});
  CHECK(completed("tscatter compare --case x --equ") == Strings{});
  CHECK(completed("tscatter compare --equ") == Strings{"--equal-nan"});
  CHECK(completed("tscatter convert a.npy b.npy --to float8_e5") ==
        Strings{"float8_e5m2", "float8_e5m2fnuz"});
  CHECK(completed("tscatter show --dtype float8_e8") == Strings{"float8_e8m0fnu"});
  CHECK(completed("tscatter compare --dtype float8") == Strings{});
}

TEST_CASE("completion: files by ending, members, names and tags of cases", "[app]") {
  const Folder folder;
  for (const char* name : {"a.npy", "a.json", "a.jsonl", "a.txt", ".hidden.npy", "two words.npy"})
    std::ofstream(folder / name) << "";
  std::filesystem::create_directory(folder / "arrays");
  std::ofstream(folder / "a.jsonl") << R"({"name": "add_rows"})"
                                    << "\n"
                                    << R"({"name": "add*", "tags": ["slow", "fast"]})"
                                    << "\n"
                                    << R"({"op": )"
                                    << "\n";
  CHECK(folder.run("convert [1] a.npz:one").exit_code == 0);
  CHECK(folder.run("convert [1] a.npz:two").exit_code == 0);
  const auto in = [&](const std::string& line) { return completed(line, folder.path()); };
  const auto at_home = [&](const std::string& line) {
    return tscatter::Command({"__complete", "fish", line})
        .with_environment("HOME", folder.path().native())
        .run()
        .out;
  };
  CHECK(in("tscatter show a") == Strings{"a.json", "a.npy", "a.npz", "a.npz:", "arrays/"});
  CHECK(in("tscatter show 'two w") == Strings{"two words.npy"});
  CHECK(in("tscatter show two\\ w") == Strings{"two words.npy"});
  CHECK(in("tscatter show .h") == Strings{".hidden.npy"});
  CHECK(at_home("tscatter show ~/.h") == "~/.hidden.npy\n");
  CHECK(at_home("tscatter show ~/a.npz:t") == "~/a.npz:two\n");
  CHECK(at_home("tscatter batch ~/a.jsonl --filter add_") == "add_rows\n");
  CHECK(at_home("tscatter show 4xf32=@~/a.t") == "4xf32=@~/a.txt\n");
  CHECK(completed("tscatter show 4xf32=@a.t", folder.path(), "zsh") == Strings{"4xf32=@a.txt"});
  CHECK(in("tscatter compare --case add a.") == Strings{"a.jsonl"});
  CHECK(in("tscatter verify a.jsonl --case add") == Strings{"add*", "add_rows"});
  CHECK(in("tscatter run a") == Strings{"a.json", "arrays/"});
  CHECK(in("tscatter batch a") == Strings{"a.jsonl", "arrays/"});
  CHECK(in("tscatter generate ScatterUpdate-3 -o a") == Strings{"arrays/"});
  // bash takes a word to begin anew behind a colon.
  CHECK(in("tscatter show a.npz:") == Strings{"one", "two"});
  CHECK(completed("tscatter show a.npz:t", folder.path(), "zsh") == Strings{"a.npz:two"});
  CHECK(in("tscatter batch a.jsonl --filter add") == Strings{"add\\*", "add_rows"});
  CHECK(in("tscatter batch a.jsonl --tag s") == Strings{"slow"});
  CHECK(completed("tscatter sh", folder.path(), "fish") ==
        Strings{"show\theader, statistics and preview of a tensor; members of an archive"});
}

TEST_CASE("completion: columns of a table", "[app]") {
  const TemporaryDirectory folder;
  std::ofstream(folder / "x.csv") << "id,price,\"a, b\",2\n";
  std::ofstream(folder / "x.dat") << "id,weight\n";
  const auto in = [&](const std::string& line) { return completed(line, folder.path(), "zsh"); };
  CHECK(in("tscatter show x.csv:") == Strings{"x.csv:\"a, b\"", "x.csv:id", "x.csv:price"});
  CHECK(in("tscatter show x.csv:p") == Strings{"x.csv:price"});
  CHECK(in("tscatter show x.csv:id,p") == Strings{"x.csv:id,price"});
  CHECK(in("tscatter show csv:x.d") == Strings{"csv:x.dat"});
  CHECK(in("tscatter show csv:x.dat:w") == Strings{"csv:x.dat:weight"});
  CHECK(in("tscatter add a.npy[x.csv:") ==
        Strings{"a.npy[x.csv:\"a, b\"", "a.npy[x.csv:id", "a.npy[x.csv:price"});
  CHECK(in("tscatter add 'a.npy[[0, 1], ~x.csv:i") == Strings{"a.npy[[0, 1], ~x.csv:id"});
  CHECK(in("tscatter get 'a.npy[3, isnan(x.") == Strings{"a.npy[3, isnan(x.csv"});
  CHECK(in("tscatter get 'a.npy[3] x.").empty());
  CHECK(in("tscatter show none.csv:").empty());
  CHECK(in("tscatter show x.") == Strings{"x.csv"});
}

TEST_CASE("cli.c4: the shell must be one that can complete", "[app]") {
  CHECK(tscatter::Command("completion tcsh").run().err ==
        "tscatter: SHELL: must be one of bash, zsh, fish, got tcsh [cli.c4]\n");
  for (const std::string& name : app::shell_names()) {
    const Result result = tscatter::Command({"completion", name}).run();
    CHECK(result.out == app::find_shell(name)->script);
  }
}

TEST_CASE("the manual page has every command, flag and argument", "[app]") {
  const std::string page = tscatter::Command("help --format man").run().out;
  CHECK(page == app::man_page(app::commands()));
  CHECK(std::ranges::count(page, '\n') <= 900);
  const auto has = [&](std::string text) {
    for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    return page.find(text) != std::string::npos;
  };
  for (const app::Command& command : app::commands()) {
    if (command.group == app::CommandGroup::hidden) continue;
    INFO(command.name);
    const bool is_operation = command.group == app::CommandGroup::operations;
    CHECK(has(fmt::format(fmt::runtime(is_operation ? "\\fB{}\\fR" : ".SS {}\n"), command.name)));
    const app::Invocation invocation = invocation_of(command);
    for (const app::Flag& flag : invocation.flags)
      CHECK(has(fmt::format("\\fB{}\\fR", app::names_of(flag))));
  }
  // No line is a request that the page does not mean.
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.') && !line.starts_with('\'')) continue;
    const std::string request = line.substr(0, line.find(' '));
    CHECK(std::ranges::count(Strings{".TH", ".SH", ".SS", ".TP", ".PP", ".PD", ".EX", ".EE", ".nf",
                                     ".fi", ".B", ".I", ".RI", ".br"},
                             request) == 1);
  }
}

TEST_CASE("completion: a name that no line can hold is not offered") {
  const TemporaryDirectory directory;
  for (const std::string member : {"fine", "a\nb", "\x1b[2J"})
    CHECK(Command({"convert", "[1]", directory / ("m.npz:" + member)}).run().exit_code == 0);
  CHECK(completed("tscatter show m.npz:", directory.path(), "fish") == Strings{"m.npz:fine"});
}

}  // namespace tscatter
