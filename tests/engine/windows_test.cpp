// A change in place whose entries do not fit into the memory: the old bytes of all windows are kept
// before the first one is written.
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "catch.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

// Data's own bytes as a file would have them, with a log that must know what is written.
class KeptSink final : public Sink, public UndoLog {
 public:
  explicit KeptSink(std::vector<std::byte>& bytes) : bytes_{bytes}, kept_(bytes.size(), false) {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    is_wrong_ = is_wrong_ || seals_ != 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(offset) + i;
      is_wrong_ = is_wrong_ || (bytes_[at] != bytes[i] && !kept_[at]);
      bytes_[at] = bytes[i];
    }
  }
  bool holds_data() const override { return true; }
  UndoLog* undo_log() override { return this; }

  void keep(std::span<const ByteRange> ranges, std::vector<std::byte>&) override {
    const std::scoped_lock lock(mutex_);
    is_wrong_ = is_wrong_ || seals_ != 0;
    for (const ByteRange range : ranges)
      std::fill(kept_.begin() + range.begin, kept_.begin() + range.end, true);
  }
  void seal() override { ++seals_; }

  bool is_wrong() const { return is_wrong_; }
  std::int64_t kept() const { return std::ranges::count(kept_, true); }

 private:
  std::vector<std::byte>& bytes_;
  std::vector<bool> kept_;
  std::mutex mutex_;
  int seals_ = 0;
  bool is_wrong_ = false;
};

class KeptOutput final : public Output {
 public:
  explicit KeptOutput(KeptSink& sink) : sink_{sink} {}
  Sink& begin(const TensorHeader&, const Source&) override { return sink_; }
  void commit() override {}

 private:
  KeptSink& sink_;
};

}  // namespace

TEST_CASE("in place in windows, all old bytes are kept before the first write") {
  constexpr std::int64_t rows = 4000;
  constexpr std::int64_t entries = 3000;
  std::vector<std::int32_t> indices(entries);
  for (std::int64_t i = 0; i < entries; ++i)
    indices[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % 3001);
  for (const std::int64_t row : {1, 3, 200}) {
    for (const std::int64_t memory : {0, 8, 800, 8000}) {
      std::vector<std::int32_t> data(static_cast<std::size_t>(rows * row), 1);
      const std::vector<std::int32_t> updates(static_cast<std::size_t>(entries * row), 5);
      std::vector<std::byte> bytes(data.size() * sizeof(std::int32_t));
      std::ranges::copy(std::as_bytes(std::span(data)), bytes.begin());
      KeptSink sink(bytes);
      KeptOutput output(sink);
      const TensorHeader header{.type = ElementType::of(DType::int32), .shape = {rows, row}};
      scatter_nd_update_15(Tensor(header, std::span<const std::byte>(bytes)),
                           view(indices, {entries, 1}), view(updates, {entries, row}),
                           memory % 16 == 8 ? Reduction::none : Reduction::sum, output,
                           {.threads = 2, .tile_bytes = 4096, .entry_memory = memory});
      INFO(row << " elements a row, memory " << memory);
      CHECK(!sink.is_wrong());
      CHECK(sink.kept() >= entries * row * 3);
    }
  }
}

}  // namespace tscatter
