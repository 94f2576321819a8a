#include "parts/run_part.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/resources.hpp"
#include "jobs/run_log.hpp"
#include "parts/file_parts.hpp"
#include "parts/parts_folder.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "process/version.hpp"
#include "tscatter/core/bytes.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/ops/policies.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::app {
namespace {

std::string flag_of(const Job& job) { return job.name_prefix + "part"; }

// Whether the next part would find nothing in it.
bool is_read_once(const Job& job, const OperandWord& word) {
  if (word.form == WordForm::json) return false;
  std::error_code error;
  const std::string text = word_behind(job.base, word.text);
  const auto member = member_name(job.base, text);
  const auto status = std::filesystem::status(job.base / (member ? member->archive : text), error);
  return std::filesystem::is_other(status);
}

void require_files(const Job& job, const std::string& flag) {
  for (const auto& [name, word] : job.operands) {
    if (is_stdin(word) || word.tensor) refuse_parts(flag, name + " from " + word.text);
    if (is_read_once(job, word)) refuse_parts(flag, name + " from the pipe or device " + word.text);
  }
}

// REQUIRES: job.output.
const Format& format_of_output(const Job& job) {
  return job.format == nullptr ? format_of_name(*job.output) : *job.format;
}

void require_parts_can(const Job& job, const std::string& flag) {
  // part.p6
  if (job.placement == Placement::in_place) {
    fail(ErrorKind::usage, "part.p6", flag,
         "parts are for jobs that write a new file, -o: in place, one run takes index lists of any "
         "length (--memory)");
  }
  if (!job.output || *job.output == "-" || job.memory) refuse_parts(flag, "no output file");
  const bool has_front = format_of_output(job).front != nullptr;
  if (!has_front || member_name(job.base, *job.output)) refuse_parts(flag, *job.output);
  require_files(job, flag);
}

// Updates before they are cast.
const Tensor& as_opened(const Tensor& tensor) {
  const Tensor* const from = cast_from(tensor);
  return from == nullptr ? tensor : *from;
}

// Each part would inflate it as a whole.
void require_not_deflated(const Job& job, const Arguments& arguments, const std::string& flag) {
  for (const auto& [name, word] : job.operands) {
    const Tensor* tensor = arguments.find(name);
    const bool is_stored =
        tensor == nullptr || source_behind(as_opened(*tensor)).extent().has_value();
    const auto member =
        is_stored ? std::nullopt : member_name(job.base, word_behind(job.base, word.text));
    if (member && member->format->has_members()) refuse_parts(flag, "a deflated " + word.text);
  }
}

std::uint64_t sum_of(const Source& source, ByteRange range, std::uint64_t sum) {
  constexpr std::int64_t piece = std::int64_t{1} << 20U;
  std::vector<std::byte> bytes;
  for (std::int64_t begin = range.begin; begin < range.end; begin += piece) {
    bytes.resize(static_cast<std::size_t>(std::min(piece, range.end - begin)));
    source.read(begin, bytes);
    sum = checksum(sum, bytes);
  }
  return sum;
}

// A checksum of a file's two ends, since its time covers the rest; or of all bytes that were made
// from one.
std::string sum_text(const Source& source) {
  const std::int64_t size = source.size();
  if (const auto element = source.repeated()) return "sum " + hex_text(checksum(0, *element));
  if (!source.extent()) return "sum " + hex_text(sum_of(source, {.begin = 0, .end = size}, 0));
  const std::int64_t most = std::min<std::int64_t>(std::int64_t{64} * 1024, size);
  const std::uint64_t front = sum_of(source, {.begin = 0, .end = most}, 0);
  return "ends " + hex_text(sum_of(source, {.begin = size - most, .end = size}, front));
}

// Where the bytes of a tensor lie: two tensors of one file, and two files, are told apart though
// their ends are the same. Machines that share a file may number its device differently.
std::string place_text(const Tensor& tensor, const Source::Extent& extent) {
  struct stat status {};
  // file.f3
  if (::fstat(extent.descriptor, &status) != 0) {
    fail(ErrorKind::file, "file.f3", tensor.name(), "cannot be read: {}", errno_text(errno));
  }
  const auto time = [](const struct timespec& at) {
    return fmt::format("{}.{:09}", at.tv_sec, at.tv_nsec);
  };
  return fmt::format(" from byte {} on of a file of {}, inode {}, written at {}, changed at {}",
                     extent.offset, status.st_size, status.st_ino, time(status.st_mtim),
                     time(status.st_ctim));
}

// Tells whether a later run has the same operand.
std::string fingerprint(const Tensor& tensor) {
  const auto extent = tensor.source().extent();
  return fmt::format(
      "{} {} of {}{}, {} bytes{}, {}", tensor.order() == MemoryOrder::c ? "C" : "Fortran",
      tensor.type().byte_order == std::endian::little ? "little-endian" : "big-endian",
      to_string(tensor.type()), to_string(tensor.shape()), tensor.byte_size(),
      extent ? place_text(tensor, *extent) : "", sum_text(tensor.source()));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const Job& job, const Arguments& arguments) {
  Facts facts{{"operation", std::string(job.operation->name)}, {"version", std::string(version())}};
  for (const auto& [name, value] : arguments.attributes)
    facts.emplace_back(name, tscatter::to_string(value));
  for (const PolicyAnswer& answer : overrides_of(*job.operation))
    facts.emplace_back(std::string(answer.policy), answer.answer);
  // Of items that are operands the name: what they hold is a fact of its own.
  for (std::size_t i = 0; i < arguments.index.size(); ++i) {
    const IndexItem& item = arguments.index[i];
    const auto* operand = std::get_if<OperandItem>(&item.what);
    facts.emplace_back(fmt::format("item {}", i),
                       operand == nullptr ? item.text : operand->operand);
  }
  for (const auto& [name, tensor] : arguments.operands)
    facts.emplace_back(name, fingerprint(as_opened(tensor)));
  return facts;
}

TensorHeader header_of(const Operation& operation, const Arguments& arguments) {
  return operation.infer_output(prepared(operation, arguments));
}

bool is_done(const PartsFolder& folder, const PartsJob& job, std::int64_t part) {
  const std::optional<PartsJob> present = folder.job();
  if (!present) return false;
  require_same_job(job, *present, folder.output());
  return folder.has_marker(*present, part);
}

std::string part_words(PartNumber number, const std::string& name) {
  return fmt::format("part {} of {} of {}", number.part, number.of, name);
}

// The one part of a job is computed as the job would be.
std::optional<OutputRange> range_of(PartNumber number, OutputRange elements) {
  return number.of == 1 ? std::nullopt : std::optional(elements);
}

RunOptions options_of(const Job& job, const Arguments& arguments, RunLog& log) {
  return {.threads = job.threads,
          .counting = Counting::left_out,
          .observer = log.observer(),
          .progress = ProgressLine::of_run(),
          .entry_memory = entry_memory(job.memory_limit, arguments)};
}

}  // namespace

void refuse_parts(const std::string& where, const std::string& got) {
  // part.p6
  fail(ErrorKind::usage, "part.p6", where,
       "a job that is computed by parts must read files or values and write a .npy, got {}", got);
}

PartsCall open_parts(const Job& job, const std::string& flag, std::int64_t parts,
                     std::int64_t unit) {
  require_parts_can(job, flag);
  open_output(output_wanted(job));  // refuses a wrong word
  PartsCall call;
  call.arguments = open_arguments(job);
  require_not_deflated(job, call.arguments, flag);
  log_arguments(call.arguments);
  call.output = header_of(*job.operation, call.arguments);
  call.file = (job.base / *job.output).native();
  const PartsFolder folder(call.file);
  folder.require_file_or_nothing();
  folder.require_own();
  call.front = format_of_output(job).front(call.output);
  call.wanted.file_bytes = static_cast<std::int64_t>(call.front.size()) + call.output.byte_size();
  call.wanted.run = random_number();
  call.wanted.parts = parts;
  call.wanted.unit = unit;
  call.wanted.facts = facts_of(job, call.arguments);
  return call;
}

OpenedPart open_part(const PartsCall& call, const PartsFolder& folder, std::int64_t part) {
  auto output = std::make_unique<PartOutput>(folder, call.wanted, part, call.front);
  const OutputRange elements = output->elements(static_cast<std::int64_t>(call.output.type.size));
  return {.output = std::move(output), .elements = elements};
}

// A finish that was killed when the result had its name has left a folder that is no job any more.
void require_unfinished(const PartsFolder& folder) {
  if (!folder.is_left_by_finish()) return;
  // part.p2
  fail(ErrorKind::file, "part.p2", folder.output(),
       "the job whose parts are there is finished: run tscatter finish {}", folder.output());
}

void compute_part(const Job& job, const PartsCall& call, const PartsFolder& folder,
                  std::int64_t part, const ComputePart& compute) {
  check_stop(InterruptScope::stop());
  const OpenedPart opened = open_part(call, folder, part);
  const PartNumber number{.part = part, .of = call.wanted.parts};
  RunLog log(*job.operation, job.placement, *opened.output, part_words(number, call.file));
  RunOptions options = options_of(job, call.arguments, log);
  options.stop = InterruptScope::stop();
  options.range = range_of(number, opened.elements);
  const auto step = [&] { return compute(*opened.output, options); };
  log.end(run_into(*opened.output, step), options.counting);
}

void run_part(const Job& job, const PartWanted& wanted) {
  const LoggedTime time;
  const PartNumber number = wanted.number;
  const PartsCall call = open_parts(job, flag_of(job), number.of, wanted.unit);
  const PartsFolder folder(call.file);
  require_unfinished(folder);
  if (is_done(folder, call.wanted, number.part))
    return log_info("part {} of {} was done before", number.part, number.of);
  const InterruptScope scope;
  compute_part(job, call, folder, number.part, [&](Output& output, const RunOptions& options) {
    return apply(*job.operation, call.arguments, output, options);
  });
  now_stands(part_words(number, call.file) + " was written");
}

namespace {

// UnitSums: the sums of a part's units, taken while what is written is in the cache.
class UnitSums {
 public:
  // Sums the units of a file in a range that begins where a unit does.
  UnitSums(ByteRange range, std::int64_t unit);

  // What was written at that place in the file. From any thread. REQUIRES: it lies in the range,
  // and nothing is written twice.
  void add(std::int64_t place, std::span<const std::byte> bytes);

  // What unit_sums() of file_parts.hpp gives. Reads the pages that were written in pieces. Throws
  // Error (file) and Cancelled. REQUIRES: all of the range was written.
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
