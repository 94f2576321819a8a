// What a batch reads and writes, collected before its first case is run: nothing that is read is
// written, and nothing is written twice. Files are compared by identity, not by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_list.hpp"
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

// Where --failed-dir keeps the output of the case: letters, digits and _ - . (not first) of its
// name stay; other bytes are escaped as %2F. A long name is truncated and ends in the hash of the
// whole.
std::filesystem::path kept_path(const std::filesystem::path& directory, std::string_view name);

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
    bool updates_golden = false;
    std::string failed_dir;  // empty: no output is kept
  };

  explicit FilePlan(Options options) : options_{std::move(options)} {}

  // Adds what the command itself uses, under the name of the flag or variable. Devices and pipes
  // are ignored. Throws Error (usage, cli.c14) if one of its files has another use, too.
  void add(const std::string& name, const std::string& path, FileUse use);
  void add_open(const std::string& name, const std::string& path, int descriptor, FileUse use);

  // Whether every case must be added: its name decides where its output is kept.
  bool concerns_all() const { return !options_.failed_dir.empty(); }

  // Adds what a case uses. A case that is itself wrong is not run, and uses nothing.
  void add(const BatchCase& each);

  // Finds the cases that may not run, when all have been added. Throws Error (usage, cli.c14) if a
  // file of the command or of --failed-dir has another use, too.
  void judge(CaseList& cases);

  // Why a case is not run (batch.b12). `cases`: those that were judged.
  std::optional<Error> refusal(const BatchCase& each, const CaseList& cases) const;

 private:
  // Who uses a file: a case's key, or (line 0) the command. 16 bytes, since there are many.
  struct Use {
    std::uint64_t file = 0;
    std::uint32_t number = 0;  // of the case
    std::uint16_t order = 0;   // among the uses of the case
    std::uint8_t role = 0;
    FileUse use = FileUse::reads;
  };

  static std::pair<std::uint32_t, std::uint16_t> place_of(const Use& use) {
    return {use.number, use.order};
  }

  // The first of each kind in a file's uses; nullptr if there is none.
  using Firsts = std::array<const Use*, file_uses>;

  struct Role {
    std::string name;  // "data", "--junit"
    std::string word;  // of the command: the path
  };

  // A use that may not be, and the other one that it meets.
  struct Refusal {
    Use own;
    Use other;
    bool is_of_bytes = false;  // of the file: others may be changed

    const Use& later() const { return place_of(own) < place_of(other) ? other : own; }
  };

  struct CaseFile;

  static bool is_of_command(const Use& use);
  std::string word_of(const Use& use, const BatchCase& each) const;
  void add_of_command(std::uint64_t file, const std::string& name, const std::string& path,
                      FileUse use);
  [[noreturn]] void refuse_command(const Use& own, const std::string& other,
                                   const std::string& word) const;
  void add(Use use);
  static CaseFile journal_of(const Job& job);
  static std::optional<MemberName> place_used(const CaseFile& file);
  std::vector<CaseFile> files_of(const BatchCase& each) const;
  void add(const Use& use, const CaseFile& file);
  // The index, model or .pb that says where the elements lie, if it is another file.
  void add_naming_file(CaseFile file, Use use);
  void add_change(const Use& use, const CaseFile& file);
  void judge_file(std::span<const Use> uses);
  void note_conflicts(const Use& use, const Firsts& before);
  void note_refusals(const Use& use, const Firsts& firsts);
  static bool keeps_from(const Use& own, const Use& other);
  std::uint8_t role_of(std::string_view name);
  std::string described(const Use& use, const CaseList& cases) const;

  Options options_;
  std::vector<Role> roles_;
  std::vector<Use> uses_;
  ChangedRanges changed_;
  std::optional<Refusal> of_command_;                    // the first of the batch
  std::unordered_map<std::uint32_t, Refusal> refusals_;  // by the number of the case
};

}  // namespace tscatter::app
