// What a message proposes where --filter or --tag leaves no case.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "batch/selection.hpp"

namespace tscatter::app {

class SelectionHint {
 public:
  explicit SelectionHint(const Selection& selection) : selection_{selection} {}

  void add(const BatchCase& each);

  // " (a pattern matches a whole name; nearest: add_rows, mul_rows)"
  std::string text() const;

 private:
  std::string names_hint() const;
  std::string tags_hint() const;

  const Selection& selection_;
  std::vector<std::string> parted_;  // names that have a pattern as a part, the first few
  std::vector<std::string> near_;    // others that are near a pattern
  std::set<std::string> tags_;
};

}  // namespace tscatter::app
