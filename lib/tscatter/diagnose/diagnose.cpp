#include "tscatter/diagnose/diagnose.hpp"

#include <algorithm>
#include <utility>

#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

constexpr int most_ranks = 4;
constexpr std::size_t most_of_a_rank = 16;

struct Named {
  const Suspect* suspect;
  std::vector<std::string> also = {};
};

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
    std::vector<Named> named = joined(best);
    const std::size_t shown = std::min(named.size(), most_of_a_rank);
    into_.unnamed += static_cast<std::int64_t>(named.size() - shown);
    const auto first = static_cast<std::int64_t>(into_.named.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Suspect& suspect = *named[i].suspect;
      into_.named.push_back({.name = suspect.name,
                             .words = suspect.words,
                             .rank = rank,
                             .explained = most,
                             .exact = exact_of(suspect),
                             .also = std::move(named[i].also)});
    }
    close(best, first);
    return true;
  }

  // An operation that leaves the same as another suspect stands beside that: the one that says what
  // the operation does otherwise, else the first one.
  std::vector<Named> joined(const std::vector<const Suspect*>& best) const {
    std::vector<Named> named;
    for (const Suspect* each : best) {
      if (!each->differences) named.push_back({.suspect = each});
    }
    for (const Suspect* each : best) {
      if (!each->differences) continue;
      if (Named* beside = partner_of(*each, named)) {
        beside->also.push_back(each->words);
      } else {
        named.push_back({.suspect = each});
      }
    }
    return named;
  }

  // nullptr if none explains the same elements.
  Named* partner_of(const Suspect& operation, std::vector<Named>& named) const {
    Named* found = nullptr;
    std::size_t least = operation.differences->size() + 1;
    for (Named& each : named) {
      if (!explain_same(*each.suspect, operation)) continue;
      const auto place =
          static_cast<std::size_t>(std::ranges::find(*operation.differences, each.suspect->words) -
                                   operation.differences->begin());
      if (place >= least) continue;
      found = &each;
      least = place;
    }
    return found;
  }

  // Whether they explain the same open elements.
  bool explain_same(const Suspect& a, const Suspect& b) const {
    const auto is_open = [&](const ElementFit& each) { return is_open_[each.element]; };
    const auto elements = [&](const Suspect& of) {
      std::vector<std::size_t> all;
      for (const ElementFit& each : of.fits) {
        if (is_open(each)) all.push_back(each.element);
      }
      return all;
    };
    return elements(a) == elements(b);
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
