// TextTable: rows of words in aligned columns, two spaces apart; and bars for its cells.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tscatter::app {

enum class Align : std::uint8_t { left, right };

class TextTable {
 public:
  // Further columns are left-aligned.
  explicit TextTable(std::vector<Align> columns = {}) : columns_{std::move(columns)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool is_empty() const { return rows_.empty(); }

  // A line for each row, without trailing spaces.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A bar of at most 40 characters: as long a part of them as `count` is of `most`, rounded up.
std::string bar(std::int64_t count, std::int64_t most);

}  // namespace tscatter::app
