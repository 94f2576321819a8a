// How much a diagnosis reads, and that it can be stopped.
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::names;
using planted::verified;

// Bytes of another source. Counts the reads of single elements; after some, asks to stop.
class CountedElements final : public Source {
 public:
  CountedElements(std::shared_ptr<const Source> source, std::int64_t most)
      : source_{std::move(source)}, most_{most} {}

  std::int64_t size() const override { return source_->size(); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (into.size() == element && ++reads_ >= most_) stop_ = true;
    source_->read(offset, into);
  }

  std::int64_t reads() const { return reads_; }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  static constexpr std::size_t element = sizeof(std::uint32_t);

  std::shared_ptr<const Source> source_;
  std::int64_t most_;
  mutable std::atomic<std::int64_t> reads_{0};
  mutable std::atomic<bool> stop_{false};
};

// Entries that all go to the first row of data; one element of each column is wrong.
struct OneRow {
  std::int64_t entries;
  std::int64_t columns;
  std::int64_t most_reads = std::numeric_limits<std::int64_t>::max();

  std::shared_ptr<CountedElements> updates = std::make_shared<CountedElements>(
      owned_source(std::vector<std::uint32_t>(static_cast<std::size_t>(entries * columns), 3)),
      most_reads);

  Verification verify() const {
    const auto count = static_cast<std::size_t>(columns);
    Arguments arguments = arguments_of(
        tensor<std::uint32_t>({1, columns}, std::vector<std::uint32_t>(count, 1)),
        int64s({entries, 1}, std::vector<std::int64_t>(static_cast<std::size_t>(entries), 0)),
        Tensor({.type = ElementType::of(DType::uint32), .shape = {entries, columns}}, updates),
        {{"reduction", Reduction::sum}});
    return tscatter::verify(
        *find_operation("ScatterNDUpdate-15"), arguments,
        tensor<std::uint32_t>({1, columns}, std::vector<std::uint32_t>(count, 2)),
        {.threads = 1, .stop = &updates->stop()});
  }
};

}  // namespace

TEST_CASE("diagnose: updates are read a few dozen times, not for each entry again", "[diagnose]") {
  for (const OneRow& call :
       {OneRow{.entries = 3000, .columns = 1}, OneRow{.entries = 100, .columns = 100}}) {
    const Verification v = call.verify();
    CHECK(v.count(ElementClass::wrong) == call.columns);
    CHECK(v.diagnoses.examined == call.columns);
    CHECK(call.updates->reads() < 60 * call.entries * call.columns);
  }
}

TEST_CASE("diagnose: it can be stopped between two reads", "[diagnose]") {
  const OneRow whole{.entries = 500, .columns = 1};
  whole.verify();
  const std::int64_t reads = whole.updates->reads();
  for (const std::int64_t part : {1, 3, 5, 7, 8}) {
    const OneRow call{.entries = 500, .columns = 1, .most_reads = reads * part / 10};
    CHECK_THROWS_AS(call.verify(), Cancelled);
    CHECK(call.updates->reads() < reads * part / 10 + 1000);
  }
}

// No entry goes to the second element, so that all are tried as its writers.
TEST_CASE("diagnose: it can be stopped between two other writers", "[diagnose]") {
  const std::vector<std::uint32_t> threes(2000, 3);
  const auto reads_of = [&](std::int64_t most) {
    const auto updates = std::make_shared<CountedElements>(owned_source(threes), most);
    const auto verdict = [&] {
      verified(
          "ScatterNDUpdate-15",
          arguments_of(tensor<std::uint32_t>({2}, {1, 1}),
                       int64s({2000, 1}, std::vector<std::int64_t>(2000, 0)),
                       Tensor({.type = ElementType::of(DType::uint32), .shape = {2000}}, updates),
                       {{"reduction", Reduction::sum}}),
          tensor<std::uint32_t>({2}, {6001, 2}), {.threads = 1, .stop = &updates->stop()});
    };
    if (most == std::numeric_limits<std::int64_t>::max()) {
      verdict();
    } else {
      CHECK_THROWS_AS(verdict(), Cancelled);
    }
    return updates->reads();
  };
  const std::int64_t whole = reads_of(std::numeric_limits<std::int64_t>::max());
  std::int64_t least = whole;
  for (std::int64_t most = 537; most < whole - 1000; most += 1000)
    least = std::min(least, reads_of(most) - most);
  CHECK(least == 0);
}

TEST_CASE("diagnose: an update that is kept counts with its entry's number", "[diagnose]") {
  // 400,000 updates of 1 byte each, with 8 bytes of their entries: three elements take 10.8 MB.
  const std::size_t many = 400000;
  std::vector<std::int64_t> indices(many + 1, 0);
  indices.back() = 1;
  const auto columns = std::int64_t{4};
  const Arguments arguments =
      arguments_of(tensor<std::uint8_t>({2, columns}, std::vector<std::uint8_t>(8, 0)),
                   int64s({static_cast<std::int64_t>(many) + 1, 1}, indices),
                   tensor<std::uint8_t>({static_cast<std::int64_t>(many) + 1, columns},
                                        std::vector<std::uint8_t>((many + 1) * 4, 1)),
                   {{"reduction", Reduction::sum}});
  const LoweredPlan lowered = find_operation("ScatterNDUpdate-15")->lower(arguments, {});
  const std::vector<std::int64_t> numbers{0, 1, 2, 3, 4};
  ReachedRoom room(lowered, 1, numbers, limits_of_wrong);
  std::vector<bool> taken;
  for (std::size_t i = 0; i < numbers.size(); ++i) taken.push_back(room.take(i));
  CHECK(taken == std::vector<bool>{true, true, true, false, true});
  const auto reached = [&](std::vector<std::int64_t> some) {
    return reached_terms(lowered, arguments.operand("data"), arguments.operand("updates"), some);
  };
  CHECK(!reached({0, 1, 2, 3, 0}));
  REQUIRE(reached({0, 4}));
  CHECK(reached({0, 4})->front().writers() == many);
  CHECK(reached({0, 4})->back().entries == std::vector<std::int64_t>{400000});
}

TEST_CASE("diagnose: indices are read otherwise while their values are few, not their entries",
          "[diagnose]") {
  for (const std::int64_t entries : {std::int64_t{1} << 18U, (std::int64_t{1} << 18U) + 1}) {
    std::vector<std::int64_t> indices(2 * static_cast<std::size_t>(entries), 0);
    const auto updates = tensor<std::uint32_t>(
        {entries}, std::vector<std::uint32_t>(static_cast<std::size_t>(entries), 1));
    const auto count = static_cast<std::uint32_t>(entries);
    const Verification v = verified("ScatterNDUpdate-15",
                                    arguments_of(tensor<std::uint32_t>({2, 2}, {0, 0, 0, 0}),
                                                 int64s({entries, 2}, std::move(indices)), updates,
                                                 {{"reduction", Reduction::sum}}),
                                    tensor<std::uint32_t>({2, 2}, {0, count, 0, 0}));
    INFO(all_of(v));
    CHECK(names(v, "indices", "indices off by +1 along axis 1") == (2 * entries <= 1 << 19));
  }
}

}  // namespace tscatter
