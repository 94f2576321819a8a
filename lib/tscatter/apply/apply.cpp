#include "tscatter/apply/apply.hpp"

#include <utility>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

struct Prepared {
  Arguments arguments;
  TensorHeader output;
  LoweredPlan lowered;
};

Prepared prepare(const Operation& operation, Arguments given, const RunOptions& options) {
  options.begin(RunPhase::check);
  Arguments arguments = prepared(operation, std::move(given), worker_count(options.threads));
  options.begin(RunPhase::lower);
  TensorHeader output = operation.infer_output(arguments);
  LoweredPlan lowered =
      operation.lower_for_run(arguments, {.parallelism = {.threads = worker_count(options.threads),
                                                          .stop = options.stop,
                                                          .progress = options.progress},
                                          .most_listed = options.most_listed()});
  return {.arguments = std::move(arguments),
          .output = std::move(output),
          .lowered = std::move(lowered)};
}

// The bytes that lower() reads: all operands except data and updates, which the engine counts.
std::int64_t index_bytes(const Arguments& arguments) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : arguments.operands) {
    const bool is_streamed = name == "data" || name == "updates";
    if (!is_streamed) bytes += tensor.byte_size();
  }
  return bytes;
}

// `read`: index_bytes() of the arguments as they were given.
Report report_of(const Operation& operation, const Prepared& prepared, std::int64_t read,
                 RunCounts counts) {
  counts.dropped = prepared.lowered.dropped;
  counts.bytes_read += read;
  return {.operation = operation.name,
          .reduction = operation.reduction(prepared.arguments.attributes),
          .output = prepared.output,
          .index_entries = prepared.lowered.index_entries,
          .counts = counts,
          .overridden = overrides_of(operation)};
}

}  // namespace

Report apply(const Operation& operation, Arguments arguments, Output& output,
             const RunOptions& options) {
  const KeptWorkers workers;
  const std::int64_t read = index_bytes(arguments);
  Prepared prepared = prepare(operation, std::move(arguments), options);
  const Tensor& data = prepared.arguments.operand("data");
  options.begin(RunPhase::open);
  Sink& sink = output.begin(prepared.output, data.source());
  const RunCounts counts = run(std::move(prepared.lowered.plan), data,
                               prepared.arguments.operand("updates"), sink, options);
  options.begin(RunPhase::commit);
  output.commit();
  return report_of(operation, prepared, read, counts);
}

Report check(const Operation& operation, const Arguments& arguments, const RunOptions& options,
             Placement placement, UndoLog* log) {
  const KeptWorkers workers;
  const std::int64_t read = index_bytes(arguments);
  Prepared prepared = prepare(operation, arguments, options);
  const Arguments& operands = prepared.arguments;
  const RunCounts counts = measure(std::move(prepared.lowered.plan), operands.operand("data"),
                                   operands.operand("updates"), options, placement, log);
  return report_of(operation, prepared, read, counts);
}

}  // namespace tscatter
