#include "tscatter/views/converted_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_in_piece = 2048;  // elements
constexpr std::size_t largest_element = 16;  // bytes
constexpr std::int64_t elements_of_task = std::int64_t{128} * 1024;

void lower_to(std::atomic<std::int64_t>& least, std::int64_t value) {
  for (std::int64_t seen = least; value < seen && !least.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace

ConvertedElements::ConvertedElements(Tensor from, ElementType to, ConvertElements converter)
    : from_{std::move(from)}, to_{std::move(to)}, converter_{std::move(converter)} {
  const auto element = from_.source().repeated();
  if (!element) return;
  std::vector<std::byte> native(element->begin(), element->end());
  turn_elements(native, from_.type());
  repeated_.resize(to_.size);
  converter_(native, repeated_);
  turn_from_native(repeated_);
}

std::int64_t ConvertedElements::size() const {
  return from_.count() * static_cast<std::int64_t>(to_.size);
}

void ConvertedElements::read(std::int64_t offset, std::span<std::byte> into) const {
  const auto size = static_cast<std::int64_t>(to_.size);
  std::array<std::byte, largest_element> element;
  while (!into.empty()) {
    const std::int64_t first = offset / size;
    const auto skipped = static_cast<std::size_t>(offset % size);
    std::size_t count = std::min(into.size() / to_.size, most_in_piece);
    std::size_t bytes = count * to_.size;
    if (skipped == 0 && count > 0) {
      accept({.first = first,
              .count = static_cast<std::int64_t>(count),
              .counts = convert(first, into.first(bytes))});
    } else {
      const auto whole = std::span(element).first(to_.size);
      accept({.first = first, .count = 1, .counts = convert(first, whole)});
      bytes = std::min(into.size(), to_.size - skipped);
      std::memcpy(into.data(), &element[skipped], bytes);
    }
    into = into.subspan(bytes);
    offset += static_cast<std::int64_t>(bytes);
  }
}

std::optional<std::span<const std::byte>> ConvertedElements::repeated() const {
  return repeated_.empty() ? std::nullopt : std::optional(std::span(repeated_));
}

void ConvertedElements::convert_all(const Parallelism& parallelism,
                                    const std::function<bool(const Piece&)>& visit) const {
  const std::int64_t count = from_.count();
  const std::int64_t tasks = (count + elements_of_task - 1) / elements_of_task;
  std::atomic<std::int64_t> last_task = tasks;
  const auto convert_task = [&](std::int64_t task, std::span<std::byte> into) {
    const std::int64_t end = std::min((task + 1) * elements_of_task, count);
    for (std::int64_t first = task * elements_of_task; first < end && task <= last_task;) {
      const auto length = std::min(static_cast<std::int64_t>(most_in_piece), end - first);
      const auto bytes = static_cast<std::size_t>(length) * to_.size;
      const ConversionCounts counts = convert(first, into.first(bytes));
      if (!visit({.first = first, .count = length, .counts = counts}))
        return lower_to(last_task, task);
      first += length;
    }
  };
  for_each_task(tasks, parallelism, from_.byte_size(), [&] {
    return [&, into = std::vector<std::byte>(most_in_piece * to_.size)](std::int64_t task) mutable {
      convert_task(task, into);
    };
  });
  from_.source().check_view();
}

ConversionFit ConvertedElements::fit(std::int64_t number) const {
  std::array<std::byte, largest_element> into;
  return convert(number, std::span(into).first(to_.size)).worst();
}

// At most a piece.
ConversionCounts ConvertedElements::convert(std::int64_t first, std::span<std::byte> into) const {
  std::array<std::byte, most_in_piece * largest_element> buffer;
  const auto elements = std::span(buffer).first(into.size() / to_.size * from_.type().size);
  read_elements(from_, first, elements);
  const ConversionCounts counts = converter_(elements, into);
  turn_from_native(into);
  return counts;
}

void ConvertedElements::turn_from_native(std::span<std::byte> elements) const {
  if (!to_.is_native()) reverse_words(elements, to_.word());
}

}  // namespace tscatter
