// Cases of a batch that other processes run, without MPI: all in this one.
#include "batch/shards/dealt_cases.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/batch.hpp"
#include "batch/cases/case_reader.hpp"
#include "batch/cases/line_reader.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "text/document.hpp"

namespace tscatter {
namespace {

using app::CaseReply;
using app::CaseResult;
using app::CaseRunner;
using app::CaseTicket;
using app::DealtCases;
using app::Document;
using app::ServedCases;

constexpr app::FailureWanted all_wanted{
    .details = true, .tables = true, .json = true, .heatmap = true, .words = true};

std::vector<CaseTicket> tickets_of(app::CaseFiles& files) {
  const std::atomic<bool> stop = false;
  app::LineReader lines(files, &stop);
  app::CaseReader reader;
  std::vector<CaseTicket> tickets;
  while (const auto line = lines.next()) {
    if (auto each = reader.read(*line)) {
      tickets.push_back(
          {.number = std::ssize(tickets), .each = *std::move(each), .text = line->text});
    }
  }
  return tickets;
}

// All that is sent of it.
std::vector<std::byte> bytes_of(CaseResult result) {
  result.seconds = 0;
  std::vector<std::byte> bytes;
  append(bytes, CaseReply{.number = 0, .result = std::move(result)});
  return bytes;
}

// Carries what two processes say, as long as it lives.
std::jthread carrier(DealtCases& dealt, ServedCases& served) {
  return std::jthread([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto requests = dealt.take_requests();
      served.give_requests(requests.back());
      dealt.give_replies(served.take_replies());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

// One by one: a field that is not sent is in none of the bytes.
void check_same(const CaseResult& came, const CaseResult& sent) {
  CHECK(came.judge == sent.judge);
  CHECK(came.words == sent.words);
  CHECK(came.reasons == sent.reasons);
  CHECK(came.why == sent.why);
  CHECK(came.elements == sent.elements);
  CHECK(came.state == sent.state);
  CHECK(came.label == sent.label);
  CHECK(came.message == sent.message);
  CHECK(document_text(came.details) == document_text(sent.details));
  CHECK(json_line(came.details) == json_line(sent.details));
  CHECK(came.census_text == sent.census_text);
  CHECK(came.census_json.text == sent.census_json.text);
  CHECK(came.heatmap == sent.heatmap);
  CHECK(document_text(came.values) == document_text(sent.values));
  CHECK(came.verdict_json.text == sent.verdict_json.text);
}

}  // namespace

TEST_CASE("what another process says of a case is what this one would say", "[app]") {
  const BatchDirectory batch({R"({"defaults": {"int32": {"atol": 1}}})", named("passes", right),
                              named("within the defaults", wrong),
                              named("differs", {{"expected", {5, 9, 6}}}),
                              case_line({{"expected", {9, 9, 9}}}),
                              named("known", {{"expected", {7, 7, 7}}, {"xfail", "a bug"}}),
                              named("skipped", {{"expected", {5, 2, 6}}, {"skip", "slow"}}),
                              named("not legal", {{"actual", {5, 4, 6}}}),
                              named("refused", {{"expected_error", "scatter_update_3.c1"}}),
                              named("written", {{"output", "written.npy"}})});
  app::CaseFiles files({(batch / "cases.jsonl").native()});
  DealtCases dealt(2, 1, all_wanted);
  CaseRunner here({.failed_dir = {}, .wanted = all_wanted});
  ServedCases served(files, {}, 1);
  const std::jthread carrying = carrier(dealt, served);
  std::size_t failures = 0;
  for (const CaseTicket& ticket : tickets_of(files)) {
    INFO(ticket.each.name);
    const CaseResult own = here.run(ticket.each, 1);
    const CaseResult sent = dealt.run(here, ticket, 1);
    CHECK(bytes_of(sent) == bytes_of(own));
    CHECK(sent.file == own.file);
    CHECK(sent.line == own.line);
    CHECK(sent.place == own.place);
    CHECK(sent.name == own.name);
    CHECK(sent.is_unnamed == own.is_unnamed);
    check_same(sent, own);
    if (is_failure(own.state)) ++failures;
  }
  CHECK(failures >= 4);
}

TEST_CASE("a result is what it was after it was sent", "[app]") {
  Document row{{"a", 1}, {"b", std::vector<std::int64_t>{1, -2}}};
  row.add("c", "see", app::grouped(12345), app::Align::right);
  Document inner{
      {"none", app::Value()}, {"truth", true}, {"half", 0.5}, {"large", ~std::uint64_t{0}}};
  inner.paragraph("A paragraph.");
  inner.line("A line.");
  CaseResult result;
  result.details.add("inner", inner);
  result.details.show(inner);
  result.details.add(inner);
  result.details.add("rows", app::Table{.rows = {row, app::in_json_only(row)}});
  result.details.put("rows too", app::Table{.rows = {row}, .form = app::TableForm::object});
  result.details.put("json", app::WrittenJson{R"({"x":1})"});
  result.heatmap = std::string("\0\n", 2);
  result.judge = "verify";
  result.words = {"a word", "another"};
  result.reasons = {"a diagnosis", "another"};
  result.why = "why";
  result.elements = 7;
  result.state = app::CaseState::xpassed;
  result.seconds = 0.25;
  result.label = "batch.b9";
  result.message = "a message";
  result.census_text = "a census";
  result.census_json = {"{}"};
  result.values = row;
  result.verdict_json = {"[]"};
  std::vector<std::byte> bytes;
  append(bytes, CaseReply{.number = 3, .result = result});
  append(bytes, CaseReply{.number = 4, .result = {}});
  const auto replies = app::replies_in(bytes);
  REQUIRE(replies.size() == 2);
  CHECK(replies.front().number == 3);
  CHECK(replies.front().result.seconds == 0.25);
  check_same(replies.front().result, result);
  CHECK(replies.back().number == 4);
}

TEST_CASE("cases stay where archives are changed, and where they are wrong", "[app]") {
  const BatchDirectory batch({named("member", {{"output", "x.npz:a"}}), "{"});
  app::CaseFiles files({(batch / "cases.jsonl").native()});
  DealtCases dealt(2, 1, all_wanted);
  CaseRunner here({.failed_dir = {}, .wanted = all_wanted});
  // Nobody carries what is sent.
  for (const CaseTicket& ticket : tickets_of(files)) dealt.run(here, ticket, 1);
  CHECK(std::filesystem::exists(batch / "x.npz"));
}

TEST_CASE("who waits for another process ends when that is gone", "[app]") {
  const BatchDirectory batch({named("passes", right)});
  app::CaseFiles files({(batch / "cases.jsonl").native()});
  DealtCases dealt(2, 1, all_wanted);
  CaseRunner here({.failed_dir = {}, .wanted = all_wanted});
  const std::vector<CaseTicket> tickets = tickets_of(files);
  bool has_ended = false;
  {
    const std::jthread waiting([&] {
      try {
        dealt.run(here, tickets.front(), 1);
      } catch (const Cancelled&) {
        has_ended = true;
      }
    });
    while (dealt.take_requests().back().empty()) std::this_thread::yield();
    dealt.close();
  }
  CHECK(has_ended);
  CHECK_THROWS_AS(dealt.run(here, tickets.front(), 1), Cancelled);
}

}  // namespace tscatter
