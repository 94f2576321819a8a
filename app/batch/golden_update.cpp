#include "batch/golden_update.hpp"

#include <filesystem>
#include <utility>

#include "batch/archive_turn.hpp"
#include "batch/tensor_place.hpp"
#include "jobs/result.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

TensorPlace place_of_golden(const BatchCase& each) {
  return place_of(each.job.base, each.expected->text);
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
  lines_[golden].push_back(each.line);
  return {*this, golden, each.line};
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

void GoldenUpdate::keep(const BatchCase& each) {
  const std::uint64_t golden = hash_of(place_of_golden(each));
  const std::scoped_lock lock(mutex_);
  users_.try_emplace(golden, each.name);
}

void GoldenUpdate::write(const BatchCase& each, const Tensor& actual) {
  const TensorPlace place = place_of_golden(each);
  const std::scoped_lock lock(mutex_);
  const auto [user, is_first] = users_.try_emplace(hash_of(place), each.name);
  // batch.b10
  if (!is_first) {
    fail(ErrorKind::usage, "batch.b10", "expected",
         "a golden must be rewritten for one case only, got {}, which {} has too",
         each.expected->text, user->second);
  }
  std::error_code ignored;  // the output says what is wrong
  std::filesystem::create_directories(place.file.parent_path(), ignored);
  const OutputWanted wanted{.word = each.expected->text, .name = "expected", .base = each.job.base};
  const auto turn = archive_turn(each.job.base, each.expected->text);
  write_tensor(actual, *open_output(wanted));
}

}  // namespace tscatter::app
