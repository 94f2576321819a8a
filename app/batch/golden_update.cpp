#include "batch/golden_update.hpp"

#include "batch/archive_turn.hpp"
#include "result.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string path_of(const BatchCase& each) {
  return std::filesystem::absolute(each.job.base / each.expected->text).lexically_normal().native();
}

}  // namespace

void GoldenUpdate::keep(const BatchCase& each) {
  const std::scoped_lock lock(mutex_);
  const auto [user, is_first] = users_.try_emplace(path_of(each), User{.name = each.name});
  // batch.b10
  if (!is_first && user->second.has_written) {
    fail(ErrorKind::usage, "batch.b10", "expected",
         "a golden must be written anew for one case only, got {}, which {} has just changed",
         each.expected->text, user->second.name);
  }
}

void GoldenUpdate::write(const BatchCase& each, const Tensor& actual) {
  const std::scoped_lock lock(mutex_);
  const auto [user, is_first] = users_.try_emplace(path_of(each), User{.name = each.name});
  // batch.b10
  if (!is_first) {
    fail(ErrorKind::usage, "batch.b10", "expected",
         "a golden must be written anew for one case only, got {}, which {} has too",
         each.expected->text, user->second.name);
  }
  const OutputWanted wanted{.word = each.expected->text, .name = "expected", .base = each.job.base};
  const auto turn = archive_turn(each.job.base, each.expected->text);
  write_tensor(actual, *open_output(wanted));
  user->second.has_written = true;
}

}  // namespace tscatter::app
