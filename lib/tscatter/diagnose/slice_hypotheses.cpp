// Hypotheses about slices: a step or a start that is not heeded.
#include <fmt/format.h>

#include <utility>

#include "tscatter/core/slice_range.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/io/files/owned_source.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::diagnose {
namespace {

// A range along an axis of data.
struct AxisRange {
  std::size_t axis;
  std::int64_t size;
  SliceRange range;
};

std::vector<AxisRange> ranges_of(const Examination& examination) {
  const Arguments& arguments = examination.call().arguments;
  const Shape& shape = examination.data().shape();
  const std::vector<std::int64_t> start = read_integers(arguments.operand("start"));
  const std::vector<std::int64_t> stop = read_integers(arguments.operand("stop"));
  const std::vector<std::int64_t> step = read_integers(arguments.operand("step"));
  const Tensor* given = arguments.find("axes");
  const std::vector<std::int64_t> axes =
      given == nullptr ? std::vector<std::int64_t>{} : read_integers(*given);
  std::vector<AxisRange> ranges;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::size_t axis = given == nullptr ? i : *normalize_axis(axes[i], shape.size());
    ranges.push_back({.axis = axis,
                      .size = shape[axis],
                      .range = clamp_slice(start[i], stop[i], step[i], shape[axis])});
  }
  return ranges;
}

void try_ranges(Examination& examination, std::string words, const std::vector<AxisRange>& ranges) {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> stop;
  std::vector<std::int64_t> step;
  for (const auto& [axis, size, range] : ranges) {
    const std::int64_t last = range.first + (range.count - 1) * range.step;
    const std::int64_t behind = range.step < 0 ? last - 1 : last + 1;
    start.push_back(range.first);
    stop.push_back(behind < 0 ? -size - 1 : behind);  // before the first one
    step.push_back(range.step);
  }
  Call call = examination.call();
  const auto put = [&](const std::string& name_of_list, std::vector<std::int64_t> list) {
    const Shape shape{std::ssize(list)};
    call.arguments.operands.insert_or_assign(
        name_of_list, Tensor({.type = ElementType::of(DType::int64), .shape = shape},
                             owned_source(std::move(list)), name_of_list));
  };
  put("start", std::move(start));
  put("stop", std::move(stop));
  put("step", std::move(step));
  examination.try_call(std::move(words), call);
}

}  // namespace

void try_slices(Examination& examination) {
  if (examination.operation().form != Form::slice) return;
  const std::vector<AxisRange> own = ranges_of(examination);
  std::vector<AxisRange> dense = own;
  std::size_t stepped = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const SliceRange range = own[i].range;
    if (range.count == 0) return;
    const std::int64_t one = range.step < 0 ? -1 : 1;
    const std::string along = fmt::format("along axis {}", own[i].axis);
    std::vector<AxisRange> other = own;
    if (range.step != one) {
      ++stepped;
      dense[i].range.step = one;
      other[i].range.step = one;
      try_ranges(examination, fmt::format("the step {} not heeded", along), other);
    }
    other[i].range = {.first = 0, .step = range.step, .count = range.count};
    if (range.first != 0 && range.step > 0)
      try_ranges(examination, fmt::format("the start {} not heeded", along), other);
  }
  if (stepped > 1) try_ranges(examination, "no step heeded", dense);
}

}  // namespace tscatter::diagnose
