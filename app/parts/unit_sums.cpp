#include "parts/unit_sums.hpp"

#include <algorithm>

#include "parts/digest.hpp"

namespace tscatter::app {

UnitSums::UnitSums(ByteRange range, std::int64_t unit)
    : range_{range},
      unit_{unit},
      sums_(static_cast<std::size_t>((range.size() + unit - 1) / unit)) {}

std::int64_t UnitSums::end_of_page(std::int64_t place) const {
  return std::min((place / summed_page + 1) * summed_page, range_.end);
}

void UnitSums::add(std::int64_t place, std::span<const std::byte> bytes) {
  const std::int64_t end = place + static_cast<std::int64_t>(bytes.size());
  // The first page that begins here, and the end of the last that ends here.
  const std::int64_t first = place % summed_page == 0 ? place : end_of_page(place);
  const std::int64_t last = end == range_.end ? end : end / summed_page * summed_page;
  if (first < last)
    add_whole_pages({.begin = first, .end = last},
                    bytes.subspan(static_cast<std::size_t>(first - place)));
  // Where several writes share a page, at least one of them begins inside it.
  if (place == first) return;
  const std::scoped_lock lock(mutex_);
  pieces_.push_back(place / summed_page * summed_page);
}

void UnitSums::add_whole_pages(ByteRange pages, std::span<const std::byte> bytes) {
  for (std::int64_t begin = pages.begin; begin < pages.end;) {
    const std::int64_t unit = (begin - range_.begin) / unit_;
    const std::int64_t end = std::min(range_.begin + (unit + 1) * unit_, pages.end);
    const auto own = bytes.subspan(static_cast<std::size_t>(begin - pages.begin),
                                   static_cast<std::size_t>(end - begin));
    sums_[static_cast<std::size_t>(unit)] += sum_of_pages(begin, own);
    begin = end;
  }
}

std::vector<std::uint64_t> UnitSums::of_units(const File& file) const {
  std::vector<std::uint64_t> sums(sums_.begin(), sums_.end());
  std::vector<std::int64_t> pieces = pieces_;
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  for (const std::int64_t begin : pieces) {
    const ByteRange page{.begin = begin, .end = end_of_page(begin)};
    sums[static_cast<std::size_t>((begin - range_.begin) / unit_)] +=
        unit_sums(file, page, summed_page).front();
  }
  return sums;
}

}  // namespace tscatter::app
