// Kills a part of a change in place, finish and recover at each system call that changes a file,
// and lets each call fail in each of its ways. TSCATTER_PART_FAULTS=N takes every Nth fault only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <iostream>

#include "app/process.hpp"
#include "catch.hpp"
#include "faults/fault_list.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"

namespace tscatter::crash {
namespace {

namespace fs = std::filesystem;

using faults::Deed;
using faults::Fault;
using faults::SystemCall;
using faults::traced_run;
using faults::TracedResult;
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
  // Runs parts, and remembers what they leave.
  void begin_with(const Strings& parts) const {
    fs::remove_all(folder());
    write_file(data(), before);
    for (const std::string& number : parts) output_of(part(number));
    keep();
  }
  void keep() const {
    fs::remove_all(kept());
    fs::create_directory(kept());
    if (fs::exists(folder())) fs::copy(folder(), kept() / "folder");
    fs::copy(data(), kept() / "data");
  }
  // The data stays the file that its journals know.
  void restore() const {
    fs::remove_all(folder());
    if (fs::exists(kept() / "folder")) fs::copy(kept() / "folder", folder());
    write_file(data(), read_file(kept() / "data"));
  }
  fs::path kept() const { return directory / "kept"; }
  Tracing traced(Strings words) const {
    words.insert(words.begin(), program());
    return {.words = std::move(words),
            .directory = directory.path().native(),
            .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
  }
  // The last step removes the folder when it is empty.
  bool is_over() const { return !fs::exists(folder()) || fs::is_empty(folder()); }
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
    return fs::exists(path) ? read_file(path) : "";
  }
};

// Every Nth kill and every Nth failure of a command, others for each command; of each at least one.
class FaultSample {
 public:
  FaultSample() : first_{commands++ % std::min<std::int64_t>(each_, 8)} {}

  bool takes(const Fault& fault) { return numbers_[kills(fault) ? 1 : 0]++ % each_ == first_; }

 private:
  inline static std::int64_t commands = 0;

  std::int64_t each_ = static_cast<std::int64_t>(
      property::extent("TSCATTER_PART_FAULTS", {.whole = 1, .sample = 16, .slowed = 80}));
  std::int64_t first_;
  std::array<std::int64_t, 2> numbers_{};
};

struct FaultCounts {
  std::int64_t kills = 0;
  std::int64_t failures = 0;
  std::int64_t missed = 0;
};

// Tries the faults of the command on what was kept, and looks at what they leave.
template <class Look>
FaultCounts fault_everywhere(const PartlyChanged& change, const Strings& words,
                             const Look& trouble) {
  const Tracing tracing = change.traced(words);
  change.restore();
  const TracedResult whole = traced_run(tracing).value();
  INFO(whole.err);
  REQUIRE(whole.exit_code == 0);
  FaultCounts counts;
  FaultSample sample;
  for (const SystemCall& call : whole.calls) {
    for (const Fault& fault : faults_at(call)) {
      if (!sample.takes(fault)) continue;
      change.restore();
      const TracedResult result = traced_run(tracing, fault).value();
      INFO(text_of(fault, call) << ", " << result.err);
      if (!result.was_met) {
        ++counts.missed;
        continue;
      }
      CHECK(result.signal == (kills(fault) ? SIGKILL : 0));
      CHECK(trouble() == "");
      ++(kills(fault) ? counts.kills : counts.failures);
    }
  }
  CHECK(counts.missed * 20 < counts.kills + counts.failures);
  return counts;
}

// Then the change goes on, or is taken back.
void fault_both_ways(const PartlyChanged& change, const Strings& words, const std::string& name) {
  const FaultCounts on = fault_everywhere(change, words, [&] { return change.trouble_going_on(); });
  const FaultCounts back =
      fault_everywhere(change, words, [&] { return change.trouble_taking_back(); });
  CHECK(on.kills + back.kills > 0);
  std::cout << fmt::format("kill: {:35} {} kills, {} failures, {} missed\n", name,
                           on.kills + back.kills, on.failures + back.failures,
                           on.missed + back.missed);
}

bool can_trace_parts(const PartlyChanged& change) {
  if (traced_run(change.traced({"show", change.data()}))) return true;
  WARN("skipped: this system allows no tracing, or the test does not know its processor");
  return false;
}

// Kills part 2 when its marker is about to get its name.
void kill_at_the_marker(const PartlyChanged& change) {
  const Tracing tracing = change.traced(change.part("2/3"));
  const TracedResult whole = traced_run(tracing).value();
  std::optional<SystemCall> last;
  for (const SystemCall& call : whole.calls)
    if (faults::name_of(call) == "linkat") last = call;
  change.restore();
  if (last) traced_run(tracing, {.call = last->place, .deed = Deed::kill});
  change.keep();
}

}  // namespace

TEST_CASE("a part in place that is killed or fails at any call is computed anew, or all taken back",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace_parts(change)) return;
  change.begin_with({"1/3", "3/3"});
  fault_both_ways(change, change.part("2/3"), "a part in place");
}

TEST_CASE(
    "the first part of a change in place may be killed or fail at any call: recover leaves no "
    "trace",
    "[kill]") {
  const PartlyChanged change;
  if (!can_trace_parts(change)) return;
  change.begin_with({});
  const FaultCounts counts = fault_everywhere(change, change.part("1/3"), [&]() -> std::string {
    const Result recovered = tscatter_run({"recover", change.data(), "--take-over"});
    if (recovered.exit_code != 0) return "recover fails: " + recovered.err;
    if (fs::exists(change.folder())) return "the folder is left";
    return change.is(change.before) ? "" : "not as before";
  });
  std::cout << fmt::format("kill: {:35} {} kills, {} failures, {} missed\n",
                           "a first part in place", counts.kills, counts.failures, counts.missed);
}

TEST_CASE("a part that takes over and rolls back may be killed or fail at any call, too",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace_parts(change)) return;
  change.begin_with({"1/3", "3/3"});
  kill_at_the_marker(change);
  fault_both_ways(change, change.part("2/3", {"--take-over"}), "a part that takes over");
}

TEST_CASE("a finish in place that is killed or fails is made, or may still be taken back",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace_parts(change)) return;
  change.begin_with({"1/3", "3/3", "2/3"});
  fault_both_ways(change, {"finish", change.data(), "--wait", "0"}, "finish of parts in place");
}

TEST_CASE("a change by parts that is being taken back is, however often that is killed or fails",
          "[kill]") {
  const PartlyChanged change;
  if (!can_trace_parts(change)) return;
  change.begin_with({"1/3", "3/3"});
  const FaultCounts counts =
      fault_everywhere(change, {"recover", change.data()}, [&]() -> std::string {
        if (change.is_over()) return change.is(change.before) ? "" : "not as before";
        return change.trouble_taking_back();
      });
  std::cout << fmt::format("kill: recover of parts in place {} kills, {} failures, {} missed\n",
                           counts.kills, counts.failures, counts.missed);
}

}  // namespace tscatter::crash
