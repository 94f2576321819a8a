// batch merge: one report of many shards.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

// Forty cases, of which case 7 and case 20 fail, in four shards: s1.jsonl to s4.jsonl.
struct Shards : Folder {
  Shards() {
    std::string lines;
    for (int i = 0; i < 40; ++i) {
      lines += fmt::format(
          R"({{"name": "case {0}", "op": "ScatterUpdate-3", "data": [1, 2], "indices": [0], )"
          R"("updates": [{0}], "axis": 0, "expected": [{1}, 2]}})"
          "\n",
          i, i == 7 || i == 20 ? 99 : i);
    }
    put("cases.jsonl", lines);
    for (int k = 1; k <= 4; ++k) put(name(k), report(fmt::format("{}/4", k)));
  }

  static std::string name(int shard) { return fmt::format("s{}.jsonl", shard); }
  std::string report(const std::string& shard, const std::string& cases = "cases.jsonl") const {
    return run({"batch", cases, "--shard", shard, "--json"}).out;
  }
  // The same in as many shards as are wanted: of_N_K.jsonl.
  void in_shards(int count) const {
    for (int k = 1; k <= count; ++k)
      put(fmt::format("of_{}_{}.jsonl", count, k), report(fmt::format("{}/{}", k, count)));
  }
  Result merge(const Strings& more) const {
    return run(with_more({"batch", "merge", "cases.jsonl"}, more));
  }
};

std::vector<nlohmann::ordered_json> ordered_lines(const std::string& text) {
  std::vector<nlohmann::ordered_json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(nlohmann::ordered_json::parse(line));
  return lines;
}

// A report whose failures have other members.
void tamper(const std::filesystem::path& path, const nlohmann::ordered_json& members) {
  std::string text;
  for (nlohmann::ordered_json& line : ordered_lines(read_file(path))) {
    if (line.value("state", "") == "failed") line.update(members);
    text += line.dump() + "\n";
  }
  write_file(path, text);
}

const Strings all_reports{"s1.jsonl", "s2.jsonl", "s3.jsonl", "s4.jsonl"};

// Without what differs from run to run.
std::string without_times(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t time = std::min(text.find("time=\"", at), text.size());
    out += text.substr(at, time - at);
    at = time == text.size() ? time : text.find('"', time + 6) + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("merged reports are those of one run, in the order of the batch", "[app]") {
  const Shards shards;
  const Result merged = shards.merge(with_more(all_reports, {"--junit", "m.xml"}));
  CHECK(merged.exit_code == 1);
  CHECK(merged.err.empty());
  const Result whole = shards.run({"batch", "cases.jsonl", "-q", "--junit", "w.xml"});
  CHECK(merged.out == whole.out);
  CHECK_THAT(merged.out, contains("40 cases: 38 passed, 2 failed"));
  const std::string junit = shards.text("m.xml");
  CHECK_THAT(junit, contains("<testcase classname=\"cases\" name=\"case 39\""));
  CHECK_THAT(junit, contains("tests=\"40\" failures=\"2\""));
  // One run has more to say of a failure.
  CHECK(without_times(junit).substr(0, 600) == without_times(shards.text("w.xml")).substr(0, 600));
}

TEST_CASE("batch.b17: a merge names the shards that are missing or cut, and writes its reports",
          "[app]") {
  const Shards shards;
  const std::string rule = "tscatter: cases.jsonl: no complete report of ";
  const Result two = shards.merge({"s2.jsonl", "--html", "m.html"});
  CHECK(two.exit_code == 1);
  CHECK(two.err == rule + "shards 1,3-4 is given [batch.b17]\n");
  CHECK(std::filesystem::exists(shards / "m.html"));
  const std::string whole = shards.text(Shards::name(3));
  for (const std::size_t length : {whole.find('\n') + 1, whole.size() / 2, whole.size() - 20}) {
    shards.put(Shards::name(3), whole.substr(0, length));
    const Result cut = shards.merge(all_reports);
    CHECK(cut.exit_code == 1);
    CHECK(cut.err == rule + "shard 3 is given [batch.b17]\n");
  }
}

TEST_CASE("a merge of many shards opens few files at once", "[app]") {
  const Shards shards;
  shards.in_shards(40);
  const std::string command = fmt::format(
      "cd '{}' && ulimit -n 24 && '{}' batch merge cases.jsonl of_40_*.jsonl > out 2>&1",
      shards.path().native(), program());
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
  const std::string out = shards.text("out");
  CHECK_THAT(out, contains("40 cases: 38 passed, 2 failed"));
  CHECK_THAT(out, !contains("a merge must"));
}

TEST_CASE("batch.b17: a report must have the cases that its own summary counts", "[app]") {
  const Shards shards;
  const std::string rule = "tscatter: cases.jsonl: no complete report of ";
  const std::string whole = shards.text(Shards::name(2));
  const std::size_t second = whole.find('\n') + 1;
  const std::size_t third = whole.find('\n', second) + 1;
  const std::size_t fourth = whole.find('\n', third) + 1;
  const std::string line = whole.substr(second, third - second);
  const std::string other_state = [&] {
    std::string text = whole;
    return text.replace(text.find("\"passed\""), 8, "\"written\"");
  }();
  for (const std::string& damaged :
       {whole.substr(0, second) + whole.substr(third),                 // a line is lost
        whole.substr(0, second) + line + whole.substr(second),         // is there twice
        whole.substr(0, second) + line + line + whole.substr(fourth),  // instead of another
        other_state}) {
    shards.put(Shards::name(2), damaged);
    const Result merged = shards.merge(with_more(all_reports, {"--junit", "m.xml"}));
    CHECK(merged.exit_code == 1);
    CHECK(merged.err == rule + "shard 2 is given [batch.b17]\n");
    CHECK(std::filesystem::exists(shards / "m.xml"));
  }
}

TEST_CASE("batch.b19: a shard that has two complete reports is named", "[app]") {
  const Shards shards;
  std::filesystem::copy(shards / Shards::name(3), shards / "t3.jsonl");
  const Result merged = shards.merge(with_more(all_reports, {"t3.jsonl"}));
  CHECK(merged.exit_code == 1);
  CHECK(merged.err ==
        "tscatter: cases.jsonl: more than one complete report is given of shard 3 [batch.b19]\n");
  CHECK_THAT(merged.out, contains("40 cases: 38 passed, 2 failed"));
}

TEST_CASE("batch.b20: a merge has each case, also where shards were run with --filter", "[app]") {
  const Shards shards;
  for (int k = 1; k <= 4; ++k) {
    shards.put(Shards::name(k), shards
                                    .run({"batch", "cases.jsonl", "--filter", "case 3*", "--shard",
                                          fmt::format("{}/4", k), "--json"})
                                    .out);
  }
  const Result merged = shards.merge(all_reports);
  CHECK(merged.exit_code == 1);
  CHECK(merged.err ==
        "tscatter: cases.jsonl: the reports have 11 of 40 cases (run the shards without --filter, "
        "--tag and --last-failed) [batch.b20]\n");
  CHECK_THAT(merged.out, contains("11 of 40 cases: 11 passed"));
}

TEST_CASE(
    "batch.b21, batch.b11: a merge fails for goldens that no case refers to where its shards did",
    "[app]") {
  const Folder folder;
  std::filesystem::create_directory(folder / "golden");
  CHECK(folder.run("convert '[1, 2]' golden/a.npy").exit_code == 0);
  CHECK(folder.run("convert '[1, 2]' golden/left.npy").exit_code == 0);
  folder.put("cases.jsonl",
             R"({"name": "a", "op": "ScatterUpdate-3", "data": [1, 1], "indices": [1], )"
             R"("updates": [2], "axis": 0, "expected": "golden/a.npy"})"
             "\n");
  const auto merged = [&](const std::string& in_shard, const std::string& in_merge) {
    Strings reports;
    for (const std::string shard : {"1/2", "2/2"}) {
      reports.push_back(shard.substr(0, 1) + ".jsonl");
      folder.put(reports.back(), folder.out({"batch", "cases.jsonl", "--shard", shard, "--json",
                                             "--unreferenced", in_shard}));
    }
    return folder.run(
        with_more({"batch", "merge", "cases.jsonl", "--unreferenced", in_merge}, reports));
  };
  const std::string said =
      "cases.jsonl: no case refers to these goldens: golden/left.npy [batch.b11]\n";
  const auto is = [&](const Result& result, int exit_code, const std::string& err) {
    CHECK(result.exit_code == exit_code);
    CHECK(result.err == err);
  };
  is(merged("fail", "warn"), 1, "tscatter: " + said);
  is(merged("warn", "warn"), 0, "tscatter: warning: " + said);
  is(merged("warn", "fail"), 1, "tscatter: " + said);
  is(merged("fail", "ignore"), 0, "");
  is(merged("ignore", "warn"), 0, "");
  // batch.b21
  is(merged("ignore", "fail"), 1,
     "tscatter: cases.jsonl: some shards ran with --unreferenced ignore: --unreferenced fail needs "
     "shards that looked for goldens without a case [batch.b21]\n");
}

TEST_CASE("a shard's report with what its failures have in common is merged", "[app]") {
  const Shards shards;
  bool has_any = false;
  for (int k = 1; k <= 4; ++k) {
    const std::string report =
        shards
            .run({"batch", "cases.jsonl", "--shard", fmt::format("{}/4", k), "--json", "--by-word"})
            .out;
    has_any = has_any || report.find("\n{\"by_word\":") != std::string::npos;
    shards.put(Shards::name(k), report);
  }
  CHECK(has_any);
  const Result merged = shards.merge(all_reports);
  CHECK(merged.err.empty());
  CHECK_THAT(merged.out, contains("40 cases: 38 passed, 2 failed"));
}

TEST_CASE("of two reports of a shard the whole one counts", "[app]") {
  const Shards shards;
  const std::string whole = shards.text(Shards::name(3));
  shards.put("t3.jsonl", whole.substr(0, whole.size() / 2));
  const Result merged = shards.merge(with_more(all_reports, {"t3.jsonl"}));
  CHECK(merged.err.empty());
  CHECK_THAT(merged.out, contains("40 cases: 38 passed, 2 failed"));
}

TEST_CASE("batch.b18: a report of another batch or number of shards is not merged", "[app]") {
  const Shards shards;
  shards.put("five.jsonl", shards.report("1/5"));
  shards.put("other_cases.jsonl", shards.text("cases.jsonl") + R"({"name": "one more"})" + "\n");
  shards.put("other.jsonl", shards.report("1/4", "other_cases.jsonl"));
  for (const std::string foreign : {"five.jsonl", "other.jsonl"}) {
    const Result merged = shards.merge(with_more(all_reports, {foreign}));
    CHECK(merged.exit_code == 1);
    CHECK(merged.err == "tscatter: " + foreign +
                            ": this is no report of a shard of cases.jsonl: it is of another "
                            "batch, another number of shards or another version [batch.b18]\n");
    CHECK_THAT(merged.out, contains("40 cases: 38 passed, 2 failed"));
  }
}

TEST_CASE("batch.b17: a report that ends within its heading is that of a missing shard", "[app]") {
  const Shards shards;
  const std::string whole = shards.text(Shards::name(2));
  for (const std::string& left :
       {std::string(), whole.substr(0, 5), whole.substr(0, 30), std::string(300, '\0')}) {
    shards.put(Shards::name(2), left);
    const Result merged = shards.merge(with_more(all_reports, {"--junit", "m.xml"}));
    CHECK(merged.exit_code == 1);
    CHECK(merged.err ==
          "tscatter: cases.jsonl: no complete report of shard 2 is given [batch.b17]\n");
    CHECK_THAT(shards.text("m.xml"), contains("case 7"));
    std::filesystem::remove(shards / "m.xml");
  }
}

TEST_CASE("batch.b18: a report without an end, or of one line without one, is not read whole",
          "[app]") {
  const Shards shards;
  const auto merged = [&](const std::string& text) {
    shards.put(Shards::name(4), text);
    std::filesystem::resize_file(shards / Shards::name(4), std::uintmax_t{3} << 30U);
    Command command(with_more({"batch", "merge", "cases.jsonl"}, all_reports));
    command.in(shards.path()).with_private_memory_limit(std::uint64_t{1} << 30U);
    return command.run();
  };
  const std::string report = shards.text(Shards::name(4));
  const Result no_heading = merged(R"({"shard":)");
  CHECK(no_heading.exit_code == 1);
  CHECK(no_heading.err.ends_with("no complete report of shard 4 is given [batch.b17]\n"));
  const Result endless = merged(report.substr(0, report.find('\n') + 1));
  CHECK(endless.exit_code == 4);
  CHECK(endless.err ==
        "tscatter: s4.jsonl: this is no report of a shard of this batch: it has a line of "
        "268435456 bytes and more [batch.b18]\n");
}

TEST_CASE("batch.b18: a line that is no case of the batch is not merged", "[app]") {
  const Shards shards;
  const std::string whole = shards.text(Shards::name(2));
  const std::size_t second = whole.find('\n') + 1;
  const auto with_line = [&](const std::string& line) {
    shards.put(Shards::name(2), whole.substr(0, second) + line + whole.substr(second - 1));
    const Result merged = shards.merge(all_reports);
    CHECK(merged.exit_code == 4);
    CHECK(merged.err ==
          "tscatter: s2.jsonl: this is no report of a shard of this batch: it has the line " +
              line + " [batch.b18]\n");
  };
  for (const char* const line : {"", "{}", "[1]", "case"}) with_line(line);
  const std::string rest = R"("state":"passed","seconds":0.1})";
  with_line(R"({"name":"x","line":0,)" + rest);
  with_line(R"({"name":"case 1","line":2,"x":null,)" + rest);
  with_line(R"({"name":"x","line":1e30,)" + rest);
  with_line(R"({"name":"x","file":"other.jsonl","line":1,)" + rest);
  with_line(R"({"name":"x","line":1,"state":"fine","seconds":0.1})");
  with_line(R"({"name":7,"line":1,)" + rest);
}

TEST_CASE("a heading that is damaged makes a report none", "[app]") {
  const Shards shards;
  const std::string whole = shards.text(Shards::name(1));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"n\":4", "\"n\":1000000000000"},
                                                        {"\"n\":4", "\"x\":null,\"n\":4"},
                                                        {"\"n\":4", "\"n\":4e30"},
                                                        {"\"k\":1", "\"k\":5"},
                                                        {"\"digest\":\"", "\"digest\":\"x"}}) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    shards.put(Shards::name(1), text);
    const Result merged = shards.merge(all_reports);
    CHECK(merged.exit_code == 1);
    CHECK(merged.err.ends_with("no complete report of shard 1 is given [batch.b17]\n"));
  }
}

TEST_CASE("cli.c3: a merge is given the batch and reports", "[app]") {
  const Shards shards;
  CHECK(
      shards.run({"batch", "merge", "cases.jsonl"}).err ==
      "tscatter: batch merge: reports of shards are missing (batch --shard K/N --json) [cli.c3]\n");
  CHECK(shards.run({"batch", "merge", "s1.jsonl"}).err ==
        "tscatter: batch merge: CASES is missing: tscatter batch merge CASES REPORTS [cli.c3]\n");
  CHECK(shards.run({"batch", "merge"}).err ==
        "tscatter: batch merge: CASES is missing: tscatter batch merge CASES REPORTS [cli.c3]\n");
}

TEST_CASE("cli.c84, cli.c14: a merge runs nothing and overwrites no report that it reads",
          "[app]") {
  const Shards shards;
  CHECK(shards.merge(with_more(all_reports, {"--filter", "x"})).err ==
        "tscatter: --filter: must be left out: a merge runs no case [cli.c84]\n");
  for (const Strings& vain : std::vector<Strings>{
           {"--by-word"}, {"-j", "2"}, {"--wait=5"}, {"--details=0"}, {"--fail-fast"}}) {
    const Result merged = shards.merge(with_more(all_reports, vain));
    CHECK(merged.exit_code == 2);
    CHECK(merged.err.ends_with("must be left out: a merge runs no case [cli.c84]\n"));
  }
  // A report that is called as the one that it would be replaced by.
  std::filesystem::rename(shards / Shards::name(2), shards / "s2.xml");
  const std::string before = shards.text("s2.xml");
  const Result merged = shards.merge({"s1.jsonl", "s2.xml", "--junit", "./s2.xml", "--force"});
  CHECK(merged.exit_code == 2);
  CHECK(merged.err ==
        "tscatter: --junit: must be another file than a shard's report, got ./s2.xml [cli.c14]\n");
  CHECK(shards.text("s2.xml") == before);
}

TEST_CASE("batch.b18: a label that no rule has is not merged", "[app]") {
  const Shards shards;
  const std::string whole = shards.report("1/1");
  for (const char* label : {"<b>\x1b]0;x\n::add-mask::y", "", "batch.b", "batch.b7 "}) {
    shards.put("one.jsonl", whole);
    tamper(shards / "one.jsonl", {{"label", label}});
    const Result merged = shards.merge({"one.jsonl", "--junit", "m.xml"});
    CHECK(merged.exit_code == 4);
    CHECK(merged.err.ends_with(" [batch.b18]\n"));
    CHECK(!std::filesystem::exists(shards / "m.xml"));
  }
  for (const double seconds : {-1.0, 1e300}) {
    shards.put("one.jsonl", whole);
    tamper(shards / "one.jsonl", {{"seconds", seconds}});
    CHECK(shards.merge({"one.jsonl"}).exit_code == 4);
  }
}

TEST_CASE("a merge makes the command that repeats a case anew", "[app]") {
  const Shards shards;
  shards.put("one.jsonl", shards.report("1/1"));
  const Result honest = shards.merge({"one.jsonl", "--json"});
  CHECK_THAT(honest.out, contains(R"("repeat":"tscatter compare --case 'case 7' cases.jsonl")"));
  tamper(shards / "one.jsonl", {{"repeat", "\x1b[2J\n::stop-commands::x"}});
  CHECK(shards.merge({"one.jsonl", "--json"}).out == honest.out);
}

TEST_CASE("what a shard's report says of a case is shown, and obeyed by nobody", "[app]") {
  const Shards shards;
  shards.put("one.jsonl", shards.report("1/1"));
  const std::string hostile = "]]>\n::error::<script>##[error]\x1b[2J\u2028\u202e";
  tamper(shards / "one.jsonl", {{"name", hostile}, {"message", hostile}});
  const Result merged = Command("batch merge cases.jsonl one.jsonl --junit m.xml --html m.html")
                            .in(shards.path())
                            .with_environment("GITHUB_ACTIONS", "true")
                            .run();
  CHECK(merged.exit_code == 1);
  for (const std::string& text : {merged.out, shards.text("m.xml"), shards.text("m.html")}) {
    for (const char* command : {"\n::", "##[", "\x1b", "\u2028", "\u202e"})
      CHECK_THAT(text, !contains(command));
  }
  CHECK_THAT(shards.text("m.xml"), !contains("<script>"));
}

TEST_CASE("shards of a batch in folders whose names are not UTF-8 are merged", "[app]") {
  const Folder folder;
  const std::string line = R"({"op": "ScatterUpdate-3", "data": [0], "indices": [0], "updates": [1],
    "axis": 0, "expected": [2]})";
  const Strings names{"a\xff", "a\xfe", R"(a\xff)"};
  for (const std::string& name : names) {
    std::filesystem::create_directory(folder / name);
    write_file(folder / name / "cases.jsonl", std::regex_replace(line, std::regex("\n *"), ""));
  }
  folder.put("s.jsonl",
             folder.out(with_more(with_more({"batch"}, names), {"--shard", "1/1", "--json"})));
  const Result merged = folder.run(with_more(with_more({"batch", "merge"}, names), {"s.jsonl"}));
  CHECK(merged.exit_code == 1);
  CHECK(merged.err.empty());
  CHECK(merged.out == folder.out(with_more(with_more({"batch"}, names), {"-q"})));
  for (const std::string place :
       {R"(a\xff/cases.jsonl:1: values differ)", R"(a\xfe/cases.jsonl:1: values differ)",
        R"(a\xff/cases.jsonl (3):1: values differ)"})
    CHECK_THAT(merged.out, contains("  " + place));
}

TEST_CASE("batch.b18: behind the summary of a report nothing else stands", "[app]") {
  for (const char* more : {"garbage\n", "{\"name\":\"a\",\"line\":1,\"state\":\"failed\"}\n",
                           "{\"shard\":{}}\n", "cut"}) {
    INFO(more);
    const Shards shards;
    shards.put(Shards::name(1), shards.text(Shards::name(1)) + more);
    const Result merged = shards.merge(all_reports);
    CHECK(merged.exit_code == 4);
    CHECK(merged.err.ends_with("[batch.b18]\n"));
  }
}

}  // namespace tscatter
