#include "tscatter/diagnose/diagnose.hpp"

#include <algorithm>
#include <utility>

#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

constexpr int most_ranks = 4;
constexpr std::size_t most_of_a_rank = 16;

// Chooses what is named among the suspects.
class Choice {
 public:
  Choice(const std::vector<Suspect>& suspects, std::size_t elements)
      : suspects_{suspects}, is_open_(elements, true) {
    into_.examined = static_cast<std::int64_t>(elements);
    into_.unexplained = into_.examined;
    into_.of_element.resize(elements);
  }

  orders::Diagnoses choose() && {
    for (int rank = 1; rank <= most_ranks && add_rank(rank); ++rank) {
    }
    return std::move(into_);
  }

 private:
  // Elements that a suspect explains and nothing before it does.
  std::int64_t open_of(const Suspect& suspect) const {
    return std::ranges::count_if(suspect.fits,
                                 [&](const ElementFit& each) { return is_open_[each.element]; });
  }

  // Names all suspects that explain most of the open elements.
  bool add_rank(int rank) {
    std::vector<std::int64_t> counts;
    for (const Suspect& each : suspects_) counts.push_back(open_of(each));
    const std::int64_t most = counts.empty() ? 0 : std::ranges::max(counts);
    if (most == 0) return false;
    std::vector<const Suspect*> best;
    bool has_particular = false;
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      if (counts[i] != most) continue;
      best.push_back(&suspects_[i]);
      has_particular = has_particular || !suspects_[i].is_general;
    }
    if (has_particular) std::erase_if(best, [](const Suspect* each) { return each->is_general; });
    std::ranges::stable_sort(best, std::ranges::greater{},
                             [&](const Suspect* each) { return exact_of(*each); });
    into_.unnamed += static_cast<std::int64_t>(best.size() - std::min(best.size(), most_of_a_rank));
    const auto first = static_cast<std::int64_t>(into_.named.size());
    for (std::size_t i = 0; i < std::min(best.size(), most_of_a_rank); ++i) {
      into_.named.push_back({.name = best[i]->name,
                             .words = best[i]->words,
                             .rank = rank,
                             .explained = most,
                             .exact = exact_of(*best[i])});
    }
    close(best, first);
    return true;
  }

  std::int64_t exact_of(const Suspect& suspect) const {
    return std::ranges::count_if(suspect.fits, [&](const ElementFit& each) {
      return is_open_[each.element] && each.fit == Fit::bits;
    });
  }

  // Marks what the best suspects explain; those not named in part stay open.
  void close(const std::vector<const Suspect*>& best, std::int64_t first) {
    for (const ElementFit& each : best.front()->fits) {
      if (!is_open_[each.element]) continue;
      is_open_[each.element] = false;
      into_.of_element[each.element] = first;
      --into_.unexplained;
    }
  }

  const std::vector<Suspect>& suspects_;
  std::vector<bool> is_open_;
  orders::Diagnoses into_;
};

}  // namespace

orders::Diagnoses diagnose(const Call& call, const LoweredPlan& lowered,
                           std::vector<std::int64_t> wrong, const ReadActual& read,
                           const ExamineOptions& options) {
  Examination examination(call, lowered, std::move(wrong), read, options);
  if (!examination.can_examine()) return {};
  for (const Hypothesis& each : hypotheses()) {
    examination.look_at_stop();
    each.examine(examination, each.name);
  }
  return Choice(examination.suspects(), examination.wrong().size()).choose();
}

}  // namespace tscatter::diagnose
