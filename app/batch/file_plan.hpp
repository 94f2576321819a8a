// What a batch reads and writes, known before its first case is run: nothing is written where
// anything is read, nor where anything else is written. Files are known by identity, whatever their
// names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "batch/batch_case.hpp"
#include "batch/hash.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

// How a file, or a member of an archive, is used.
enum class FileUse : std::uint8_t {
  compares,  // expected; --update-golden may write it for another case
  reads_member,
  reads,
  writes_member,  // the other members of the archive stay as they are
  keeps,          // --failed-dir
  updates,        // expected, by --update-golden
  writes,
  streams,  // stdout and stderr
};

inline constexpr std::size_t file_uses = 8;

class FilePlan {
 public:
  struct Options {
    std::string batch;  // its name, for messages
    bool updates_golden = false;
    std::string failed_dir;  // empty: no output is kept
  };

  explicit FilePlan(Options options) : options_{std::move(options)} {}

  // What the command itself uses, under the name of the flag or variable. Devices and pipes are
  // passed over. These and the next throw Error (usage, cli.c14) where a file of the command, or
  // one of --failed-dir, is used otherwise too.
  void add(const std::string& name, const std::string& path, FileUse use);
  void add_open(const std::string& name, const std::string& path, int descriptor, FileUse use);

  // Whether a case that stands in this line may use a file.
  bool concerns(std::string_view line) const;

  // What a case uses. What is wrong with the case itself keeps it from being run: it uses nothing.
  void add(const BatchCase& each);

  // Whether any case uses a file as it must not; judge() finds out which. Called for each case when
  // all have been added, and before any file is changed.
  bool has_met() const { return !met_.empty(); }
  void judge(const BatchCase& each);

  // Why a case is not run (batch.b12).
  std::optional<Error> refusal(const BatchCase& each) const;

 private:
  // Who uses a file: a case's key, or (line 0) the command. 8 bytes, since there are many.
  struct Place {
    std::uint32_t line = 0;  // the names of so many cases would take 80 GB
    std::uint8_t role = 0;
    FileUse use = FileUse::reads;
    bool is_met = false;  // met_ has more
  };

  // Of a file whose uses do not all agree: for each use its first place, where there is one.
  using Met = std::array<std::optional<Place>, file_uses>;

  struct Role {
    std::string name;  // "data", "--junit"
    std::string word;  // of the command: the path
  };

  struct Refusal {
    Place own;
    Place other;
  };

  struct CaseFile;
  using Take = std::function<void(std::uint64_t key, Place place, const CaseFile& file)>;

  static bool is_of_command(Place place);
  Place place_of_command(const std::string& name, const std::string& path, FileUse use);
  static CaseFile journal_of(const Job& job);
  std::vector<CaseFile> files_of(const BatchCase& each) const;
  void for_each_use(const BatchCase& each, const Take& take);
  void add(std::uint64_t key, Place place, const std::string& word);
  static bool keeps_from(Place own, Place other);
  [[noreturn]] void refuse_command(Place one, Place other, const std::string& word) const;
  std::uint8_t role_of(std::string_view name);
  std::string described(Place place) const;

  Options options_;
  std::vector<Role> roles_;
  HashMap<Place> files_;
  std::unordered_map<std::uint64_t, Met> met_;
  std::unordered_map<std::uint32_t, Refusal> refusals_;  // by the line of the case
};

}  // namespace tscatter::app
