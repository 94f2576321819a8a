#include "parts/run_part.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/memory.hpp"
#include "jobs/run_log.hpp"
#include "parts/digest.hpp"
#include "parts/part_output.hpp"
#include "parts/parts_folder.hpp"
#include "process/log.hpp"
#include "process/progress_line.hpp"
#include "process/signals.hpp"
#include "process/version.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/random_number.hpp"
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

}  // namespace tscatter::app
