// An undo journal beside a small file, on a simulated disk. The file must stay as it is unless the
// journal is complete and its own; then it must become what the records say, even if the rollback
// is killed and started again.
#define XXH_INLINE_ALL
#include <fuzzer/FuzzedDataProvider.h>
#include <xxhash.h>

#include <optional>
#include <string>

#include "crash/simulated_disk.hpp"
#include "fuzz/target.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

const std::string data_path = "/nowhere/data.npy";
const std::string journal_path = data_path + ".tscatter-undo";
constexpr std::uint64_t data_inode = 7;

// docs/journal.md, implemented a second time.
constexpr std::size_t header_size = 64;
constexpr std::size_t head_size = 24;
constexpr std::size_t commit_size = 48;
constexpr std::uint64_t longest_record = 256 * 1024;
constexpr std::uint64_t known_version = 2;
constexpr std::string_view header_magic = "\x93scundo\n";
constexpr std::string_view commit_magic = "\x93scdone\n";

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void set_word(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i, value >>= 8U) bytes[at + i] = static_cast<char>(value);
}

std::uint64_t sum_of(std::uint64_t seed, std::string_view bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t version_of(std::string_view journal) { return word_at(journal, 8); }

std::uint64_t header_sum(std::string_view journal) {
  return sum_of(word_at(journal, 16), journal.substr(0, 56));
}

std::uint64_t record_sum(std::string_view journal, std::size_t at, std::size_t length) {
  const std::uint64_t head_sum = sum_of(word_at(journal, 16), journal.substr(at, 16));
  return sum_of(head_sum, journal.substr(at + head_size, length));
}

// The length in a record's head, if the record fits before the commit record.
std::optional<std::size_t> length_at(std::string_view journal, std::size_t at) {
  const std::size_t end = journal.size() - commit_size;
  if (at > end || end - at < head_size) return std::nullopt;
  const std::uint64_t length = word_at(journal, at + 8);
  if (length == 0 || length > longest_record || length > end - at - head_size) return std::nullopt;
  return static_cast<std::size_t>(length);
}

bool can_be_whole(std::string_view journal) { return journal.size() >= header_size + commit_size; }

bool is_committed(std::string_view journal) {
  if (!can_be_whole(journal)) return false;
  const std::string_view commit = journal.substr(journal.size() - commit_size);
  const std::uint64_t sum = sum_of(word_at(commit, 8), commit.substr(0, 40));
  return commit.starts_with(commit_magic) && word_at(commit, 24) == journal.size() - commit_size &&
         word_at(commit, 40) == sum;
}

bool has_whole_header(std::string_view journal) {
  return journal.starts_with(header_magic) && word_at(journal, 56) == header_sum(journal) &&
         word_at(journal, 16) == word_at(journal, journal.size() - commit_size + 8);
}

bool is_of_another_version(std::string_view journal) {
  return journal.size() >= header_size && journal.starts_with(header_magic) &&
         version_of(journal) != known_version;
}

bool is_of(std::string_view journal, std::string_view file) {
  return word_at(journal, 24) == data_inode && word_at(journal, 32) == data_inode &&
         static_cast<std::uint32_t>(word_at(journal, 40)) == 0 &&
         word_at(journal, 48) == file.size();
}

// The file with all old bytes restored; nullopt if a record is damaged.
std::optional<std::string> applied(std::string_view journal, std::string file) {
  const std::size_t end = journal.size() - commit_size;
  std::uint64_t count = 0;
  std::uint64_t total = 0;
  std::size_t at = header_size;
  for (; at < end; ++count) {
    const auto length = length_at(journal, at);
    if (!length) return std::nullopt;
    const std::uint64_t offset = word_at(journal, at);
    if (offset > file.size() || *length > file.size() - offset) return std::nullopt;
    const std::uint64_t sum = record_sum(journal, at, *length);
    if (word_at(journal, at + 16) != sum) return std::nullopt;
    file.replace(static_cast<std::size_t>(offset), *length,
                 journal.substr(at + head_size, *length));
    total += sum;
    at += head_size + *length;
  }
  const bool is_all = word_at(journal, end + 16) == count && word_at(journal, end + 32) == total;
  return is_all ? std::optional(file) : std::nullopt;
}

struct Expected {
  std::string file;
  UndoState state = UndoState::none;
  std::string_view refusal;  // "" where there is none
};

Expected expected_of(std::string_view journal, const std::string& file) {
  if (is_of_another_version(journal)) return {.file = file, .refusal = "undo.u4"};
  const bool has_ends = is_committed(journal) && has_whole_header(journal);
  if (!has_ends) return {.file = file, .refusal = "undo.u4"};
  if (!is_of(journal, file)) return {.file = file, .refusal = "undo.u3"};
  const auto after = applied(journal, file);
  if (!after) return {.file = file, .refusal = "undo.u4"};
  return {.file = *after, .state = UndoState::committed, .refusal = ""};
}

// Repairs what the fuzzer cannot guess, if it chooses so: identity, checksums, counts.
void mend(std::string& journal, unsigned what, std::size_t file_size) {
  if (!can_be_whole(journal)) return;
  const std::size_t end = journal.size() - commit_size;
  if ((what & 1U) != 0) {
    journal.replace(0, 8, header_magic);
    set_word(journal, 8, known_version);
    set_word(journal, 24, data_inode);
    set_word(journal, 32, data_inode);
    set_word(journal, 40, 0);
    set_word(journal, 48, file_size);
  }
  if ((what & 2U) != 0) set_word(journal, 56, header_sum(journal));
  std::uint64_t count = 0;
  std::uint64_t total = 0;
  std::size_t at = header_size;
  while (const auto length = length_at(journal, at)) {
    if ((what & 4U) != 0) set_word(journal, at + 16, record_sum(journal, at, *length));
    total += word_at(journal, at + 16);
    ++count;
    at += head_size + *length;
  }
  if ((what & 8U) == 0) return;
  journal.replace(end, 8, commit_magic);
  set_word(journal, end + 8, word_at(journal, 16));
  set_word(journal, end + 24, end);
  if ((what & 16U) == 0) {
    set_word(journal, end + 16, count);
    set_word(journal, end + 32, total);
  }
  set_word(journal, end + 40,
           sum_of(word_at(journal, end + 8), std::string_view(journal).substr(end, 40)));
}

crash::Image image_of(const std::string& file, const std::string& journal) {
  return {{data_path, {.inode = data_inode, .content = file}},
          {journal_path, {.inode = data_inode + 1, .content = journal}}};
}

std::string_view label_of_refusal(FileSystem& disk, Recovery recovery, UndoState& state) {
  static std::string label;
  label.clear();
  try {
    state = recover(data_path, recovery, disk).state;
  } catch (const Error& error) {
    label = error.label();
    fuzz::require(!label.empty(), "an error without a label");
  }
  return label;
}

void check_recovery(const crash::Image& before, const Expected& expected) {
  crash::SimulatedDisk disk(before);
  UndoState state = UndoState::none;
  fuzz::require(label_of_refusal(disk, Recovery::checked, state) == expected.refusal,
                "another refusal when it is looked at");
  fuzz::require(state == expected.state, "another state when it is looked at");
  fuzz::require(disk.after_kill() == before, "a look changes something");
  fuzz::require(label_of_refusal(disk, Recovery::done, state) == expected.refusal,
                "another refusal");
  fuzz::require(state == expected.state, "another state");
  const crash::Image after = disk.after_kill();
  fuzz::require(after.at(data_path).content == expected.file, "the file has other bytes");
  fuzz::require(after.contains(journal_path) == !expected.refusal.empty(),
                "a journal that is gone, or still there");
}

// The rollback dies at the step and is started again.
void check_killed(const crash::Image& before, const Expected& expected, std::int64_t step,
                  std::size_t bytes) {
  crash::SimulatedDisk disk(before);
  disk.die_after(step, bytes);
  try {
    recover(data_path, Recovery::done, disk);
  } catch (const crash::Crash&) {
  } catch (const Error&) {
    fuzz::require(!expected.refusal.empty(), "a refusal of what is whole");
  }
  crash::SimulatedDisk next(disk.after_kill());
  UndoState state = UndoState::none;
  label_of_refusal(next, Recovery::done, state);
  fuzz::require(next.after_kill().at(data_path).content == expected.file,
                "the file has other bytes after a kill");
}

}  // namespace
}  // namespace tscatter

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tscatter;
  FuzzedDataProvider bytes(data, size);
  const auto mended = bytes.ConsumeIntegral<std::uint8_t>();
  const auto step = bytes.ConsumeIntegralInRange<std::int64_t>(0, 12);
  const auto cut = bytes.ConsumeIntegralInRange<std::size_t>(0, 64);
  const std::string file(bytes.ConsumeIntegralInRange<std::size_t>(0, 1024), 'f');
  std::string journal = bytes.ConsumeRemainingBytesAsString();
  mend(journal, mended, file.size());
  const Expected expected = expected_of(journal, file);
  const crash::Image before = image_of(file, journal);
  check_recovery(before, expected);
  check_killed(before, expected, step, cut);
  return 0;
}
