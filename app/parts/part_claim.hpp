// PartClaim: who computes a part of a change in place. A part that is computed twice could add its
// updates twice, so only one process may.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "parts/parts_folder.hpp"

namespace tscatter::app {

enum class TakeOver : bool { refused, allowed };  // allowed: --take-over

struct Claimant {
  std::string host;
  std::int64_t process = 0;
  std::string slurm_job = {};  // empty: none
  std::int64_t restarts = 0;

  friend bool operator==(const Claimant&, const Claimant&) = default;
};

// This process.
Claimant own_claimant();

// Whether Slurm began the job of `present` anew as `own`: then `present` is dead.
bool is_restart(const Claimant& own, const Claimant& present);

// "process 123 on n1"
std::string claimant_text(const Claimant& claimant);

// Who has claimed the part; nullopt: nobody.
std::optional<Claimant> claimant_of(const PartsFolder& folder, std::int64_t part);

// Throws Error (file, part.p8): the part is claimed by `present`.
[[noreturn]] void refuse_claimed(const PartsFolder& folder, std::int64_t part,
                                 const Claimant& present);

// Lasts as long as the object; what a kill leaves is taken over by is_restart() or --take-over.
class PartClaim {
 public:
  // Throws Error (file): part.p8 when another has the part, part.p7. REQUIRES: the folder outlives
  // it.
  PartClaim(const PartsFolder& folder, std::int64_t part, TakeOver take_over);
  PartClaim(const PartClaim&) = delete;
  PartClaim& operator=(const PartClaim&) = delete;
  ~PartClaim();

 private:
  const PartsFolder& folder_;
  std::filesystem::path path_;
  Claimant own_;
};

}  // namespace tscatter::app
