#include "parts/part_in_place.hpp"

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter::app {

class PartInPlace::PartSink final : public Sink {
 public:
  PartSink(const File& file, std::int64_t base, const std::filesystem::path& journal)
      : file_{file},
        base_{base},
        journal_{file,
                 {.path = journal, .birth_time = BirthTime::left_out},
                 base,
                 Durability::power_cut} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    file_.write_at(base_ + offset, bytes);
  }
  bool holds_data() const override { return true; }
  std::int64_t page_offset() const override { return base_; }
  UndoLog* undo_log() override { return &journal_; }

  // Whether the file may have been changed.
  bool has_journal() const { return journal_.is_sealed(); }

 private:
  const File& file_;
  std::int64_t base_;
  UndoJournal journal_;
};

PartInPlace::PartInPlace(const PartsFolder& folder, PartsJob job, std::int64_t part,
                         const InPlaceFile& file, TakeOver take_over)
    : folder_{folder}, job_{std::move(job)}, part_{part}, data_{file}, take_over_{take_over} {}

PartInPlace::~PartInPlace() { take_back(); }

OutputRange PartInPlace::elements() const {
  const Tensor& data = data_.data();
  const std::int64_t base = data.source().extent().value().offset;
  return elements_in(job_.bytes_of(part_), {.begin = base, .end = base + data.byte_size()},
                     static_cast<std::int64_t>(data.type().size));
}

// From the name that says that the file is changed by parts on, nothing else may read it.
void PartInPlace::join_job() {
  const PartsJob present = folder_.publish(job_);
  require_same_job(job_, present, folder_.output());
  job_.run = present.run;
  folder_.publish_in_place();
}

Sink& PartInPlace::begin(const TensorHeader&, const Source& data) {
  join_job();
  const ByteRange bytes = job_.bytes_of(part_);
  // part.p8
  if (bytes.size() > 0 && !try_lock_range(data_.file(), bytes)) {
    fail(ErrorKind::file, "part.p8", folder_.output(),
         "a part in place must be computed by one process, got another at work on part {}", part_);
  }
  claim_.emplace(folder_, part_, take_over_);
  // Whoever ends the job first decides, and then looks for claims.
  folder_.require_undecided();
  if (folder_.markers(job_).contains(part_)) throw IsDone();
  roll_back_from(data_.file(), folder_.journal_path(part_));
  sink_ = std::make_unique<PartSink>(data_.file(), data.extent().value().offset,
                                     folder_.journal_path(part_));
  return *sink_;
}

// From the first try to make the marker on nothing is rolled back here: it may be there although
// that failed. If it is not, the next run of the part rolls back.
void PartInPlace::commit() {
  data_.file().sync();
  sink_.reset();
  folder_.publish(
      PartMarker{.run = job_.run, .part = part_, .bytes = job_.bytes_of(part_), .sums = {}});
  claim_.reset();
}

Output::Remains PartInPlace::take_back() noexcept {
  if (sink_ == nullptr) return Remains::nothing;
  const bool has_journal = sink_->has_journal();
  sink_.reset();
  if (!has_journal) return Remains::nothing;
  try {
    roll_back_from(data_.file(), folder_.journal_path(part_));
    return Remains::nothing;
  } catch (const std::exception&) {
    return Remains::journal;  // the next run of the part rolls back, or recover
  }
}

}  // namespace tscatter::app
