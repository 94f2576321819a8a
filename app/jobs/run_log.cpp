#include "jobs/run_log.hpp"

#include <bit>
#include <exception>
#include <utility>

#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::app {
namespace {

std::string_view order_words(const Tensor& tensor) {
  return tensor.order() == MemoryOrder::c ? "C order" : "Fortran order";
}

// Single bytes have no order.
std::string_view byte_order_words(const ElementType& type) {
  if (type.word() == 1) return "";
  return type.byte_order == std::endian::little ? ", little-endian" : ", big-endian";
}

std::string reading_words(const Tensor& tensor) {
  if (const Tensor* const from = cast_from(tensor))
    return fmt::format("cast from {}, {}", to_string(from->type()), reading_words(*from));
  const Source& source = source_behind(tensor);
  if (source.repeated()) return "one element, repeated";
  const bool is_file = source.extent().has_value();
  if (source.view()) return is_file ? "mapped" : "in memory";
  return is_file ? "read from the file" : "read through a temporary file";
}

std::string_view name_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::check: return "check";
    case RunPhase::lower: return "lower";
    case RunPhase::open: return "open";
    case RunPhase::group: return "group";
    case RunPhase::count: return "count";
    case RunPhase::keep: return "keep";
    case RunPhase::process: return "process";
    case RunPhase::commit: return "commit";
  }
  unreachable();
}

std::string_view name_of(VerifyPhase phase) {
  switch (phase) {
    case VerifyPhase::check: return "check";
    case VerifyPhase::lower: return "lower";
    case VerifyPhase::open: return "open";
    case VerifyPhase::group: return "group";
    case VerifyPhase::compare: return "compare";
    case VerifyPhase::blocks: return "blocks";
    case VerifyPhase::diagnose: return "diagnose";
    case VerifyPhase::describe: return "describe";
  }
  unreachable();
}

std::string_view form_words(const RunDecisions& decisions) {
  if (decisions.copies > 1) return "shared out by entries, in copies that are then combined";
  switch (decisions.form) {
    case WriteForm::elements: return "grouped by tile, with their values";
    case WriteForm::blocks: return "grouped by tile";
    case WriteForm::straight: return "in the order of the entries";
    case WriteForm::streamed: return "not listed, read again for each tile";
    case WriteForm::lattice: return "at the points of a lattice";
    case WriteForm::slabs: return "not listed, read again for each slab";
    case WriteForm::strips: return "not listed, read again for each strip of columns";
    case WriteForm::masked: return "where the mask is true";
  }
  unreachable();
}

std::string_view data_words(const RunDecisions& decisions, Placement placement) {
  if (placement == Placement::in_place) return "changed in place";
  if (decisions.holds_data) return "cloned, then only what is touched is written";
  return "copied, tile by tile";
}

}  // namespace

void log_tensor(std::string_view name, const Tensor& tensor) {
  if (!is_logged(LogLevel::info)) return;
  log_info("{}: {} {}, {}{}, {} from {} ({})", name, to_string(tensor.type()),
           to_string(tensor.shape()), order_words(tensor), byte_order_words(tensor.type()),
           several(tensor.byte_size(), "byte"), tensor.name(), reading_words(tensor));
}

void log_arguments(const Arguments& arguments) {
  for (const auto& [name, tensor] : arguments.operands) log_tensor(name, tensor);
}

LoggedTime::~LoggedTime() {
  if (std::uncaught_exceptions() == 0) log_info("done in {:.6f} s", seconds());
}

TellStep spool_log() {
  if (!is_logged(LogLevel::info)) return {};
  return [](const std::string& words) { log_info("spool: {}", words); };
}

TellStep file_notes() {
  if (!is_logged(LogLevel::info)) return {};
  return [](const std::string& words) { log_info("{}", words); };
}

void PhaseTimes::begin(std::string_view name) {
  end();
  name_ = name;
  clock_ = StepClock();
}

void PhaseTimes::end() {
  if (!name_) return;
  const std::string time = fmt::format("{} {:.6f} s", *name_, clock_.seconds());
  log_debug("phase {}", time);
  words_ += words_.empty() ? time : ", " + time;
  name_.reset();
}

VerifyLog::~VerifyLog() {
  if (std::uncaught_exceptions() != 0 || !is_logged(LogLevel::info)) return;
  times_.end();
  times_.log();
}

std::function<void(VerifyPhase)> VerifyLog::observer() {
  if (!is_logged(LogLevel::info)) return {};
  return [this](VerifyPhase phase) { times_.begin(name_of(phase)); };
}

RunLog::RunLog(const Operation& operation, Placement placement, const Output& output,
               std::string words)
    : operation_{operation}, placement_{placement}, output_{output}, words_{std::move(words)} {}

RunObserver* RunLog::observer() { return is_logged(LogLevel::info) ? this : nullptr; }

void RunLog::begins(RunPhase phase) {
  times_.begin(name_of(phase));
  if (phase == RunPhase::open) {
    log_debug("rules: all {} of {} hold", operation_.rules.size(), operation_.name);
    log_info("output: {}", words_);
  } else if (phase == RunPhase::group) {
    const std::string name = output_.temporary_name();
    if (!name.empty()) log_debug("temporary file: {}", name);
  }
}

void RunLog::decided(const RunDecisions& decisions) {
  log_info("writes: {} of {}, {}", several(decisions.runs, "run"),
           several(decisions.run_elements, "element"), form_words(decisions));
  if (decisions.costs) {
    constexpr double in_a_millisecond = 1e6;
    log_debug(
        "entries: {:.1f} ms expected in their order, {:.1f} ms grouped by tile; {}, caches of {} "
        "and {}",
        decisions.costs->straight / in_a_millisecond, decisions.costs->grouped / in_a_millisecond,
        several(decisions.costs->target_bytes, "byte"), decisions.costs->second_cache,
        several(decisions.costs->third_cache, "byte"));
  }
  if (decisions.windows > 1)
    log_info("windows: {}, each of at most {}, for which indices are read again", decisions.windows,
             several(decisions.window_entries, "index entry"));
  log_info("data: {}", data_words(decisions, placement_));
  log_info("run: {} of {}, {}, {} kernels", several(decisions.tiles, "tile"),
           several(decisions.tile_bytes, "byte"), several(decisions.threads, "thread"),
           kernel_path_name());
}

void RunLog::kept(std::int64_t bytes) {
  log_info("undo journal: {} {} kept until the change is complete", several(bytes, "old byte"),
           bytes == 1 ? "is" : "are");
}

void RunLog::ended(const WorkerFigures& worker) {
  log_debug("worker: {} in {:.6f} s, {} of data read, {} written", several(worker.tiles, "tile"),
            times_.seconds(), several(worker.bytes_read, "byte"),
            several(worker.bytes_written, "byte"));
}

void RunLog::end(const tscatter::Report& report, Counting counting) {
  times_.end();
  const RunCounts& counts = report.counts;
  if (counting == Counting::left_out) {
    log_info("counts: {} of the whole output", several(report.index_entries, "index entry"));
  } else {
    log_info("counts: {}, {} of them duplicates, {} of {} written",
             several(report.index_entries, "index entry"), counts.duplicates,
             counts.elements_written, several(report.output.count(), "element"));
  }
  log_info("bytes: {} read, {} written", counts.bytes_read, counts.bytes_written);
  times_.log();
}

}  // namespace tscatter::app
