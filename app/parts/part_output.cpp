#include "parts/part_output.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "parts/digest.hpp"
#include "process/signals.hpp"
#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {
namespace {

// UnitSums: the sums of a part's units, taken while what is written is in the cache.
class UnitSums {
 public:
  // Sums the units of a file in a range that begins where a unit does.
  UnitSums(ByteRange range, std::int64_t unit);

  // What was written at that place in the file. From any thread. REQUIRES: it lies in the range,
  // and nothing is written twice.
  void add(std::int64_t place, std::span<const std::byte> bytes);

  // What unit_sums() of digest.hpp gives. Reads the pages that were written in pieces. Throws Error
  // (file) and Cancelled. REQUIRES: all of the range was written.
  std::vector<std::uint64_t> of_units(const File& file) const;

 private:
  void add_whole_pages(ByteRange pages, std::span<const std::byte> bytes);
  std::int64_t end_of_page(std::int64_t place) const;

  ByteRange range_;
  std::int64_t unit_;
  std::vector<std::atomic<std::uint64_t>> sums_;
  std::mutex mutex_;
  std::vector<std::int64_t> pieces_;  // where pages begin that were written in pieces
};

UnitSums::UnitSums(ByteRange range, std::int64_t unit)
    : range_{range},
      unit_{unit},
      sums_(static_cast<std::size_t>((range.size() + unit - 1) / unit)) {}

std::int64_t UnitSums::end_of_page(std::int64_t place) const {
  return std::min((place / summed_page + 1) * summed_page, range_.end);
}

void UnitSums::add(std::int64_t place, std::span<const std::byte> bytes) {
  const std::int64_t end = place + static_cast<std::int64_t>(bytes.size());
  // The first page that begins here, and the end of the last that ends here.
  const std::int64_t first = place % summed_page == 0 ? place : end_of_page(place);
  const std::int64_t last = end == range_.end ? end : end / summed_page * summed_page;
  if (first < last)
    add_whole_pages({.begin = first, .end = last},
                    bytes.subspan(static_cast<std::size_t>(first - place)));
  // Where several writes share a page, at least one of them begins inside it.
  if (place == first) return;
  const std::scoped_lock lock(mutex_);
  pieces_.push_back(place / summed_page * summed_page);
}

void UnitSums::add_whole_pages(ByteRange pages, std::span<const std::byte> bytes) {
  for (std::int64_t begin = pages.begin; begin < pages.end;) {
    const std::int64_t unit = (begin - range_.begin) / unit_;
    const std::int64_t end = std::min(range_.begin + (unit + 1) * unit_, pages.end);
    const auto own = bytes.subspan(static_cast<std::size_t>(begin - pages.begin),
                                   static_cast<std::size_t>(end - begin));
    sums_[static_cast<std::size_t>(unit)] += sum_of_pages(begin, own);
    begin = end;
  }
}

std::vector<std::uint64_t> UnitSums::of_units(const File& file) const {
  std::vector<std::uint64_t> sums(sums_.begin(), sums_.end());
  std::vector<std::int64_t> pieces = pieces_;
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  for (const std::int64_t begin : pieces) {
    const ByteRange page{.begin = begin, .end = end_of_page(begin)};
    sums[static_cast<std::size_t>((begin - range_.begin) / unit_)] +=
        unit_sums(file, page, summed_page).front();
  }
  return sums;
}

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
