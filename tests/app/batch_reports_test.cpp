// tscatter batch: --json, --junit, --html and the progress line.
#include <fmt/format.h>

#include "app/batch.hpp"
#include "catch.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// The text with each time in it as 0.
std::string without_times(std::string text, const std::string& before) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find_first_not_of("0123456789.e-", at);
    text.replace(at, end - at, "0");
  }
  return text;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("--json prints an object for each case and one for all", "[app]") {
  const BatchDirectory batch({named("good", right), named("bad", wrong)});
  const Result result = batch.run({"--json"});
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  const std::vector<json> lines = json_lines(result.out);
  REQUIRE(lines.size() == 3);
  CHECK(without_times(result.out.substr(0, result.out.find('\n')), "\"seconds\":") ==
        R"({"name":"good","line":1,"state":"passed","seconds":0})");
  CHECK(lines[1].at("label") == "batch.b7");
  CHECK(lines[1].at("message") ==
        "values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3");
  CHECK(lines[1].at("census").at("differing") == 1);
  CHECK(lines[1].at("repeat") == "tscatter compare --case bad cases.jsonl");
  CHECK(
      without_times(lines[2].dump(), "\"seconds\":") ==
      R"({"summary":{"all_read":true,"cases":2,"failed":1,"interrupted":false,"not_run":0,"passed":1,"resumed":0,)"
      R"("seconds":0,"selected":2,"skipped":0,"to_write":0,"unreferenced":[],"updated":0,"written":0,"xfailed":0,"xpassed":0}})");
}

TEST_CASE("a report without room for what it keeps is left out, and the others are written",
          "[app]") {
  Strings lines;
  const std::string name(std::size_t{1} << 20U, 'n');
  for (int i = 0; i < 9; ++i) lines.push_back(named(name + std::to_string(i), wrong));
  const BatchDirectory batch(lines);
  write_file(batch / "r.html", "<html>old");
  const std::string none = batch / "none";
  const Result result = batch.command({"--junit", "r.xml", "--html", "r.html"})
                            .with_environment("TMPDIR", none)
                            .run();
  CHECK(result.exit_code == 3);
  CHECK(result.out.ends_with("\n\n9 cases: 9 failed\n"));
  CHECK(count_of(result.out, "\nFAILED") == 8);
  const auto trouble = [&](const char* user) {
    return fmt::format(
        "tscatter: {} (for {}): cannot hold a temporary file: no such file or directory "
        "[file.f4]\n",
        none, user);
  };
  CHECK(result.err == trouble("the list of failures") + trouble("r.html"));
  CHECK(count_of(read_file(batch / "r.xml"), "<failure ") == 9);
  CHECK(read_file(batch / "r.html") == "<html>old");
}

TEST_CASE("a report that cannot be written leaves the others", "[app]") {
  const BatchDirectory batch({named("bad", wrong)});
  const Result result = batch.run({"--junit", "/dev/full", "--html", "r.html"});
  CHECK(result.exit_code == 3);
  CHECK(result.out.ends_with("\n1 case: 1 failed\n"));
  CHECK(result.err ==
        "tscatter: /dev/full: cannot be written to its end: no space left on device [file.f5]\n");
  CHECK_THAT(read_file(batch / "r.html"), contains("bad"));
}

TEST_CASE("--junit is whole: names, times, messages, what was skipped", "[app]") {
  const BatchDirectory batch({named("good", right), named("b<&>\"'\n", wrong),
                              named("known", {{"expected", {0}}, {"xfail", "a & b"}})});
  CHECK(batch.run({"--junit", "r.xml"}).exit_code == 1);
  const std::string report = without_times(read_file(batch / "r.xml"), "time=\"");
  CHECK(report.starts_with(R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cases" tests="3" failures="1" errors="0" time="0">
<testsuite name="cases" tests="3" failures="1" errors="0" skipped="1" time="0">
<testcase classname="cases" name="good" time="0"/>
)"));
  CHECK_THAT(
      report,
      contains("<testcase classname=\"cases\" name=\"b&lt;&amp;&gt;&quot;'&#10;\" "
               "time=\"0\"><failure type=\"values differ [batch.b7]\" message=\"values differ: 1 "
               "of 3 elements (33.3 %), largest at [1]: got 2, expected 3\">cases.jsonl:2: "));
  CHECK(
      report.ends_with("<testcase classname=\"cases\" name=\"known\" time=\"0\"><skipped "
                       "type=\"xfailed\" message=\"a &amp; b\"/></testcase>\n</testsuite>\n"
                       "</testsuites>\n"));
}

TEST_CASE("--junit keeps names apart that XML cannot write, and those that stand twice", "[app]") {
  const BatchDirectory batch({named("a\x01", right), named("a\x02", right),
                              named("a\xef\xbf\xbf", right), named("twice", right),
                              named("twice", right)});
  batch.run({"--junit", "r.xml"});
  const std::string report = read_file(batch / "r.xml");
  CHECK_THAT(report, contains("name=\"a\xef\xbf\xbd (line 1)\""));
  CHECK_THAT(report, contains("name=\"a\xef\xbf\xbd (line 2)\""));
  CHECK_THAT(report, contains("name=\"a\xef\xbf\xbd (line 3)\""));
  CHECK_THAT(report, contains("name=\"twice\""));
  CHECK_THAT(report, contains("name=\"twice (line 5)\""));
}

TEST_CASE("--junit and --html escape what would turn or end the text around it", "[app]") {
  const std::map<std::string, std::string> characters{{"\u202e", R"(\xe2\x80\xae)"},
                                                      {"\u2066", R"(\xe2\x81\xa6)"},
                                                      {"\u2028", R"(\xe2\x80\xa8)"},
                                                      {"\u009b", R"(\xc2\x9b)"},
                                                      {"\x7f", R"(\x7f)"}};
  for (const auto& [character, escaped] : characters) {
    INFO(escaped);
    const BatchDirectory batch({named("a" + character, right), named("a" + escaped, right),
                                named("c", {{"expected", {0}}, {"xfail", "because " + character}}),
                                named("d", {{"expected", "gold" + character + ".npy"}})});
    batch.run({"--junit", "r.xml", "--html", "r.html"});
    const std::string xml = read_file(batch / "r.xml");
    const std::string page = read_file(batch / "r.html");
    CHECK_THAT(xml, !contains(character));
    CHECK_THAT(page, !contains(character));
    CHECK(count_of(xml, "name=\"a" + escaped + " (line 1)\"") == 1);
    CHECK(count_of(xml, "name=\"a" + escaped + "\"") == 1);
    CHECK(count_of(xml, "message=\"because " + escaped + "\"") == 1);
    CHECK(count_of(page, "<span class=\"name\">a" + escaped + "</span>") == 2);
    CHECK(count_of(page, "because " + escaped) == 1);
  }
}

TEST_CASE("--junit has no name twice, whatever the cases are called", "[app]") {
  const BatchDirectory batch({named("x", right), named("x", right), named("x (line 2)", right),
                              named("x (line 2) (line 3)", right), named("--unreferenced", right),
                              named("x (line )", right), named("g", {{"expected", "gold/g.npy"}})});
  std::filesystem::create_directories(batch / "gold");
  for (const char* name : {"gold/g.npy", "gold/old.npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  batch.run({"--junit", "r.xml", "--unreferenced", "fail"});
  const std::string report = read_file(batch / "r.xml");
  for (const char* name : {"x", "x (line 2)", "x (line 2) (line 3)", "x (line 2) (line 3) (line 4)",
                           "--unreferenced (line 5)", "--unreferenced", "g"}) {
    CHECK(count_of(report, std::string(" name=\"") + name + "\" time=") == 1);
  }
}

TEST_CASE("--junit of 10,000 failures is below 30 MB", "[app]") {
  Strings lines;
  for (int i = 0; i < (property::is_slowed ? 500 : 10000); ++i) {
    json values = json::array();
    for (int k = 0; k < 64; ++k) values.push_back(k + 0.5);
    lines.push_back(
        named(std::string(100, 'n') + std::to_string(i),
              {{"data", values}, {"updates", {7.25, 8.5}}, {"expected", json::array()}}));
    json job = json::parse(lines.back());
    for (int k = 0; k < 64; ++k) job["expected"].push_back(-1e30 * k);
    lines.back() = job.dump();
  }
  const BatchDirectory batch(lines);
  CHECK(batch.run({"--junit", "r.xml", "-q"}).exit_code == 1);
  CHECK(std::filesystem::file_size(batch / "r.xml") < 30'000'000);
}

TEST_CASE("--junit of 10,000 failures is below 30 MB, whatever has to be escaped", "[app]") {
  const int count = property::is_slowed ? 500 : 10000;
  std::string name;
  for (int i = 0; i < 60; ++i) name += "<&>\"'";
  Strings lines;
  for (int i = 0; i < count; ++i) {
    json more = wrong;
    more["in_place"] = name;  // which the message repeats
    lines.push_back(named(name + std::to_string(i), more));
  }
  const BatchDirectory batch(lines);
  CHECK(batch.run({"--junit", "r.xml", "-q"}).exit_code == 1);
  CHECK(std::filesystem::file_size(batch / "r.xml") < std::size_t{3000} * lines.size());
}

TEST_CASE(
    "--html is one file without outside references, with every case and each failure's census and "
    "heatmap",
    "[app]") {
  const BatchDirectory batch({named("good <b>", right), named("bad", wrong),
                              named("known", {{"expected", {0}}, {"xfail", "x"}})});
  CHECK(batch.run({"--html", "r.html"}).exit_code == 1);
  const std::string page = read_file(batch / "r.html");
  CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
  CHECK(page.ends_with("</html>\n"));
  CHECK_THAT(page, !contains("http"));
  CHECK_THAT(page, !contains("@import"));
  CHECK(count_of(page, "src=") == 0);
  CHECK(count_of(page, "<svg ") == 1);
  CHECK(count_of(page, "<li class=\"case ") == 3);
  CHECK_THAT(page, contains("good &lt;b&gt;"));
  CHECK_THAT(page, !contains("good <b>"));
  for (const char* id : {"show-failures", "show-all", "show-passed", "show-xfailed"}) {
    CHECK_THAT(page, contains(std::string("id=\"") + id + "\""));
    CHECK_THAT(page, contains(std::string("for=\"") + id + "\""));
  }
  CHECK_THAT(page, contains("Run it again: <code>tscatter compare --case bad cases.jsonl</code>"));
  CHECK_THAT(page, contains("largest"));
}

TEST_CASE("--html says what a failed case was, and which rule it broke", "[app]") {
  json job = json::parse(named("bad", wrong));
  job["rtol"] = 0.25;
  const BatchDirectory batch(
      {job.dump(), named("broken", {{"indices", {{7}, {0}}}, {"expected", {0}}}),
       R"({"name": "no job", "op": "Nonsense"})", named("lost", {{"expected", "gold.npy"}})});
  batch.run({"--html", "r.html"});
  const std::string page = read_file(batch / "r.html");
  const auto has = [&](const std::string& text) { return count_of(page, text) == 1; };
  CHECK(has(
      "<p class=\"rule\"><code>batch.b7</code> what a job computes, or actual, equals expected, "
      "within the tolerance</p>\n<dl>\n<dt>operation</dt><dd>ScatterNDUpdate-15</dd>\n"
      "<dt>dtype</dt><dd>int64</dd>\n<dt>shape</dt><dd>[3]</dd>\n"
      "<dt>tolerance</dt><dd>rtol 0.25</dd>\n<dt>error</dt><dd>1, allowed 0.75</dd>\n"
      "<dt>box</dt><dd>[1] to [1]</dd>\n</dl>\n"));
  CHECK(
      has("<code>scatter_nd_update_15.c4</code> coordinate j of each index entry is in [-s, s), "));
  CHECK(
      has("<code>job.j3</code> it has the key op, the name of an operation; a case of a batch "
          "without op has actual and expected</p>\n<p class=\"again\">"));
  CHECK(has("<dt>expected</dt><dd>gold.npy</dd>"));
}

TEST_CASE("--html opens on what failed, and on all where nothing did", "[app]") {
  const auto chosen = [](const Strings& lines) {
    const BatchDirectory batch(lines);
    batch.run({"--html", "r.html"});
    const std::string page = read_file(batch / "r.html");
    CHECK(count_of(page, " checked>") == 1);
    const std::size_t end = page.find(" checked>");
    const std::size_t begin = page.rfind("id=\"", end) + 4;
    const std::size_t label = page.find("\">", end) + 2;
    return page.substr(begin, end - 1 - begin) + ": " +
           page.substr(label, page.find("</label>", label) - label);
  };
  CHECK(chosen({named("a", right), named("b", wrong),
                named("c", {{"expected", {5, 2, 6}}, {"xfail", "x"}})}) ==
        "show-failures: failures <b>2</b>");
  CHECK(chosen({named("a", right), named("b", {{"expected", {0}}, {"xfail", "x"}})}) ==
        "show-all: all <b>2</b>");
}

TEST_CASE("--html groups failures by why and by word, each group with its smallest case", "[app]") {
  const std::vector<int> ones(100, 1);
  const BatchDirectory batch({named("small-f64-0001", {{"actual", {1, 2, 3}}}),
                              named("large-f64-0002", {{"data", ones}, {"actual", ones}}),
                              named("other-f32-0003", wrong), named("good-f32-0004", right)});
  batch.run({"--html", "r.html"});
  const std::string page = read_file(batch / "r.html");
  INFO(page);
  CHECK(count_of(page, "<svg ") == 3);
  CHECK(count_of(page, "name=\"why\"") == 3);
  CHECK_THAT(page, contains("id=\"reason-any\"><label for=\"reason-any\">any</label></td><td "
                            "class=\"count\">3</td>"));
  CHECK_THAT(page,
             contains("id=\"reason-0\"><label for=\"reason-0\">no update applied</label></td><td "
                      "class=\"count\">2</td><td class=\"smallest\"><a "
                      "href=\"#case-1\">small-f64-0001</a><span>, 3 elements</span>"));
  CHECK_THAT(page, contains(".case:not(.why-0) {"));
  CHECK_THAT(page, contains("<li class=\"case failed why-0\" id=\"case-1\""));
  CHECK_THAT(page, contains("<li class=\"case failed why-1\" id=\"case-3\""));
  CHECK_THAT(page, contains("<li class=\"case passed\" id=\"case-4\""));
  CHECK_THAT(page, contains("<span class=\"word\">f64</span></td><td class=\"count\">2</td><td "
                            "class=\"count\">2</td><td class=\"count\">100 %</td>"));
  // A small case is told whole.
  CHECK(count_of(page, "<dl class=\"values\">") == 1);
  CHECK_THAT(page, contains("<dt>got</dt><dd>int64 [3]  [1, 2, 3]</dd>"));
}

TEST_CASE("--html says its version, date and shard, and nothing else that a run changes", "[app]") {
  const BatchDirectory batch({named("a", right), named("b", wrong)});
  const auto page = [&](const Strings& flags, const char* seconds) {
    Strings all = with_more({"--html", "r.html"}, flags);
    batch.command(all).with_environment("SOURCE_DATE_EPOCH", seconds).run();
    return read_file(batch / "r.html");
  };
  const std::string whole = page({}, "1763818500");
  CHECK_THAT(whole, contains("<p class=\"verdict bad\">2 cases: 1 passed, 1 failed <span>in "));
  CHECK_THAT(whole, contains("<p class=\"about\">tscatter 0.1.0 \u00b7 2025-11-22 13:35 UTC</p>"));
  CHECK_THAT(page({"--shard", "1/1"}, "0"),
             contains("0.1.0 \u00b7 1970-01-01 00:00 UTC \u00b7 shard 1/1<"));
  CHECK_THAT(page({}, "253402300799"), contains(" 9999-12-31 23:59 UTC<"));
}

TEST_CASE("cli.c49: a date that is no number of seconds is refused before a case is run", "[app]") {
  const BatchDirectory batch({named("a", right)});
  const auto refused = [&](const std::string& seconds) {
    return refusal_of(
        2, batch.command({"--html", "r.html"}).with_environment("SOURCE_DATE_EPOCH", seconds));
  };
  const std::string rule =
      "SOURCE_DATE_EPOCH: must be seconds since 1970, from 0 to 253402300799, got ";
  CHECK(refused("today") == rule + "today [cli.c49]");
  CHECK(refused("-1") == rule + "-1 [cli.c49]");
  CHECK(refused("253402300800") == rule + "253402300800 [cli.c49]");
  CHECK(batch.names() == Strings{"cases.jsonl"});
  CHECK(batch.command().with_environment("SOURCE_DATE_EPOCH", "today").run().exit_code == 0);
}

TEST_CASE("--html is bad news where an unreferenced golden fails the batch", "[app]") {
  const BatchDirectory batch({named("g", {{"expected", "gold/g.npy"}})});
  std::filesystem::create_directories(batch / "gold");
  for (const char* name : {"gold/g.npy", "gold/old.npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  batch.run({"--html", "warned.html"});
  CHECK_THAT(read_file(batch / "warned.html"), contains("class=\"verdict good\""));
  CHECK(batch.run({"--html", "failed.html", "--unreferenced", "fail"}).exit_code == 1);
  const std::string page = read_file(batch / "failed.html");
  CHECK_THAT(page, contains("class=\"verdict bad\""));
  CHECK_THAT(page,
             contains("<code>batch.b11</code> every golden is one that a case refers to</p>"));
}

TEST_CASE("several reports are written by one run, and again over older ones", "[app]") {
  const BatchDirectory batch({named("good", right)});
  for (int i = 0; i < 2; ++i) {
    const Result result = batch.command({"--junit", "r.xml", "--html", "r.html"})
                              .with_environment("XML_OUTPUT_FILE", "b.xml")
                              .run();
    CHECK(result.exit_code == 0);
  }
  CHECK(batch.names() == Strings{".state", "b.xml", "cases.jsonl", "r.html", "r.xml"});
  CHECK(batch.run({"--junit", "/dev/null"}).exit_code == 0);
}

TEST_CASE("a log has no progress line and no colour, unless it is asked for", "[app]") {
  const BatchDirectory batch({named("good", right), named("bad", wrong)});
  CHECK_THAT(batch.run().out, !contains("\x1b"));
  CHECK_THAT(batch.run({"--color", "always"}).out, contains("\x1b[32mok      \x1b[0m good\n"));
}

TEST_CASE("a full disk under the output of a batch is an error", "[app]") {
  const BatchDirectory batch({named("good", right)});
  CHECK(refusal_of(3, batch.command().with_output_to("/dev/full")) ==
        "<stdout>: cannot be written to its end: no space left on device [file.f5]");
}

}  // namespace tscatter
