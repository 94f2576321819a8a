// Two runs that write one file: in place, added to, read and replaced, replaced, recovered.
// Whatever the format, neither run's work is lost.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/left_journal.hpp"
#include "io/pb_bytes.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

using std::chrono::milliseconds;

// A file with one number, 0 at first.
struct FilePlace {
  std::string name;
  std::string file;
  Strings made;
  Strings replaced;            // by a file with 1000
  std::string data = file;     // the number
  std::string changed = data;  // in place
  Strings output{"-o", data};  // of a run that reads the file
  std::string added = {};      // a new member
  int step = 1;                // what a change in place adds
};

const Strings whole_archive{"convert", "whole.npz"};

const std::string index_name = "x.safetensors.index.json";
const Strings safetensors_made{"convert", "[0]", "x.safetensors:w"};

const std::vector<FilePlace> places{{
                                        .name = "npy",
                                        .file = "x.npy",
                                        .made = {"convert", "[0]", "x.npy"},
                                        .replaced = {"convert", "[1000]", "x.npy"},
                                    },
                                    {
                                        .name = "pb",
                                        .file = "x.pb",
                                        .made = {"convert", "[0]", "x.pb"},
                                        .replaced = {"convert", "[1000]", "x.pb"},
                                    },
                                    {.name = "raw bytes",
                                     .file = "x.bin",
                                     .made = {"convert", "[0]", "x.bin", "--format", "raw"},
                                     .replaced = {"convert", "[1000]", "x.bin", "--format", "raw"},
                                     .data = "1xi64=@x.bin",
                                     .output = {"-o", "x.bin", "--format", "raw"}},
                                    {.name = "safetensors",
                                     .file = "x.safetensors",
                                     .made = safetensors_made,
                                     .replaced = with_more(whole_archive, {"x.safetensors"}),
                                     .data = "x.safetensors:w",
                                     .added = "x.safetensors:n"},
                                    {.name = "shards",
                                     .file = "x.safetensors",
                                     .made = safetensors_made,
                                     .replaced = with_more(whole_archive, {"x.safetensors"}),
                                     .data = index_name + ":w",
                                     .added = "x.safetensors:n"},
                                    {.name = "a link",
                                     .file = "x.safetensors",
                                     .made = safetensors_made,
                                     .replaced = with_more(whole_archive, {"x.safetensors"}),
                                     .data = "x.safetensors:w",
                                     .changed = "other/link.safetensors:w",
                                     .output = {"-o", "../folder/x.safetensors:w"},
                                     .added = "other/link.safetensors:n"},
                                    // Raw bytes of a member would break its checksum.
                                    {.name = "npz",
                                     .file = "x.npz",
                                     .made = {"convert", "[0]", "x.npz:w"},
                                     .replaced = with_more(whole_archive, {"x.npz"}),
                                     .data = "x.npz:w",
                                     .changed = "1xi64=@x.npz+100",
                                     .added = "x.npz:n",
                                     .step = 0}};

// A .pb file whose number is in another file.
FilePlace place_elsewhere() {
  return {.name = "pb with external data",
          .file = "e.bin",
          .made = {"convert", "[0]", "e.bin", "--format", "raw"},
          .replaced = {"convert", "[1000]", "e.pb"},
          .data = "e.pb"};
}

// Adds to the number; `updates` may be a pipe.
Strings sum(const std::string& data, const std::string& updates, const Strings& more) {
  return with_more({"ScatterNDUpdate-15", "-d", data, "-i", "[[0]]", "-u", updates, "-r", "sum"},
                   more);
}

class TwoWriters {
 public:
  explicit TwoWriters(const FilePlace& place) : place_{place} {
    std::filesystem::create_directories(folder() / "other");
    REQUIRE(command(place.made).run().exit_code == 0);
    REQUIRE(command({"convert", "[1000]", "whole.npz:w"}).run().exit_code == 0);
    write_file(folder() / "e.pb", pb_integer(1, 1) + pb_integer(2, 7) +
                                      pb_external("location", "e.bin") + pb_integer(14, 1));
    write_file(folder() / "x.safetensors.index.json", R"({"weight_map": {"w": "x.safetensors"}})");
    std::filesystem::create_symlink("../x.safetensors", folder() / "other/link.safetensors");
    REQUIRE(::mkfifo((folder() / "pipe").c_str(), 0600) == 0);
  }

  std::filesystem::path folder() const { return directory_ / "folder"; }
  Command command(Strings words) const { return Command(std::move(words)).in(folder()); }

  // Begins a run that waits for its updates, which it reads last of all, and holds its locks.
  std::unique_ptr<Running> held(const Strings& words) {
    auto running = std::make_unique<Running>(command(words));
    for (int i = 0; i < 5000 && !pipe_; ++i) {
      const int end = ::open((folder() / "pipe").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (end >= 0) pipe_.emplace(end, "pipe");
      std::this_thread::sleep_for(milliseconds(2));
    }
    REQUIRE(pipe_);
    return running;
  }

  // Gives it the updates.
  Result finished(Running& running, int step) {
    const std::string number(1, static_cast<char>(step));
    pipe_->write_on(bytes_of(npy_file("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}",
                                      number + std::string(7, '\0'))));
    pipe_.reset();
    return running.finish();
  }

  std::string number() const { return printed(place_.data); }
  // "" if there is no such tensor.
  std::string printed(const std::string& data) const {
    return command(sum(data, "[0]", {})).run().out;
  }

 private:
  TemporaryDirectory directory_;
  const FilePlace& place_;
  std::optional<File> pipe_;
};

// How a run writes, and what becomes of the number.
struct Writer {
  std::string name;
  Strings words;
  int adds = 0;                  // to the number
  bool gives_up = false;         // if another run is at work
  std::optional<int> sets = {};  // the number
};

// Those that can be held: their updates come from the pipe.
std::vector<Writer> held_writers(const FilePlace& place) {
  std::vector<Writer> all{
      {.name = "in place", .words = sum(place.changed, "pipe", {"--in-place"}), .adds = place.step},
      {.name = "read and replaced", .words = sum(place.data, "pipe", place.output), .adds = 1}};
  if (!place.added.empty())
    all.push_back({.name = "added", .words = sum(place.data, "pipe", {"-o", place.added + "1"})});
  return all;
}

std::vector<Writer> writers(const FilePlace& place) {
  const Strings wait{"--wait", "60"};
  const Strings in_place = sum(place.changed, fmt::format("[{}]", place.step), {"--in-place"});
  std::vector<Writer> all{
      {.name = "in place", .words = in_place, .gives_up = true},
      {.name = "in place, waiting", .words = with_more(in_place, wait), .adds = place.step},
      {.name = "recover", .words = {"recover", place.changed}, .gives_up = true},
      {.name = "recover, waiting", .words = with_more({"recover", place.changed}, wait)},
      {.name = "read and replaced", .words = sum(place.data, "[1]", place.output), .adds = 1},
      {.name = "replaced", .words = place.replaced, .sets = 1000}};
  if (!place.added.empty())
    all.push_back({.name = "added", .words = {"convert", "[7]", place.added + "2"}});
  return all;
}

void check_pair(const FilePlace& place, const Writer& first, const Writer& second) {
  INFO(place.name << ": " << first.name << ", then " << second.name);
  TwoWriters two(place);
  const auto one = two.held(first.words);
  Running other{two.command(second.words)};
  if (second.gives_up) {
    const Result refused = other.finish();
    CHECK(refused.exit_code == 3);
    CHECK(refused.err.ends_with("[file.f8]\n"));
  } else {
    std::this_thread::sleep_for(milliseconds(60));
    CHECK(other.memory() > 0);  // it waits, or the number says that it did not
  }
  CHECK(two.finished(*one, first.name == "in place" ? place.step : 1).exit_code == 0);
  if (!second.gives_up) CHECK(other.finish().exit_code == 0);
  CHECK(two.number() == fmt::format("[{}]\n", second.sets.value_or(first.adds + second.adds)));
  if (first.name == "added" && !second.sets) CHECK(two.printed(place.added + "1") == "[1]\n");
  if (second.name == "added") CHECK(two.printed(place.added + "2") == "[7]\n");
}

}  // namespace

TEST_CASE("of two runs that write a file, one in any way and one in any other, none is lost",
          "[app]") {
  std::vector<FilePlace> all = places;
  all.push_back(place_elsewhere());
  for (const FilePlace& place : all) {
    for (const Writer& first : held_writers(place)) {
      for (const Writer& second : writers(place)) check_pair(place, first, second);
    }
  }
}

TEST_CASE("of many runs that write one archive in all ways at once, none is lost", "[app]") {
  const FilePlace& place = places[3];
  REQUIRE(place.name == "safetensors");
  const TwoWriters many(place);
  constexpr int runs = 10;
  std::deque<Running> running;
  for (int i = 0; i < runs; ++i) {
    running.emplace_back(many.command(sum(place.data, "[1]", {"--in-place", "--wait", "60"})));
    running.emplace_back(many.command(sum(place.data, "[1]", place.output)));
    running.emplace_back(many.command({"convert", "[7]", fmt::format("x.safetensors:n{}", i)}));
    running.emplace_back(many.command({"recover", "x.safetensors", "--wait", "60"}));
  }
  for (Running& each : running) CHECK(each.finish().exit_code == 0);
  CHECK(many.number() == fmt::format("[{}]\n", 2 * runs));
  for (int i = 0; i < runs; ++i)
    CHECK(many.printed(fmt::format("x.safetensors:n{}", i)) == "[7]\n");
}

TEST_CASE("undo.u5: what is half changed is neither read nor copied, whatever the format",
          "[app]") {
  for (const FilePlace& place : places) {
    const TwoWriters folder(place);
    const std::filesystem::path file = folder.folder() / place.file;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file));
    leave_journal(file, {{.begin = size - 1, .end = size}});
    std::vector<Strings> calls{sum(place.data, "[1]", {}),
                               sum(place.data, "[1]", place.output),
                               {"show", place.data},
                               place.replaced};
    if (!place.added.empty()) {
      calls.push_back({"convert", "[7]", place.added});
      calls.push_back({"show", place.file});
      calls.push_back({"convert", place.file, "copy.npz"});
      calls.push_back({"convert", place.file, place.file});
    }
    const std::string before = read_file(file);
    for (const Strings& words : calls) {
      INFO(place.name);
      CAPTURE(words);
      const std::string refused = refusal_of(3, folder.command(words));
      CHECK_THAT(refused, contains(": is half changed: a run in place was killed (tscatter recover "
                                   "rolls back), and its undo journal is "));
      CHECK(refused.ends_with(".tscatter-undo [undo.u5]"));
    }
    CHECK((read_file(file) == before));
    CHECK(folder.command({"recover", place.data}).run().exit_code == 0);
    CHECK(folder.number() == "[0]\n");
  }
}

TEST_CASE("an index that is half changed itself is recovered first, then its files", "[app]") {
  const FilePlace place = place_elsewhere();
  const TwoWriters folder(place);
  const std::string index = "x.safetensors.index.json";
  leave_journal(folder.folder() / index, {{.begin = 2, .end = 4}});
  CHECK_THAT(folder.command({"recover", index, "-n"}).run().out, contains(index));
  CHECK(folder.command({"recover", index}).run().exit_code == 6);  // it has no x.safetensors
  CHECK(!std::filesystem::exists(journal_of(folder.folder() / index)));
}

}  // namespace tscatter
