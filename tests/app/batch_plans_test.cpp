// tscatter batch: random cases that read and write the same few files under many names, with every
// flag that writes. What is read never changes, and the plan refuses exactly what an oracle
// refuses that compares every two uses.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <set>

#include "app/batch.hpp"
#include "catch.hpp"
#include "cli/command_line.hpp"
#include "commands/commands.hpp"
#include "property/environment.hpp"
#include "property/random.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A name in the directory and its file, written down by hand: the oracle resolves nothing.
struct Name {
  std::string path;
  std::string file;
  std::string member = {};
};

const std::vector<Name> tensors{
    {"a.npy", "a"},          {"./a.npy", "a"},     {"sub/../a.npy", "a"},
    {"link.npy", "a"},       {"b.npy", "b"},       {"hard.npy", "b"},
    {"way/../b.npy", "b"},   {"want.npy", "want"}, {"new.npy", "new"},
    {"dangling.npy", "new"}, {"sub/e.npy", "e"},   {"way/e.npy", "e"},
    {"sub/n.npy", "n"},      {"way/n.npy", "n"},   {"a.npy.tscatter-undo", "a's journal"},
    {"cases.jsonl", "cases"}};
const std::vector<Name> members{{"m.npz:x", "m", "x"},     {"./m.npz:x.npy", "m", "x"},
                                {"mlink.npz:x", "m", "x"}, {"m.npz:y", "m", "y"},
                                {"mlink.npz:z", "m", "z"}, {"m.npz", "m"}};

// Links to the same files, for reports: these do not take names that end in .npy.
const std::vector<Name> reports{
    {"to_a", "a"},           {"sub/../to_a", "a"}, {"to_b", "b"},     {"to_want", "want"},
    {"to_e", "e"},           {"to_n", "n"},        {"to_new", "new"}, {"to_journal", "a's journal"},
    {"cases.jsonl", "cases"}};

enum class Deed : std::uint8_t { reads, compares, keeps, updates, writes };

struct Use {
  int line;  // 0: of the command
  Deed deed;
  std::string file;
  std::string member;  // empty: the file as a whole
  bool is_archive = false;
};

bool is_write(const Use& use) { return use.deed >= Deed::keeps; }

bool overlap(const Use& one, const Use& other) {
  if (one.file != other.file) return false;
  return one.member.empty() || other.member.empty() || one.member == other.member;
}

// Whether both are allowed, though they overlap.
bool agree(const Use& one, const Use& other) {
  const std::set<Deed> deeds{one.deed, other.deed};
  if (!is_write(one) && !is_write(other)) return true;
  if (deeds == std::set{Deed::keeps}) return true;
  return one.member == other.member &&
         (deeds == std::set{Deed::updates} || deeds == std::set{Deed::updates, Deed::compares});
}

struct Plan {
  Strings lines;
  Strings flags;
  std::map<std::string, std::string> environment;
  std::vector<Use> uses;

  std::string text() const { return fmt::format("{}\n", fmt::join(lines, "\n")); }

  bool meets_command() const {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      for (std::size_t k = 0; k < uses.size(); ++k) {
        const bool is_of_command =
            is_write(uses[i]) && (uses[i].line == 0 || uses[i].deed == Deed::keeps);
        if (i != k && is_of_command && overlap(uses[i], uses[k]) && !agree(uses[i], uses[k]))
          return true;
      }
    }
    return false;
  }

  // The lines of cases that write what is read, or (if they write the whole) what another use
  // writes first.
  std::set<int> refused() const {
    std::set<int> found;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      for (std::size_t k = 0; k < uses.size(); ++k) {
        if (i == k || !is_write(uses[i]) || !overlap(uses[i], uses[k]) || agree(uses[i], uses[k]))
          continue;
        const bool is_whole = uses[i].member.empty() && !uses[k].member.empty();
        const bool is_second = is_write(uses[k]) && uses[k].deed == Deed::writes && k < i &&
                               uses[i].member == uses[k].member;
        const bool is_read = !is_write(uses[k]) || uses[k].deed == Deed::updates;
        const bool is_golden = uses[i].deed == Deed::updates;
        if (is_read || is_whole || (is_second && !is_golden)) found.insert(uses[i].line);
      }
    }
    return found;
  }

  // Whether it must not change. A golden that some cases update and others compare with may.
  bool is_read(const std::string& file, const std::string& member) const {
    const Use wanted{.line = 0, .deed = Deed::reads, .file = file, .member = member};
    const auto has = [&](Deed deed) {
      return std::ranges::any_of(
          uses, [&](const Use& use) { return use.deed == deed && overlap(use, wanted); });
    };
    return has(Deed::reads) || (has(Deed::compares) && !has(Deed::updates));
  }
};

// Makes a random plan.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_{seed} {}

  Plan plan() {
    use(0, Deed::reads, {"cases.jsonl", "cases"});
    updates_ = flag(40, "--update-golden");
    if (random_.chance(30)) keeps_in_ = random_.among<std::string>({".", "sub", "way", "kept"});
    if (!keeps_in_.empty()) add_flag("--failed-dir", keeps_in_);
    for (const char* name : {"--junit", "--html", "XML_OUTPUT_FILE", "TEST_SHARD_STATUS_FILE"}) {
      if (!random_.chance(12)) continue;
      const Name report = random_.among(reports);
      use(0, Deed::writes, report);
      if (*name == '-') {
        add_flag(name, report.path);
      } else {
        plan_.environment[name] = report.path;
      }
    }
    const int count = static_cast<int>(random_.between(1, 4));
    for (int line = 1; line <= count; ++line) add_case(line);
    return plan_;
  }

 private:
  bool flag(int percent, const std::string& name) {
    const bool is_given = random_.chance(percent);
    if (is_given) plan_.flags.push_back(name);
    return is_given;
  }

  void add_flag(const std::string& name, const std::string& value) {
    plan_.flags.push_back(name);
    plan_.flags.push_back(value);
  }

  void use(int line, Deed deed, const Name& name) {
    plan_.uses.push_back({.line = line, .deed = deed, .file = name.file, .member = name.member});
  }

  const Name& tensor() { return random_.among(random_.chance(25) ? members : tensors); }

  void add_case(int line) {
    const Strings names{"a", "b", "e", "n", "new", "want"};
    const std::string& name = names[static_cast<std::size_t>(line + shift_) % names.size()];
    case_ = {{"op", "ScatterNDUpdate-15"},
             {"name", name + (random_.chance(50) ? "" : "x")},
             {"data", {1, 2, 3}},
             {"indices", {{0}, {2}}},
             {"updates", {5, 6}}};
    line_ = line;
    if (random_.chance(20)) put("indices", Deed::reads);
    switch (random_.between(1, 6)) {
      case 1: add_writer(); break;
      case 2: add_change(); break;
      case 3: add_judged(); break;
      case 4: add_refused(); break;
      default: add_golden(); break;
    }
    plan_.lines.push_back(case_.dump());
  }

  void put(const char* key, Deed deed) {
    const Name& name = tensor();
    case_[key] = name.path;
    use(line_, deed, name);
  }

  void add_writer() {
    if (random_.chance(60)) put("data", Deed::reads);
    put("output", Deed::writes);
  }

  void add_change() {
    const Name& data = random_.among(tensors);
    case_["data"] = data.path;
    case_["in_place"] = true;
    case_["no_journal"] = data.file != "a" || random_.chance(50);
    use(line_, Deed::writes, data);
    if (case_["no_journal"] == false) use(line_, Deed::writes, {"", "a's journal"});
  }

  void add_judged() {
    put("actual", Deed::reads);
    if (random_.chance(50)) put("data", Deed::reads);
    if (random_.chance(50)) case_["expected"] = {5, 2, 6};
  }

  void add_refused() {
    put("data", Deed::reads);
    case_["expected_error"] = "npy.f1";
    if (random_.chance(50)) case_["output"] = tensor().path;
  }

  void add_golden() {
    if (random_.chance(60)) put("data", Deed::reads);
    const bool is_known = random_.chance(10);
    if (is_known) case_["xfail"] = "x";
    put("expected", updates_ && !is_known ? Deed::updates : Deed::compares);
    if (random_.chance(20)) put("output", Deed::writes);
    if (keeps_in_.empty() || is_known) return;
    const std::string name = case_["name"].get<std::string>() + ".npy";
    const std::string directory = keeps_in_ == "way" ? "sub" : keeps_in_;
    const std::string path = directory == "." ? name : directory + "/" + name;
    const auto known = std::ranges::find(tensors, path, &Name::path);
    use(line_, Deed::keeps, known == tensors.end() ? Name{path, path} : *known);
  }

  property::Random random_;
  Plan plan_;
  json case_;
  int line_ = 0;
  std::int64_t shift_ = random_.between(0, 5);
  bool updates_ = false;
  std::string keeps_in_;
};

// The files of the plans, made again after each.
class Pool {
 public:
  Pool() {
    const auto convert = [&](int first, const std::string& path) {
      output_of(
          {"convert", fmt::format("[{}, {}, {}]", first, first + 1, first + 2), directory_ / path});
    };
    fs::create_directories(directory_ / "sub");
    for (const char* path : {"a.npy", "b.npy", "want.npy", "sub/e.npy", "m.npz:x", "m.npz:y"})
      convert(1000 * ++count_, path);
    fs::create_hard_link(directory_ / "b.npy", directory_ / "hard.npy");
    for (const auto& [link, target] :
         std::map<std::string, std::string>{{"link.npy", "a.npy"},
                                            {"dangling.npy", "new.npy"},
                                            {"to_a", "a.npy"},
                                            {"to_b", "b.npy"},
                                            {"to_want", "want.npy"},
                                            {"to_e", "sub/e.npy"},
                                            {"to_n", "sub/n.npy"},
                                            {"to_new", "new.npy"},
                                            {"to_journal", "a.npy.tscatter-undo"},
                                            {"way", "sub"},
                                            {"mlink.npz", "m.npz"}})
      fs::create_symlink(target, directory_ / link);
    for (const char* path : {"a.npy", "b.npy", "want.npy", "sub/e.npy", "m.npz"})
      before_[path] = read_file(directory_ / path);
  }

  const fs::path& path() const { return directory_.path(); }

  // The name of a file that is read, yet has changed; empty if there is none.
  std::string changed(const Plan& plan) const {
    const std::map<std::string, Strings> paths{{"a", {"a.npy"}},
                                               {"b", {"b.npy", "hard.npy"}},
                                               {"want", {"want.npy"}},
                                               {"e", {"sub/e.npy"}}};
    for (const auto& [file, names] : paths) {
      for (const std::string& name : names) {
        if (plan.is_read(file, "") && read_file(directory_ / name) != before_.at(names[0]))
          return name;
      }
    }
    const std::string archive = read_file(directory_ / "m.npz");
    for (const auto& [member, first] : std::map<std::string, int>{{"x", 5000}, {"y", 6000}}) {
      if (plan.is_read("m", member) && archive.find(value(first)) == std::string::npos)
        return "m.npz:" + member;
    }
    return read_file(directory_ / "cases.jsonl") == plan.text() ? "" : "cases.jsonl";
  }

  void restore(const Plan& plan) const {
    for (const auto& [path, text] : before_) {
      if (read_file(directory_ / path) != text) write_file(directory_ / path, text);
    }
    if (!fs::equivalent(directory_ / "b.npy", directory_ / "hard.npy")) {
      fs::remove(directory_ / "hard.npy");
      fs::create_hard_link(directory_ / "b.npy", directory_ / "hard.npy");
    }
    for (const char* path : {"new.npy", "sub/n.npy", "a.npy.tscatter-undo"})
      fs::remove(directory_ / path);
    for (const std::string& path : kept(plan)) fs::remove(directory_ / path);
  }

 private:
  static Strings kept(const Plan& plan) {
    Strings paths;
    for (const Use& use : plan.uses) {
      if (use.deed == Deed::keeps && use.file.find(".npy") != std::string::npos)
        paths.push_back(use.file);
    }
    return paths;
  }

  static std::string value(int first) {
    return little_endian(first) + std::string(4, '\0') + little_endian(first + 1);
  }

  TemporaryDirectory directory_;
  std::map<std::string, std::string> before_;
  int count_ = 0;
};

// While it lives, this process works in the directory, and its output is caught.
class Caught {
 public:
  explicit Caught(const fs::path& directory) : from_{fs::current_path()} {
    fs::current_path(directory);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const int stream = static_cast<int>(i) + 1;
      kept_[i] = ::dup(stream);
      streams_[i] = ::memfd_create("stream", MFD_CLOEXEC);
      ::dup2(streams_[i], stream);
    }
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  ~Caught() {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      ::dup2(kept_[i], static_cast<int>(i) + 1);
      ::close(kept_[i]);
      ::close(streams_[i]);
    }
    fs::current_path(from_);
  }

  // What went to stdout since the last call.
  std::string output() {
    std::string text(static_cast<std::size_t>(::lseek(streams_[0], 0, SEEK_CUR)), ' ');
    CHECK(::pread(streams_[0], text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    for (const int stream : streams_) {
      ::lseek(stream, 0, SEEK_SET);
      CHECK(::ftruncate(stream, 0) == 0);
    }
    return text;
  }

 private:
  fs::path from_;
  std::array<int, 2> streams_{};
  std::array<int, 2> kept_{};
};

// The outcome of a run in this process: the lines that batch.b12 refuses, or that cli.c14 refuses
// all.
struct Outcome {
  bool is_refused = false;
  std::set<int> lines;
  std::string text;  // for people
};

Outcome run(const Plan& plan, Caught& caught) {
  Strings words{"batch", "cases.jsonl", "--json", "--force", "--unreferenced", "ignore"};
  words.insert(words.end(), plan.flags.begin(), plan.flags.end());
  for (const auto& [name, value] : plan.environment) ::setenv(name.c_str(), value.c_str(), 1);
  Outcome outcome;
  try {
    app::CommandLine(app::commands(), words).run();
  } catch (const Error& error) {
    outcome.is_refused = error.label() == "cli.c14";
    outcome.text = error.what();
  }
  for (const auto& [name, value] : plan.environment) ::unsetenv(name.c_str());
  const std::string output = caught.output();
  outcome.text += output;
  for (const json& object : json_lines(output)) {
    if (object.value("label", "") == "batch.b12")
      outcome.lines.insert(object.at("line").get<int>());
  }
  return outcome;
}

// What is wrong with the outcome; empty if nothing is.
std::string trouble_with(const Plan& plan, const Pool& pool, const Outcome& outcome) {
  const std::set<int> lines = plan.meets_command() ? std::set<int>{} : plan.refused();
  const std::string changed = pool.changed(plan);
  std::string trouble;
  if (!changed.empty()) trouble = changed + " has changed";
  if (outcome.is_refused != plan.meets_command()) trouble = "cli.c14 differs";
  if (outcome.lines != lines)
    trouble = fmt::format("batch.b12 should be of lines {}", fmt::join(lines, ", "));
  if (trouble.empty()) return trouble;
  for (const auto& [name, value] : plan.environment) trouble += "\n" + name + "=" + value;
  return trouble + fmt::format("\n{}\n{}{}", fmt::join(plan.flags, " "), plan.text(), outcome.text);
}

}  // namespace

TEST_CASE("whatever a batch reads and writes, what is read does not change", "[app]") {
  const std::uint64_t plans =
      property::extent("TSCATTER_PLANS", {.whole = 100000, .sample = 10000, .slowed = 500});
  const std::uint64_t seed = property::from_environment("TSCATTER_SEED", 20261122);
  const Pool pool;
  ::setenv("XDG_STATE_HOME", (pool.path() / ".state").c_str(), 1);
  std::uint64_t met = 0;
  std::string trouble;
  {
    Caught caught(pool.path());
    for (std::uint64_t i = 0; i < plans && trouble.empty(); ++i) {
      const Plan plan = Maker(seed + i).plan();
      write_file(pool.path() / "cases.jsonl", plan.text());
      trouble = trouble_with(plan, pool, run(plan, caught));
      if (!trouble.empty()) trouble += fmt::format("\nTSCATTER_PLANS=1 TSCATTER_SEED={}", seed + i);
      if (plan.meets_command() || !plan.refused().empty()) ++met;
      pool.restore(plan);
    }
  }
  ::unsetenv("XDG_STATE_HOME");
  INFO(trouble);
  CHECK(trouble.empty());
  if (plans < 100) return;
  CHECK(met > plans / 4);
  CHECK(met < plans * 19 / 20);
}

}  // namespace tscatter
