// Runs random jobs with the built program and compares them with the oracle; kills some changes in
// place at random moments, after which the next run or recover must restore the file. Usage:
// tscatter_soak PROGRAM MINUTES [SEED [CASE]]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <random>
#include <regex>
#include <stdexcept>

#include "faults/traced_run.hpp"
#include "io/files.hpp"
#include "soak/soak_case.hpp"
#include "soak/tensor_text.hpp"

namespace tscatter::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using property::Random;

struct Counts {
  std::int64_t cases = 0;
  std::int64_t refused = 0;
  std::int64_t in_place = 0;
  std::int64_t kills = 0;
  std::int64_t recoveries = 0;
  std::int64_t differences = 0;
};

struct Settings {
  fs::path program;
  fs::path scratch;   // emptied for each case
  fs::path failures;  // what is kept
  std::uint64_t seed = 0;
};

std::string journal_name() { return data_name + ".tscatter-undo"; }

std::vector<std::string> names_here() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(".")) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string quoted(const Words& words) {
  std::string line;
  for (const std::string& word : words) {
    std::string inner;
    for (const char c : word) inner += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += fmt::format("{}'{}'", line.empty() ? "" : " ", inner);
  }
  return line;
}

// What a run says on stderr, without the two notes that are no errors.
std::string without_notes(const std::string& text) {
  static const std::regex notes(
      "tscatter: (no element was written: the index is empty( \\(nothing equals nan: use "
      "isnan\\))?|[0-9,]+ values? (was|were) out of range of u?int[0-9]+ and wrapped \\(--json "
      "counts (it|them)\\))\n");
  return std::regex_replace(text, notes, "");
}

// One case, from its seed to what is wrong with it.
class Trial {
 public:
  Trial(const Settings& settings, std::uint64_t seed, Counts& counts)
      : settings_{settings}, random_{seed}, counts_{counts} {}

  // "" where nothing is wrong.
  std::string run() {
    try {
      return wrong_with_case();
    } catch (const std::exception& exception) {  // a result that is not there
      return exception.what();
    }
  }

  // Keeps the files as they were before the run, the streams, and how to reproduce it.
  void keep(const std::string& wrong, const fs::path& into, std::int64_t number) const {
    if (case_.place == Place::in_place) write_file("data-before.npy", before_);
    fs::create_directories(into);
    fs::copy(".", into, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::copy_file(streams().out, into / "stdout", fs::copy_options::overwrite_existing);
    fs::copy_file(streams().err, into / "stderr", fs::copy_options::overwrite_existing);
    write_file(
        into / "command.txt",
        fmt::format("{}\n{} < {}\nagain: tscatter_soak {} 1 {} {}\n", wrong, quoted(case_.words),
                    case_.input, settings_.program.native(), settings_.seed, number));
  }

 private:
  std::string wrong_with_case() {
    case_ = random_soak_case(random_, settings_.program.native());
    ++counts_.cases;
    if (case_.place == Place::in_place) before_ = read_file(data_name);
    const std::vector<std::string> names = names_here();
    const Ended ended = run_child(case_.words, streams());
    if (case_.refusal) return names_here() == names ? wrong_with_refusal(ended) : "a file is left";
    if (leaves_a_file(names)) return "a file is left";
    if (ended.exit_code != 0 || !without_notes(read_file(streams().err)).empty())
      return fmt::format("exit code {}, signal {}", ended.exit_code, ended.signal);
    std::string wrong = wrong_with_result();
    if (!wrong.empty() || case_.place != Place::in_place) return wrong;
    ++counts_.in_place;
    after_ = read_file(data_name);
    return wrong_with_kills(ended.duration);
  }

  Streams streams() const {
    return {.in = case_.input,
            .out = settings_.scratch.native() + ".out",
            .err = settings_.scratch.native() + ".err"};
  }

  std::string wrong_with_refusal(const Ended& ended) {
    ++counts_.refused;
    const std::string label = fmt::format("[{}]\n", case_.refusal->label);
    constexpr int broken_rule = 5;
    if (ended.exit_code != broken_rule || !read_file(streams().err).ends_with(label))
      return fmt::format("not refused by {}: exit code {}", label, ended.exit_code);
    if (case_.place == Place::in_place && read_file(data_name) != before_)
      return "refused, and data was changed";
    return "";
  }

  // Beside the output.
  static bool leaves_a_file(const std::vector<std::string>& before) {
    return std::ranges::any_of(names_here(), [&](const std::string& name) {
      const bool is_output = name == output_name || name == archive_name || name == json_name;
      return !is_output && !std::ranges::binary_search(before, name);
    });
  }

  // The result as a .npy file.
  std::string result_file() {
    switch (case_.place) {
      case Place::in_place: return data_name;
      case Place::npy: return output_name;
      case Place::printed: return streams().out;
      default: break;
    }
    const std::string word = case_.place == Place::json ? json_name : archive_name + ":y";
    std::string converted = settings_.scratch.native() + ".npy";
    Words words{settings_.program, "convert", word, converted};
    // In an archive it is a record of two bytes.
    if (case_.call.operand("data").type.dtype == DType::bfloat16)
      words.insert(words.end(), {"--dtype", "bfloat16"});
    if (run_child(words, {}).exit_code != 0) throw std::runtime_error("convert failed");
    return converted;
  }

  std::string wrong_with_result() {
    const oracle::Result expected = oracle::apply(case_.call);
    const oracle::Layout layout = case_.place == Place::json ? oracle::Layout{} : case_.layout;
    const std::string file = read_file(result_file());
    const std::string dict = npy_dict(expected.output, layout);
    constexpr std::size_t front = 10;
    if (file.size() < front || file.compare(front, dict.size(), dict) != 0)
      return "another header than " + dict;
    const std::vector<std::byte> elements = npy_elements(file);
    if (elements.size() != expected.output.bytes.size()) return "another number of bytes";
    const auto at = oracle::first_difference(expected, layout, elements);
    return at ? fmt::format("element {} in row-major order differs", *at) : "";
  }

  std::string wrong_with_kills(std::chrono::microseconds duration) {
    const std::vector<std::string> names = names_here();
    for (std::int64_t round = random_.between(0, 3); round > 0; --round) {
      write_file(data_name, before_);
      kill_once(case_.words, duration);
      std::string wrong = random_.chance(50) ? wrong_with_recovery(duration) : wrong_with_rerun();
      if (!wrong.empty()) return wrong;
      if (names_here() != names) return "a file is left";
    }
    return "";
  }

  // Kills it at a system call after the file was opened, or at any time.
  void kill_once(const Words& words, std::chrono::microseconds duration) {
    if (random_.chance(60)) {
      const faults::Tracing tracing{.words = words, .directory = data_name, .environment = {}};
      const faults::Fault kill{
          .call = random_.between(0, random_.among({60, 110, 110})),
          .deed = random_.among({faults::Deed::kill, faults::Deed::kill_after})};
      const auto traced = faults::traced_run(tracing, kill);
      if (traced && traced->signal == SIGKILL) ++counts_.kills;
      if (traced) return;
    }
    const std::chrono::microseconds delay(random_.between(0, duration.count() * 5 / 4));
    if (run_and_kill(words, streams(), delay).signal == SIGKILL) ++counts_.kills;
  }

  std::string wrong_with_recovery(std::chrono::microseconds duration) {
    const Words words{settings_.program, "recover", data_name};
    while (random_.chance(30)) kill_once(words, duration);
    if (run_child(words, streams()).exit_code != 0) return "recover failed";
    if (read_file(streams().out).find(": rolled back ") != std::string::npos) ++counts_.recoveries;
    const std::string found = read_file(data_name);
    return found == before_ || found == after_ ? "" : "neither before nor after, after recover";
  }

  std::string wrong_with_rerun() {
    if (!fs::exists(journal_name()) && read_file(data_name) == after_) return "";
    if (run_child(case_.words, streams()).exit_code != 0) return "the next run failed";
    if (read_file(streams().err).find(": rolled back ") != std::string::npos) ++counts_.recoveries;
    return read_file(data_name) == after_ ? "" : "not as after, after the next run";
  }

  const Settings& settings_;
  Random random_;
  Counts& counts_;
  SoakCase case_;
  std::string before_;
  std::string after_;
};

void report(const Counts& counts, const Settings& settings) {
  std::cout << fmt::format(
                   "soak: {} cases ({} refused, {} in place), {} kills, {} recoveries, {} "
                   "differences, seed {}\n",
                   counts.cases, counts.refused, counts.in_place, counts.kills, counts.recoveries,
                   counts.differences, settings.seed)
            << std::flush;
}

void run_case(const Settings& settings, std::int64_t number, Counts& counts) {
  fs::current_path("/");
  fs::remove_all(settings.scratch);
  fs::create_directories(settings.scratch);
  fs::current_path(settings.scratch);
  constexpr std::uint64_t stride = 0x9e3779b97f4a7c15;
  Trial trial(settings, settings.seed + static_cast<std::uint64_t>(number) * stride, counts);
  const std::string wrong = trial.run();
  if (wrong.empty()) return;
  ++counts.differences;
  const fs::path into = settings.failures / fmt::format("{}-{}", settings.seed, number);
  trial.keep(wrong, into, number);
  std::cout << fmt::format("soak: case {}: {}; kept in {}\n", number, wrong, into.native());
}

Counts run_for(const Settings& settings, std::chrono::duration<double, std::ratio<60>> time) {
  Counts counts;
  const auto begin = Clock::now();
  auto reported = begin;
  for (std::int64_t number = 0; Clock::now() - begin < time; ++number) {
    run_case(settings, number, counts);
    if (Clock::now() - reported < std::chrono::minutes(1)) continue;
    report(counts, settings);
    reported = Clock::now();
  }
  return counts;
}

int run(const Words& words) {
  const std::string own = fmt::format("tscatter-soak-{}", ::getpid());
  const Settings settings{
      .program = fs::absolute(words.at(1)),
      .scratch = fs::temp_directory_path() / own,
      .failures = fs::absolute("soak-failures"),
      .seed = words.size() > 3 ? std::stoull(words[3]) : std::random_device{}()};
  std::cout << fmt::format("soak: seed {}\n", settings.seed) << std::flush;
  Counts counts;
  if (words.size() > 4) {
    run_case(settings, std::stoll(words[4]), counts);
  } else {
    counts =
        run_for(settings, std::chrono::duration<double, std::ratio<60>>(std::stod(words.at(2))));
  }
  report(counts, settings);
  fs::current_path("/");
  for (const char* ending : {"", ".out", ".err", ".npy"})
    fs::remove_all(settings.scratch.native() + ending);
  return counts.differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tscatter::soak

int main(int count, char** words) {
  if (count < 3 || count > 5) {
    std::cerr << "usage: tscatter_soak PROGRAM MINUTES [SEED [CASE]]\n";
    return 2;
  }
  try {
    return tscatter::soak::run({words, words + count});
  } catch (const std::exception& exception) {
    std::cerr << "tscatter_soak: " << exception.what() << "\n";
    return 2;
  }
}
