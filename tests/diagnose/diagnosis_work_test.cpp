// How much a diagnosis reads, and that it can be stopped.
#include <atomic>
#include <limits>
#include <memory>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::call_of;
using planted::tensor_of;

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
    Arguments arguments = call_of<std::uint32_t>(
        tensor_of<std::uint32_t>({1, columns}, std::vector<std::uint32_t>(count, 1)),
        tensor_of<std::int64_t>({entries, 1},
                                std::vector<std::int64_t>(static_cast<std::size_t>(entries), 0)),
        Tensor({.type = ElementType::of(DType::uint32), .shape = {entries, columns}}, updates),
        Reduction::sum);
    return tscatter::verify(
        *find_operation("ScatterNDUpdate-15"), arguments,
        tensor_of<std::uint32_t>({1, columns}, std::vector<std::uint32_t>(count, 2)),
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

}  // namespace tscatter
