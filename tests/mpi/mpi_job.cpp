#include "mpi/mpi_job.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace tscatter::mpi {

namespace fs = std::filesystem;

// "LAUNCHER,PROGRAM,MANY_LINES,WITH_FAULTS|…"
std::vector<Mpi> mpis() {
  std::vector<Mpi> all;
  std::istringstream texts(TSCATTER_MPIS);
  for (std::string text; std::getline(texts, text, '|');) {
    std::istringstream words(text);
    Mpi mpi;
    std::getline(words, mpi.launcher, ',');
    std::getline(words, mpi.program, ',');
    std::getline(words, mpi.many_lines, ',');
    std::getline(words, mpi.with_faults, ',');
    all.push_back(mpi);
  }
  return all;
}

std::string quoted(const Strings& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  return line;
}

Job::Job() {
  run({"convert", "5000x3xf32=0.1", "d.npy"});
  write_indices([](std::int64_t i) { return i * 7919 % 4001; });
  write_updates();
  run(with({"-o", "whole.npy"}));
}

void Job::write_updates() const {
  std::string rows = "[";
  for (int i = 0; i < 3000; ++i) {
    const double value = (i * 7919 % 1009) * (i % 3 == 0 ? 1e-3 : 1e3);
    rows += fmt::format("{}[{}, {}, {}]", i == 0 ? "" : ",", value, -value / 3, i);
  }
  write_file(directory / "u.json", rows + "]");
  run({"convert", "u.json", "u.npy", "--dtype", "float32"});
}

void Job::copy_data() const {
  fs::copy_file(directory / "d.npy", directory / "o.npy", fs::copy_options::overwrite_existing);
}

Strings Job::joined(Strings words, const Strings& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string Job::line(const Mpi& mpi, int ranks, const Strings& words) const {
  return fmt::format("cd '{}' && exec '{}' -n {} {}", directory.path().native(), mpi.launcher,
                     ranks, quoted(words));
}

Ended Job::shell(const std::string& line) const {
  const std::string all = "( " + line + " ) > '" + (directory / "out").native() + "' 2> '" +
                          (directory / "err").native() + "' < /dev/null";
  const int status = std::system(all.c_str());
  constexpr int by_signal = 128;  // as shells say it
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
  return {.exit_code = exit_code, .out = bytes("out"), .err = bytes("err")};
}

Ended Job::in_two_folders(const Mpi& mpi, const Strings& files, const Strings& words) const {
  for (const char* name : {"a", "b"}) {
    fs::remove_all(directory / name);
    fs::create_directory(directory / name);
  }
  for (const char* file : {"d.npy", "i.npy", "u.npy", "d.json"})
    if (has(file)) fs::create_hard_link(directory / file, directory / "a" / file);
  for (const std::string& file : files)
    fs::create_hard_link(directory / file, directory / "b" / file);
  return shell(fmt::format("exec '{1}' -n 1 -wdir '{0}/a' {2} : -n 1 -wdir '{0}/b' {2}",
                           directory.path().native(), mpi.launcher,
                           quoted(joined({mpi.program}, words))));
}

Ended Job::mpi(const Mpi& mpi, int ranks, const Strings& words) const {
  Strings all{mpi.program};
  all.insert(all.end(), words.begin(), words.end());
  return shell(line(mpi, ranks, all));
}

Ended Job::lines(const Mpi& mpi, int ranks, const std::vector<Strings>& lines) const {
  std::string text;
  for (const Strings& words : lines) text += nlohmann::json(words).dump() + "\n";
  write_file(directory / "lines", text);
  return shell(line(mpi, ranks, {mpi.many_lines, "lines"}));
}

Strings said(const std::string& err) {
  Strings lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t at = line.find("tscatter: ");
    if (at != std::string::npos) lines.push_back(line.substr(at + 10));
  }
  return lines;
}

void kill_one(const std::string& program, const std::string& output) {
  using std::chrono::milliseconds;
  for (int i = 0; i < 2000; ++i) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().native();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "cmdline");
      const std::string words(std::istreambuf_iterator<char>(file), {});
      if (!words.starts_with(program + '\0') || words.find(output) == std::string::npos) continue;
      std::this_thread::sleep_for(milliseconds(200));
      ::kill(std::stoi(name), SIGKILL);
      return;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace tscatter::mpi
