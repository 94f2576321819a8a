#include "jobs/memory.hpp"

#include <algorithm>
#include <limits>

#include "process/environment.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t least = run_memory + 16 * mebibyte;

// 0: none.
std::int64_t unit_of(char letter) {
  constexpr std::string_view letters = "KMGT";
  const std::size_t power = letters.find(letter);
  constexpr unsigned bits_of_each = 10;
  return power == std::string_view::npos ? 0 : std::int64_t{1} << (bits_of_each * (power + 1));
}

// Slices of data, times the positions of each item.
std::int64_t most_entries_of_index(const Arguments& arguments) {
  std::int64_t most = 1;
  for (const auto& [name, tensor] : arguments.operands) {
    if (name == "data" || is_operand_of_item(name))
      most =
          checked_multiply(most, tensor.count()).value_or(std::numeric_limits<std::int64_t>::max());
  }
  return most;
}

// There are never more entries than elements of indices and of updates.
std::int64_t most_entries(const Arguments& arguments) {
  if (!arguments.index.empty()) return most_entries_of_index(arguments);
  if (arguments.find("mask") != nullptr) return arguments.operand("data").count();
  std::int64_t most = 0;
  for (const char* const name : {"indices", "updates"}) {
    const Tensor* tensor = arguments.find(name);
    if (tensor != nullptr) most = std::max(most, tensor->count());
  }
  return most;
}

}  // namespace

std::optional<std::int64_t> memory_in(std::string_view text) {
  const std::int64_t unit = text.empty() ? 0 : unit_of(text.back());
  if (unit != 0) text.remove_suffix(1);
  const auto count = number_in<std::int64_t>(text);
  return count ? checked_multiply(*count, std::max<std::int64_t>(unit, 1)) : std::nullopt;
}

std::int64_t parse_memory(const std::string& text, const std::string& where,
                          std::string_view label) {
  const std::optional<std::int64_t> memory = memory_in(text);
  if (!memory || *memory < least) {
    fail(ErrorKind::usage, label, where,
         "must be an amount of memory, like 512M or 8G, of at least {}M, got {}", least / mebibyte,
         text);
  }
  return *memory;
}

std::int64_t entry_memory(std::optional<std::int64_t> wanted, const Arguments& arguments) {
  constexpr std::int64_t few = std::int64_t{1} << 18U;  // fit anywhere: the system is not asked
  if (wanted) return *wanted - run_memory;
  const bool has_entries = arguments.find("indices") != nullptr ||
                           arguments.find("mask") != nullptr || !arguments.index.empty();
  if (!has_entries || most_entries(arguments) <= few) return 0;
  const std::int64_t machine = machine_memory();
  return std::max(machine / 4 * 3 - run_memory, 16 * mebibyte);
}

}  // namespace tscatter::app
