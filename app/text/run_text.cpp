#include "text/run_text.hpp"

#include <fmt/format.h>

namespace tscatter::app {

Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds) {
  const RunCounts& counts = report.counts;
  Document document;
  document.add("op", "op", text_figure(report.operation));
  document.add("reduction", "reduction", text_figure(to_string(report.reduction)));
  document.add("dtype", "dtype", dtype_figure(report.output.type));
  document.add("shape", "shape", position_figure(report.output.shape));
  document.add("output", "output",
               {.value = output, .text = output ? escape_control(*output) : "printed"});
  document.add("index_entries", "index entries", plain(report.index_entries));
  document.add("duplicates", "duplicates", plain(counts.duplicates));
  document.add("elements_written", "elements written",
               {.value = counts.elements_written,
                .text = fmt::format("{} of {}", counts.elements_written, report.output.count())});
  document.add("bytes_read", "bytes read", plain(counts.bytes_read));
  document.add("bytes_written", "bytes written", plain(counts.bytes_written));
  document.add("threads", "threads", plain(counts.threads));
  if (seconds) document.put("seconds", *seconds);
  return document;
}

}  // namespace tscatter::app
