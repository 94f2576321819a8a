// The table of scenarios, and the files that they begin with.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/scenario.hpp"
#include "property/random.hpp"

namespace tscatter::faults {
namespace {

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  constexpr std::size_t before = 10;  // magic, version and length
  header.resize((before + header.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  return npy_file(header + "\n", data);
}

Operands make_operands(int rows, int entries) {
  constexpr int row_bytes = 600;
  property::Random random(20261121);
  std::string body(static_cast<std::size_t>(rows) * row_bytes, '\0');
  for (char& byte : body) byte = static_cast<char>(random.bits());
  std::string result = body;
  std::string indices;
  std::string updates;
  for (int i = 0; i < entries; ++i) {
    const std::int64_t row = random.between(0, rows - 1);
    indices += little_endian(static_cast<std::int32_t>(row));
    const std::string update(row_bytes, static_cast<char>('A' + i % 26));
    result.replace(static_cast<std::size_t>(row * row_bytes), row_bytes, update);
    updates += update;
  }
  const std::string shape = fmt::format("{}, {}", rows, row_bytes);
  return {.data = npy("|u1", shape, body),
          .indices = npy("<i4", fmt::format("{}, 1", entries), indices),
          .updates = npy("|u1", fmt::format("{}, {}", entries, row_bytes), updates),
          .result = npy("|u1", shape, result)};
}

// Of two members, a and b, written by the program itself.
std::string archive_of_two() {
  const TemporaryDirectory directory;
  for (const char* name : {"a", "b"})
    output_of({"convert", "3xu8=7", (directory / "x.npz").native() + ":" + name});
  return read_file(directory / "x.npz");
}

// The place of the last call that writes: to the file itself, since everything is in the journal by
// then.
std::int64_t last_write_in_place(const Strings& words) {
  Scenario scenario("in place, to be killed", words, {{.name = "data.npy"}});
  std::int64_t last = -1;
  for (const SystemCall& call : scenario.run_whole().calls) {
    if (name_of(call) == "pwrite64") last = call.place;
  }
  return last;
}

// What two parts leave in their folder.
Snapshot finished_parts(Strings words) {
  const TemporaryDirectory directory;
  for (const auto& [name, content] : Snapshot{{"data.npy", operands().data},
                                              {"indices.npy", operands().indices},
                                              {"updates.npy", operands().updates}})
    write_file(directory / name, content);
  for (std::string& word : words) {
    if (word.starts_with("@")) word = (directory / word.substr(1)).native();
  }
  words.insert(words.end(), {"-o", directory / "out.npy", "--part", ""});
  for (const char* const part : {"1/2", "2/2"}) {
    words.back() = part;
    output_of(words);
  }
  return snapshot_of(directory / "out.npy.tscatter-parts");
}

}  // namespace

const Operands& operands() {
  static const Operands made = make_operands(1000, 12);
  return made;
}

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<std::unique_ptr<Scenario>> all_scenarios() {
  const auto with = [&](const Strings& more, const std::string& workers = "1") {
    Strings words{"ScatterNDUpdate-15", "-d", "@data.npy", "-i", "@indices.npy", "-u",
                  "@updates.npy",       "-j", workers};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<std::unique_ptr<Scenario>> all;
  const auto add = [&](const std::string& name, Strings words,
                       std::vector<Output> outputs) -> Scenario& {
    all.push_back(std::make_unique<Scenario>(name, std::move(words), std::move(outputs)));
    return *all.back();
  };
  const std::string old = npy("|u1", "3,", "old");
  add("new output", with({"-o", "@out.npy"}), {{.name = "out.npy"}});
  add("new output, --sync", with({"-o", "@out.npy", "--sync"}), {{.name = "out.npy"}});
  add("output over a file", with({"-o", "@out.npy"}), {{.name = "out.npy"}})
      .with_file("out.npy", old);
  add("output over a file, --sync", with({"-o", "@out.npy", "--sync"}), {{.name = "out.npy"}})
      .with_file("out.npy", old);
  add("output over a file, no O_TMPFILE", with({"-o", "@out.npy"}), {{.name = "out.npy"}})
      .with_file("out.npy", old)
      .without_unnamed_files();
  add("output over data", with({"-o", "@data.npy"}), {{.name = "data.npy"}});
  add("JSON output", {"convert", "[1, 2, 3]", "@out.json"}, {{.name = "out.json"}})
      .with_file("out.json", "[0]\n");
  add("in place", with({"--in-place"}), {{.name = "data.npy"}});
  add("in place, --sync", with({"--in-place", "--sync"}), {{.name = "data.npy"}});
  add("in place, --json", with({"--in-place", "--json"}), {{.name = "data.npy"}});
  add("in place, no O_TMPFILE", with({"--in-place"}), {{.name = "data.npy"}})
      .without_unnamed_files();
  add("in place, --no-journal", with({"--in-place", "--no-journal"}),
      {{.name = "data.npy", .promise = Promise::none}});
  const Operands large = make_operands(8000, 40);  // tiles enough for both workers
  const auto add_large = [&](const std::string& name, Strings words, std::vector<Output> outputs) {
    add(name, std::move(words), std::move(outputs))
        .with_file("data.npy", large.data)
        .with_file("indices.npy", large.indices)
        .with_file("updates.npy", large.updates);
  };
  add_large("new output, two workers", with({"-o", "@out.npy"}, "2"), {{.name = "out.npy"}});
  add_large("in place, two workers", with({"--in-place"}, "2"), {{.name = "data.npy"}});
  const std::int64_t last_write = last_write_in_place(with({"--in-place"}));
  const auto add_killed = [&](const std::string& name, Strings words) -> Scenario& {
    return add(name, std::move(words), {{.name = "data.npy"}})
        .after_a_kill(with({"--in-place"}), last_write);
  };
  add_killed("recover", {"recover", "@data.npy"});
  add_killed("recover -n", {"recover", "-n", "@data.npy"}).changing_nothing();
  add_killed("in place after a kill", with({"--in-place"}))
      .saying_first("rolled back a run in place that was killed: 7,200 bytes in 12 ranges");
  const std::string parts = "out.npy.tscatter-parts";
  add("a part of two", with({"-o", "@out.npy", "--unit", "4K", "--part", "2/2"}),
      {{.name = parts + "/job", .promise = Promise::readable, .begin = "{\"run\":", .end = "}}\n"},
       {.name = parts + "/data", .promise = Promise::none},
       {.name = parts + "/done.0002",
        .promise = Promise::readable,
        .begin = "{\"run\":",
        .end = "]}\n"}});
  Scenario& finish =
      add("finish", {"finish", "@out.npy", "--wait", "0"}, {{.name = "out.npy"}}).consuming(parts);
  for (const auto& [name, content] : finished_parts(with({"--unit", "4K"})))
    finish.with_file(parts + "/" + name, content);
  add("generate", {"generate", "ScatterUpdate-3", "--count", "2", "--seed", "1", "-o", "@suite"},
      {})
      .filling("suite");
  const std::string archive = archive_of_two();
  add("new archive", with({"-o", "@out.npz:a"}), {{.name = "out.npz"}});
  add("member of an archive", with({"-o", "@out.npz:a"}), {{.name = "out.npz"}})
      .with_file("out.npz", archive);
  const std::string golden_case =
      R"({"op": "ScatterNDUpdate-15", "data": "data.npy", "indices": "indices.npy", )"
      R"("updates": "updates.npy", "expected": "golden.npy"})"
      "\n";
  const std::string member_case =
      R"({"op": "ScatterUpdate-3", "data": [1, 2], "indices": [0], "updates": [5], "axis": 0, )"
      R"("expected": "golden.npz:a"})"
      "\n";
  add("batch, --update-golden",
      {"batch", "@cases.jsonl", "-j", "1", "--update-golden", "--unreferenced", "ignore"},
      {{.name = "golden.npy"}, {.name = "golden.npz"}})
      .with_file("cases.jsonl", golden_case + member_case)
      .with_file("golden.npy", old)
      .with_file("golden.npz", archive)
      .in_batch();
  add("batch, --junit and --html",
      {"batch", "@cases.jsonl", "-j", "1", "--junit", "@report.xml", "--html", "@report.html"},
      {{.name = "report.xml",
        .promise = Promise::readable,
        .begin = "<?xml",
        .end = "</testsuites>\n"},
       {.name = "report.html",
        .promise = Promise::readable,
        .begin = "<!DOCTYPE html>",
        .end = "</html>\n"}})
      .with_file("cases.jsonl", golden_case)
      .with_file("golden.npy", operands().result)
      .with_file("report.xml", "<testsuites/>")
      .in_batch();
  const std::string in_place_case =
      R"({"op": "ScatterNDUpdate-15", "data": "data.npy", "indices": "indices.npy", )"
      R"("updates": "updates.npy", "in_place": true})"
      "\n";
  add("batch, in place", {"batch", "@cases.jsonl", "-j", "1"}, {{.name = "data.npy"}})
      .with_file("cases.jsonl", in_place_case)
      .in_batch()
      .in_place();
  return all;
}

}  // namespace tscatter::faults
