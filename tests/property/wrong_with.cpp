#include "property/wrong_with.hpp"

#include <fmt/format.h>

#include "property/run_case.hpp"

namespace tscatter::property {
namespace {

// Whether entries have no coordinates and data has no elements, or have no elements to write: they
// are then not read, and are all alike.
bool has_no_destinations(const oracle::Call& call) {
  if (call.row().form == Form::window || call.row().form == Form::block)
    return call.operand("updates").count() == 0;
  if (call.row().form != Form::nd) return false;
  return call.operand("indices").shape.back() == 0 && call.operand("data").count() == 0;
}

std::string wrong_counts(const Case& c, const Report& report, const oracle::Result& expected) {
  const RunCounts& counts = report.counts;
  if (report.index_entries != expected.index_entries) {
    return fmt::format("index_entries are {}, must be {}", report.index_entries,
                       expected.index_entries);
  }
  const bool can_drop = tscatter::can_drop(c.call.policies());
  if (counts.dropped != (can_drop ? std::optional(expected.dropped) : std::nullopt))
    return fmt::format("dropped are {}, must be {}", counts.dropped.value_or(-1), expected.dropped);
  if (counts.elements_written != expected.elements_written()) {
    return fmt::format("elements_written are {}, must be {}", counts.elements_written,
                       expected.elements_written());
  }
  if (counts.duplicates != expected.duplicates && !has_no_destinations(c.call)) {
    return fmt::format("duplicates are {}, must be {}", counts.duplicates, expected.duplicates);
  }
  return "";
}

}  // namespace

std::string wrong_with_legal(const Case& c) {
  if (const auto refusal = oracle::refusal_of(c.call))
    return "the oracle refuses by " + refusal->label;
  const oracle::Result expected = oracle::apply(c.call);
  const Report checked = check_case(c);
  const Outcome outcome = run_case(c);
  if (outcome.error) return std::string("refused: ") + outcome.error->what();
  if (!outcome.misuse.empty()) return outcome.misuse;
  if (!outcome.is_committed) return "not committed";
  const oracle::Layout layout = c.layouts.find("data")->second;
  if (const auto at = oracle::first_difference(expected, layout, outcome.output)) {
    return fmt::format("element {} in row-major order differs from the oracle's", *at);
  }
  const std::string wrong = wrong_counts(c, outcome.report, expected);
  return wrong.empty() ? wrong_counts(c, checked, expected) : wrong;
}

std::string wrong_with_illegal(const Case& c, const oracle::Refusal& refusal) {
  const Outcome outcome = run_case(c);
  if (!outcome.error)
    return fmt::format("not refused, must be by {} {}", refusal.label, outcome.misuse);
  const Error& error = *outcome.error;
  if (error.kind() != ErrorKind::rule || error.label() != refusal.label) {
    return fmt::format("refused with \"{}\", must be by {}", error.what(), refusal.label);
  }
  const std::string& place = refusal.place;
  if (!place.empty() && !error.message().starts_with(place + " must ")) {
    return fmt::format("refused with \"{}\", must name {}", error.what(), place);
  }
  if (outcome.is_begun || outcome.is_committed || !outcome.misuse.empty())
    return "the output was touched";
  const oracle::Layout layout = c.layouts.find("data")->second;
  const bool is_in_place = c.delivery.destination == Destination::in_place;
  if (is_in_place && outcome.output != oracle::stored(c.call.operand("data"), layout))
    return "data was changed";
  return "";
}

}  // namespace tscatter::property
