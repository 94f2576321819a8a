// A batch of cases that read and write the same few files under many names, with every flag that
// writes, and what an oracle refuses of it that compares every two uses.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/process.hpp"

namespace tscatter::planned {

enum class Deed : std::uint8_t { reads, compares, keeps, updates, writes };

struct Use {
  int line;  // 0: of the command
  Deed deed;
  std::string file;
  std::string member;  // empty: the file as a whole
  bool is_archive = false;
};

struct Plan {
  Strings lines;
  Strings flags;
  std::map<std::string, std::string> environment;
  std::vector<Use> uses;

  std::string text() const;

  // Whether the command is refused: it writes what is read, or what another use writes.
  bool meets_command() const;

  // The lines of cases that write what is read, or (if they write the whole) what another use
  // writes first.
  std::set<int> refused() const;

  // Whether it must not change. A golden that some cases update and others compare with may.
  bool is_read(const std::string& file, const std::string& member) const;
};

Plan random_plan(std::uint64_t seed);

}  // namespace tscatter::planned
