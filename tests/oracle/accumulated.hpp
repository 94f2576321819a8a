// What an element becomes while updates are applied to it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

// The type in which values meet: data's own, or a wider one from which they are rounded once.
ElementType accumulator_of(const Call& call);

// An element of updates, multiplied by the attribute alpha in data's type if there is one.
std::vector<std::byte> scaled(const Call& call, const std::byte* update);

// The value of an element while updates are applied to it, in the accumulator's type.
class Accumulated {
 public:
  // As before the first update of that element.
  Accumulated(const Call& call, std::size_t element);

  // `update`: an element of updates.
  void add(const std::byte* update);

  // In data's type: a mean not yet divided, and divided.
  std::vector<std::byte> rounded() const;
  std::vector<std::byte> finished() const;

 private:
  const Call& call_;
  Reduction reduction_;
  ElementType type_;
  ElementType wide_;
  std::optional<std::vector<std::byte>> factor_;  // of updates
  std::vector<std::byte> value_;
  std::size_t updates_ = 0;
};

// What the first update of the element meets.
std::vector<std::byte> start_of(const Call& call, std::size_t element);

}  // namespace tscatter::oracle
