#include "app/batch_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "property/random.hpp"

namespace tscatter::planned {
namespace {

using nlohmann::json;

// A name in the directory and its file, written down by hand: the oracle resolves nothing.
struct Name {
  std::string path;
  std::string file;
  std::string member = {};
};

const std::vector<Name> tensors{
    {"a.npy", "a"},          {"./a.npy", "a"},     {"sub/../a.npy", "a"},
    {"link.npy", "a"},       {"b.npy", "b"},       {"hard.npy", "b"},
    {"way/../b.npy", "b"},   {"want.npy", "want"}, {"new.npy", "new"},
    {"dangling.npy", "new"}, {"sub/e.npy", "e"},   {"way/e.npy", "e"},
    {"sub/n.npy", "n"},      {"way/n.npy", "n"},   {"a.npy.tscatter-undo", "a's journal"},
    {"cases.jsonl", "cases"}};
const std::vector<Name> members{{"m.npz:x", "m", "x"},     {"./m.npz:x.npy", "m", "x"},
                                {"mlink.npz:x", "m", "x"}, {"m.npz:y", "m", "y"},
                                {"mlink.npz:z", "m", "z"}, {"m.npz", "m"}};

// Raw bytes of the same files, which are only read: their file as a whole.
const std::vector<Name> raws{{"3xi64=@a.npy+128", "a"},
                             {"3xi64=@./link.npy+128", "a"},
                             {"3xi64=@hard.npy+128", "b"},
                             {"3xi64=@way/e.npy+128", "e"},
                             {"3xi64=@sub/../want.npy+0", "want"},
                             {"3xi64=@m.npz+0", "m"},
                             {"3xi64=@./mlink.npz+8", "m"}};

// Links to the same files, for reports: these do not take names that end in .npy.
const std::vector<Name> reports{
    {"to_a", "a"},           {"sub/../to_a", "a"}, {"to_b", "b"},     {"to_want", "want"},
    {"to_e", "e"},           {"to_n", "n"},        {"to_new", "new"}, {"to_journal", "a's journal"},
    {"cases.jsonl", "cases"}};

bool is_write(const Use& use) { return use.deed >= Deed::keeps; }

bool overlap(const Use& one, const Use& other) {
  if (one.file != other.file) return false;
  return one.member.empty() || other.member.empty() || one.member == other.member;
}

// Whether both are allowed, though they overlap.
bool agree(const Use& one, const Use& other) {
  const std::set<Deed> deeds{one.deed, other.deed};
  if (!is_write(one) && !is_write(other)) return true;
  if (deeds == std::set{Deed::keeps}) return true;
  return one.member == other.member &&
         (deeds == std::set{Deed::updates} || deeds == std::set{Deed::updates, Deed::compares});
}

// Makes a random plan.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_{seed} {}

  Plan plan() {
    use(0, Deed::reads, {"cases.jsonl", "cases"});
    updates_ = flag(40, "--update-golden");
    if (random_.chance(30)) keeps_in_ = random_.among<std::string>({".", "sub", "way", "kept"});
    if (!keeps_in_.empty()) add_flag("--failed-dir", keeps_in_);
    for (const char* name : {"--junit", "--html", "XML_OUTPUT_FILE", "TEST_SHARD_STATUS_FILE"}) {
      if (!random_.chance(12)) continue;
      const Name report = random_.among(reports);
      use(0, Deed::writes, report);
      if (*name == '-') {
        add_flag(name, report.path);
      } else {
        plan_.environment[name] = report.path;
      }
    }
    const int count = static_cast<int>(random_.between(1, 4));
    for (int line = 1; line <= count; ++line) add_case(line);
    return plan_;
  }

 private:
  bool flag(int percent, const std::string& name) {
    const bool is_given = random_.chance(percent);
    if (is_given) plan_.flags.push_back(name);
    return is_given;
  }

  void add_flag(const std::string& name, const std::string& value) {
    plan_.flags.push_back(name);
    plan_.flags.push_back(value);
  }

  void use(int line, Deed deed, const Name& name) {
    plan_.uses.push_back({.line = line, .deed = deed, .file = name.file, .member = name.member});
  }

  const Name& tensor() { return random_.among(random_.chance(25) ? members : tensors); }

  void add_case(int line) {
    const Strings names{"a", "b", "e", "n", "new", "want"};
    const std::string& name = names[static_cast<std::size_t>(line + shift_) % names.size()];
    case_ = {{"op", "ScatterNDUpdate-15"},
             {"name", name + (random_.chance(50) ? "" : "x")},
             {"data", {1, 2, 3}},
             {"indices", {{0}, {2}}},
             {"updates", {5, 6}}};
    line_ = line;
    if (random_.chance(20)) put("indices", Deed::reads);
    switch (random_.between(1, 6)) {
      case 1: add_writer(); break;
      case 2: add_change(); break;
      case 3: add_judged(); break;
      case 4: add_refused(); break;
      default: add_golden(); break;
    }
    plan_.lines.push_back(case_.dump());
  }

  void put(const char* key, Deed deed) {
    const bool is_raw = deed != Deed::writes && random_.chance(15);
    const Name& name = is_raw ? random_.among(raws) : tensor();
    case_[key] = name.path;
    use(line_, is_raw ? Deed::reads : deed, name);
  }

  void add_writer() {
    if (random_.chance(60)) put("data", Deed::reads);
    put("output", Deed::writes);
  }

  void add_change() {
    const Name& data = random_.among(tensors);
    case_["data"] = data.path;
    case_["in_place"] = true;
    case_["no_journal"] = data.file != "a" || random_.chance(50);
    use(line_, Deed::writes, data);
    if (case_["no_journal"] == false) use(line_, Deed::writes, {"", "a's journal"});
  }

  void add_judged() {
    put("actual", Deed::reads);
    if (random_.chance(50)) put("data", Deed::reads);
    if (random_.chance(50)) case_["expected"] = {5, 2, 6};
  }

  void add_refused() {
    put("data", Deed::reads);
    case_["expected_error"] = "npy.f1";
    if (random_.chance(50)) case_["output"] = tensor().path;
  }

  void add_golden() {
    if (random_.chance(60)) put("data", Deed::reads);
    const bool is_known = random_.chance(10);
    if (is_known) case_["xfail"] = "x";
    put("expected", updates_ && !is_known ? Deed::updates : Deed::compares);
    if (random_.chance(20)) put("output", Deed::writes);
    if (keeps_in_.empty() || is_known) return;
    const std::string name = case_["name"].get<std::string>() + ".npy";
    const std::string directory = keeps_in_ == "way" ? "sub" : keeps_in_;
    const std::string path = directory == "." ? name : directory + "/" + name;
    const auto known = std::ranges::find(tensors, path, &Name::path);
    use(line_, Deed::keeps, known == tensors.end() ? Name{path, path} : *known);
  }

  property::Random random_;
  Plan plan_;
  json case_;
  int line_ = 0;
  std::int64_t shift_ = random_.between(0, 5);
  bool updates_ = false;
  std::string keeps_in_;
};

}  // namespace

std::string Plan::text() const { return fmt::format("{}\n", fmt::join(lines, "\n")); }

bool Plan::meets_command() const {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const bool is_of_command =
          is_write(uses[i]) && (uses[i].line == 0 || uses[i].deed == Deed::keeps);
      if (i != k && is_of_command && overlap(uses[i], uses[k]) && !agree(uses[i], uses[k]))
        return true;
    }
  }
  return false;
}

std::set<int> Plan::refused() const {
  std::set<int> found;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (i == k || !is_write(uses[i]) || !overlap(uses[i], uses[k]) || agree(uses[i], uses[k]))
        continue;
      const bool is_whole = uses[i].member.empty() && !uses[k].member.empty();
      const bool is_second = is_write(uses[k]) && uses[k].deed == Deed::writes && k < i &&
                             uses[i].member == uses[k].member;
      const bool is_read = !is_write(uses[k]) || uses[k].deed == Deed::updates;
      const bool is_golden = uses[i].deed == Deed::updates;
      if (is_read || is_whole || (is_second && !is_golden)) found.insert(uses[i].line);
    }
  }
  return found;
}

bool Plan::is_read(const std::string& file, const std::string& member) const {
  const Use wanted{.line = 0, .deed = Deed::reads, .file = file, .member = member};
  const auto has = [&](Deed deed) {
    return std::ranges::any_of(
        uses, [&](const Use& use) { return use.deed == deed && overlap(use, wanted); });
  };
  return has(Deed::reads) || (has(Deed::compares) && !has(Deed::updates));
}

Plan random_plan(std::uint64_t seed) { return Maker(seed).plan(); }

}  // namespace tscatter::planned
