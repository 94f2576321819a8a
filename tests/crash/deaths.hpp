// The ways in which a disk may die, and what simulations of them share.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crash/simulated_disk.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::crash {

// By a kill, or by a power cut.
struct Death {
  std::int64_t steps = 0;
  std::size_t bytes_of_write = 0;
  std::optional<PowerCut> cut = std::nullopt;  // a kill
};

inline std::string death_text(const Death& death) {
  if (!death.cut) return fmt::format("kill after {}+{}", death.steps, death.bytes_of_write);
  return fmt::format("power cut after {}, fate {}, sectors of {}", death.steps,
                     static_cast<int>(death.cut->fate), death.cut->sector);
}

// Every way to die at one step.
inline std::vector<Death> deaths_at(std::int64_t step, Durability durability,
                                    property::Random& random) {
  std::vector<Death> deaths{{.steps = step}};
  for (const std::int64_t unit : {1, 512, 4096})
    deaths.push_back(
        {.steps = step, .bytes_of_write = static_cast<std::size_t>(random.between(1, 9) * unit)});
  if (durability == Durability::kill) return deaths;
  for (const std::size_t sector : {512U, 4096U}) {
    for (const Fate fate :
         {Fate::kept, Fate::dropped, Fate::ordered, Fate::ordered, Fate::reordered, Fate::reordered,
          Fate::reordered, Fate::garbled, Fate::garbled, Fate::garbled})
      deaths.push_back({.steps = step, .cut = PowerCut{.fate = fate, .sector = sector}});
  }
  return deaths;
}

inline Death random_death(std::int64_t steps, Durability durability, property::Random& random) {
  return random.among(deaths_at(random.between(0, steps), durability, random));
}

// What is left then.
inline Image left_by(const Death& death, const SimulatedDisk& disk, property::Random& random) {
  return death.cut ? disk.after(*death.cut, random) : disk.after_kill();
}

// Whether the disk of a change has files without a name.
inline UnnamedFiles unnamed_files(std::uint64_t seed) {
  return seed % 2 == 0 ? UnnamedFiles::possible : UnnamedFiles::missing;
}

// Random deaths of a change, and the first thing that went wrong.
class CrashSimulation {
 public:
  explicit CrashSimulation(std::uint64_t seed) : unnamed_{unnamed_files(seed)}, random_{seed} {}

  // Makes one sync of the change do nothing.
  void ignore_sync(std::int64_t number) { ignored_sync_ = number; }

  std::int64_t schedules() const { return schedules_; }

 protected:
  void say(const std::string& what) {
    if (wrong_.empty()) wrong_ = what + ": " + story_;
  }

  UnnamedFiles unnamed_;
  property::Random random_;
  std::int64_t ignored_sync_ = -1;
  std::int64_t schedules_ = 0;
  std::string story_;
  std::string wrong_;
};

// What goes wrong where one sync does nothing; "" if 20 simulations find nothing.
template <class SimulationOf>
std::string found_without_sync(std::int64_t sync, const SimulationOf& simulation_of) {
  std::string found;
  for (std::uint64_t attempt = 0; attempt < 20 && found.empty(); ++attempt) {
    auto simulation = simulation_of(attempt);
    simulation.ignore_sync(sync);
    found = simulation.run();
  }
  return found;
}

}  // namespace tscatter::crash
