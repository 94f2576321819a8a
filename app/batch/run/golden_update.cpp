#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "batch/run/case_job.hpp"
#include "batch/run/case_runner.hpp"
#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "jobs/written_file.hpp"
#include "process/host.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

TensorPlace place_of_golden(const BatchCase& each) {
  return place_of(each.job.base, each.expected->text);
}

// As the case calls it.
fs::path file_of_golden(const BatchCase& each) {
  const auto member = member_name(each.job.base, each.expected->text);
  return each.job.base / (member ? member->archive : each.expected->text);
}

// Folders are made as the golden is called, and never where a link leads.
void require_no_lost_link(const fs::path& golden, const std::string& word) {
  std::error_code error;
  fs::path link;
  for (const fs::path& part : golden) {
    link /= part;
    if (!fs::is_symlink(fs::symlink_status(link, error)) || fs::exists(link, error)) continue;
    const bool has_folder = fs::exists(resolved_file(link).parent_path(), error);
    if (link == golden && has_folder) return;
    // file.f4
    fail(ErrorKind::file, "file.f4", word,
         "cannot be created: {} is a link to {} (make the folder that it leads to)",
         link.lexically_normal().native(), fs::read_symlink(link, error).native());
  }
}

std::uint64_t hash_of(const Source& source, std::int64_t size, std::uint64_t state) {
  read_pieces(source, {.begin = 0, .end = size}, nullptr, [&](std::int64_t, const auto& bytes) {
    state = hash_more(state, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  return hash_end(state);
}

std::uint64_t hash_of(const Tensor& tensor) {
  std::uint64_t state = hash_more(hash_start, tscatter::to_string(tensor.type()));
  state = hash_more(state, tscatter::to_string(tensor.shape()));
  state = hash_more(state, static_cast<std::uint64_t>(tensor.order()));
  return hash_of(tensor.source(), tensor.byte_size(), state);
}

// An archive whose elements are in other files would lose them.
void require_one_file(const Format& format, const fs::path& path, const std::string& name) {
  if (format.files == nullptr) return;
  for (const std::string& file : format.files(path.native())) {
    std::error_code ignored;
    // cli.c10
    if (!fs::equivalent(path, file, ignored)) {
      fail(ErrorKind::usage, "cli.c10", name,
           "an archive that is copied must be one file, got one with elements in {}", file);
    }
  }
}

void require_place_of_archive(const Format& format, const OutputWanted& wanted) {
  const WrittenFile file{.name = wanted.name,
                         .word = *wanted.word,
                         .kind = kind_of(format),
                         .base = wanted.base,
                         .options = wanted.options};
  // cli.c16
  if (!format.has_ending(*wanted.word)) {
    fail(ErrorKind::usage, "cli.c16", wanted.name,
         "an archive that is copied must end in {}, got {}", format.ending, *wanted.word);
  }
  require_ending(file);
  require_replaceable(file, wanted.replacing);
}

void copy_file(const FileSource& from, const OutputWanted& wanted) {
  OutputFile to(wanted.base / *wanted.word, wanted.durability, system_files(),
                InterruptScope::stop());
  hold_signals();
  read_pieces(from, nullptr,
              [&](std::int64_t offset, const auto& bytes) { to.write(offset, bytes); });
  to.commit();
  note_standing();
}

}  // namespace

NewGolden golden_of(const Tensor& tensor) {
  return {.hash = [&tensor] { return hash_of(tensor); },
          .require = [](const OutputWanted& wanted) { open_output(wanted); },
          .write = [&tensor](
                       const OutputWanted& wanted) { write_tensor(tensor, *open_output(wanted)); }};
}

NewGolden golden_of_file(const BatchCase& each) {
  const std::string& word = each.actual->text;
  const auto source = std::make_shared<FileSource>(
      open_settled(each.job.base / word, shown_word(each.job.base, word)));
  const Format& format = *archive_format_of(*source, word);
  require_one_file(format, each.job.base / word, shown_word(each.job.base, word));
  return {.hash = [source] { return hash_of(*source, source->size(), hash_start); },
          .require =
              [&format](const OutputWanted& wanted) { require_place_of_archive(format, wanted); },
          .write = [source](const OutputWanted& wanted) { copy_file(*source, wanted); }};
}

GoldenTurn GoldenUpdate::announce(const BatchCase& each) {
  constexpr std::size_t enough = 4096;  // more than are under way
  const auto has_ended = [](const auto& turn) {
    return turn.second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  const std::uint64_t golden = hash_of(place_of_golden(each));
  const std::scoped_lock lock(mutex_);
  if (turns_.size() >= enough) std::erase_if(turns_, has_ended);
  return GoldenTurn(turns_[golden]);
}

void GoldenUpdate::keep(const BatchCase& each, const NewGolden& golden) {
  const std::uint64_t place = hash_of(place_of_golden(each));
  const std::scoped_lock lock(mutex_);
  const auto [found, is_first] = users_.try_emplace(place, User{.name = each.name, .told = {}});
  const User& user = found->second;
  if (!is_first && user.told && user.told != golden.hash()) refuse(each, user);
}

bool GoldenUpdate::write(const BatchCase& each, const NewGolden& golden) {
  const TensorPlace place = place_of_golden(each);
  User own{.name = each.name, .told = {}};
  if (deed_ == GoldenDeed::tell) own.told = golden.hash();
  const std::scoped_lock lock(mutex_);
  const auto [user, is_first] = users_.try_emplace(hash_of(place), own);
  if (!is_first && own.told && own.told == user->second.told) return false;
  if (!is_first) refuse(each, user->second);
  golden.require(wanted(each));
  if (deed_ == GoldenDeed::tell) return true;
  std::error_code ignored;  // the output says what is wrong
  fs::create_directories(file_of_golden(each).parent_path(), ignored);
  const auto turn = archive_turn(each.job.base, each.expected->text);
  golden.write(wanted(each));
  return true;
}

void GoldenUpdate::require_place(const BatchCase& each) const {
  open_output(wanted(each));
  require_place_of_file(each);
}

void GoldenUpdate::require_place_of_file(const BatchCase& each) {
  require_no_lost_link(file_of_golden(each), shown_word(each.job.base, each.expected->text));
}

OutputWanted GoldenUpdate::wanted(const BatchCase& each) const {
  // cli.c132
  require_no_view(each.job.base, each.expected->text, "expected",
                  "a golden that is written must be a whole tensor");
  return {.word = each.expected->text,
          .name = "expected",
          .base = each.job.base,
          .replacing = replacing_,
          .options = {.format = {}}};
}

std::string golden_words(const BatchCase& each) {
  std::string word = shown_word(each.job.base, each.expected->text);
  std::error_code error;
  const fs::path file = file_of_golden(each);
  if (!fs::is_symlink(fs::symlink_status(file, error))) return word;
  return fmt::format("{} (a link to {})", word, fs::read_symlink(file, error).native());
}

void GoldenUpdate::refuse(const BatchCase& each, const User& user) {
  // batch.b10
  fail(ErrorKind::usage, "batch.b10", "expected",
       "{} cannot be rewritten: it is also the golden of {}",
       shown_word(each.job.base, each.expected->text), user.name);
}

}  // namespace tscatter::app
