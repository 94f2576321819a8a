// How a table of flags parses the words of a command.
#include "cli/parser.hpp"

#include "catch.hpp"
#include "cli/targets.hpp"

namespace tscatter::app {
namespace {

using Words = std::vector<std::string>;

struct Read {
  std::string unique;
  bool is_quiet = false;
  std::vector<std::string> arguments;
  std::string error;
};

// The table has a switch, an argument, and a flag whose value is optional.
Read read(const Words& words) {
  Read read;
  std::string argument;
  const FlagTable table{
      .name = "trial",
      .arguments = {{.name = "FILE",
                     .help = {},
                     .into = {.set = [&read](const auto& word,
                                             const auto&) { read.arguments.push_back(word); }},
                     .presence = Presence::optional}},
      .flags = {{.name = "quiet", .letter = 'q', .into = turn_on(read.is_quiet)},
                {.name = "unique",
                 .letter = 'u',
                 .value = "BOOL",
                 .implied = "true",
                 .into = {.choices = {"true", "false"},
                          .set = [&read](const auto& word, const auto&) { read.unique = word; }}}}};
  const Parsed parsed = parse(table, words);
  if (parsed.error) read.error = parsed.error->what();
  return read;
}

}  // namespace

TEST_CASE("a flag may do without its value where the next word is none of its choices", "[app]") {
  for (const Words& words :
       {Words{"--unique"}, Words{"--unique", "x.npy"}, Words{"-u", "-q"}, Words{"-qu"},
        Words{"--unique", "true"}, Words{"-utrue"}, Words{"--unique=true"}}) {
    CHECK(read(words).unique == "true");
    CHECK(read(words).error.empty());
  }
  CHECK(read({"--unique", "false", "x.npy"}).unique == "false");
  CHECK(read({"--unique", "x.npy"}).arguments == Words{"x.npy"});
  CHECK(read({"-u", "-q"}).is_quiet);
  CHECK(read({"--unique=yes"}).error == "--unique: must be one of true, false, got yes [cli.c4]");
  CHECK(read({"-u", "--unique"}).error == "--unique: is given twice [cli.c4]");
}

TEST_CASE("the first mistake from the left is told", "[app]") {
  CHECK(read({"a", "b", "--nope"}).error == "trial: takes at most FILE, got b [cli.c5]");
  CHECK(read({"--nope", "a", "b"}).error.starts_with("trial: has no flag --nope "));
  CHECK(read({"-q", "--unique=", "--nope"}).error.ends_with("got an empty one [cli.c4]"));
}

}  // namespace tscatter::app
