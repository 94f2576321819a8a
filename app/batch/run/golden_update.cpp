#include "batch/run/golden_update.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "batch/run/case_job.hpp"
#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "jobs/separate_files.hpp"
#include "jobs/tensor_place.hpp"
#include "tscatter/core/fail.hpp"

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
         "must be an output that can be created (make the folder that the link leads to), got {}, "
         "a link to {}",
         link.native(), fs::read_symlink(link, error).native());
  }
}

std::uint64_t hash_of(const Tensor& tensor) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;
  std::uint64_t state = hash_more(hash_start, tscatter::to_string(tensor.type()));
  state = hash_more(state, tscatter::to_string(tensor.shape()));
  state = hash_more(state, static_cast<std::uint64_t>(tensor.order()));
  std::string buffer;
  for (std::int64_t offset = 0; offset < tensor.byte_size(); offset += piece) {
    buffer.resize(static_cast<std::size_t>(std::min(piece, tensor.byte_size() - offset)));
    tensor.source().read(offset, std::as_writable_bytes(std::span(buffer)));
    state = hash_more(state, buffer);
  }
  return hash_end(state);
}

}  // namespace

GoldenTurn::GoldenTurn(GoldenTurn&& other) noexcept
    : update_{std::exchange(other.update_, nullptr)}, golden_{other.golden_}, line_{other.line_} {}

GoldenTurn::~GoldenTurn() {
  if (update_ != nullptr) update_->give_up(golden_, line_);
}

void GoldenTurn::wait() const {
  if (update_ != nullptr) update_->wait(golden_, line_);
}

GoldenTurn GoldenUpdate::announce(const BatchCase& each) {
  const std::uint64_t golden = hash_of(place_of_golden(each));
  const std::scoped_lock lock(mutex_);
  lines_[golden].push_back(each.number);
  return {*this, golden, each.number};
}

void GoldenUpdate::wait(std::uint64_t golden, std::int64_t line) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return lines_.at(golden).front() == line; });
}

void GoldenUpdate::give_up(std::uint64_t golden, std::int64_t line) {
  const std::scoped_lock lock(mutex_);
  const auto lines = lines_.find(golden);
  std::erase(lines->second, line);
  if (lines->second.empty()) lines_.erase(lines);
  turned_.notify_all();
}

void GoldenUpdate::keep(const BatchCase& each, const Tensor& actual) {
  const std::uint64_t golden = hash_of(place_of_golden(each));
  const std::scoped_lock lock(mutex_);
  const auto [found, is_first] = users_.try_emplace(golden, User{.name = each.name, .told = {}});
  const User& user = found->second;
  if (!is_first && user.told && user.told != hash_of(actual)) refuse(each, user);
}

bool GoldenUpdate::write(const BatchCase& each, const Tensor& actual) {
  const TensorPlace place = place_of_golden(each);
  User own{.name = each.name, .told = {}};
  if (deed_ == GoldenDeed::tell) own.told = hash_of(actual);
  const std::scoped_lock lock(mutex_);
  const auto [user, is_first] = users_.try_emplace(hash_of(place), own);
  if (!is_first && own.told && own.told == user->second.told) return false;
  if (!is_first) refuse(each, user->second);
  if (deed_ == GoldenDeed::tell) return true;
  std::error_code ignored;  // the output says what is wrong
  fs::create_directories(file_of_golden(each).parent_path(), ignored);
  const auto turn = archive_turn(each.job.base, each.expected->text);
  write_tensor(actual, *open_output(wanted(each)));
  return true;
}

void GoldenUpdate::require_place(const BatchCase& each) const {
  open_output(wanted(each));
  require_no_lost_link(file_of_golden(each), each.expected->text);
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
  const std::string& word = each.expected->text;
  std::error_code error;
  const fs::path file = file_of_golden(each);
  if (!fs::is_symlink(fs::symlink_status(file, error))) return word;
  return fmt::format("{} (a link to {})", word, fs::read_symlink(file, error).native());
}

void GoldenUpdate::refuse(const BatchCase& each, const User& user) {
  // batch.b10
  fail(ErrorKind::usage, "batch.b10", "expected",
       "a golden must be rewritten for one case only, got {}, which {} has too",
       each.expected->text, user.name);
}

}  // namespace tscatter::app
