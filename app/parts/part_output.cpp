#include "parts/part_output.hpp"

#include <algorithm>
#include <utility>

#include "parts/unit_sums.hpp"
#include "process/signals.hpp"

namespace tscatter::app {

namespace {

// Space for the bytes of the part only; whether there is some, writing will tell. On a file system
// without room fallocate() may take what is left.
void reserve(const File& file, ByteRange bytes) {
  const std::int64_t free = file.files().free_space(file.descriptor());
  if (free < 0 || free >= bytes.size())
    file.files().fallocate(file.descriptor(), 0, bytes.begin, bytes.size());
}

}  // namespace

class PartOutput::PartSink final : public Sink {
 public:
  PartSink(const File& file, std::int64_t base, ByteRange bytes, std::int64_t unit)
      : file_{file}, base_{base}, bytes_{bytes}, sums_{bytes, unit} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    write_at(base_ + offset, bytes);
  }
  std::int64_t page_offset() const override { return base_; }

  // Writes at byte `place` of the file; bytes that are not the part's are left out.
  void write_at(std::int64_t place, std::span<const std::byte> bytes) {
    const std::int64_t begin = std::max(place, bytes_.begin);
    const std::int64_t end = std::min(place + static_cast<std::int64_t>(bytes.size()), bytes_.end);
    if (begin >= end) return;
    const auto own = bytes.subspan(static_cast<std::size_t>(begin - place),
                                   static_cast<std::size_t>(end - begin));
    file_.write_at(begin, own);
    // All is on the disk when the part ends.
    file_.files().sync_file_range(file_.descriptor(), begin, end - begin);
    sums_.add(begin, own);
  }

  std::vector<std::uint64_t> sums() const { return sums_.of_units(file_); }

 private:
  const File& file_;
  std::int64_t base_;
  ByteRange bytes_;
  UnitSums sums_;
};

PartOutput::PartOutput(const PartsFolder& folder, PartsJob job, std::int64_t part,
                       std::vector<std::byte> header)
    : folder_{folder},
      job_{std::move(job)},
      part_{part},
      bytes_{job_.bytes_of(part)},
      header_{std::move(header)} {}

PartOutput::~PartOutput() = default;

OutputRange PartOutput::elements(std::int64_t element_size) const {
  const auto base = static_cast<std::int64_t>(header_.size());
  return elements_in(bytes_, {.begin = base, .end = job_.file_bytes}, element_size);
}

Sink& PartOutput::begin(const TensorHeader&, const Source&) {
  const PartsJob present = folder_.publish_job(job_);
  require_same_job(job_, present, folder_.output());
  job_.run = present.run;
  file_.emplace(folder_.open_data(job_));
  reserve(*file_, bytes_);
  sink_ = std::make_unique<PartSink>(*file_, static_cast<std::int64_t>(header_.size()), bytes_,
                                     job_.unit);
  sink_->write_at(0, header_);
  return *sink_;
}

void PartOutput::commit() {
  std::vector<std::uint64_t> sums = sink_->sums();
  file_->sync();
  hold_signals();
  folder_.publish_marker(
      PartMarker{.run = job_.run, .part = part_, .bytes = bytes_, .sums = std::move(sums)});
}

}  // namespace tscatter::app
