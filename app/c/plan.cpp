#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "c/command_call.hpp"
#include "c/handles.hpp"
#include "commands/apply.hpp"
#include "jobs/job_index.hpp"
#include "jobs/resources.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void require_memory_only(const Job& job, const ApplyFlags& flags) {
  const bool has_more =
      flags.is_dry_run || flags.wants_report() || flags.part || flags.wants_digest;
  // cli.c3
  if (!job.memory || has_more) {
    fail(ErrorKind::usage, "cli.c3", std::string(job.operation->name), "a plan {}",
         has_more ? "takes no json, dry_run, part and digest" : "needs memory for its output");
  }
}

// The operand of the job that this tensor is; empty: none, it is the output.
std::string operand_of(const Job& job, const tsc_tensor& tensor) {
  const auto operand = std::ranges::find_if(job.operands, [&](const auto& named) {
    const std::optional<Tensor>& own = named.second.tensor;
    return own && own->name() == tensor.name;
  });
  return operand == job.operands.end() ? std::string() : operand->first;
}

Array array_at(const tsc_plan::Place& place, void* bytes) {
  const auto size = static_cast<std::size_t>(place.header.byte_size());
  // array.a6
  if (bytes == nullptr && size != 0)
    fail(ErrorKind::usage, "array.a6", place.name, "has no address");
  const std::span memory(static_cast<std::byte*>(bytes), size);
  return {.tensor = Tensor(place.header, memory, place.name),
          .bytes = memory,
          .is_writable = place.is_writable};
}

// Where the result goes; data's own memory is changed in place.
ArrayPlace settled(const tsc_plan& plan, std::span<const Array> arrays) {
  const auto is_output = [](const tsc_plan::Place& place) { return place.operand.empty(); };
  const auto own = std::ranges::find_if(plan.places, is_output);
  Array output = arrays[static_cast<std::size_t>(own - plan.places.begin())];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const tsc_plan::Place& place = plan.places[i];
    if (is_output(place)) continue;
    if (place.is_data && is_same_memory(output, arrays[i])) {
      output.is_data = true;
    } else {
      require_apart(output, arrays[i], place.name);
    }
  }
  return output.place();
}

bool reads_files(const Job& job) {
  return std::ranges::any_of(job.operands, [&](const auto& named) {
    const auto& [name, word] = named;
    return !word.tensor && names_a_path(word, wanted_of(job, name, OperandRole::integers, word));
  });
}

// What is the same in each run. nullopt: not all of it is known before the run.
std::optional<Arguments> others_of(const tsc_plan& plan) {
  const bool is_computed =
      std::ranges::any_of(plan.job.index, [](const IndexWord& word) { return !!word.computed; });
  if (is_computed || reads_files(plan.job)) return std::nullopt;
  Arguments others = open_arguments(plan.job);
  for (const tsc_plan::Place& place : plan.places) {
    const auto opened = others.operands.find(place.operand);
    if (place.operand.empty()) continue;
    const auto given = plan.job.operands.find(place.operand);
    if (opened == others.operands.end()) return std::nullopt;
    if (opened->second.shared_source() != given->second.tensor->shared_source())
      return std::nullopt;
    others.operands.erase(opened);
  }
  return others;
}

Arguments arguments_of(const tsc_plan& plan, std::vector<Array> arrays) {
  if (plan.others) {
    Arguments arguments = *plan.others;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const std::string& operand = plan.places[i].operand;
      if (!operand.empty()) arguments.operands.emplace(operand, std::move(arrays[i].tensor));
    }
    return arguments;
  }
  Job job = plan.job;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto operand = job.operands.find(plan.places[i].operand);
    if (operand != job.operands.end()) operand->second.tensor = std::move(arrays[i].tensor);
  }
  return open_arguments(job);
}

}  // namespace

tsc_plan plan_of(const Operation& operation, const tsc_request& request) {
  tsc_plan plan;
  const RunJob keep = [&](const Job& job, const ApplyFlags& flags, const Messages&) {
    require_memory_only(job, flags);
    plan.job = job;
  };
  call(apply_command(operation, keep), &operation, request);
  for (const tsc_tensor& tensor : std::span(request.tensors, request.tensor_count)) {
    const Array array = array_of(tensor);
    std::string operand = operand_of(plan.job, tensor);
    plan.places.push_back({.header = array.tensor.header(),
                           .name = tensor.name,
                           .operand = operand,
                           .is_data = operand == "data",
                           .is_writable = array.is_writable});
  }
  plan.others = others_of(plan);
  return plan;
}

void run_plan(const tsc_plan& plan, void* const* bytes) {
  std::vector<Array> arrays;
  arrays.reserve(plan.places.size());
  for (const tsc_plan::Place& place : plan.places)
    arrays.push_back(array_at(place, bytes[arrays.size()]));
  ArrayOutput output(settled(plan, arrays));
  Arguments arguments = arguments_of(plan, std::move(arrays));
  const RunOptions options{.threads = plan.job.threads,
                           .counting = Counting::left_out,
                           .entry_memory = entry_memory(plan.job.memory_limit, arguments)};
  apply(*plan.job.operation, std::move(arguments), output, options);
}

}  // namespace tscatter::app
