#include "tscatter/engine/engine.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tscatter/engine/updates_reader.hpp"
#include "tscatter/engine/writers.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {
namespace {

using Writers = std::variant<ListedWriters, LatticeWriters>;

std::int64_t tile_elements(const TensorHeader& data, const RunOptions& options) {
  return std::max<std::int64_t>(options.tile_bytes / static_cast<std::int64_t>(data.type.size), 1);
}

Writers make_writers(ScatterPlan plan, std::int64_t bucket_elements) {
  if (auto* listed = std::get_if<ListedWrites>(&plan.writes)) {
    return ListedWriters(std::move(*listed), plan.reduction, bucket_elements);
  }
  return LatticeWriters(std::get<LatticeWrites>(std::move(plan.writes)), plan.reduction);
}

RunCounts counts_of(const Writers& writers, const Tensor& updates) {
  return std::visit(
      [&](const auto& w) {
        return RunCounts{.duplicates = w.duplicates(),
                         .elements_written = w.elements_written(),
                         .bytes_read = w.updates_read() * static_cast<std::int64_t>(updates.type().size)};
      },
      writers);
}

// What every worker knows and none changes.
struct Job {
  const Tensor& data;
  const Tensor& updates;
  Sink& output;
  const Writers& writers;
  ReduceLoop reduce;  // nullptr: overwrite
  std::int64_t tile_elements;

  std::int64_t element_size() const { return static_cast<std::int64_t>(data.type().size); }
  std::int64_t tiles() const { return (data.count() + tile_elements - 1) / tile_elements; }
  Range tile(std::int64_t index) const {
    return {.begin = index * tile_elements, .end = std::min((index + 1) * tile_elements, data.count())};
  }
  bool overwrites(Range range) const {
    return std::visit([&](const auto& w) { return w.overwrites(range); }, writers);
  }
  // Reductions are computed in native byte order, and only then.
  bool computes_reversed() const { return reduce != nullptr && !data.type().is_native(); }
  std::endian working_order() const { return reduce != nullptr ? std::endian::native : data.type().byte_order; }
};

class Worker {
 public:
  explicit Worker(const Job& job) : job_{job}, updates_{job.updates, job.working_order()} {}

  void process(Range range) {
    const std::span<std::byte> tile = bytes_for(range);
    if (!job_.output.holds_data()) load(range, tile);
    if (job_.computes_reversed()) reverse_words(tile, job_.data.type().word());
    std::visit([&](const auto& w) { w.visit(range, [&](const StridedRun& run) { apply(run, range, tile); }); },
               job_.writers);
    if (job_.computes_reversed()) reverse_words(tile, job_.data.type().word());
    job_.updates.source().check_view();
    if (!job_.output.memory()) job_.output.write(range.begin * job_.element_size(), tile);
  }

  std::int64_t data_read() const { return data_read_; }  // bytes

 private:
  std::span<std::byte> bytes_for(Range range) {
    const auto size = static_cast<std::size_t>(range.length() * job_.element_size());
    if (const auto memory = job_.output.memory()) {
      return memory->subspan(static_cast<std::size_t>(range.begin * job_.element_size()), size);
    }
    buffer_.resize(size);
    return buffer_;
  }

  void load(Range range, std::span<std::byte> tile) {
    if (job_.overwrites(range)) return;
    job_.data.source().read(range.begin * job_.element_size(), tile);
    data_read_ += static_cast<std::int64_t>(tile.size());
  }

  void apply(const StridedRun& run, Range range, std::span<std::byte> tile) {
    const std::byte* updates = updates_.fetch(run);
    std::byte* into = tile.data() + (run.output - range.begin) * job_.element_size();
    const auto size = static_cast<std::size_t>(job_.element_size());
    if (job_.reduce == nullptr) {
      if (run.output_stride == 1) {
        std::copy_n(updates, static_cast<std::size_t>(run.count) * size, into);
      } else {
        spread(into, run.output_stride, updates, run.count, size);
      }
    } else if (run.output_stride == 1) {
      job_.reduce(into, updates, run.count);
    } else {
      for (std::int64_t i = 0; i < run.count; ++i) {
        job_.reduce(into + i * run.output_stride * job_.element_size(), updates + i * job_.element_size(), 1);
      }
    }
  }

  const Job& job_;
  UpdatesReader updates_;
  std::vector<std::byte> buffer_;
  std::int64_t data_read_ = 0;
};

// Workers take tiles off one counter, in order. The first exception of any of them ends the run and is thrown again.
class Crew {
 public:
  Crew(const Job& job, const std::atomic<bool>* stop) : job_{job}, stop_{stop} {}

  void run(int threads) {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
    work();
    others.clear();
    if (error_) std::rethrow_exception(error_);
  }

  std::int64_t data_read() const { return data_read_; }

 private:
  void work() noexcept {
    try {
      Worker worker(job_);
      for (std::int64_t tile = next_++; tile < job_.tiles() && !failed_; tile = next_++) {
        if (stop_ != nullptr && *stop_) throw Cancelled();
        worker.process(job_.tile(tile));
      }
      data_read_ += worker.data_read();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  const Job& job_;
  const std::atomic<bool>* stop_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> data_read_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

int worker_count(const Job& job, const RunOptions& options) {
  if (!job.output.is_random_access()) return 1;
  const int wanted = options.threads > 0 ? options.threads : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  return static_cast<int>(std::clamp<std::int64_t>(job.tiles(), 1, wanted));
}

// For measure(): takes everything and keeps nothing.
class NullSink final : public Sink {
 public:
  void write(std::int64_t, std::span<const std::byte>) override {}
};

}  // namespace

RunCounts run(ScatterPlan plan, const Tensor& data, const Tensor& updates, Sink& output, const RunOptions& options) {
  const ReduceLoop reduce = reduce_loop(data.type().dtype, plan.reduction);
  const std::int64_t tile = tile_elements(data.header(), options);
  const Writers writers = make_writers(std::move(plan), tile);
  const Job job{data, updates, output, writers, reduce, tile};
  Crew crew(job, options.stop);
  RunCounts counts = counts_of(writers, updates);
  counts.threads = worker_count(job, options);
  crew.run(counts.threads);
  counts.bytes_read += crew.data_read();
  counts.bytes_written = data.byte_size();
  return counts;
}

RunCounts measure(ScatterPlan plan, const Tensor& data, const Tensor& updates, const RunOptions& options) {
  const std::int64_t tile = tile_elements(data.header(), options);
  const Writers writers = make_writers(std::move(plan), tile);
  NullSink output;
  const Job job{data, updates, output, writers, nullptr, tile};
  RunCounts counts = counts_of(writers, updates);
  counts.threads = worker_count(job, options);
  for (std::int64_t i = 0; i < job.tiles(); ++i) {
    const Range range = job.tile(i);
    if (!job.overwrites(range)) counts.bytes_read += range.length() * job.element_size();
  }
  counts.bytes_written = data.byte_size();
  return counts;
}

}  // namespace tscatter
