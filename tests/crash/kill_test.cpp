// Kills the program during a change in place, at every system call that changes a file and at
// random moments, and checks what the next run, or recover, makes of it.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "app/process.hpp"
#include "catch.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"
#include "io/safetensors_bytes.hpp"
#include "property/environment.hpp"
#include "property/random.hpp"

namespace tscatter::crash {
namespace {

using faults::Deed;
using faults::Fault;
using faults::traced_run;
using faults::Tracing;

constexpr int rows = 3000;
constexpr int row_bytes = 600;

std::uint64_t first_seed() { return property::from_environment("TSCATTER_SEED", 20261121); }

enum class DataFile : std::uint8_t {
  npy,
  safetensors,  // the tensor begins at an odd byte, between two others
};

// data, indices.npy and updates.npy of a change that spreads over many tiles, and what data
// is before and after it.
struct Change {
  TemporaryDirectory directory;
  std::string before;
  std::string after;
  Strings words;

  DataFile kind;

  Change(std::uint64_t seed, const Strings& flags, DataFile file_kind = DataFile::npy)
      : kind{file_kind} {
    property::Random random(seed);
    std::string body(std::size_t{rows} * row_bytes, '\0');
    for (char& byte : body) byte = static_cast<char>(random.bits());
    std::string changed = body;
    std::string indices;
    std::string updates;
    constexpr int entries = 40;
    for (int i = 0; i < entries; ++i) {
      const std::int64_t row = random.between(0, rows - 1);
      indices += little_endian(static_cast<std::int32_t>(row));
      std::string update(row_bytes, static_cast<char>('A' + i % 26));
      changed.replace(static_cast<std::size_t>(row * row_bytes), row_bytes, update);
      updates += update;
    }
    const auto file = [](const std::string& descr, const std::string& shape,
                         const std::string& data) {
      return npy_file(
          fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({})}}", descr, shape),
          data);
    };
    const auto data_file = [&](const std::string& data) {
      return kind == DataFile::npy ? file("|u1", fmt::format("{}, {}", rows, row_bytes), data)
                                   : safetensors(data);
    };
    before = data_file(body);
    after = data_file(changed);
    write_file(directory / "indices.npy", file("<i4", fmt::format("{}, 1", entries), indices));
    write_file(directory / "updates.npy",
               file("|u1", fmt::format("{}, {}", entries, row_bytes), updates));
    words = {program(),    "ScatterNDUpdate-15",
             "-d",         operand(),
             "-i",         directory / "indices.npy",
             "-u",         directory / "updates.npy",
             "--in-place", "-j",
             "1"};
    words.insert(words.end(), flags.begin(), flags.end());
    restore();
  }

  static std::string safetensors(const std::string& data) {
    constexpr int size = rows * row_bytes;
    std::string header =
        fmt::format(R"({{"a":{{"dtype":"U8","shape":[3],"data_offsets":[0,3]}},)"
                    R"("x":{{"dtype":"U8","shape":[{},{}],"data_offsets":[3,{}]}},)"
                    R"("z":{{"dtype":"U8","shape":[5],"data_offsets":[{},{}]}}}})",
                    rows, row_bytes, 3 + size, 3 + size, 8 + size);
    if (header.size() % 2 == 1) header += ' ';
    return safetensors_bytes(header, "abc" + data + "vwxyz");
  }

  std::string data() const {
    return directory / (kind == DataFile::npy ? "data.npy" : "data.safetensors");
  }
  std::string operand() const { return kind == DataFile::npy ? data() : data() + ":x"; }
  std::string journal() const { return data() + ".tscatter-undo"; }
  void restore() const { write_file(data(), before); }
};

Tracing traced(const Change& change, const Strings& words) {
  // Leaks cannot be detected under ptrace.
  return {.words = words,
          .directory = change.directory.path().native(),
          .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
}

// What is wrong after a recovery, which may be killed, too; "" if nothing is.
std::string recover_and_look(const Change& change, const Fault& kill_of_recovery) {
  const Strings words{"recover", change.data()};
  if (kill_of_recovery.deed != Deed::none)
    traced_run(traced(change, {program(), "recover", change.data()}), kill_of_recovery);
  const Result recovered = tscatter_run(words);
  if (recovered.exit_code != 0) return "recover failed";
  const std::string found = read_file(change.data());
  if (found != change.before && found != change.after) return "neither before nor after";
  if (change.directory.names().size() != 3) return "something is left in the directory";
  return "";
}

}  // namespace

TEST_CASE("killed at every call that changes a file, it leaves the file as before or as after",
          "[kill]") {
  std::int64_t kills = 0;
  property::Random random(first_seed());
  for (const auto& [flags, kind] :
       {std::pair(Strings{}, DataFile::npy), std::pair(Strings{"--sync"}, DataFile::npy),
        std::pair(Strings{}, DataFile::safetensors)}) {
    const Change change(first_seed(), flags, kind);
    const Tracing tracing = traced(change, change.words);
    const auto whole = traced_run(tracing);
    if (!whole) {
      WARN("skipped: this system allows no tracing, or the test does not know its processor");
      return;
    }
    REQUIRE(whole->exit_code == 0);
    REQUIRE(read_file(change.data()) == change.after);
    for (std::int64_t call = 0; call < std::ssize(whole->calls); ++call) {
      if (!is_write_like(whole->calls[static_cast<std::size_t>(call)])) continue;
      if (property::is_slowed && call % 5 != 0) continue;
      for (const Deed deed : {Deed::kill, Deed::kill_after}) {
        for (const Fault& again :
             {Fault{}, Fault{.call = random.between(0, 60), .deed = Deed::kill}}) {
          change.restore();
          REQUIRE(traced_run(tracing, {.call = call, .deed = deed})->signal == SIGKILL);
          INFO("call " << call << ", " << (deed == Deed::kill_after) << ", " << again.call);
          CHECK(recover_and_look(change, again) == "");
          ++kills;
        }
      }
    }
  }
  std::cout << fmt::format("kill: {} kills at system calls\n", kills);
}

TEST_CASE("killed at any time, it leaves the file as before or as after", "[kill]") {
  const std::uint64_t seed = first_seed();
  property::Random random(seed);
  const Change change(seed, {});
  int journals = 0;
  constexpr int kills = 60;
  for (int i = 0; i < kills; ++i) {
    change.restore();
    Strings words(change.words.begin() + 1, change.words.end());
    Running running{Command(words)};
    std::this_thread::sleep_for(std::chrono::microseconds(random.between(0, 6000)));
    running.send(SIGKILL);
    running.finish();
    journals += ::access(change.journal().c_str(), F_OK) == 0 ? 1 : 0;
    INFO("seed " << seed << ", kill " << i);
    CHECK(recover_and_look(change, {}) == "");
  }
  std::cout << fmt::format("kill: {} kills at random times, {} journals left\n", kills, journals);
}

}  // namespace tscatter::crash
