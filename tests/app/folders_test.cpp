// No circle between folders: what a folder's files include does not come back to it.
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using std::filesystem::path;

// Of each folder those that it includes, with a file that does so.
using Inclusions = std::map<std::string, std::map<std::string, std::string>>;

// What is left when folders that include no other, or that no other includes, are taken away again
// and again. A line for each inclusion.
std::string circles_in(Inclusions inclusions) {
  for (bool is_smaller = true; is_smaller;) {
    std::set<std::string> included;
    for (const auto& [folder, others] : inclusions) {
      for (const auto& other : others) included.insert(other.first);
    }
    is_smaller = std::erase_if(inclusions, [&](const auto& each) {
                   return each.second.empty() || !included.contains(each.first);
                 }) > 0;
    for (auto& [folder, others] : inclusions)
      std::erase_if(others, [&](const auto& each) { return !inclusions.contains(each.first); });
  }
  std::string text;
  for (const auto& [folder, others] : inclusions) {
    for (const auto& [other, file] : others)
      text.append(folder).append(" includes ").append(other).append(": ").append(file).append("\n");
  }
  return text;
}

// The file in quotes that a line includes, "" for other lines. Both trees are searched for it.
path included_by(const std::string& line) {
  const std::string begin = "#include \"";
  if (!line.starts_with(begin)) return {};
  const path name = line.substr(begin.size(), line.rfind('"') - begin.size());
  return *name.begin() == "tscatter" ? "lib" / name : "app" / name;
}

// "lib/tscatter/io/files" at depth 3 is "lib/tscatter/io".
std::string folder_of(const path& file, int depth) {
  path folder;
  for (const path& part : file.parent_path()) {
    if (depth-- > 0) folder /= part;
  }
  return folder.native();
}

void add_inclusions(const path& file, int depth, Inclusions& inclusions) {
  const path source = TSCATTER_SOURCE_DIR;
  const std::string folder = folder_of(file, depth);
  std::istringstream text(read_file(source / file));
  for (std::string line; std::getline(text, line);) {
    const path included = included_by(line);
    if (included.empty() || !std::filesystem::exists(source / included)) continue;
    const std::string other = folder_of(included, depth);
    if (other != folder) inclusions[folder].emplace(other, file.native());
  }
}

Inclusions inclusions_at(int depth) {
  const path source = TSCATTER_SOURCE_DIR;
  Inclusions inclusions;
  for (const char* tree : {"lib", "app"}) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(source / tree)) {
      const std::string ending = each.path().extension();
      if (ending == ".hpp" || ending == ".cpp")
        add_inclusions(each.path().lexically_relative(source), depth, inclusions);
    }
  }
  return inclusions;
}

}  // namespace

TEST_CASE("a circle between folders is found, with the files that make it", "[app]") {
  Inclusions inclusions{{"a", {{"b", "a/x.cpp"}}}, {"b", {{"c", "b/x.cpp"}}}};
  CHECK(circles_in(inclusions).empty());
  inclusions["c"] = {{"b", "c/x.cpp"}, {"d", "c/y.cpp"}};
  CHECK(circles_in(inclusions) == "b includes c: b/x.cpp\nc includes b: c/x.cpp\n");
}

TEST_CASE("there is no circle between rooms, nor between the folders of a room", "[app]") {
  constexpr int trees = 1;  // lib and app
  constexpr int rooms = 3;
  constexpr int folders = 4;
  for (const int depth : {trees, rooms, folders}) {
    const Inclusions inclusions = inclusions_at(depth);
    CHECK(!inclusions.empty());
    const std::string circles = circles_in(inclusions);
    INFO(circles);
    CHECK(circles.empty());
  }
}

}  // namespace tscatter
