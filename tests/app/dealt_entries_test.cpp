// How ranks share one list of index entries, without MPI: all ranks in one process.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "parts/dealt_job.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using app::Deal;
using app::Parcels;
using app::ReceivedEntries;
using app::RoutedEntries;
using app::RoutedPart;

// ScatterNDUpdate-15 of rows: entry i goes to row destination_of(i), with rows of the number i.
struct Rows {
  std::int64_t rows;
  std::int64_t row;  // elements
  std::int64_t entries;
  std::vector<std::int32_t> data;
  std::vector<std::int64_t> indices;
  std::vector<std::int32_t> updates;

  Rows(std::int64_t all_rows, std::int64_t row_length, std::int64_t all_entries)
      : rows{all_rows},
        row{row_length},
        entries{all_entries},
        data(static_cast<std::size_t>(rows * row)),
        indices(static_cast<std::size_t>(entries)),
        updates(static_cast<std::size_t>(entries * row)) {
    for (std::int64_t i = 0; i < entries; ++i)
      indices[static_cast<std::size_t>(i)] = i * 7919 % rows;
    for (std::int64_t i = 0; i < entries * row; ++i)
      updates[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i / row);
  }

  EntryRecords records() const {
    const Operation& operation = *find_operation("ScatterNDUpdate-15");
    const Arguments arguments{.operands = {{"data", view(data, {rows, row})},
                                           {"indices", view(indices, {entries, 1})},
                                           {"updates", view(updates, {entries, row})}},
                              .attributes = {{"reduction", Reduction::sum}}};
    LoweredPlan lowered =
        operation.lower(arguments, {.most_listed = 0, .check = EntryCheck::by_reader});
    auto records = EntryRecords::of(std::move(lowered.plan), arguments.operand("updates"));
    REQUIRE(records.has_value());
    return *records;
  }

  // The entries that write one of the elements, in the order of the list.
  std::vector<std::int64_t> meeting(Range elements) const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < entries; ++i) {
      const std::int64_t begin = indices[static_cast<std::size_t>(i)] * row;
      if (begin < elements.end && begin + row > elements.begin) all.push_back(i);
    }
    return all;
  }
};

// Parts of so many elements, dealt to the ranks; they begin within rows.
std::vector<RoutedPart> parts_of(std::int64_t elements, std::int64_t each, int ranks) {
  std::vector<RoutedPart> parts;
  for (std::int64_t begin = 0; begin < elements; begin += each) {
    parts.push_back({.elements = {.begin = begin, .end = std::min(begin + each, elements)},
                     .rank = static_cast<int>(std::ssize(parts)) % ranks});
  }
  return parts;
}

// What MPI does, for threads in the place of ranks: each receives the parcels of all, in their
// order.
class ExchangeOfThreads {
 public:
  explicit ExchangeOfThreads(int ranks) : barrier_{ranks}, sent_(static_cast<std::size_t>(ranks)) {}

  bool exchange(std::size_t rank, std::span<const std::vector<std::byte>> parcels, bool ends,
                std::vector<std::byte>& arrived) {
    sent_[rank] = {.parcels = parcels, .ends = ends};
    barrier_.arrive_and_wait();
    const bool is_over = std::ranges::any_of(sent_, &Sent::ends);
    arrived.clear();
    for (const Sent& sent : sent_) {
      if (is_over) break;
      arrived.insert(arrived.end(), sent.parcels[rank].begin(), sent.parcels[rank].end());
    }
    barrier_.arrive_and_wait();
    return !is_over;
  }

 private:
  struct Sent {
    std::span<const std::vector<std::byte>> parcels = {};
    bool ends = false;
  };

  std::barrier<> barrier_;
  std::vector<Sent> sent_;
};

// What each rank gets.
std::vector<RoutedEntries> route(const EntryRecords& records, const Deal& deal,
                                 const std::vector<RoutedPart>& parts) {
  std::vector<RoutedEntries> routed(static_cast<std::size_t>(deal.ranks));
  ExchangeOfThreads threads(deal.ranks);
  std::vector<std::jthread> ranks;
  for (std::size_t rank = 0; rank < routed.size(); ++rank) {
    ranks.emplace_back([&, rank] {
      routed[rank] = route_entries(records, deal, static_cast<int>(rank), parts,
                                   [&](std::span<const std::vector<std::byte>> parcels, bool ends,
                                       std::vector<std::byte>& arrived) {
                                     return threads.exchange(rank, parcels, ends, arrived);
                                   });
    });
  }
  ranks.clear();
  return routed;
}

// The numbers of the entries: rows of updates repeat them.
std::vector<std::int64_t> numbers_in(const EntryRecords& records, const ReceivedEntries& received) {
  const Tensor updates = records.received_updates(received.payloads);
  std::vector<std::int64_t> numbers;
  const std::int64_t row = updates.shape()[1] * static_cast<std::int64_t>(sizeof(std::int32_t));
  for (std::int64_t i = 0; i < updates.shape()[0]; ++i) {
    std::int32_t number = 0;
    updates.source().read((i + 1) * row - std::int64_t{sizeof(number)},
                          std::as_writable_bytes(std::span(&number, 1)));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

TEST_CASE("what a part receives comes in the order of the list, whatever rank has read it",
          "[app]") {
  // Blocks that travel, of one element and more, and blocks that are read where they lie.
  for (const std::int64_t row : {1, 3, 2000}) {
    const Rows call(31, row, row == 2000 ? 60 : 1000);
    const EntryRecords records = call.records();
    CHECK(records.payload_size() == (row == 2000 ? 8 : row * 4));
    for (const int ranks : {1, 2, 3, 8}) {
      for (const std::int64_t segment : {1, 7, 64, 5000}) {
        INFO(row << " elements, " << ranks << " ranks, segments of " << segment);
        const Deal deal{.entries = call.entries, .segment = segment, .ranks = ranks};
        const std::vector<RoutedPart> parts = parts_of(31 * row, 2 * row + row / 2 + 1, ranks);
        const std::vector<RoutedEntries> routed = route(records, deal, parts);
        std::vector<std::size_t> next(static_cast<std::size_t>(ranks), 0);
        for (const RoutedPart& part : parts) {
          const auto rank = static_cast<std::size_t>(part.rank);
          const ReceivedEntries& own = routed[rank].of_own_parts[next[rank]++];
          CHECK(numbers_in(records, own) == call.meeting(part.elements));
          CHECK(own.destinations->size() / 8 == std::ssize(call.meeting(part.elements)));
        }
      }
    }
  }
}

TEST_CASE("an entry that is broken when it is read again ends the rounds of all ranks", "[app]") {
  for (const std::int64_t broken : {0, 130, 999}) {
    Rows call(31, 3, 1000);
    call.indices[static_cast<std::size_t>(broken)] = 31;
    const EntryRecords records = call.records();
    const Deal deal{.entries = call.entries, .segment = 10, .ranks = 4};
    const std::vector<RoutedPart> parts = parts_of(93, 20, deal.ranks);
    const std::vector<RoutedEntries> routed = route(records, deal, parts);
    for (int rank = 0; rank < deal.ranks; ++rank) {
      const std::exception_ptr& error = routed[static_cast<std::size_t>(rank)].error;
      INFO("entry " << broken << ", rank " << rank);
      CHECK((error != nullptr) == (broken / 10 % 4 == rank));
      if (error) CHECK_THROWS_AS(std::rethrow_exception(error), Error);
    }
  }
}

TEST_CASE("each entry is read by one rank, and in a round by neighbours", "[app]") {
  const Deal deal{.entries = 100, .segment = 7, .ranks = 3};
  CHECK(deal.rounds() == 5);
  std::int64_t next = 0;
  for (std::int64_t round = 0; round < deal.rounds(); ++round) {
    for (int rank = 0; rank < 3; ++rank) {
      const Range entries = deal.of(round, rank);
      CHECK(entries.begin == next);
      next = entries.end;
    }
  }
  CHECK(next == 100);
  CHECK(Deal{.entries = 0, .segment = 7, .ranks = 3}.rounds() == 0);
}

TEST_CASE("ranks send every entry once, in equal shares, for 1 to 1024 of them", "[app]") {
  constexpr std::int64_t entries = 50'000;
  for (const std::int64_t row : {1, 16}) {
    const Rows call(100'000, row, entries);
    const EntryRecords records = call.records();
    std::string table;
    for (int ranks = 1; ranks <= 1024; ranks *= 4) {
      const Deal deal{.entries = entries, .segment = 16, .ranks = ranks};
      const std::vector<RoutedPart> parts =
          parts_of(100'000 * row, (100'000 + ranks - 1) / ranks * row, ranks);
      std::vector<std::int64_t> received(static_cast<std::size_t>(ranks));
      Parcels parcels(records, parts, ranks);
      for (std::int64_t segment = 0; segment * deal.segment < entries; ++segment) {
        parcels.fill(deal.of(segment / ranks, static_cast<int>(segment % ranks)));
        for (std::size_t to = 0; to < received.size(); ++to)
          received[to] += std::ssize(parcels.all()[to]);
      }
      const std::int64_t sent = std::accumulate(received.begin(), received.end(), std::int64_t{0});
      const std::int64_t most = *std::ranges::max_element(received);
      table += fmt::format("| {} | {} | {} | {} | {:.2f} |\n", ranks, deal.rounds(), sent / ranks,
                           most, static_cast<double>(most * ranks) / static_cast<double>(sent));
      INFO(row << " elements a row\n" << table);
      CHECK(deal.rounds() == (entries + 16 * ranks - 1) / (16 * ranks));
      CHECK(sent == entries * records.record_size());
      CHECK(most * ranks < 2 * sent);
    }
    std::cout << fmt::format(
        "work of each rank, {} elements a row: | ranks | rounds | bytes sent | received, at most | "
        "of the mean |\n{}",
        row, table);
  }
}

TEST_CASE("writes that go to every batch are not dealt", "[app]") {
  const std::vector<float> data(12);
  const std::vector<std::int64_t> indices{1, 0};
  const std::vector<float> updates(8);
  const auto is_dealt = [&](std::int64_t axis, std::size_t elements, const Shape& shape) {
    const std::vector<std::int64_t> axes{axis};
    const Arguments arguments{
        .operands = {{"data", view(data, {4, 3})},
                     {"indices", view(indices, {2})},
                     {"updates", view(std::span(updates).first(elements), shape)},
                     {"axis", view(axes, {1})}},
        .attributes = {}};
    LoweredPlan lowered =
        find_operation("ScatterUpdate-3")
            ->lower(arguments, {.most_listed = 0, .check = EntryCheck::by_reader});
    return EntryRecords::of(std::move(lowered.plan), arguments.operand("updates")).has_value();
  };
  CHECK(is_dealt(0, 6, {2, 3}));
  CHECK(!is_dealt(1, 8, {4, 2}));
}

}  // namespace tscatter
