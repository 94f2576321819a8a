// Crashes at every step of a change in place by parts, of finish and of recover, and again while it
// goes on: the file becomes what the whole change makes of it, or what it was before.
// TSCATTER_SEED sets the first seed, TSCATTER_PART_CRASHES the number of changes.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "commands/parts.hpp"
#include "crash/deaths.hpp"
#include "crash/scenario.hpp"
#include "parts/part_in_place.hpp"
#include "parts/recover_parts.hpp"
#include "property/environment.hpp"

namespace tscatter::crash {
namespace {

using app::PartsFolder;
using app::PartsJob;
using app::TakeOver;
using property::Random;

constexpr std::uint64_t first_change = 20261123;

// What a user runs, in this order: parts, and at the end finish or recover.
struct Commands {
  std::vector<std::int64_t> parts;
  bool finishes = true;
};

// A scenario whose elements lie within units, computed by parts.
class PartsScenario {
 public:
  explicit PartsScenario(std::uint64_t seed)
      : scenario_{seed, Durability::power_cut}, random_{seed}, parts_{random_.between(1, 4)} {}

  // Whether it changes something, and may be cut into parts.
  bool is_of_use() const {
    SimulatedDisk disk(scenario_.image());
    const auto file = scenario_.open(disk);
    const auto size = static_cast<std::int64_t>(file->data().type().size);
    const bool has_whole_elements =
        app::least_unit % size == 0 && file->data().source().extent().value().offset % size == 0;
    return has_whole_elements && scenario_.before() != scenario_.after();
  }

  const std::string& before() const { return scenario_.before(); }
  const std::string& after() const { return scenario_.after(); }
  Image image() const { return scenario_.image(); }
  std::int64_t parts() const { return parts_; }

  // All parts and finish, or some of them and recover.
  Commands commands(Random& random) const {
    Commands commands{.parts = {}, .finishes = random.chance(60)};
    for (const std::size_t part : random_order(random, static_cast<std::size_t>(parts_))) {
      if (commands.finishes || random.chance(80))
        commands.parts.push_back(static_cast<std::int64_t>(part) + 1);
    }
    return commands;
  }

  void run_part(FileSystem& disk, std::int64_t part) const {
    const PartsFolder folder(Scenario::path, disk);
    const auto mend = [&](const File& data) {
      app::PartInPlace::mend(folder, data, {.part = part, .of = parts_}, TakeOver::allowed);
    };
    const auto file = scenario_.open(
        disk, {.recovery = Recovery::checked, .locking = Locking::by_caller, .mend = mend});
    folder.require_undecided();
    const PartsJob job{.run = static_cast<std::uint64_t>(part),
                       .parts = parts_,
                       .unit = app::least_unit,
                       .file_bytes = std::ssize(scenario_.before()),
                       .facts = {app::in_place_fact}};
    app::PartInPlace output(folder, job, part, *file, TakeOver::allowed);
    try {
      scenario_.run(*file, output, output.elements());
    } catch (const app::PartInPlace::IsDone&) {
    }
  }

  static void finish(FileSystem& disk) {
    app::finish(PartsFolder(Scenario::path, disk), {.wait = 0});
  }
  static void recover(FileSystem& disk) {
    app::recover_parts(Scenario::path, Recovery::done, TakeOver::allowed, std::nullopt, disk);
  }

  void run(FileSystem& disk, const Commands& commands) const {
    for (const std::int64_t part : commands.parts) run_part(disk, part);
    commands.finishes ? finish(disk) : recover(disk);
  }

 private:
  Scenario scenario_;
  Random random_;
  std::int64_t parts_;
};

// What a disk says of the change.
struct Found {
  std::string content;
  bool is_in_place = false;             // nothing else reads the file
  std::optional<std::string> decision;  // of finish or recover
};

Found found_on(const Image& image) {
  SimulatedDisk disk(image);
  const PartsFolder folder(Scenario::path, disk);
  return {.content = image.at(Scenario::path).content,
          .is_in_place = folder.is_in_place(),
          .decision = folder.finished()};
}

bool has_journal(const Image& image) {
  return std::ranges::any_of(image, [](const auto& each) {
    return each.first.find(".tscatter-parts/undo.") != std::string::npos;
  });
}

bool has_folder(const Image& image) {
  return std::ranges::any_of(image, [](const auto& each) {
    return each.first.find(".tscatter-parts") != std::string::npos;
  });
}

class PartsSimulation : public CrashSimulation {
 public:
  PartsSimulation(const PartsScenario& change, std::uint64_t seed)
      : CrashSimulation{seed}, change_{change}, commands_{change.commands(random_)} {}

  // Other commands than random ones.
  void give(Commands commands) { commands_ = std::move(commands); }

  // The first thing that went wrong; "" if nothing did.
  std::string run() {
    SimulatedDisk whole(change_.image(), unnamed_);
    change_.run(whole, commands_);
    const std::string& wanted = commands_.finishes ? change_.after() : change_.before();
    if (found_on(whole.after_kill()).content != wanted) return "the change itself is wrong";
    for (std::int64_t step = 0; step <= whole.steps(); ++step) {
      for (const Death& death : deaths_at(step, Durability::power_cut, random_))
        crash(death, step == whole.steps());
    }
    return wrong_;
  }

 private:
  void crash(const Death& death, bool is_over) {
    if (!wrong_.empty()) return;
    story_ = fmt::format("{} parts, {}, {}", commands_.parts.size(),
                         commands_.finishes ? "finish" : "recover", death_text(death));
    SimulatedDisk disk(change_.image(), unnamed_);
    disk.ignore_sync(ignored_sync_);
    Image image = image_after(disk, death, [&] { change_.run(disk, commands_); });
    if (is_over) require_outcome(image);
    // Dies repeatedly while the change goes on, or is taken back.
    for (int depth = random_.chance(50) ? 2 : 0; depth > 0; --depth) image = dead_on(image);
    if (wrong_.empty()) check(image);
  }

  // What `work` leaves on a disk that dies meanwhile.
  Image image_after(SimulatedDisk& disk, const Death& death, const std::function<void()>& work) {
    disk.die_after(death.steps, death.bytes_of_write);
    disk.die_quietly();
    try {
      work();
    } catch (const Error& error) {
      if (!disk.is_dead()) say(error.what());
    }
    Image image = left_by(death, disk, random_);
    require_guarded(image);
    return image;
  }

  // What commands that have ended have made stays.
  void require_outcome(const Image& image) {
    const bool is_right =
        found_on(image).content == (commands_.finishes ? change_.after() : change_.before());
    if (!is_right) say("what has ended is not what it was");
  }

  // A half changed file is read by nobody.
  void require_guarded(const Image& image) {
    const Found found = found_on(image);
    const bool is_whole = found.content == change_.before() || found.content == change_.after();
    if (!is_whole && !found.is_in_place) say("a half changed file may be read");
  }

  // One more death of what comes next.
  Image dead_on(const Image& image) {
    if (!wrong_.empty()) return image;
    const bool goes_on = random_.chance(50);
    SimulatedDisk whole(image, unnamed_);
    try {
      follow(whole, goes_on);
    } catch (const Error& error) {
      say(error.what());
    }
    const Death death = random_death(whole.steps(), Durability::power_cut, random_);
    story_ += fmt::format("; then {}, {}", goes_on ? "on" : "back", death_text(death));
    SimulatedDisk disk(image, unnamed_);
    return image_after(disk, death, [&] { follow(disk, goes_on); });
  }

  // The change goes on to its end, or is taken back; whatever was decided before stays.
  void follow(SimulatedDisk& disk, bool goes_on) const {
    const PartsFolder folder(Scenario::path, disk);
    const std::optional<std::string> decision = folder.finished();
    if (decision == app::taken_back || (!goes_on && decision != app::change_made))
      return PartsScenario::recover(disk);
    if (!decision) {
      if (has_ended(folder)) return;
      for (std::int64_t part = 1; part <= change_.parts(); ++part) change_.run_part(disk, part);
    }
    PartsScenario::finish(disk);
  }

  // Nothing is left of a change that was made.
  bool has_ended(const PartsFolder& folder) const {
    return !folder.is_in_place() && content_on(folder.files()) == change_.after();
  }
  static std::string content_on(FileSystem& disk) {
    const File file = File::open_for_reading(Scenario::path, disk);
    std::string content(static_cast<std::size_t>(file.status().st_size), '\0');
    file.read_at(0, std::as_writable_bytes(std::span(content)));
    return content;
  }

  // What must become of what was found.
  const std::string& wanted_from(const Found& found, bool goes_on) const {
    if (found.decision == app::taken_back) return change_.before();
    const bool is_made = found.decision == app::change_made ||
                         (!found.is_in_place && found.content == change_.after());
    return is_made || goes_on ? change_.after() : change_.before();
  }

  void check(const Image& image) {
    ++schedules_;
    const bool goes_on = random_.chance(50);
    const std::string& wanted = wanted_from(found_on(image), goes_on);
    try {
      SimulatedDisk disk(image, unnamed_);
      follow(disk, goes_on);
      const Found end = found_on(disk.after_kill());
      if (end.content != wanted) return say(goes_on ? "not as after" : "not as before");
      if (end.is_in_place || has_journal(disk.after_kill())) return say("something is left");
      if (!goes_on && has_folder(disk.after_kill())) return say("the folder is left");
      // A power cut right after it changes nothing.
      SimulatedDisk later(disk.after({.fate = Fate::reordered}, random_), unnamed_);
      require_guarded(later.after_kill());
      if (content_on(later) != wanted) say("the end did not last");
      PartsScenario::recover(later);
      if (content_on(later) != wanted) say("the end was taken back");
      // Nor is a part of what was taken back taken for done.
      follow(later, true);
      if (content_on(later) != change_.after()) say("it cannot be made anew");
    } catch (const Error& error) {
      say(error.what());
    }
  }

  const PartsScenario& change_;
  Commands commands_;
};

// Calls visit(scenario, seed) for so many changes that are of use.
template <class Visit>
void for_each_change(std::uint64_t first, std::uint64_t count, const Visit& visit) {
  for (std::uint64_t seed = first; count > 0; ++seed) {
    const PartsScenario change(seed);
    if (!change.is_of_use()) continue;
    --count;
    visit(change, seed);
  }
}

}  // namespace

TEST_CASE("a crash at any step of a change by parts leaves it to be made or taken back",
          "[crash]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", first_change);
  const std::uint64_t cases =
      property::extent("TSCATTER_PART_CRASHES", {.whole = 60, .sample = 10, .slowed = 2});
  std::int64_t schedules = 0;
  for_each_change(first, cases, [&](const PartsScenario& change, std::uint64_t seed) {
    PartsSimulation simulation(change, seed);
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_PART_CRASHES=1");
    CHECK(simulation.run() == "");
    schedules += simulation.schedules();
  });
  std::cout << fmt::format("crash: {} schedules of changes by parts\n", schedules);
  CHECK(schedules > static_cast<std::int64_t>(cases) * 200);
}

TEST_CASE("a change by parts whose calls fail at any step can go on", "[crash]") {
  std::int64_t failures = 0;
  for_each_change(first_change, property::is_slowed ? 2 : 10, [&](const auto& change, auto seed) {
    const UnnamedFiles unnamed = unnamed_files(seed);
    const auto insist = [](const auto& command) {
      try {
        command();
      } catch (const Error&) {
        command();
      }
    };
    const auto run = [&](SimulatedDisk& disk) {
      for (std::int64_t part = 1; part <= change.parts(); ++part)
        insist([&] { change.run_part(disk, part); });
      insist([&] { PartsScenario::finish(disk); });
    };
    SimulatedDisk whole(change.image(), unnamed);
    run(whole);
    for (std::int64_t step = 0; step < whole.steps(); ++step) {
      SimulatedDisk disk(change.image(), unnamed);
      disk.fail_at(step, ENOSPC);
      INFO("seed " << seed << ", step " << step);
      CHECK_NOTHROW(run(disk));
      CHECK(found_on(disk.after_kill()).content == change.after());
      ++failures;
    }
  });
  std::cout << fmt::format("crash: {} failing calls of changes by parts\n", failures);
}

// What is not on the disk in time: a name that is lost with the folder's own, a journal that is not
// whole, a change whose part counts as done, a decision that is gone before what it decides.
TEST_CASE("the simulator finds the syncs of a change by parts that are left out", "[crash]") {
  std::uint64_t seed = first_change;
  while (!PartsScenario(seed).is_of_use() || PartsScenario(seed).parts() != 1 || seed % 2 != 0)
    ++seed;
  const PartsScenario change(seed);
  const Commands all{.parts = {1}, .finishes = true};
  SimulatedDisk whole(change.image());
  change.run(whole, all);
  // Folder; job, in-place and claim, each with its name; journal and its name; data; marker and
  // decision, each with its name; what is removed.
  REQUIRE(whole.syncs() == 15);
  for (const std::int64_t sync : {0, 7, 8, 9, 14}) {
    const std::string found = found_without_sync(sync, [&](std::uint64_t attempt) {
      PartsSimulation simulation(change, seed + 2 * attempt);
      simulation.give(all);
      return simulation;
    });
    INFO("sync " << sync << ", seed " << seed);
    CHECK(found != "");
  }
}

}  // namespace tscatter::crash
