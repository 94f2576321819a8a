#include "tscatter/diagnose/diagnose.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::array table{
    Hypothesis{"no-update", try_no_update},
    Hypothesis{"without-entry", try_without_entry},
    Hypothesis{"without-entries", try_without_entries},
    Hypothesis{"entry-twice", try_entry_twice},
    Hypothesis{"all-twice", try_all_twice},
    Hypothesis{"data-twice", try_data_twice},
    Hypothesis{"untouched", try_untouched},
    Hypothesis{"flush", try_flushes},
    Hypothesis{"reduction", try_reductions},
    Hypothesis{"policy", try_policies},
    Hypothesis{"nan", try_nans},
    Hypothesis{"precision", try_precisions},
    Hypothesis{"axis", try_axes, true},
    Hypothesis{"indices", try_index_readings, true},
    Hypothesis{"slice", try_slices, true},
    Hypothesis{"updates", try_rows, true},
    Hypothesis{"other-writer", try_other_writers, true},
    Hypothesis{"misplaced", try_misplaced_entry, true},
    Hypothesis{"shifted", try_shifts, true},
    Hypothesis{"operation", try_operations},
};

constexpr int most_ranks = 4;
constexpr std::size_t most_of_a_rank = 1000;

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
    for (const Suspect& each : suspects) into_.flushed += each.flushed;
  }

  orders::Diagnoses choose() && {
    for (int rank = 1; rank <= most_ranks && add_rank(rank); ++rank) {
    }
    return std::move(into_);
  }

 private:
  using Elements = std::vector<std::size_t>;

  // Those that a suspect explains and nothing before it does.
  Elements open_of(const Suspect& suspect) const {
    Elements open;
    for (const ElementFit& each : suspect.fits) {
      if (is_open_[each.element]) open.push_back(each.element);
    }
    return open;
  }

  // The most open elements that one suspect explains: of several that explain as many the first
  // one, but rather one that says the same of all.
  Elements most_explained() const {
    Elements most;
    std::pair<std::size_t, bool> best;
    for (const Suspect& each : suspects_) {
      Elements open = open_of(each);
      const std::pair rated(open.size(), !each.is_general);
      if (rated <= best) continue;
      best = rated;
      most = std::move(open);
    }
    return most;
  }

  // Names all suspects that explain the same open elements.
  bool add_rank(int rank) {
    const Elements most = most_explained();
    if (most.empty()) return false;
    std::vector<const Suspect*> best;
    bool has_particular = false;
    for (const Suspect& each : suspects_) {
      if (open_of(each) != most) continue;
      best.push_back(&each);
      has_particular = has_particular || !each.is_general;
    }
    if (has_particular) std::erase_if(best, [](const Suspect* each) { return each->is_general; });
    const bool has_whole = std::ranges::any_of(best, [](const Suspect* each) {
      return each->name == "policy" || each->name == "without-entries";
    });
    std::ranges::stable_sort(best, std::ranges::greater{}, [&](const Suspect* each) {
      return std::pair(!(has_whole && each->is_denied), exact_of(*each));
    });
    std::vector<Named> named = joined(best);
    const std::size_t shown = std::min(named.size(), most_of_a_rank);
    into_.unnamed += static_cast<std::int64_t>(named.size() - shown);
    const auto first = static_cast<std::int64_t>(into_.named.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Suspect& suspect = *named[i].suspect;
      into_.named.push_back({.name = suspect.name,
                             .words = suspect.words,
                             .rank = rank,
                             .explained = std::ssize(most),
                             .exact = exact_of(suspect),
                             .also = std::move(named[i].also)});
    }
    close(most, first);
    return true;
  }

  // An operation that leaves the same as another suspect stands beside that: the one that says what
  // the operation does otherwise, else the first one.
  static std::vector<Named> joined(const std::vector<const Suspect*>& best) {
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

  // nullptr if there is no other suspect.
  static Named* partner_of(const Suspect& operation, std::vector<Named>& named) {
    Named* found = nullptr;
    std::size_t least = operation.differences->size() + 1;
    for (Named& each : named) {
      const auto place =
          static_cast<std::size_t>(std::ranges::find(*operation.differences, each.suspect->words) -
                                   operation.differences->begin());
      if (place >= least) continue;
      found = &each;
      least = place;
    }
    return found;
  }

  std::int64_t exact_of(const Suspect& suspect) const {
    return std::ranges::count_if(suspect.fits, [&](const ElementFit& each) {
      return is_open_[each.element] && each.fit == Fit::bits;
    });
  }

  void close(const Elements& explained, std::int64_t first) {
    for (const std::size_t each : explained) {
      is_open_[each] = false;
      into_.of_element[each] = first;
      --into_.unexplained;
    }
  }

  const std::vector<Suspect>& suspects_;
  std::vector<bool> is_open_;
  orders::Diagnoses into_;
};

bool explains_bare_nans_alone(const Suspect& suspect, const Examination& examination) {
  return std::ranges::all_of(suspect.fits, [&](const ElementFit& fit) {
    return examination.wrong()[fit.element].is_bare_nan;
  });
}

}  // namespace

std::span<const Hypothesis> hypotheses() { return table; }

orders::Diagnoses diagnose(const Call& call, const LoweredPlan& lowered,
                           std::vector<std::int64_t> wrong, const ReadActual& read,
                           const ExamineOptions& options) {
  Examination examination(call, lowered, std::move(wrong), read, options);
  if (!examination.can_examine()) return {};
  std::vector<Suspect>& suspects = examination.suspects();
  for (const Hypothesis& each : hypotheses()) {
    examination.look_at_stop();
    const std::size_t before = suspects.size();
    each.examine(examination);
    for (Suspect& added : std::span(suspects).subspan(before)) added.name = each.name;
    if (!each.is_about_places) continue;
    std::erase_if(suspects, [&](const Suspect& suspect) {
      return suspect.name == each.name && explains_bare_nans_alone(suspect, examination);
    });
  }
  return Choice(suspects, examination.wrong().size()).choose();
}

}  // namespace tscatter::diagnose
