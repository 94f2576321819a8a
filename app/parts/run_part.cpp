#include "parts/run_part.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <vector>

#include "jobs/memory.hpp"
#include "jobs/run_log.hpp"
#include "parts/digest.hpp"
#include "parts/part_output.hpp"
#include "parts/parts_folder.hpp"
#include "process/log.hpp"
#include "process/progress_line.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/formats/npy_header.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {
namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& got) {
  // part.p6
  fail(ErrorKind::usage, "part.p6", flag,
       "a job that is computed by parts must read files or values and write a .npy, got {}", got);
}

void require_parts_can(const Job& job, const std::string& flag) {
  if (job.placement == Placement::in_place) refuse(flag, "a change in place");
  if (!job.output || *job.output == "-" || job.memory) refuse(flag, "no output file");
  const Format& format = job.format == nullptr ? format_of_name(*job.output) : *job.format;
  if (format.name != "npy" || member_name(job.base, *job.output)) refuse(flag, *job.output);
  for (const auto& [name, word] : job.operands) {
    if (word.text == "-" || word.tensor) refuse(flag, name + " from " + word.text);
  }
}

// Each part would inflate it as a whole.
void require_not_deflated(const Job& job, const Arguments& arguments, const std::string& flag) {
  for (const auto& [name, word] : job.operands) {
    const Tensor* tensor = arguments.find(name);
    const bool is_stored = tensor == nullptr || tensor->source().extent().has_value();
    if (!is_stored && member_name(job.base, word.text)) refuse(flag, "a deflated " + word.text);
  }
}

// The ends of the elements.
std::uint64_t sum_of_ends(const Source& source) {
  constexpr std::int64_t most = std::int64_t{64} * 1024;
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(most, source.size())));
  source.read(0, bytes);
  const std::uint64_t front = checksum(0, bytes);
  source.read(source.size() - static_cast<std::int64_t>(bytes.size()), bytes);
  return checksum(front, bytes);
}

// By which another operand is told from this one.
std::string fingerprint(const Tensor& tensor) {
  const auto extent = tensor.source().extent();
  struct stat status {};
  if (extent && ::fstat(extent->descriptor, &status) != 0) {
    // file.f3
    fail(ErrorKind::file, "file.f3", tensor.name(), "must be readable, got {}", errno_text(errno));
  }
  const std::string time =
      extent ? fmt::format(", changed at {}.{:09}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
             : "";
  return fmt::format(
      "{} {} of {}{}, {} bytes, ends {}{}", tensor.order() == MemoryOrder::c ? "C" : "Fortran",
      tensor.type().byte_order == std::endian::little ? "little-endian" : "big-endian",
      to_string(tensor.type()), to_string(tensor.shape()), tensor.byte_size(),
      hex_text(sum_of_ends(tensor.source())), time);
}

std::uint64_t random_number() {
  std::random_device random;
  constexpr unsigned half = 32;
  const std::uint64_t high = random();
  return high << half | random();
}

std::vector<std::pair<std::string, std::string>> facts_of(const Job& job,
                                                          const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"operation", std::string(job.operation->name)}};
  for (const auto& [name, value] : arguments.attributes)
    facts.emplace_back(name, tscatter::to_string(value));
  for (const PolicyAnswer& answer : overrides_of(*job.operation))
    facts.emplace_back(std::string(answer.policy), answer.answer);
  for (const auto& [name, tensor] : arguments.operands)
    facts.emplace_back(name, fingerprint(tensor));
  return facts;
}

TensorHeader header_of(const Operation& operation, const Arguments& arguments) {
  check_arguments(operation, arguments);
  operation.validate(arguments);
  return operation.infer_output(arguments);
}

bool is_done(const PartsFolder& folder, const PartsJob& job, std::int64_t part) {
  const std::optional<PartsJob> present = folder.job();
  if (!present) return false;
  require_same_job(job, *present, folder.output());
  return folder.markers(*present).contains(part);
}

}  // namespace

PartsCall open_parts(const Job& job, const std::string& flag, std::int64_t parts,
                     std::int64_t unit) {
  require_parts_can(job, flag);
  open_output(output_wanted(job));  // refuses a wrong word
  PartsCall call{.arguments = open_arguments(job), .output = {}, .front = {}, .wanted = {}};
  require_not_deflated(job, call.arguments, flag);
  log_arguments(call.arguments);
  call.output = header_of(*job.operation, call.arguments);
  call.front = npy_header_bytes(call.output);
  call.wanted = {
      .run = random_number(),
      .parts = parts,
      .unit = unit,
      .file_bytes = static_cast<std::int64_t>(call.front.size()) + call.output.byte_size(),
      .facts = facts_of(job, call.arguments)};
  return call;
}

void compute_part(const Job& job, const PartsCall& call, const PartsFolder& folder,
                  std::int64_t part, const ComputePart& compute) {
  const InterruptScope scope;
  PartOutput output(folder, call.wanted, part, call.front);
  RunLog log(*job.operation, job.placement, output,
             fmt::format("part {} of {} of {}", part, call.wanted.parts, *job.output));
  const RunOptions options{
      .threads = job.threads,
      .stop = InterruptScope::stop(),
      .counting = is_logged(LogLevel::info) ? Counting::done : Counting::left_out,
      .observer = log.observer(),
      .progress = ProgressLine::of_run(),
      .entry_memory = entry_memory(job.memory_limit, call.arguments),
      .range = output.elements(call.element_size())};
  log.end(compute(output, options));
}

void run_part(const Job& job, PartNumber number, std::int64_t unit) {
  const LoggedTime time;
  const PartsCall call = open_parts(job, job.name_prefix + "part", number.of, unit);
  const PartsFolder folder((job.base / *job.output).native());
  if (is_done(folder, call.wanted, number.part)) {
    log_info("part {} of {} was done before", number.part, number.of);
    return;
  }
  compute_part(job, call, folder, number.part, [&](Output& output, const RunOptions& options) {
    return apply(*job.operation, call.arguments, output, options);
  });
}

}  // namespace tscatter::app
