// What a batch reads and writes, collected before its first case is run: nothing that is read is
// written, and nothing is written twice. Files are compared by identity, not by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "jobs/hash.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

// Bytes of files that cases change in place through operands that say where they lie: no two of
// them may share a byte, and no file is changed under two formats.
class ChangedRanges {
 public:
  // The line of an earlier change that this one would meet; nullopt: there is none, and this one is
  // noted. `file`: its identity. A range that cannot be told meets nothing: its case fails by
  // itself.
  std::optional<std::uint32_t> meet(std::uint64_t file, const MemberName& member,
                                    std::uint32_t line);

 private:
  struct Change {
    std::int64_t end;
    std::uint32_t line;
  };
  struct ChangedFile {
    const Format* format;
    std::uint32_t line;                      // that changes it first
    std::map<std::int64_t, Change> changes;  // by their first byte; none overlap
  };

  std::unordered_map<std::uint64_t, ChangedFile> files_;
};

// How a file, or a member of an archive, is used.
enum class FileUse : std::uint8_t {
  compares,  // expected; --update-golden may write it for another case
  reads_member,
  reads,
  writes_member,   // the other members of the archive stay as they are
  changes_member,  // in place: the archive is the same file before and after
  keeps,           // --failed-dir
  updates,         // expected, by --update-golden
  writes,
  streams,  // stdout and stderr
};

inline constexpr std::size_t file_uses = 9;

class FilePlan {
 public:
  struct Options {
    const CaseFiles& files;  // of the batch
    bool updates_golden = false;
    std::string failed_dir;  // empty: no output is kept
  };

  explicit FilePlan(Options options) : options_{std::move(options)} {}

  // Adds what the command itself uses, under the name of the flag or variable. Devices and pipes
  // are ignored. Each add throws Error (usage, cli.c14) if a file of the command or of --failed-dir
  // has another use, too.
  void add(const std::string& name, const std::string& path, FileUse use);
  void add_open(const std::string& name, const std::string& path, int descriptor, FileUse use);

  // Whether the line must be read before the run: its case may use a file, or it gives defaults.
  bool concerns(std::string_view line) const;

  // Adds what a case uses. A case that is itself wrong is not run, and uses nothing.
  void add(const BatchCase& each);

  // Whether a case may use a file as it must not; judge() finds out which. It is called for each
  // case, after all have been added and before any file is changed.
  bool has_met() const { return !met_.empty(); }
  void judge(const BatchCase& each);

  // Why a case is not run (batch.b12).
  std::optional<Error> refusal(const BatchCase& each) const;

 private:
  // Who uses a file: a case's key, or (line 0) the command. 8 bytes, since there are many.
  struct Place {
    std::uint32_t line = 0;  // of the batch; names of 2^32 cases would take 80 GB
    std::uint8_t role = 0;
    FileUse use = FileUse::reads;
    bool is_met = false;  // met_ has more
  };

  // For a file whose uses do not all agree: the first place of each use, if there is one.
  using Met = std::array<std::optional<Place>, file_uses>;

  struct Role {
    std::string name;  // "data", "--junit"
    std::string word;  // of the command: the path
  };

  struct Refusal {
    Place own;
    Place other;
    bool is_of_bytes = false;  // of the file: others may be changed
  };

  struct CaseFile;
  using Take = std::function<void(std::uint64_t key, Place place, const CaseFile& file)>;

  static bool is_of_command(Place place);
  Place place_of_command(const std::string& name, const std::string& path, FileUse use);
  static CaseFile journal_of(const Job& job);
  static std::optional<MemberName> place_used(const CaseFile& file);
  std::vector<CaseFile> files_of(const BatchCase& each) const;
  void for_each_use(const BatchCase& each, const Take& take);
  // The index, model or .pb that says where the elements lie, if it is another file.
  static void take_naming_file(CaseFile file, std::uint64_t key, Place place, const Take& take);
  void add(std::uint64_t key, Place place, const std::string& word);
  void add_change(std::uint64_t key, Place place, const CaseFile& file);
  static bool keeps_from(Place own, Place other);
  [[noreturn]] void refuse_command(Place one, Place other, const std::string& word) const;
  std::uint8_t role_of(std::string_view name);
  std::string described(Place place) const;

  Options options_;
  std::vector<Role> roles_;
  HashMap<Place> files_;
  std::unordered_map<std::uint64_t, Met> met_;
  ChangedRanges changed_;
  std::unordered_map<std::uint32_t, Refusal> refusals_;  // by the line of the case
};

}  // namespace tscatter::app
