#include "parts/part_in_place.hpp"

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/in_place_sink.hpp"

namespace tscatter::app {
namespace {

void lock_part(const PartsFolder& folder, const File& data, const PartsJob& job,
               std::int64_t part) {
  const ByteRange bytes = job.bytes_of(part);
  // part.p8
  if (bytes.size() > 0 && !try_lock_range(data, bytes)) {
    fail(ErrorKind::file, "part.p8", folder.output(),
         "a part in place must be computed by one process, got another at work on part {}", part);
  }
}

}  // namespace

void PartInPlace::mend(const PartsFolder& folder, const File& data, PartNumber number,
                       TakeOver take_over) {
  const std::optional<PartsJob> job = folder.is_in_place() ? folder.job() : std::nullopt;
  const bool is_own = job && job->parts == number.of;
  const std::filesystem::path journal = folder.journal_path(number.part);
  struct stat status {};
  const bool has_journal = folder.files().lstat(journal, status) == 0;
  if (!is_own || !has_journal || folder.has_marker(*job, number.part)) return;
  folder.require_undecided();
  lock_part(folder, data, *job, number.part);
  const PartClaim claim(folder, number.part, take_over);
  if (!folder.has_marker(*job, number.part)) roll_back_from(data, journal);
}

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

// Once the name that says that parts change the file is there, nothing else may read the file.
void PartInPlace::join_job() {
  const PartsJob present = folder_.publish_job(job_);
  require_same_job(job_, present, folder_.output());
  job_.run = present.run;
  folder_.publish_in_place();
}

// Whoever ends the job first decides, and then looks for claims; or the job was ended before the
// claim was made, and the folder is another's.
void PartInPlace::require_joined() const {
  folder_.require_undecided();
  const std::optional<PartsJob> present = folder_.job();
  // part.p2
  if (!present || present->run != job_.run) {
    fail(ErrorKind::file, "part.p2", folder_.output(),
         "a part must belong to the job whose parts are there, got one that was taken back");
  }
}

Sink& PartInPlace::begin(const TensorHeader&, const Source& data) {
  join_job();
  lock_part(folder_, data_.file(), job_, part_);
  claim_.emplace(folder_, part_, take_over_);
  require_joined();
  if (folder_.markers(job_).contains(part_)) throw IsDone();
  roll_back_from(data_.file(), folder_.journal_path(part_));
  sink_ = std::make_unique<InPlaceSink>(data_.file(), data.extent().value().offset);
  sink_->keep_journal({.path = folder_.journal_path(part_),
                       .birth_time = BirthTime::left_out,
                       .need = JournalNeed::always},
                      Durability::power_cut);
  return *sink_;
}

// Once this has tried to make the marker, nothing is rolled back here: the marker may be there
// although making it failed. If it is not, the next run of the part rolls back.
void PartInPlace::commit() {
  data_.file().sync();
  sink_.reset();
  folder_.publish_marker(
      PartMarker{.run = job_.run, .part = part_, .bytes = job_.bytes_of(part_), .sums = {}});
  claim_.reset();
}

Output::Remains PartInPlace::take_back() noexcept {
  if (sink_ == nullptr) return Remains::nothing;
  const bool has_journal = sink_->journal()->is_sealed();  // the file may have been changed
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
