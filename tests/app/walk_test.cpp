// A walk over all tables: in every place where something can be given, something is given that the
// program does not know, or that means nothing there. Nothing is passed over in silence.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "batch/cases/case_reader.hpp"
#include "catch.hpp"
#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "cli/parser.hpp"
#include "commands/commands.hpp"
#include "jobs/job.hpp"
#include "jobs/job_keys.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

using app::Flag;
using nlohmann::json;

// A command as it is called: with an operation, if it takes one; with a case of a batch.
struct Called {
  const app::Command* command;
  const Operation* operation;
  bool is_of_case = false;

  // What its flags write into lives as long as the invocation's run.
  app::Invocation bound() const {
    return is_of_case ? command->bind_case() : command->bind(operation);
  }
  std::string name() const {
    return std::string(command->name) +
           (command->takes_operation && operation != nullptr ? " " + std::string(operation->name)
                                                             : "") +
           (is_of_case ? " --case" : "");
  }
};

std::vector<Called> all_calls() {
  std::vector<Called> calls;
  for (const app::Command& command : app::commands()) {
    if (command.takes_operation) {
      for (const Operation* each : operations()) calls.push_back({&command, each});
    } else {
      calls.push_back({&command, command.operation});
    }
    if (command.bind_case) calls.push_back({&command, nullptr, true});
  }
  return calls;
}

struct Table {
  app::Invocation invocation;
  app::ProgramFlags program;
  app::FlagTable flags;

  explicit Table(const Called& called) : invocation{called.bound()} {
    flags = {.name = called.name(),
             .operation = called.operation,
             .arguments = invocation.arguments,
             .flags = app::common_flags(program)};
    flags.flags.insert(flags.flags.end(), invocation.flags.begin(), invocation.flags.end());
  }

  std::string refusal(const Strings& words) const {
    const app::Parsed parsed = app::parse(flags, words);
    return parsed.error ? parsed.error->what() : "accepted";
  }
};

std::string long_name(const Flag& flag) {
  return flag.name.empty() ? std::string("-") + flag.letter : "--" + flag.name;
}

// A value that the flag takes, as far as the parser looks at it.
std::string value_of(const Flag& flag) {
  static const std::map<std::string_view, std::string> samples{
      {"SIZE", "8M"},      {"K/P", "1/2"},    {"K/N", "1/1"}, {"SECONDS", "1"},   {"[N]", "3"},
      {"N", "70"},         {"S", "1"},        {"R", "1"},     {"A", "1"},         {"U", "1"},
      {"DTYPE", "f32"},    {"POSITION", "0"}, {"GLOB", "*"},  {"TAG", "t"},       {"PATH", "made"},
      {"DIR", "made_dir"}, {"TENSOR", "[0]"}, {"LIST", "0"},  {"LABEL", "cli.c1"}};
  if (const Strings& all = flag.into.choices; !all.empty()) return all[all.size() > 1 ? 1 : 0];
  const auto sample = samples.find(flag.value);
  return sample == samples.end() ? "1" : sample->second;
}

Strings words_of(const Flag& flag) {
  if (flag.value.empty()) return {long_name(flag)};
  if (flag.name.empty()) return {long_name(flag), value_of(flag)};
  return {long_name(flag) + "=" + value_of(flag)};
}

// What must be given.
Strings required_words(const Table& table) {
  Strings words;
  for (const Flag& flag : table.flags.flags) {
    if (flag.presence == Presence::required) words.push_back(words_of(flag).front());
  }
  for (const app::Argument& argument : table.flags.arguments) {
    if (argument.presence == Presence::required)
      words.push_back(argument.into.choices.empty() ? "x" : argument.into.choices.front());
  }
  return words;
}

std::set<std::string> all_flag_names() {
  std::set<std::string> names{"no-such-flag", "no_such_flag", "x"};
  for (const Called& called : all_calls()) {
    for (const Flag& flag : Table(called).flags.flags) names.insert(flag.name);
  }
  names.erase("");
  return names;
}

bool has_flag(const Table& table, const std::string& name) {
  return std::ranges::any_of(table.flags.flags,
                             [&](const Flag& flag) { return flag.has_name(name); });
}

// Placeholders of values that may be any text: it is looked at when it is opened.
bool is_open(const Flag& flag) {
  static const std::set<std::string_view> open{"TENSOR", "LIST", "PATH",  "DIR",
                                               "GLOB",   "TAG",  "LABEL", "ITEM"};
  return open.contains(flag.value) || flag.name == "case";
}

template <class Info>
std::set<std::string> names_in(std::span<const Info> all) {
  std::set<std::string> names;
  for (const Info& each : all) {
    names.emplace(each.word());
    for (const std::string_view name : other_names(each)) names.emplace(name);
  }
  return names;
}

std::set<std::string> all_keys() {
  std::set<std::string> keys{"no_such_key", "", "Data", "op "};
  for (const Operation* each : operations()) {
    keys.merge(names_in(each->operands));
    keys.merge(names_in(each->attributes));
  }
  for (const PolicyInfo& policy : policy_table())
    keys.insert({std::string(policy.key), std::string(policy.flag), std::string(policy.alias)});
  return keys;
}

std::set<std::string> keys_of(const Operation& operation) {
  std::set<std::string> keys{"op"};
  keys.merge(names_in(operation.operands));
  keys.merge(names_in(operation.attributes));
  for (const PolicyInfo* policy : policies_of(operation)) {
    for (const std::string_view name : names_of(*policy, policy->key, operation))
      keys.emplace(name);
  }
  for (const app::JobKey& key : app::job_keys()) keys.emplace(key.name);
  return keys;
}

const std::vector<json> values{nullptr, false,         true,          0, 1.5, "",
                               "x",     json::array(), json::object()};

}  // namespace

TEST_CASE("cli.c2: no command passes over a flag of another one, or of none", "[app]") {
  const std::set<std::string> names = all_flag_names();
  for (const Called& called : all_calls()) {
    const Table table(called);
    for (const std::string& name : names) {
      if (has_flag(table, name)) continue;
      INFO(called.name() << " --" << name);
      CHECK(table.refusal({"--" + name}).ends_with("[cli.c2]"));
      CHECK(table.refusal({"--" + name + "=1"}).ends_with("[cli.c2]"));
    }
    for (char letter = 'A'; letter <= 'z'; ++letter) {
      const auto is_it = [&](const Flag& flag) { return flag.letter == letter; };
      if (std::isalpha(letter) == 0 || std::ranges::any_of(table.flags.flags, is_it)) continue;
      INFO(called.name() << " -" << letter);
      CHECK(table.refusal({std::string("-") + letter}).ends_with("[cli.c2]"));
    }
  }
}

TEST_CASE("cli.c4: no flag passes over a word that it does not know, nor a second one", "[app]") {
  for (const Called& called : all_calls()) {
    const Table table(called);
    for (const Flag& flag : table.flags.flags) {
      INFO(called.name() << " " << long_name(flag));
      if (flag.occurrence == app::Occurrence::once && flag.group != "Help") {
        Strings twice = words_of(flag);
        for (const std::string& word : words_of(flag)) twice.push_back(word);
        CHECK(table.refusal(twice) == long_name(flag) + ": is given twice [cli.c4]");
      }
      if (flag.value.empty()) {
        if (!flag.name.empty())
          CHECK(table.refusal({long_name(flag) + "=yes"}).ends_with("[cli.c4]"));
        continue;
      }
      if (flag.name.empty() || is_open(flag)) continue;
      for (const char* word : {"no-such-word", "-", "1x", "\xff"}) {
        INFO(word);
        const auto set = [&] { flag.into.set(word, long_name(flag)); };
        const std::string said = flag.into.choices.empty()
                                     ? refusal(set)
                                     : table.refusal({long_name(flag) + "=" + word});
        CHECK(said != "accepted");
      }
    }
  }
}

TEST_CASE("cli.c5: no command passes over a word too many", "[app]") {
  for (const Called& called : all_calls()) {
    const Table table(called);
    const std::vector<app::Argument>& arguments = table.flags.arguments;
    Strings words;
    for (const app::Argument& argument : arguments)
      words.push_back(argument.into.choices.empty() ? "x" : argument.into.choices.front());
    words.emplace_back("one-more");
    const bool is_endless =
        !arguments.empty() && arguments.back().occurrence == app::Occurrence::repeated;
    INFO(called.name());
    if (!is_endless) CHECK(table.refusal(words).ends_with("[cli.c5]"));
  }
}

TEST_CASE("cli.c120: what a row says of other flags holds, and names flags of its table", "[app]") {
  std::size_t rows = 0;
  const auto names_in = [](std::string_view names) {
    Strings each;
    for (std::size_t at = 0; at < names.size(); at = names.find(' ', at) + 1) {
      each.emplace_back(names.substr(at, names.find(' ', at) - at));
      if (names.find(' ', at) == std::string_view::npos) break;
    }
    return each;
  };
  for (const Called& called : all_calls()) {
    const Table table(called);
    const auto given = [&](const Flag& flag) {
      Strings words = required_words(table);
      for (const std::string& word : words_of(flag)) words.push_back(word);
      return words;
    };
    for (const Flag& flag : table.flags.flags) {
      INFO(called.name() << " " << long_name(flag));
      for (const std::string& name : names_in(flag.only_with)) CHECK(has_flag(table, name));
      if (!flag.only_with.empty()) {
        ++rows;
        const std::string said = table.refusal(given(flag));
        CHECK(said.starts_with(long_name(flag) + ": needs --"));
        CHECK(said.ends_with("[cli.c120]"));
      }
      for (const std::string& name : names_in(flag.never_with)) {
        ++rows;
        REQUIRE(has_flag(table, name));
        Strings words = given(flag);
        const auto other = std::ranges::find(table.flags.flags, name, &Flag::name);
        words.push_back(words_of(*other).front());
        CHECK(table.refusal(words) == long_name(flag) + ": has no effect beside --" + name +
                                          ": leave out one of them [cli.c120]");
      }
    }
  }
  CHECK(rows > 20);
}

TEST_CASE("job.j2: no job passes over a key that its operation does not have", "[app]") {
  const std::set<std::string> keys = all_keys();
  for (const Operation* operation : operations()) {
    const std::set<std::string> own = keys_of(*operation);
    for (const std::string& key : keys) {
      if (own.contains(key)) continue;
      for (const json& value : values) {
        const std::string text = json{{"op", operation->name}, {key, value}}.dump();
        INFO(text);
        CHECK(refusal([&] { app::parse_job(text, "x"); }).ends_with("[job.j2]"));
        if (std::ranges::count(app::batch_keys, key) == 0)
          CHECK(refusal([&] { app::parse_job_of_batch(text, "x"); }).ends_with("[job.j2]"));
      }
    }
  }
}

TEST_CASE("no key of a job or a case passes over a value that it does not take", "[app]") {
  const Operation& operation = *find_operation("ScatterNDUpdate-15");
  std::set<std::string> keys = keys_of(operation);
  for (const std::string_view key : app::batch_keys) keys.emplace(key);
  keys.erase("op");
  for (const std::string& key : keys) {
    // Of no key is this a value; a string is a path, or a comment.
    for (const json& value : {json(nullptr), json::array({json::object({{"x", nullptr}})}),
                              json::object({{"no_such_key", nullptr}})}) {
      const std::string text = json{{"op", operation.name}, {key, value}}.dump();
      INFO(text);
      const std::string said = refusal([&] {
        const app::Job job = app::parse_job_of_batch(text, "x").job;
        for (const auto& [name, word] : job.operands)
          app::OperandOpener({}).open(word, {.name = name, .dtype = {}});
        if (key == "expected" || key == "actual")
          fail(ErrorKind::usage, "json.f5", key, "is opened by a batch only");
      });
      CHECK(said != "accepted");
    }
  }
}

TEST_CASE("no line of a batch passes over a key, whatever its value", "[app]") {
  Strings lines;
  for (const json& value : values) {
    for (const char* key : {"no_such_key", "Expected", "tag", "defaults ", "max-ulp", "reduction"})
      lines.push_back(
          named(fmt::format("case-{}", lines.size()), {{"expected", {5, 2, 6}}, {key, value}}));
  }
  const BatchDirectory batch(lines);
  const auto states = states_of(batch.run({"--json"}));
  CHECK(states.size() == lines.size());
  for (const auto& [name, state] : states) {
    INFO(name);
    CHECK(state == "failed");
  }
}

TEST_CASE("no defaults of a batch pass over a dtype or a key, whatever its value", "[app]") {
  const auto is_legal = [](const std::string& key, const json& value) {
    if (key == "equal_nan") return value.is_boolean();
    if (key == "max_ulp") return value == 0;
    return key.ends_with("tol") && value.is_number();
  };
  const auto is_taken = [](const json& defaults) {
    const json line{{"defaults", defaults}};
    return BatchDirectory({line.dump(), case_line(right)}).run().exit_code == 0;
  };
  for (const json& value : values) {
    INFO(value.dump());
    CHECK(!is_taken({{"float33", value}}));
    CHECK(is_taken({{"f32", value}}) == value.is_object());
    for (const std::string key : {"no_such_key", "rtol", "atol", "max_ulp", "equal_nan"}) {
      INFO(key);
      CHECK(is_taken({{"f32", {{key, value}}}}) == is_legal(key, value));
    }
  }
}

TEST_CASE("no tensor in JSON passes over a key, whatever its value", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.bin", "abcd");
  const auto refused = [&](const json& tensor, const std::string& label) {
    INFO(tensor.dump());
    const std::string job = json{
        {"op", "ScatterUpdate-3"},
        {"data", tensor},
        {"indices", 0},
        {"updates", 0},
        {"axis", 0}}.dump();
    for (const Command& command :
         {Command({"show", tensor.dump()}), Command("run -").with_input(job),
          Command("show -").with_input(tensor.dump())}) {
      Command in_folder = command;
      const Result result = in_folder.in(directory.path()).run();
      CHECK(result.exit_code != 0);
      if (!label.empty()) CHECK_THAT(result.err, contains(label));
    }
  };
  for (const json& value : {json(nullptr), json(false), json(0), json::array()}) {
    refused({{"data", {1, 2}}, {"no_such_key", value}}, "[json.f5]");
    refused({{"data", {1, 2}}, {"Dtype", value}}, "[json.f5]");
    refused({{"raw", "x.bin"}, {"dtype", "u8"}, {"shape", {4}}, {"no_such_key", value}}, "");
    refused({{"raw", "x.bin"}, {"dtype", "u8"}, {"shape", {4}}, {"data", value}}, "");
  }
  for (const char* key : {"offset", "byte_order", "order", "dtype", "shape", "raw"}) {
    json raw{{"raw", "x.bin"}, {"dtype", "u8"}, {"shape", {4}}};
    for (const json& value : {json(nullptr), json(false), json("x"), json(-1), json::object()}) {
      raw[key] = value;
      refused(raw, "");
    }
  }
  refused({{"data", {1, 2}}, {"dtype", nullptr}}, "[json.f6]");
  refused({{"data", {1, 2}}, {"shape", nullptr}}, "[json.f7]");
}

TEST_CASE("no topic, shell, label, format or variable is passed over", "[app]") {
  for (const Strings& words :
       {Strings{"help", "no-such-topic"}, Strings{"completion", "no-such-shell"},
        Strings{"ops", "--rule", "no.such.rule"}, Strings{"ops", "no-such-operation"},
        Strings{"help", "rules", "--format", "man"}, Strings{"run", "--schema", "x.json"},
        Strings{"ops", "ScatterUpdate-3", "--rule", "cli.c1"}}) {
    INFO(fmt::format("{}", fmt::join(words, " ")));
    CHECK(Command(words).run().exit_code == 2);
  }
  const BatchDirectory batch({case_line(right)});
  using Variables = std::vector<std::pair<std::string, std::string>>;
  for (const Variables& variables :
       {Variables{{"TSCATTER_KERNELS", "no-such-path"}}, Variables{{"SOURCE_DATE_EPOCH", "today"}},
        Variables{{"TEST_TOTAL_SHARDS", "two"}},
        Variables{{"TEST_TOTAL_SHARDS", "2"}, {"TEST_SHARD_INDEX", "2"}},
        Variables{{"TEST_TOTAL_SHARDS", "2"}}, Variables{{"TEST_SHARD_INDEX", "1"}}}) {
    Command command = batch.command({"--html", "report.html"});
    for (const auto& [name, value] : variables) command.with_environment(name, value);
    INFO(variables.front().first);
    CHECK(command.run().exit_code == 2);
  }
}

namespace {

// A call that works, to which each flag of its command is added.
struct Base {
  Strings words;
  // Flags that may change nothing that is seen here, since they allow or bound what does not
  // happen, or say what holds anyway. All others are refused, or change what is seen.
  std::set<std::string> quiet;
};

const std::set<std::string> policies{"form",     "oob",        "negative", "nan",
                                     "extremes", "accumulate", "self",     "unique"};

const Strings scatter = split_words("ScatterNDUpdate-15 -d d.npy -i [[0]] -u [7]");

Strings scatter_with(const std::string& before, const Strings& more) {
  Strings words;
  if (!before.empty()) words.push_back(before);
  words.insert(words.end(), scatter.begin(), scatter.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<std::string> with_policies(std::set<std::string> names) {
  names.insert(policies.begin(), policies.end());
  return names;
}

const std::vector<Base> bases{
    {scatter, with_policies({"cast", "dtype", "threads", "memory"})},
    {scatter_with("", {"-o", "-"}),
     with_policies({"cast", "dtype", "format", "threads", "memory"})},
    {scatter_with("", {"-o", "o.npy"}),
     with_policies({"cast", "dtype", "format", "force", "sync", "wait", "threads", "memory"})},
    {scatter_with("", {"-o", "o.npz:w"}),
     with_policies({"cast", "dtype", "force", "sync", "wait", "threads", "memory"})},
    {scatter_with("", {"--in-place"}),
     with_policies({"cast", "dtype", "no-journal", "force", "sync", "wait", "threads", "memory"})},
    {{"run", "j.json"}, {"threads", "memory"}},
    {{"run", "jo.json"}, {"format", "wait", "threads", "memory"}},
    {{"run", "--schema"}, {}},
    {{"batch", "c.jsonl"},
     {"filter", "tag", "shard", "last-failed", "resume", "update-golden", "force", "failed-dir",
      "unreferenced", "details", "by-word", "threads", "fail-fast", "wait"}},
    {{"batch", "c.jsonl", "--list"},
     {"filter", "tag", "shard", "last-failed", "resume", "state", "threads"}},
    {{"compare", "d.npy", "d.npy"},
     {"dtype", "rtol", "atol", "max-ulp", "equal-nan", "worst", "threads"}},
    {{"compare", "a.npz", "a.npz"}, {"rtol", "atol", "max-ulp", "equal-nan", "worst", "threads"}},
    {{"compare", "--case", "a", "c.jsonl"}, {"worst", "threads"}},
    {scatter_with("verify", {"--actual", "[7,2,3]"}),
     with_policies({"cast", "dtype", "nan", "ftz", "nan-bits", "zeros", "blocks", "policy", "worst",
                    "threads"})},
    {scatter_with("explain", {}), with_policies({"cast", "dtype", "worst", "threads"})},
    {{"explain", "--case", "a", "c.jsonl"}, {"worst", "threads"}},
    {{"generate", "ScatterNDUpdate-15", "--count", "3", "-o", "g"}, {"max-elements"}},
    {{"generate", "ScatterNDUpdate-15", "--count", "3", "--list"}, with_policies({"max-elements"})},
    {{"show", "d.npy"}, {"dtype", "threads"}},
    {{"show", "d.npy", "--header"}, {"dtype"}},
    {{"show", "a.npz"}, {"header", "threads"}},
    {{"convert", "d.npy", "o.npy"}, {"dtype", "format", "force", "sync", "wait"}},
    {{"convert", "d.npy", "-"}, {"dtype", "format"}},
    {{"convert", "a.npz", "o.safetensors"}, {"force", "sync", "wait"}},
    {{"ops"}, {}},
    {{"ops", "ScatterUpdate-3"}, {}},
    {{"ops", "--rule", "cli.c1"}, {}},
    {{"recover", "d.npy"}, {"dry-run", "force", "wait"}},
    {{"digest", "d.npy"}, {"unit"}},
    {{"completion", "bash"}, {}},
    {{"help"}, {}},
};

// What a call leaves: its exit code, what it prints, and the files beside it.
std::string outcome(const Strings& words) {
  const TemporaryDirectory directory;
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"c.jsonl", named("a", {{"expected", {5, 2, 6}}, {"tags", {"t"}}}) + "\n"},
           {"j.json", case_line(json::object())},
           {"jo.json", case_line({{"output", "o.npy"}})}}) {
    write_file(directory / name, text);
  }
  write_file(directory / "d.npy",
             npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
                      std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12)));
  const auto run = [&](const Strings& given) {
    Command command(given);
    command.in(directory.path()).with_environment("XDG_STATE_HOME", directory / ".state");
    return command.run();
  };
  run({"convert", "d.npy", "a.npz:w"});
  const Result result = run(words);
  if (result.exit_code > 1) return "refused";
  std::string left = fmt::format("{}\n{}\n{}\n", result.exit_code, result.out, result.err);
  std::map<std::string, std::string> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(directory.path())) {
    const std::string name = each.path().lexically_relative(directory.path()).native();
    if (name == "a.npz" || name.starts_with(".state")) continue;
    files[name] = each.is_regular_file() ? read_file(each.path()) : "";
  }
  for (const auto& [name, content] : files) left += name + "\n" + content;
  return left;
}

const Called& call_of(const std::vector<Called>& calls, const Strings& words) {
  const bool is_of_case = std::ranges::count(words, "--case") > 0;
  const auto is_it = [&](const Called& each) {
    if (each.command->name != words.front() || each.is_of_case != is_of_case) return false;
    return !each.command->takes_operation || is_of_case || each.operation->name == words[1];
  };
  const auto found = std::ranges::find_if(calls, is_it);
  REQUIRE(found != calls.end());
  return *found;
}

}  // namespace

TEST_CASE("cli.c120: a flag changes what is seen, or is refused", "[app]") {
  const std::vector<Called> calls = all_calls();
  std::set<std::string_view> walked;
  for (const Base& base : bases) {
    const Called& called = call_of(calls, base.words);
    walked.insert(called.command->name);
    const Table table(called);
    const std::string before = outcome(base.words);
    INFO(fmt::format("{}", fmt::join(base.words, " ")));
    REQUIRE(before != "refused");
    for (const Flag& flag : table.invocation.flags) {
      if (base.quiet.contains(flag.name)) continue;
      Strings words = base.words;
      for (const std::string& word : words_of(flag)) words.push_back(word);
      INFO(long_name(flag));
      CHECK(outcome(words) != before);
    }
  }
  // parts and finish need parts, and have flags whose effect their own tests show.
  for (const app::Command& command : app::commands()) {
    const bool is_other = command.group != app::CommandGroup::commands || command.name == "parts" ||
                          command.name == "finish";
    INFO(command.name);
    if (!is_other) CHECK(walked.contains(command.name));
  }
}

TEST_CASE("cli.c120: what is for files is refused where no file is written", "[app]") {
  const Folder folder;
  const auto refused = [&](const Strings& words) { return folder.refused(2, words); };
  const std::string rule = ": needs an output that is a file";
  for (const char* flag : {"--sync", "--force", "--wait=1"}) {
    const std::string name = std::string(flag).substr(0, 6) == "--wait" ? "--wait" : flag;
    const Strings call{"ScatterUpdate-3", "-d", "[1]", "-i", "[0]", "-u", "[2]", "-a", "0", flag};
    CHECK(refused(call) == name + rule + " [cli.c120]");
    CHECK(refused(with_more(call, {"-o", "-"})) == name + rule + ", got - [cli.c120]");
    CHECK(refused({"convert", "[1]", "-", flag}) == name + rule + ", got - [cli.c120]");
    CHECK(folder.run(with_more(call, {"-o", "o.npy"})).exit_code == 0);
  }
  for (const char* key : {"sync", "force"}) {
    const std::string job = case_line({{key, true}});
    CHECK(refusal_of(2, Command("run -").with_input(job)) ==
          std::string(key) + rule + " [cli.c120]");
    CHECK(failure_with({{key, true}, {"expected", {5, 2, 6}}}) ==
          "format, compress, sync and force need an output [cli.c120]");
    CHECK(Command("run -").with_input(case_line({{key, false}})).run().exit_code == 0);
  }
  for (json more : {json{{"format", "npy"}}, json{{"compress", true}}}) {
    more["expected"] = {5, 2, 6};
    CHECK(failure_with(more) == "format, compress, sync and force need an output [cli.c120]");
  }
}

}  // namespace tscatter
