#include <fmt/format.h>

#include <algorithm>

#include "text/reports.hpp"
#include "tscatter/ops/names/registry.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {
namespace {

// Whether the operation's text leaves open what the reduction does with NaN.
bool names_nan(const tscatter::Report& report) {
  const bool is_open = !find_operation(report.operation)->decision(Knob::extremes).empty();
  const std::string_view family = info(Policy::extremes).key;
  return is_open && std::ranges::count(report.overridden, family, &PolicyAnswer::policy) == 0 &&
         order_effect(report.reduction, report.output.type.dtype) == OrderEffect::extreme;
}

// Words say nothing of it for an operation that has none.
void add_reduction(Document& document, const tscatter::Report& report) {
  const Figure word = text_figure(reduction_word(report.operation, report.reduction));
  const Operation* operation = find_operation(report.operation);
  if (operation != nullptr && operation->reductions().empty())
    return document.put("reduction", word.value);
  document.add("reduction", "reduction", word);
}

std::string output_words(const std::optional<std::string>& output,
                         const std::optional<ChangeInPlace>& change) {
  if (!output) return "printed";
  return *output + (change ? ", changed in place" : "");
}

void add_change(Document& document, const ChangeInPlace& change) {
  document.put("in_place", true);
  const std::int64_t bytes = change.journal_bytes;
  document.add("journal_bytes", "undo journal",
               {.value = bytes, .text = bytes == 0 ? "none" : size_text(bytes)});
}

}  // namespace

Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds, const std::optional<ChangeInPlace>& change) {
  const RunCounts& counts = report.counts;
  Document document;
  document.add("op", "op", text_figure(report.operation));
  add_reduction(document, report);
  add_overrides(document, report.overridden);
  if (names_nan(report))
    document.add("nan", "NaN, by our decision",
                 text_figure(to_string(info(report.reduction).extremes)));
  document.add("dtype", "dtype", dtype_figure(report.output.type));
  document.add("shape", "shape", position_figure(report.output.shape));
  document.add("output", "output", {.value = output, .text = output_words(output, change)});
  if (change) add_change(document, *change);
  document.add("index_entries", "index entries", grouped(report.index_entries));
  if (counts.dropped) document.add("dropped", "dropped", grouped(*counts.dropped));
  document.add("duplicates", "duplicates", grouped(counts.duplicates));
  document.add("elements_written", "elements written",
               part_of(counts.elements_written, report.output.count()));
  document.add("bytes_read", "read", size_figure(counts.bytes_read));
  document.add("bytes_written", "written", size_figure(counts.bytes_written));
  document.add("threads", "threads", grouped(counts.threads));
  if (seconds) document.put("seconds", *seconds);
  return document;
}

void add_casts(Document& document, const std::optional<CastCounts>& counts) {
  if (!counts) return;
  const ConversionCounts& values = counts->values;
  std::string text =
      fmt::format("updates from {}: {}", to_string(counts->from), counted(counts->cast, "value"));
  const auto tell = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count).text, what);
  };
  tell(values.rounded, "rounded");
  tell(values.overflowed, "overflowed to an infinity");
  tell(values.lost, "lost");
  document.put("cast", Document{{"from", to_string(counts->from)},
                                {"values", counts->cast},
                                {"rounded", values.rounded},
                                {"overflowed", values.overflowed},
                                {"lost", values.lost}});
  document.show("cast", text);
}

void add_overrides(Document& document, const std::vector<PolicyAnswer>& overridden) {
  if (overridden.empty()) return;
  Document answers;
  std::string text;
  for (const PolicyAnswer& each : overridden) {
    answers.put(each.policy, each.answer);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.policy, each.answer);
  }
  document.put("overridden", std::move(answers));
  document.show("overridden", text);
}

}  // namespace tscatter::app
