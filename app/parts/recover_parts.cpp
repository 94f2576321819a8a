#include "parts/recover_parts.hpp"

#include "parts/parts_folder.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/locked_file.hpp"

namespace tscatter::app {
namespace {

using Path = std::filesystem::path;

// A claim of a part that is done does not count: the part was killed before it removed its claim.
void require_unclaimed(const PartsFolder& folder, TakeOver take_over) {
  const std::optional<PartsJob> job = folder.job();
  if (!job || take_over == TakeOver::allowed) return;
  const auto markers = folder.markers(*job);
  for (std::int64_t part = 1; part <= job->parts; ++part) {
    const std::optional<Claimant> present = claimant_of(folder, part);
    if (present && !markers.contains(part)) refuse_claimed(folder, part, *present);
  }
}

// Decides that the change is taken back, unless that is decided. A part that begins meanwhile has
// either claimed itself before the second look, or sees the decision.
void decide(const PartsFolder& folder, TakeOver take_over) {
  require_unclaimed(folder, take_over);
  folder.decide(taken_back);
  require_unclaimed(folder, take_over);
}

PartsLeftover find_all(const File& data, const PartsFolder& folder) {
  PartsLeftover all;
  for (const Path& journal : folder.journals()) {
    const Leftover leftover = find_leftover_in(data, journal);
    all.parts += 1;
    all.old_bytes.state = UndoState::committed;
    all.old_bytes.ranges += leftover.ranges;
    all.old_bytes.bytes += leftover.bytes;
  }
  return all;
}

}  // namespace

std::optional<PartsLeftover> recover_parts(const std::string& path, Recovery recovery,
                                           TakeOver take_over,
                                           const std::optional<Waiting>& waiting,
                                           FileSystem& files) {
  const PartsFolder folder(path, files);
  const std::optional<std::string> decision = folder.finished();
  const bool is_decided = decision == taken_back || decision == change_made;
  if (!is_decided && !folder.is_in_place()) {
    // A part that is killed between the two names leaves the job alone.
    const std::optional<PartsJob> job = folder.job();
    if (!job && recovery == Recovery::done) folder.remove_without_job();
    if (!job || !is_in_place(*job)) return std::nullopt;
  }
  if (folder.finished() == change_made) {
    if (recovery == Recovery::done) folder.remove();
    return std::nullopt;
  }
  if (recovery == Recovery::done) require_unclaimed(folder, take_over);
  const Access access = recovery == Recovery::done ? Access::writing : Access::reading;
  const File data = open_locked(folder.target(), path, files, access, waiting);
  // Nothing is decided unless the file is free and all journals are intact.
  PartsLeftover leftover = find_all(data, folder);
  if (recovery == Recovery::checked) return leftover;
  decide(folder, take_over);
  if (folder.finished() == change_made) {
    folder.remove();
    return std::nullopt;
  }
  // Also those of parts that have begun meanwhile.
  leftover = find_all(data, folder);
  for (const Path& journal : folder.journals()) roll_back_from(data, journal);
  folder.remove();
  return leftover;
}

}  // namespace tscatter::app
