// Command lines and files that nobody would write on purpose: none may crash the program, make it
// hang, or make it exit with 70. TSCATTER_SEED repeats a run.
#include <fmt/format.h>

#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "app/folder.hpp"
#include "catch.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

const int share = property::is_slowed ? 3 : 1;  // of the cases, which new seeds make up for

class Random {
 public:
  Random() : seed_{first_seed()}, engine_{seed_} {}

  std::uint64_t seed() const { return seed_; }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(engine_() % end); }
  const std::string& one_of(const Strings& choices) { return choices[below(choices.size())]; }

 private:
  static std::uint64_t first_seed() {
    return property::from_environment("TSCATTER_SEED", std::random_device{}());
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

std::string joined(const Strings& words) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("'{}' ", escape_control(word));
  return text;
}

// Checks that the program exits with a documented code, and says why unless that is 0.
void check_ends_well(const Command& command) {
  static const std::set<int> codes{0, 2, 3, 4, 5};
  const Result result = command.run();
  CHECK(result.signal == 0);
  CHECK(codes.contains(result.exit_code));
  if (result.exit_code == 0) return;
  // Beside the log of -v, whose lines begin with their time.
  std::istringstream lines(result.err);
  int messages = 0;
  for (std::string line; std::getline(lines, line);) messages += line.starts_with('[') ? 0 : 1;
  CHECK(messages == 1);
}

const Strings commands = split_words(
    "ScatterUpdate ScatterNDUpdate-3 ScatterNDUpdate-15 SliceScatter show convert ops help run '' "
    "- --");
const Strings flags = split_words(
    "-d -i -u -a -r -o -j -n -v -q -h --data --start --stop --step --axes --axis --dtype --format "
    "--json --color --help --rule -- - --= -= --- --data= -dx --no-json");
const Strings values = split_words(
    "'' - 0 -1 7 1e999 [1 [[1],[2]] [[[]]] {} {\"data\":[1]} null \"NaN\" 3xf32=1 0xf32= "
    "9999999999999xu8=0 -9223372036854775808 99999999999999999999999 0,1 , 1,,2 -,- 2x2xc64=1+2j "
    "1xbool=2 \xff\xfe '\n' %s%n {0} ../ / /dev/null sum npy json f32 [1,[2]] "
    "4xi64=-9223372036854775808 x.npz:y ~ nan inf 0x10 1_0");

Strings random_words(Random& random) {
  Strings words{random.one_of(commands)};
  for (std::size_t count = random.below(10); count > 0; --count) {
    words.push_back(random.below(2) == 0 ? random.one_of(flags) : random.one_of(values));
  }
  return words;
}

// A command line that is right except for a word or two.
Strings almost_right(Random& random) {
  Strings words =
      split_words("ScatterNDUpdate-15 -d 2x3xf32=1 -i '[[1], [0]]' -u 2x3xf32=5 -r sum");
  for (std::size_t count = 1 + random.below(2); count > 0; --count) {
    words[1 + random.below(words.size() - 1)] =
        random.one_of(random.below(3) == 0 ? flags : values);
  }
  return words;
}

const Strings headers{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                      "{'descr': [('a', '<f4'), ('b', [('c', '|S3', (2,))])], 'fortran_order': "
                      "True, 'shape': (2,), }",
                      "{'descr': '<M8[25s]', 'fortran_order': False, 'shape': (3L,)}"};

std::string mutated_file(Random& random) {
  static const std::string alphabet = "'\"{}[](),:0123456789-<>|=fiuSUVMOLTrue \n\\#x\x80\xff";
  std::string file =
      npy_file(random.one_of(headers), std::string(24, 'x'), static_cast<int>(1 + random.below(3)));
  for (std::size_t count = 1 + random.below(6); count > 0; --count) {
    const std::size_t at = random.below(file.size());
    const std::size_t kind = random.below(4);
    if (kind == 0) file[at] = static_cast<char>(random.below(256));
    if (kind == 1) file[at] = alphabet[random.below(alphabet.size())];
    if (kind == 2) file.erase(at, 1 + random.below(4));
    if (kind == 3) file.insert(at, 1, alphabet[random.below(alphabet.size())]);
    if (file.empty()) return file;
  }
  return file;
}

}  // namespace

TEST_CASE("no command line crashes the program", "[app][fuzz]") {
  Random random;
  std::cout << "TSCATTER_SEED=" << random.seed() << "\n";
  const Folder folder;
  for (int i = 0; i < 300 / share; ++i) {
    const Strings words = i % 2 == 0 ? random_words(random) : almost_right(random);
    INFO("TSCATTER_SEED=" << random.seed() << " case " << i << ": " << joined(words));
    check_ends_well(folder.command(words).with_file_limit(1000000));
  }
}

TEST_CASE("no .npy file crashes the program", "[app][fuzz]") {
  Random random;
  const TemporaryDirectory directory;
  for (int i = 0; i < 200 / share; ++i) {
    const std::string file = mutated_file(random);
    INFO("TSCATTER_SEED=" << random.seed() << " case " << i << ": " << escape_control(file));
    write_file(directory / "x.npy", file);
    const Command command = i % 2 == 0 ? Command({"convert", directory / "x.npy", "/dev/null"})
                                       : Command("show -").with_input(file);
    check_ends_well(command);
  }
}

TEST_CASE("no job crashes the program", "[app][fuzz]") {
  Random random;
  const std::string job =
      R"({"op": "ScatterNDUpdate-15", "data": {"dtype": "f32", "data": [1, 2, 3]},
    "indices": [[1], [0]], "updates": [5, 6], "reduction": "sum", "threads": 1})";
  for (int i = 0; i < 100 / share; ++i) {
    std::string text = job;
    for (std::size_t count = 1 + random.below(3); count > 0; --count) {
      text[random.below(text.size())] = "{}[]\":,0-1e.tnf\x80"[random.below(16)];
    }
    INFO("TSCATTER_SEED=" << random.seed() << " case " << i << ": " << escape_control(text));
    check_ends_well(Command("run -").with_input(text));
  }
}

}  // namespace tscatter
