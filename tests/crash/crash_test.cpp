// Crashes at every step of a change in place, of its rollback, and of a second rollback: the file
// is always exactly what it was before or after the change. TSCATTER_SEED sets the first seed,
// TSCATTER_CRASHES the number of changes; a failure names the seed of its change.
#include <fmt/format.h>

#include <cerrno>
#include <functional>
#include <iostream>
#include <string>

#include "catch.hpp"
#include "crash/deaths.hpp"
#include "crash/scenario.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter::crash {
namespace {

using property::Random;

constexpr std::uint64_t default_seed = 20261121;
constexpr std::uint64_t default_cases = 60;

bool has_journal(const Image& image) {
  return image.contains(undo_journal_path(Scenario::path).native());
}

class Simulation : public CrashSimulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed)
      : CrashSimulation{seed}, scenario_{scenario} {}

  // The first thing that went wrong; "" if nothing did.
  std::string run() {
    SimulatedDisk whole(scenario_.image(), unnamed_);
    scenario_.run(whole);
    const std::int64_t steps = whole.steps();
    if (content(whole.after_kill()) != scenario_.after()) return "the change itself is wrong";
    for (const std::int64_t step : steps_to_die_at(steps)) {
      for (const Death& death : deaths_at(step, scenario_.durability(), random_))
        crash_change(death, step == steps);
    }
    return wrong_;
  }

 private:
  // All steps, or so few that no change takes too long. The last one is the end.
  std::vector<std::int64_t> steps_to_die_at(std::int64_t steps) {
    constexpr std::int64_t most = 40;
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < std::min(steps, most); ++i)
      chosen.push_back(steps <= most ? i : random_.between(0, steps - 1));
    chosen.push_back(steps);
    return chosen;
  }

  static const std::string& content(const Image& image) { return image.at(Scenario::path).content; }

  // What `work` leaves on the disk after this death.
  Image image_of(const Image& begin, const Death& death,
                 const std::function<void(SimulatedDisk&)>& work) {
    SimulatedDisk disk(begin, unnamed_);
    disk.die_after(death.steps, death.bytes_of_write);
    try {
      work(disk);
    } catch (const Crash&) {
    }
    return left_by(death, disk, random_);
  }

  void crash_change(const Death& death, bool is_finished) {
    if (!wrong_.empty()) return;
    story_ = death_text(death);
    const Image left = image_of(scenario_.image(), death, [&](SimulatedDisk& disk) {
      disk.ignore_sync(ignored_sync_);
      scenario_.run(disk);
    });
    if (is_finished) {
      check(left, [&](const std::string& found) { return found == scenario_.after(); });
    } else {
      check(left, [&](const std::string& found) {
        return found == scenario_.before() || found == scenario_.after();
      });
    }
    // Dies repeatedly during the rollback.
    Image image = left;
    for (int depth = 0; depth < 3 && wrong_.empty(); ++depth) {
      const Death next = random_death(steps_of_rollback(image), scenario_.durability(), random_);
      story_ += "; then " + death_text(next);
      image = image_of(image, next,
                       [](SimulatedDisk& disk) { recover(Scenario::path, Recovery::done, disk); });
      check(image, [&](const std::string& found) {
        return found == scenario_.before() || found == scenario_.after();
      });
    }
  }

  static std::int64_t steps_of_rollback(const Image& image) {
    SimulatedDisk disk(image);
    try {
      recover(Scenario::path, Recovery::done, disk);
    } catch (const Error&) {
      return 0;  // found by check()
    }
    return disk.steps();
  }

  // Recovers in one of the two ways and checks the file, also after one more death right after the
  // recovery.
  void check(const Image& image, const std::function<bool(const std::string&)>& is_right) {
    if (!wrong_.empty()) return;
    ++schedules_;
    try {
      SimulatedDisk disk(image);
      if (random_.chance(50)) {
        recover(Scenario::path, Recovery::done, disk);
      } else {
        scenario_.open(disk);
      }
      const Image recovered = disk.after_kill();
      if (has_journal(recovered)) return say("a journal is left");
      if (!is_right(content(recovered))) return say("the file is neither before nor after");
      if (scenario_.durability() == Durability::kill) return;
      const Image later = disk.after({.fate = Fate::reordered}, random_);
      SimulatedDisk again(later);
      recover(Scenario::path, Recovery::done, again);
      if (content(again.after_kill()) != content(recovered)) say("the recovery did not last");
    } catch (const Error& error) {
      say(error.what());
    }
  }

  const Scenario& scenario_;
};

// Damages the header, the records, the end, or several of them; sometimes all of the file.
void damage(std::string& journal, Random& random) {
  constexpr std::int64_t header = 64;
  const auto flip = [&](std::int64_t end) {
    char& byte = journal[static_cast<std::size_t>(random.between(0, end - 1))];
    byte = static_cast<char>(byte ^ (1 << random.between(0, 7)));
  };
  const auto size = [&] { return std::ssize(journal); };
  if (random.chance(50)) flip(header);
  if (random.chance(30)) flip(size());
  if (random.chance(60)) {
    const std::int64_t cut = random.chance(30) ? random.among(std::vector<std::int64_t>{0, header})
                                               : random.between(0, size());
    journal.resize(static_cast<std::size_t>(cut));
  }
  if (random.chance(10)) journal += random.chance(50) ? "more" : std::string(48, '\0');
  if (random.chance(5)) journal = "precious notes";
}

// A power-cut scenario that changes something, in several writes.
std::uint64_t changing_seed(std::uint64_t seed) {
  for (;; ++seed) {
    const Scenario scenario(seed, Durability::power_cut);
    SimulatedDisk disk(scenario.image());
    scenario.run(disk);
    if (disk.syncs() > 1 && disk.steps() > 16 && scenario.before() != scenario.after()) return seed;
  }
}

}  // namespace

TEST_CASE("a crash at any step leaves the file as before or as after", "[crash]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", default_seed);
  const std::uint64_t cases = property::extent(
      "TSCATTER_CRASHES", {.whole = default_cases, .sample = default_cases, .slowed = 8});
  std::int64_t kills = 0;
  std::int64_t cuts = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    for (const Durability durability : {Durability::kill, Durability::power_cut}) {
      const Scenario scenario(seed, durability);
      Simulation simulation(scenario, seed);
      INFO("TSCATTER_SEED=" << seed << " TSCATTER_CRASHES=1");
      CHECK(simulation.run() == "");
      (durability == Durability::kill ? kills : cuts) += simulation.schedules();
    }
  }
  std::cout << fmt::format("crash: {} schedules of kills, {} of power cuts, seeds {} to {}\n",
                           kills, cuts, first, first + cases - 1);
  const bool is_default = cases >= default_cases;
  if (is_default) CHECK(kills + cuts >= 10000);
}

TEST_CASE("the simulator finds every sync of a change that is left out", "[crash]") {
  const std::uint64_t seed =
      changing_seed(property::from_environment("TSCATTER_SEED", default_seed));
  const Scenario scenario(seed, Durability::power_cut);
  SimulatedDisk whole(scenario.image());
  scenario.run(whole);
  // Journal, its name, data, removal of the name.
  REQUIRE(whole.syncs() == 4);
  for (std::int64_t sync = 0; sync < whole.syncs(); ++sync) {
    const std::string found = found_without_sync(
        sync, [&](std::uint64_t attempt) { return Simulation(scenario, seed + attempt); });
    INFO("sync " << sync << ", seed " << seed);
    CHECK(found != "");
  }
}

TEST_CASE("a change that fails at any step is rolled back at once", "[crash]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", default_seed);
  std::int64_t failures = 0;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    for (const Durability durability : {Durability::kill, Durability::power_cut}) {
      const Scenario scenario(seed, durability);
      const UnnamedFiles unnamed = unnamed_files(seed);
      SimulatedDisk whole(scenario.image(), unnamed);
      scenario.run(whole);
      for (std::int64_t step = 0; step < whole.steps(); ++step) {
        SimulatedDisk disk(scenario.image(), unnamed);
        disk.fail_at(step, ENOSPC);
        INFO("seed " << seed << ", step " << step);
        CHECK_THROWS_AS(scenario.run(disk), Error);
        // The change has been made only if the very last sync fails.
        const bool is_last = durability == Durability::power_cut && step + 1 == whole.steps();
        const Image left = disk.after_kill();
        CHECK(left.size() == 1);
        CHECK(left.at(Scenario::path).content == (is_last ? scenario.after() : scenario.before()));
        ++failures;
      }
    }
  }
  std::cout << fmt::format("crash: {} failing calls\n", failures);
}

TEST_CASE("undo.u6: a rollback that cannot write says so, and the next one ends it", "[crash]") {
  const Scenario scenario(changing_seed(default_seed), Durability::power_cut);
  SimulatedDisk whole(scenario.image());
  scenario.run(whole);
  SimulatedDisk dying(scenario.image());
  dying.die_after(whole.steps() - 3);  // the data is written, and not yet synced
  CHECK_THROWS_AS(scenario.run(dying), Crash);
  SimulatedDisk rollback(dying.after_kill());
  recover(Scenario::path, Recovery::done, rollback);
  for (std::int64_t step = 0; step < rollback.steps(); ++step) {
    SimulatedDisk disk(dying.after_kill());
    disk.fail_at(step, EIO);
    const std::string refused = refusal([&] { recover(Scenario::path, Recovery::done, disk); });
    CHECK(refused.ends_with("[undo.u6]"));
    if (step == 0) {
      CHECK(refused ==
            "/disk/x.npy: the old bytes cannot be restored: input/output error [undo.u6]");
    }
    recover(Scenario::path, Recovery::done, disk);
    CHECK(disk.after_kill() == scenario.image());
  }
}

TEST_CASE("undo.u4: a journal that is damaged anywhere is neither applied nor removed", "[crash]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", default_seed);
  std::int64_t damages = 0;
  for (std::uint64_t seed = first; seed < first + 200; ++seed) {
    Random random(seed);
    const Scenario scenario(seed, Durability::kill);
    SimulatedDisk whole(scenario.image());
    scenario.run(whole);
    SimulatedDisk dying(scenario.image());
    dying.die_after(random.between(0, whole.steps()));
    try {
      scenario.run(dying);
    } catch (const Crash&) {
    }
    const Image left = dying.after_kill();
    if (!has_journal(left)) continue;
    for (int i = 0; i < 40; ++i) {
      Image image = left;
      std::string& journal = image.at(undo_journal_path(Scenario::path).native()).content;
      const std::string intact = journal;
      damage(journal, random);
      if (journal == intact) continue;
      ++damages;
      SimulatedDisk disk(image);
      INFO("TSCATTER_SEED=" << seed << ", damage " << i);
      CHECK(refusal([&] { recover(Scenario::path, Recovery::done, disk); }).ends_with("[undo.u4]"));
      CHECK(refusal([&] { scenario.run(disk); }).ends_with("[undo.u4]"));
      CHECK(disk.after_kill() == image);
    }
  }
  std::cout << fmt::format("crash: {} damaged journals\n", damages);
  CHECK(damages >= 1000);
}

TEST_CASE("a change of nothing touches nothing", "[crash]") {
  Scenario scenario(0, Durability::kill);
  for (std::uint64_t seed = 1; scenario.before() != scenario.after() || seed == 1; ++seed)
    scenario = Scenario(seed, Durability::kill);
  SimulatedDisk disk(scenario.image());
  scenario.run(disk);
  CHECK(disk.steps() == 0);
}

}  // namespace tscatter::crash
