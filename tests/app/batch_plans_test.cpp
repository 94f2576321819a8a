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
#include "app/batch_plan.hpp"
#include "catch.hpp"
#include "cli/command_line.hpp"
#include "commands/commands.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using planned::Deed;
using planned::Plan;
using planned::Use;

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
struct PlanOutcome {
  bool is_refused = false;
  std::set<int> lines;
  std::string text;  // for people
};

PlanOutcome run_plan(const Plan& plan, Caught& caught) {
  Strings words = split_words("batch cases.jsonl --json --force --unreferenced ignore");
  words.insert(words.end(), plan.flags.begin(), plan.flags.end());
  for (const auto& [name, value] : plan.environment) ::setenv(name.c_str(), value.c_str(), 1);
  PlanOutcome outcome;
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
std::string trouble_with(const Plan& plan, const Pool& pool, const PlanOutcome& outcome) {
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
      property::extent("TSCATTER_PLANS", {.whole = 100000, .sample = 1500, .slowed = 500});
  const std::uint64_t seed = property::from_environment("TSCATTER_SEED", 20261122);
  const Pool pool;
  ::setenv("XDG_STATE_HOME", (pool.path() / ".state").c_str(), 1);
  std::uint64_t met = 0;
  std::string trouble;
  {
    Caught caught(pool.path());
    for (std::uint64_t i = 0; i < plans && trouble.empty(); ++i) {
      const Plan plan = planned::random_plan(seed + i);
      write_file(pool.path() / "cases.jsonl", plan.text());
      trouble = trouble_with(plan, pool, run_plan(plan, caught));
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
