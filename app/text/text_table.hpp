// TextTable: rows of words in aligned columns, two spaces apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tscatter::app {

enum class Align : std::uint8_t { left, right };

class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns) : columns_{std::move(columns)} {}

  // At most as many cells as there are columns.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // A line for each row, without spaces at its end.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tscatter::app
