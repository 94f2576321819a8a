#include "batch/shared_reasons.hpp"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tscatter::app {
namespace {

// The reasons of the groups that are left.
class Ballot {
 public:
  explicit Ballot(const std::vector<const ReasonGroup*>& groups)
      : groups_{groups}, is_taken_(groups.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const std::string& reason : groups[i]->reasons) {
        Votes& votes = votes_.try_emplace(reason, Votes{.came = votes_.size()}).first->second;
        votes.failed += groups[i]->failed;
        votes.groups.push_back(i);
      }
    }
    for (const auto& [reason, votes] : votes_) order_.insert(rank_of(reason, votes));
  }

  bool is_empty() const { return order_.empty(); }

  SharedReason take_most() {
    const std::string_view reason = std::get<std::string_view>(*order_.begin());
    const Votes& votes = votes_.find(reason)->second;
    SharedReason shared{.reason = std::string(reason), .failed = votes.failed, .groups = {}};
    for (const std::size_t group : votes.groups) {
      if (is_taken_[group]) continue;
      shared.groups.push_back(group);
      take(group);
    }
    return shared;
  }

 private:
  struct Votes {
    std::size_t came;  // its number among the reasons
    std::int64_t failed = 0;
    std::vector<std::size_t> groups = {};
  };
  using Rank = std::tuple<std::int64_t, std::size_t, std::string_view>;

  static Rank rank_of(std::string_view reason, const Votes& votes) {
    return {-votes.failed, votes.came, reason};
  }

  // A reason without groups is no longer in the order.
  void take(std::size_t group) {
    is_taken_[group] = true;
    for (const std::string& reason : groups_[group]->reasons) {
      Votes& votes = votes_.find(reason)->second;
      order_.erase(rank_of(reason, votes));
      votes.failed -= groups_[group]->failed;
      if (votes.failed > 0) order_.insert(rank_of(reason, votes));
    }
  }

  const std::vector<const ReasonGroup*>& groups_;
  std::vector<bool> is_taken_;
  std::map<std::string_view, Votes> votes_;
  std::set<Rank> order_;
};

}  // namespace

std::vector<SharedReason> shared_reasons(const std::vector<const ReasonGroup*>& groups) {
  std::vector<SharedReason> shared;
  for (Ballot ballot(groups); !ballot.is_empty();) shared.push_back(ballot.take_most());
  return shared;
}

}  // namespace tscatter::app
