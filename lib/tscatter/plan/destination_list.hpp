// DestinationList: the destination of each index entry, in 32 bits where they suffice, else in 64.
// An entry may be dropped: it has no destination and writes nothing. Copies share the list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "tscatter/core/buffer.hpp"
#include "tscatter/core/memory.hpp"

namespace tscatter {

// In the place of a destination: the entry writes nothing. No destination is that large.
template <class Destination>
inline constexpr Destination dropped_entry = std::numeric_limits<Destination>::max();

template <class Destination>
constexpr bool is_dropped(Destination destination) {
  return destination == dropped_entry<Destination>;
}

class DestinationList {
 public:
  DestinationList() = default;

  // Room for `entries` destinations, each below `destinations`; not filled yet. Throws
  // std::bad_alloc.
  DestinationList(std::int64_t entries, std::int64_t destinations) {
    if (destinations <= std::numeric_limits<std::uint32_t>::max()) {
      *list_ = Buffer<std::uint32_t>(memory_size(entries, sizeof(std::uint32_t)));
    } else {
      *list_ = Buffer<std::uint64_t>(memory_size(entries, sizeof(std::uint64_t)));
    }
  }

  std::int64_t size() const {
    return std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); },
                      std::as_const(*list_));
  }

  // Calls function(std::span of the destinations), of 32 or of 64 bits each.
  template <class Function>
  decltype(auto) visit(const Function& function) {
    return std::visit([&](auto& list) { return function(list.span()); }, *list_);
  }
  template <class Function>
  decltype(auto) visit(const Function& function) const {
    return std::visit([&](const auto& list) { return function(list.span()); },
                      std::as_const(*list_));
  }

  // How many entries are dropped: whoever fills the list with some calls count_dropped().
  std::int64_t dropped() const { return dropped_; }
  void count_dropped() {
    dropped_ = visit([](auto list) {
      return std::int64_t{std::ranges::count_if(list, [](auto each) { return is_dropped(each); })};
    });
  }
  std::int64_t kept() const { return size() - dropped_; }

 private:
  using List = std::variant<Buffer<std::uint32_t>, Buffer<std::uint64_t>>;

  std::shared_ptr<List> list_ = std::make_shared<List>();
  std::int64_t dropped_ = 0;
};

}  // namespace tscatter
