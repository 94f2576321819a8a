// tscatter batch: how a case can end, and what is printed about it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "property/environment.hpp"
#include "text/figure.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Takes at least half a second.
std::string slow_case(const std::string& name) {
  const json job{{"name", name},           {"op", "ScatterUpdate-3"}, {"data", "big.npy"},
                 {"indices", {0}},         {"updates", {1}},          {"axis", 0},
                 {"output", name + ".npy"}};
  return job.dump();
}

}  // namespace

TEST_CASE("every state of a case is printed, and failures again with how to repeat them", "[app]") {
  const BatchDirectory batch({"# a comment", "", named("good", right), named("bad", wrong),
                              named("known", {{"expected", {0}}, {"xfail", "issue 7"}}),
                              named("mended", {{"expected", {5, 2, 6}}, {"xfail", "issue 8"}}),
                              named("kept", {{"output", "kept.npy"}})});
  const Result result = batch.run();
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK(result.out ==
        R"(ok       good
FAILED   bad  cases.jsonl:4: values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]
xfail    known  issue 7
XPASS    mended  cases.jsonl:6: the case passes, although xfail says: issue 8 (remove xfail) [batch.b9]
written  kept  kept.npy

1 failed, 1 xpassed:

bad  cases.jsonl:4
  values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]
  tscatter compare --case bad cases.jsonl

mended  cases.jsonl:6
  the case passes, although xfail says: issue 8 (remove xfail) [batch.b9]
  tscatter batch cases.jsonl --filter mended

5 cases: 1 passed, 1 failed, 1 xfailed, 1 xpassed, 1 written
)");
  CHECK(batch.names() == Strings{".state", "cases.jsonl", "kept.npy"});
}

TEST_CASE("a batch whose cases all are as asserted is green", "[app]") {
  const BatchDirectory batch({case_line(right)});
  CHECK(output_of(batch.command()) == "ok       line-1\n\n1 case: 1 passed\n");
}

TEST_CASE("-q prints the failures and the summary only", "[app]") {
  const BatchDirectory batch({named("good", right), named("bad", wrong)});
  const Result result = batch.run({"-q"});
  CHECK(result.out.starts_with("FAILED   bad  cases.jsonl:2: "));
  CHECK_THAT(result.out, !contains("good"));
  batch.write({named("good", right)});
  CHECK(batch.run({"-q"}).out == "1 case: 1 passed\n");
}

TEST_CASE("the output is in the order of the file for any number of workers", "[app]") {
  Strings lines;
  for (int i = 0; i < 300; ++i)
    lines.push_back(named("c" + std::to_string(i), i % 7 == 0 ? wrong : right));
  const BatchDirectory batch(lines);
  const std::string alone = batch.run({"-j", "1"}).out;
  for (const char* workers : {"2", "3", "16", "0"}) CHECK(batch.run({"-j", workers}).out == alone);
  CHECK_THAT(alone, contains("ok       c299\n"));
}

TEST_CASE("stdin is a batch, with paths from the working directory", "[app]") {
  const Folder folder;
  output_of({"convert", "[5, 2, 6]", folder / "gold.npy"});
  const Command command = folder.command("batch -");
  CHECK(output_of(Command(command).with_input(case_line({{"expected", "gold.npy"}}))) ==
        "ok       line-1\n\n1 case: 1 passed\n");
  CHECK_THAT(Command(command).with_input(case_line(wrong)).run().out,
             contains("\n  tscatter compare --case line-1 -\n"));
}

TEST_CASE("paths are relative to the batch", "[app]") {
  const Folder folder;
  std::filesystem::create_directories(folder / "a/b");
  output_of({"convert", "[5, 2, 6]", folder / "a/gold.npy"});
  folder.put("a/b/cases.jsonl", case_line({{"expected", "../gold.npy"}, {"output", "out.json"}}));
  CHECK(folder.run("batch a/b/cases.jsonl").exit_code == 0);
  CHECK(folder.text("a/b/out.json") ==
        "{\"dtype\": \"int64\", \"shape\": [3], \"data\": [5, 2, 6]}\n");
}

TEST_CASE("the tolerances of a case are obeyed, at both ends", "[app]") {
  const json near{{"expected", {5, 2.5, 6}}, {"dtype", "f64"}};
  const auto state = [&](const std::string& key, const json& value) {
    json more = near;
    more[key] = value;
    return states_of(BatchDirectory({named("c", more)}).run({"--json"})).at("c");
  };
  CHECK(state("atol", 0.5) == "passed");
  CHECK(state("atol", 0.4999) == "failed");
  CHECK(state("rtol", 0.2) == "passed");
  CHECK(state("rtol", 0.1999) == "failed");
  CHECK(state("max_ulp", std::uint64_t{1} << 50) == "passed");
  CHECK(state("max_ulp", (std::uint64_t{1} << 50) - 1) == "failed");
}

TEST_CASE("equal_nan lets NaNs of other bits pass", "[app]") {
  const auto state = [](bool equal_nan) {
    const BatchDirectory batch({named("n", {{"data", "data.npy"},
                                            {"updates", {1, 2}},
                                            {"expected", "gold.npy"},
                                            {"equal_nan", equal_nan}})});
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}";
    const std::string one("\0\0\x80\x3f", 4);
    const std::string two("\0\0\0\x40", 4);
    write_file(batch / "data.npy", npy_file(header, one + std::string("\0\0\xc0\x7f", 4) + two));
    write_file(batch / "gold.npy", npy_file(header, one + std::string("\1\0\xc0\x7f", 4) + two));
    return states_of(batch.run({"--json"})).at("n");
  };
  CHECK(state(true) == "passed");
  CHECK(state(false) == "failed");
}

TEST_CASE("200,000 lines take as much memory as 2,000, but for the names and the report",
          "[app][native]") {
  if (property::is_slowed) return;
  const auto peak = [](int count, const Strings& flags) {  // KiB
    std::string text;
    for (int i = 0; i < count; ++i) text += case_line(right) + "\n";
    const BatchDirectory batch({});
    write_file(batch / "cases.jsonl", text);
    const Measured run = measured(batch.command(flags));
    CHECK(run.result.out == fmt::format("{0} cases: {0} passed\n", app::grouped(count).text));
    return run.memory;
  };
  constexpr std::int64_t names = std::int64_t{33} * 200000 / 1024;  // while their set grows
  constexpr std::int64_t report = 12288;                            // 4 MiB of it, while they grow
  constexpr std::int64_t chance = 3072;                             // of threads and allocator
  // On a machine that is busy, more lines wait in a pipe or between threads: what a run needs is
  // the least of some. Memory that grew with the lines would be in all of them.
  const auto least = [&](int count, const Strings& flags, std::int64_t enough) {
    std::int64_t memory = peak(count, flags);
    for (int i = 0; i < 3 && memory >= enough; ++i) memory = std::min(memory, peak(count, flags));
    return memory;
  };
  // Of a short run the last look may come before its peak.
  std::int64_t few = 0;
  for (int i = 0; i < 4; ++i) few = std::max(few, peak(2000, {"-q", "-j", "2"}));
  const std::int64_t many = least(200000, {"-q", "-j", "2"}, few + names + chance);
  const std::int64_t reported =
      least(200000, {"-q", "-j", "2", "--junit", "r.xml"}, many + report + chance);
  INFO(few << " KiB, " << many << " KiB, " << reported << " KiB");
  CHECK(few > 1024);
  CHECK(many < few + names + chance);
  CHECK(reported < many + report + chance);
}

TEST_CASE("of long lines, only one is read before it is wanted", "[app][native]") {
  if (property::is_slowed) return;
  const std::string blanks(std::size_t{2} << 20U, ' ');
  const BatchDirectory batch(Strings(24, case_line(right) + blanks));
  const auto peak = [&] {  // KiB
    const Measured run = measured(batch.command({"-q", "-j", "2"}));
    CHECK(run.result.out == "24 cases: 24 passed\n");
    return run.memory;
  };
  // On a busy machine, what has ended is freed later: what a run needs is the least of some.
  constexpr std::int64_t enough = std::int64_t{36} * 1024;  // half a dozen lines, while they grow
  std::int64_t memory = peak();
  for (int i = 0; i < 3 && memory >= enough; ++i) memory = std::min(memory, peak());
  INFO(memory << " KiB");
  CHECK(memory < enough);
}

TEST_CASE("ten thousand tiny cases take less than 10 s; the goal is 1 s in Release on two cores",
          "[app]") {
  const int cases = property::is_slowed ? 1000 : 10000;
  std::string text;
  for (int i = 0; i < cases; ++i) text += case_line(right) + "\n";
  const auto begin = std::chrono::steady_clock::now();
  const Result result = Command("batch - -q").with_input(text).run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CHECK(result.out == fmt::format("{0} cases: {0} passed\n", app::grouped(cases).text));
  if (!property::is_slowed) CHECK(seconds.count() < 10);  // 0.2 on a quiet machine
}

TEST_CASE("--fail-fast begins no case after the first failure, and says how many did not run",
          "[app]") {
  Strings lines{named("bad", wrong)};
  for (int i = 0; i < 2000; ++i) lines.push_back(named("c" + std::to_string(i), right));
  const BatchDirectory batch(lines);
  const Result result = batch.run({"--fail-fast", "-j", "1"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.ends_with("\n2,001 cases: 1 failed, 2,000 not run\n"));
  CHECK_THAT(result.out, !contains("c0"));
}

TEST_CASE("SIGINT ends a batch in order: what ran is summed up, reports are written", "[app]") {
  const BatchDirectory batch(
      {named("first", wrong), slow_case("second"), slow_case("third"), slow_case("fourth")});
  write_zeros(batch / "big.npy", 400000000);
  Running running(batch.command({"-j", "1", "--junit", "r.xml"}));
  REQUIRE(running.begins_to_write(batch / "", 1000000));
  running.send(SIGINT);
  const Result result = running.finish();
  CHECK(result.signal == SIGINT);
  CHECK(result.err.empty());
  CHECK(result.out.find("FAILED   first  ") == 0);
  INFO(result.out);
  CHECK(result.out.ends_with("4 cases: 1 failed, 3 not run; interrupted\n"));
  const std::string report = read_file(batch / "r.xml");
  CHECK_THAT(report, contains("<skipped type=\"not_run\" message=\"interrupted\"/>"));
  CHECK(batch.names() == Strings{".state", "big.npy", "cases.jsonl", "r.xml"});
}

TEST_CASE("an interrupted batch says that the rest was not read", "[app]") {
  Strings lines{slow_case("first")};
  for (int i = 0; i < 2000; ++i) lines.push_back(named("c" + std::to_string(i), right));
  const BatchDirectory batch(lines);
  write_zeros(batch / "big.npy", 400000000);
  const auto interrupted = [&](Strings flags) {
    flags.insert(flags.end(), {"-j", "1", "--junit", "r.xml"});
    Running running(batch.command(flags));
    REQUIRE(running.begins_to_write(batch / "", 1000000));
    running.send(SIGINT);
    return running.finish();
  };
  CHECK(interrupted({}).out.ends_with(" not run; interrupted, the rest was not read\n"));
  CHECK_THAT(read_file(batch / "r.xml"),
             contains("\n<properties><property name=\"interrupted\" value=\"the rest of the batch "
                      "was not read\"/></properties>\n<testcase "));
  const json summary = json_lines(interrupted({"--json"}).out).back().at("summary");
  CHECK(summary.at("all_read") == false);
  CHECK(summary.at("cases") < 2001);
  CHECK(summary.at("not_run") == summary.at("cases"));
}

TEST_CASE("a second SIGINT kills a batch at once", "[app]") {
  const BatchDirectory batch({case_line({{"expected", {1}}})});
  const FullPipe report(batch / "report");
  Running running(batch.command({"--json"}).with_output_to(batch / "report"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.send(SIGINT);
  const Result result = running.finish();
  CHECK(result.signal == SIGINT);
  CHECK(result.err.empty());
}

// GCC 12's thread sanitizer delivers no signal to a thread that waits for a mutex, as the main
// thread does when another one reads first.
#if !defined(TSCATTER_SANITIZES_THREADS)
TEST_CASE("SIGINT while stdin is waited for ends a batch", "[app]") {
  const TemporaryDirectory directory;
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  const int writer = ::open((directory / "fifo").c_str(), O_RDWR | O_CLOEXEC);
  Running running(Command("batch -").with_input_from(directory / "fifo"));
  std::this_thread::sleep_for(std::chrono::milliseconds(property::is_slowed ? 1000 : 200));
  running.send(SIGINT);
  const Result result = running.finish();
  CHECK(result.signal == SIGINT);
  CHECK(result.out == "0 cases; interrupted, the rest was not read\n");
  ::close(writer);
}
#endif

TEST_CASE("a job that is changed in place is run, and not twice by --resume", "[app]") {
  const json more{{"data", "d.npy"},
                  {"updates", {5}},
                  {"indices", {{0}}},
                  {"reduction", "sum"},
                  {"in_place", true}};
  const BatchDirectory batch({case_line(more)});
  output_of({"convert", "[1, 2]", batch / "d.npy"});
  CHECK(batch.run().out == "written  line-1  d.npy\n\n1 case: 1 written\n");
  CHECK(batch.run({"--resume"}).out == "resumed  line-1\n\n1 case: 1 resumed\n");
  CHECK(output_of({"convert", batch / "d.npy", "-", "--format", "json"}) ==
        "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [6, 2]}\n");
}

TEST_CASE("undo.u5: a job and a file of cases that are half changed are not read", "[app]") {
  const BatchDirectory batch({named("right", {{"expected", {5, 2, 6}}})});
  leave_journal(batch / "cases.jsonl", {{.begin = 0, .end = 2}});
  for (const Strings& words : {Strings{"batch", "cases.jsonl"}, Strings{"run", "cases.jsonl"},
                               Strings{"batch", ".", "--list"}}) {
    const Result result = Command(words).in(batch / "").run();
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, contains("[undo.u5]"));
  }
}

TEST_CASE("--resume repeats no change of a file that other cases change in place, too", "[app]") {
  const json sum{{"updates", {5}}, {"indices", {{0}}}, {"reduction", "sum"}, {"in_place", true}};
  const auto line = [&](const char* member) {
    json more = sum;
    more["data"] = std::string("m.safetensors:") + member;
    return named(member, more);
  };
  const BatchDirectory batch({line("a"), line("b"), line("c")});
  for (const char* member : {"a", "b", "c"})
    output_of({"convert", "[1, 2]", (batch / "m.safetensors").native() + ":" + member});
  const auto values = [&](const char* member) {
    return output_of(
        {"convert", (batch / "m.safetensors").native() + ":" + member, "-", "--format", "json"});
  };
  CHECK(batch.run({"--filter", "a", "-q"}).exit_code == 0);
  CHECK(batch.run({"--filter", "b", "-q"}).exit_code == 0);
  CHECK(batch.run({"--resume"}).out.ends_with("3 cases: 1 written, 2 resumed\n"));
  CHECK(batch.run({"--resume", "-j", "1"}).out.ends_with("3 cases: 3 resumed\n"));
  for (const char* member : {"a", "b", "c"})
    CHECK(values(member) == "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [6, 2]}\n");
  // Another file of the name is changed anew.
  std::filesystem::copy(batch / "m.safetensors", batch / "other");
  std::filesystem::rename(batch / "other", batch / "m.safetensors");
  CHECK(batch.run({"--resume"}).out.ends_with("3 cases: 3 written\n"));
}

TEST_CASE("a change in place is remembered before the lines before it end", "[app]") {
  const json sum{{"data", "d.npy"}, {"reduction", "sum"}, {"in_place", true}};
  const BatchDirectory batch({case_line({{"data", "fifo"}, {"output", "o.npy"}}), case_line(sum)});
  output_of({"convert", "[1, 2, 3]", batch / "d.npy"});
  output_of({"convert", "[6, 2, 9]", batch / "once.npy"});
  const std::string once = read_file(batch / "once.npy");
  REQUIRE(::mkfifo((batch / "fifo").c_str(), 0600) == 0);
  const int writer = ::open((batch / "fifo").c_str(), O_RDWR | O_CLOEXEC);
  Running running(batch.command({"-j", "2"}));
  // The change's place in the state is reserved before it, and has its hashes after it.
  const auto is_remembered = [&] {
    std::string state;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(batch / ".state"))
      if (entry.is_regular_file()) state += read_file(entry.path());
    const std::string none(16, '0');
    return state.size() > 60 && state.find(none + " " + none) == std::string::npos;
  };
  for (int i = 0; i < 1000 && read_file(batch / "d.npy") != once; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (int i = 0; i < 1000 && !is_remembered(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  running.send(SIGKILL);
  CHECK(running.finish().signal == SIGKILL);
  ::close(writer);
  std::filesystem::remove(batch / "fifo");
  output_of({"convert", "[1, 2, 3]", batch / "fifo"});
  CHECK(batch.run({"--resume"}).out ==
        "written  line-1  o.npy\nresumed  line-2\n\n2 cases: 1 written, 1 resumed\n");
  CHECK(read_file(batch / "d.npy") == once);
}

TEST_CASE("a case that only judges its data in place says that it was rolled back", "[app]") {
  const json more{{"data", "d.npy"}, {"in_place", true}, {"actual", {5, 2, 6}}};
  const BatchDirectory batch({case_line(more)});
  output_of({"convert", "[1, 2, 3]", batch / "d.npy"});
  leave_journal(batch / "d.npy", {{.begin = 128, .end = 130}});
  const Result result = batch.run({"--json"});
  CHECK(result.err ==
        "tscatter: d.npy: rolled back a run in place that was killed: 2 bytes in 1 range\n");
  CHECK(states_of(result).at("line-1") == "passed");
  CHECK(!std::filesystem::exists(journal_of(batch / "d.npy")));
}

}  // namespace tscatter
