#include "batch/changed_ranges.hpp"

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

ByteRange range_of(const MemberName& member) {
  if (member.format->range == nullptr) return {};
  try {
    return member.format->range(member.member);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::optional<std::uint32_t> ChangedRanges::meet(std::uint64_t file, const MemberName& member,
                                                 std::uint32_t line) {
  ChangedFile& known =
      files_.try_emplace(file, ChangedFile{.format = member.format, .line = line, .changes = {}})
          .first->second;
  if (known.format != member.format) return known.line;
  const ByteRange range = range_of(member);
  if (range.size() <= 0) return std::nullopt;
  const auto next = known.changes.lower_bound(range.begin);
  if (next != known.changes.end() && next->first < range.end) return next->second.line;
  if (next != known.changes.begin()) {
    const Change& before = std::prev(next)->second;
    if (before.end > range.begin) return before.line;
  }
  known.changes.emplace_hint(next, range.begin, Change{.end = range.end, .line = line});
  return std::nullopt;
}

}  // namespace tscatter::app
