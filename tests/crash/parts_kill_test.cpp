// Kills a part of a change in place, finish and recover at every system call that changes a file.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <iostream>

#include "app/process.hpp"
#include "catch.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"

namespace tscatter::crash {
namespace {

using faults::Deed;
using faults::traced_run;
using faults::Tracing;

// Sums float32 into [8192], some twice: 9 units of 4096 bytes. Of three parts, 1 and 3 are done.
struct PartlyChanged {
  TemporaryDirectory directory;
  std::string before;
  std::string after;

  PartlyChanged() {
    std::string indices;
    std::string updates;
    for (int i = 0; i < 600; ++i) {
      indices += fmt::format("{}[{}]", i == 0 ? "" : ",", i * 7919 % 8192 / 2 * 2);
      updates += fmt::format("{}0.{}", i == 0 ? "" : ",", i + 1);
    }
    output_of({"convert", "8192xf32=0.1", data()});
    output_of({"convert", "[" + indices + "]", directory / "i.npy", "--dtype", "int32"});
    output_of({"convert", "[" + updates + "]", directory / "u.npy", "--dtype", "float32"});
    before = read_file(data());
    output_of(call({"-o", directory / "after.npy"}));
    after = read_file(directory / "after.npy");
  }

  std::string data() const { return directory / "d.npy"; }
  std::string folder() const { return data() + ".tscatter-parts"; }
  Strings call(const Strings& more) const {
    Strings words{"ScatterNDUpdate-15",
                  "-d",
                  data(),
                  "-i",
                  directory / "i.npy",
                  "-u",
                  directory / "u.npy",
                  "-r",
                  "sum",
                  "-j",
                  "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Strings part(const std::string& number, const Strings& more = {}) const {
    Strings words = call({"--in-place", "--unit", "4K", "--part", number});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // `more`: parts that are done besides 1 and 3.
  void restore(const Strings& more) const {
    std::filesystem::remove_all(folder());
    write_file(data(), before);
    for (const char* const number : {"1/3", "3/3"}) output_of(part(number));
    for (const std::string& number : more) output_of(part(number));
  }
  Tracing traced(Strings words) const {
    words.insert(words.begin(), program());
    return {.words = std::move(words),
            .directory = directory.path().native(),
            .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
  }
  // The last step removes the folder when it is empty.
  bool is_over() const {
    return !std::filesystem::exists(folder()) || std::filesystem::is_empty(folder());
  }
  bool is(const std::string& bytes) const { return read_file(data()) == bytes; }

  // The change goes on to its end, or is taken back from where it is; "" if all is well.
  std::string trouble_going_on() const {
    if (is_over()) return is(after) ? "" : "not as after";
    const Result again = tscatter_run(part("2/3", {"--take-over"}));
    const bool was_decided = again.err.find("is finished") != std::string::npos;
    if (again.exit_code != 0 && !was_decided) return "the part fails: " + again.err;
    const Result finish = tscatter_run({"finish", data(), "--wait", "0"});
    if (finish.exit_code != 0) return "finish fails: " + finish.err;
    return is(after) && is_over() ? "" : "not as after";
  }
  std::string trouble_taking_back() const {
    const bool was_made = is_over() || read_decision() == "-";
    const Result recovered = tscatter_run({"recover", data(), "--take-over"});
    if (recovered.exit_code != 0) return "recover fails: " + recovered.err;
    if (!is_over()) return "something is left";
    return is(was_made ? after : before) ? "" : was_made ? "not as after" : "not as before";
  }
  std::string read_decision() const {
    const std::string path = folder() + "/finished";
    return std::filesystem::exists(path) ? read_file(path) : "";
  }
};

// Kills the command at each call that changes a file, lets each call fail, and looks.
template <class Look>
std::int64_t kill_everywhere(const PartlyChanged& change, const Strings& words, const Strings& done,
                             const Look& trouble) {
  const Tracing tracing = change.traced(words);
  change.restore(done);
  const auto whole = traced_run(tracing);
  if (!whole) return 0;
  INFO(whole->err);
  REQUIRE(whole->exit_code == 0);
  // A sample, another one for each look, but with TSCATTER_WHOLE.
  const auto each = static_cast<std::int64_t>(
      property::extent("TSCATTER_PART_KILLS", {.whole = 1, .sample = 4, .slowed = 20}));
  static std::int64_t first = 0;
  ++first;
  std::int64_t kills = 0;
  for (std::int64_t call = 0; call < std::ssize(whole->calls); ++call) {
    const bool changes = faults::is_write_like(whole->calls[static_cast<std::size_t>(call)]);
    if ((call + first) % each != 0) continue;
    for (const Deed deed : {Deed::kill, Deed::kill_after, Deed::fail}) {
      if (!changes && deed != Deed::fail) continue;
      change.restore(done);
      const auto result = traced_run(tracing, {.call = call, .deed = deed, .error_number = EIO});
      REQUIRE((deed == Deed::fail || result->signal == SIGKILL));
      INFO("call " << call << ", " << static_cast<int>(deed) << ", " << result->err);
      CHECK(trouble() == "");
      ++kills;
    }
  }
  if (kills == 0) FAIL("no call changes a file");
  return kills;
}

bool can_trace(const PartlyChanged& change) {
  if (traced_run(change.traced({"show", change.data()}))) return true;
  WARN("skipped: this system allows no tracing, or the test does not know its processor");
  return false;
}

}  // namespace

TEST_CASE("a part in place that is killed at any call is computed anew, or all is taken back",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace(change)) return;
  const Strings words = change.part("2/3");
  std::int64_t kills =
      kill_everywhere(change, words, {}, [&] { return change.trouble_going_on(); });
  kills += kill_everywhere(change, words, {}, [&] { return change.trouble_taking_back(); });
  std::cout << fmt::format("kill: {} kills of a part in place\n", kills);
}

TEST_CASE("a finish in place that is killed at any call is made, or may still be taken back",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace(change)) return;
  const Strings words{"finish", change.data(), "--wait", "0"};
  std::int64_t kills =
      kill_everywhere(change, words, {"2/3"}, [&] { return change.trouble_going_on(); });
  kills += kill_everywhere(change, words, {"2/3"}, [&] { return change.trouble_taking_back(); });
  std::cout << fmt::format("kill: {} kills of finish\n", kills);
}

TEST_CASE("a change by parts that is being taken back is taken back, however often that is killed",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace(change)) return;
  const std::int64_t kills =
      kill_everywhere(change, {"recover", change.data()}, {}, [&]() -> std::string {
        if (change.is_over()) return change.is(change.before) ? "" : "not as before";
        return change.trouble_taking_back();
      });
  std::cout << fmt::format("kill: {} kills of recover\n", kills);
}

}  // namespace tscatter::crash
