// Cases of a batch that other processes run, without MPI: all in this one.
#include "batch/shards/dealt_cases.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/batch.hpp"
#include "batch/cases/case_list.hpp"
#include "batch/cases/case_reader.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using app::CaseReply;
using app::CaseResult;
using app::CaseRunner;
using app::CaseTicket;
using app::DealtCases;
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
  CHECK(came.reason == sent.reason);
  CHECK(came.reasons == sent.reasons);
  CHECK(came.why == sent.why);
  CHECK(came.elements == sent.elements);
  CHECK(came.state == sent.state);
  CHECK(came.label == sent.label);
  CHECK(came.message == sent.message);
  CHECK(came.facts == sent.facts);
  CHECK(came.details.text == sent.details.text);
  CHECK(came.census_text == sent.census_text);
  CHECK(came.census_json.text == sent.census_json.text);
  CHECK(came.heatmap == sent.heatmap);
  CHECK(came.values == sent.values);
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
  CaseResult result;
  result.line = 12;
  result.place = "cases.jsonl:12";
  result.name = "a name that is not UTF-8: \xff";
  result.is_unnamed = true;
  result.facts = {{"dtype", "int32"}, {"dtype", "\xff"}};
  result.details = {R"({"x":1})"};
  result.heatmap = std::string("\0\n", 2);
  result.judge = "verify";
  result.words = {"a word", "another"};
  result.reasons = {"a diagnosis", "another"};
  result.why = "why";
  result.elements = 7;
  result.state = app::CaseState::xpassed;
  result.seconds = 0.25;
  result.reason = "passes";
  result.label = "batch.b9";
  result.message = "a message";
  result.census_text = "a census";
  result.census_json = {"{}"};
  result.values = {{"data", "int32 [2]  [1, 2]"}};
  result.verdict_json = {"[]"};
  std::vector<std::byte> bytes;
  append(bytes, CaseReply{.number = 3, .result = result});
  append(bytes, CaseReply{.number = 4, .result = {}});
  const auto replies = app::replies_in(bytes);
  REQUIRE(replies.size() == 2);
  CHECK(replies.front().number == 3);
  CHECK(replies.front().result.seconds == 0.25);
  const CaseResult& sent = replies.front().result;
  CHECK(sent.line == 12);
  CHECK(sent.place == result.place);
  CHECK(sent.name == result.name);
  CHECK(sent.is_unnamed);
  check_same(sent, result);
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
