#include "etiquette/rewriting.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "catch.hpp"

namespace tscatter::etiquette {

std::string bytes_npy(std::size_t count, char value) {
  return npy_file(fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},)}}", count),
                  std::string(count, value));
}

Strings in_place(const std::string& data, const std::string& updates, Strings more) {
  Strings words{"ScatterUpdate", "-d", data, "-i",        "[2, 1, 0]", "-u",
                updates,         "-a", "0",  "--in-place"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct stat status_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "none";
  return {std::istreambuf_iterator<char>(file), {}};
}

Result shell(const std::string& line) {
  Result result;
  FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

Tracing tracing_of(const TemporaryDirectory& directory, const Strings& words) {
  Tracing tracing{.words = {program()},
                  .directory = directory.path().native(),
                  .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
  tracing.words.insert(tracing.words.end(), words.begin(), words.end());
  return tracing;
}

const SystemCall& call_in(const TracedResult& whole, const Strings& names) {
  auto call = whole.calls.begin();
  for (const std::string& name : names) {
    call = std::find_if(call, whole.calls.end(),
                        [&](const SystemCall& each) { return name_of(each) == name; });
    INFO(name);
    REQUIRE(call != whole.calls.end());
  }
  return *call;
}

faults::Fault fault_at(const SystemCall& call, Deed deed, int error_number) {
  return {.call = call.place,
          .thread = call.thread,
          .number = call.number,
          .deed = deed,
          .error_number = error_number};
}

std::optional<TracedResult> killed_at(const TemporaryDirectory& directory, const Strings& names,
                                      bool knows_unnamed_files) {
  Tracing tracing = tracing_of(directory, {"convert", "3xu8=1", directory / "x.npy"});
  tracing.knows_unnamed_files = knows_unnamed_files;
  const std::string old = read_file(directory / "x.npy");
  const auto whole = faults::traced_run(tracing);
  if (!whole) return std::nullopt;
  write_file(directory / "x.npy", old);
  auto killed = faults::traced_run(tracing, fault_at(call_in(*whole, names), Deed::kill));
  CHECK(killed->was_met);
  return killed;
}

}  // namespace tscatter::etiquette
