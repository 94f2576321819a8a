#include <memory>
#include <utility>

#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

// Yields nothing.
class NullSource final : public Source {
 public:
  explicit NullSource(std::int64_t size) : size_{size} {}
  std::int64_t size() const override { return size_; }
  void read(std::int64_t, std::span<std::byte>) const override {}

 private:
  std::int64_t size_;
};

class NullSink final : public Sink {
 public:
  NullSink(const Tensor& data, Placement placement, UndoLog* log)
      : placement_{placement}, log_{log} {
    const auto extent = data.source().extent();
    if (placement == Placement::in_place && extent) page_offset_ = extent->offset;
  }
  void write(std::int64_t, std::span<const std::byte>) override {}
  bool holds_data() const override { return placement_ == Placement::in_place; }
  std::int64_t page_offset() const override { return page_offset_; }
  UndoLog* undo_log() override { return log_; }

 private:
  Placement placement_;
  UndoLog* log_;
  std::int64_t page_offset_ = 0;
};

}  // namespace

RunCounts measure(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                  const RunOptions& options, Placement placement, UndoLog* log) {
  const Tensor no_data(data.header(), std::make_shared<NullSource>(data.byte_size()), data.name());
  const Tensor no_updates(updates.header(), std::make_shared<NullSource>(updates.byte_size()),
                          updates.name());
  NullSink output(data, placement, log);
  return run(std::move(plan), no_data, no_updates, output, options);
}

}  // namespace tscatter
