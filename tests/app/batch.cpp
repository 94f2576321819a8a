#include "app/batch.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include "catch.hpp"

namespace tscatter {

using nlohmann::json;

std::string case_line(const json& more) {
  json job{{"op", "ScatterNDUpdate-15"},
           {"data", {1, 2, 3}},
           {"indices", {{0}, {2}}},
           {"updates", {5, 6}}};
  job.update(more);
  return job.dump();
}

std::string named(const std::string& name, json more) {
  more["name"] = name;
  return case_line(more);
}

void BatchDirectory::write(const Strings& lines) const {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file(directory_ / "cases.jsonl", text);
}

Command with_state_in(const TemporaryDirectory& directory, Strings words) {
  return Command(std::move(words))
      .in(directory.path())
      .with_environment("XDG_STATE_HOME", (directory / ".state").native())
      .with_environment("CI", "");
}

Command BatchDirectory::command(Strings flags) const {
  return with_state_in(directory_, with_more({"batch", "cases.jsonl"}, flags));
}

Measured measured(const Command& command) {
  Running running(command);
  std::int64_t most = 0;  // the last one counts: before exec it is that of this process
  while (const std::int64_t now = running.memory()) {
    most = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {.result = running.finish(), .memory = most};
}

std::vector<json> json_lines(const std::string& text) {
  std::vector<json> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  return objects;
}

std::map<std::string, std::string> states_of(const Result& result) {
  std::map<std::string, std::string> states;
  for (const json& object : json_lines(result.out)) {
    if (object.contains("state"))
      states[object.at("name").get<std::string>()] = object.at("state").get<std::string>();
  }
  return states;
}

std::string failure_of(const std::string& line, Strings flags) {
  const BatchDirectory batch({line});
  const Result result = batch.run(std::move(flags));
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  const std::string front = "  cases.jsonl:1: ";
  const std::size_t begin = result.out.find(front) + front.size();
  return result.out.substr(begin, result.out.find('\n') - begin);
}

std::string failure_with(const json& more) { return failure_of(case_line(more)); }

void check_passes(const std::string& line) {
  const Result result = BatchDirectory({line}).run();
  CHECK(result.exit_code == 0);
  CHECK(result.out == "ok       line-1\n\n1 case: 1 passed\n");
}

}  // namespace tscatter
