#include "parts/part_claim.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "process/environment.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string host_name() {
  constexpr std::size_t longest = 256;
  std::array<char, longest> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::string claimant_json(const Claimant& claimant) {
  return nlohmann::ordered_json{{"host", claimant.host},
                                {"process", claimant.process},
                                {"slurm_job", claimant.slurm_job},
                                {"restarts", claimant.restarts}}
             .dump() +
         "\n";
}

// A text that is no claim, which a kill or another program left, gives a claimant that nobody is.
Claimant claimant_in(const std::string& text) {
  try {
    const nlohmann::json object = nlohmann::json::parse(text);
    return {.host = object.at("host").get<std::string>(),
            .process = object.at("process").get<std::int64_t>(),
            .slurm_job = object.at("slurm_job").get<std::string>(),
            .restarts = object.at("restarts").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    return {.host = "?"};
  }
}

std::optional<Claimant> claimant_at(const PartsFolder& folder, const std::filesystem::path& path) {
  const std::optional<std::string> text = folder.text_of(path);
  return text ? std::optional(claimant_in(*text)) : std::nullopt;
}

}  // namespace

Claimant own_claimant() {
  return {.host = host_name(),
          .process = ::getpid(),
          .slurm_job = variable("SLURM_JOB_ID").value_or(""),
          .restarts =
              number_in<std::int64_t>(variable("SLURM_RESTART_COUNT").value_or("0")).value_or(0)};
}

bool is_restart(const Claimant& own, const Claimant& present) {
  return !own.slurm_job.empty() && own.slurm_job == present.slurm_job &&
         own.restarts > present.restarts;
}

std::string claimant_text(const Claimant& claimant) {
  const std::string job =
      claimant.slurm_job.empty() ? "" : fmt::format(" in Slurm's job {}", claimant.slurm_job);
  return fmt::format("process {} on {}{}", claimant.process, claimant.host, job);
}

std::optional<Claimant> claimant_of(const PartsFolder& folder, std::int64_t part) {
  return claimant_at(folder, folder.claim_path(part));
}

void refuse_claimed(const PartsFolder& folder, std::int64_t part, const Claimant& present) {
  // part.p8
  fail(ErrorKind::file, "part.p8", folder.output(),
       "a part in place must be computed by one process (--take-over, if that is dead), got part "
       "{} claimed by {}",
       part, claimant_text(present));
}

PartClaim::PartClaim(const PartsFolder& folder, std::int64_t part, TakeOver take_over)
    : folder_{folder}, path_{folder.claim_path(part)}, own_{own_claimant()} {
  if (folder.publish(path_, claimant_json(own_))) return;
  const std::optional<Claimant> present = claimant_at(folder, path_);
  const bool may_take = take_over == TakeOver::allowed || (present && is_restart(own_, *present));
  if (!may_take) refuse_claimed(folder, part, present.value_or(Claimant{.host = "?"}));
  folder.replace(path_, claimant_json(own_));
}

// Whoever took it over keeps it.
PartClaim::~PartClaim() {
  try {
    if (claimant_at(folder_, path_) == own_) folder_.files().unlink(path_);
  } catch (const std::exception&) {  // it stays, and is taken over
    return;
  }
}

}  // namespace tscatter::app
