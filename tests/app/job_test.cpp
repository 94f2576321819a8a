// tscatter run: jobs as JSON.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::string job = R"({"op": "ScatterUpdate-3", "data": {"dtype": "u8", "data": [0, 0, 0]},
                            "indices": [1], "updates": [7], "axis": 0})";

Result run_text(const std::string& text, Strings flags = {}) {
  Strings words = with_more({"run", "-"}, flags);
  return Command(words).with_input(text).run();
}

std::string refused_job(const std::string& text) {
  return refusal_of(2, Command("run -").with_input(text));
}

// The job with one member added or replaced.
std::string job_with(const std::string& key, const std::string& value) {
  json object = json::parse(job);
  object[key] = json::parse(value);
  return object.dump();
}

}  // namespace

TEST_CASE("a job is run from a file or stdin", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "job.json", job);
  CHECK(output_of({"run", directory / "job.json"}) == "[0, 7, 0]\n");
  CHECK(run_text(job).out == "[0, 7, 0]\n");
  CHECK(run_text(job_with("op", "\"scatter_update\"")).out == "[0, 7, 0]\n");
  CHECK(run_text(job_with("output", "\"-\""), {"--format", "json"}).out ==
        "{\"dtype\": \"uint8\", \"shape\": [3], \"data\": [0, 7, 0]}\n");
  CHECK(json::parse(run_text(job, {"-n", "--json"}).out).at("op") == "ScatterUpdate-3");
}

TEST_CASE("every key of a job is obeyed", "[app]") {
  const std::string text = R"({"op": "ScatterNDUpdate", "data": [1, 2], "indices": [[0], [0]],
    "updates": [10, 20], "reduction": "sum", "dtype": "f32", "threads": 2, "sync": false})";
  CHECK(run_text(text).out == "[31.0, 2.0]\n");
  CHECK(run_text(R"({"op": "SliceScatter-15", "data": [0, 0, 0], "updates": [5], "start": [-1],
    "stop": [3], "step": [1], "axes": [0]})")
            .out == "[0, 0, 5]\n");
}

TEST_CASE("a value of -0 in a job is -0.0 in a real dtype", "[app]") {
  CHECK(run_text(R"({"op": "ScatterUpdate-3", "data": {"dtype": "f32", "data": [0, -0]},
    "indices": [-0], "updates": [-0], "axis": -0})")
            .out == "[-0.0, -0.0]\n");
}

TEST_CASE("run says that it does not look at what a case expects", "[app]") {
  const std::string warning =
      "tscatter: warning: <stdin>: run applies the operation; what the case expects is for "
      "tscatter batch\n";
  const std::string front =
      R"({"op": "ScatterUpdate-3", "data": [1, 2], "indices": [0], "updates": [5], "axis": 0)";
  for (const char* key : {R"("expected": [1])", R"("actual": "no.npy")", R"("skip": "later")",
                          R"("expected_error": "scatter_update_3.c4")"}) {
    const Result result = run_text(front + ", " + key + "}");
    CHECK(result.out == "[5, 2]\n");
    CHECK(result.err == warning);
  }
  CHECK(run_text(front + R"(, "tags": ["t"]})").err.empty());
}

TEST_CASE("job.j9, job.j14: run refuses what says how a result is judged, where none is", "[app]") {
  const std::string front =
      R"({"op": "ScatterUpdate-3", "data": [1, 2], "indices": [0], "updates": [5], "axis": 0, )";
  for (const auto& [key, label] :
       std::vector<std::pair<std::string, std::string>>{{R"("nan": "propagate")", "[job.j14]"},
                                                        {R"("ftz": true)", "[job.j14]"},
                                                        {R"("zeros": "any")", "[job.j14]"},
                                                        {R"("nan_bits": "any")", "[job.j14]"},
                                                        {R"("rtol": 1)", "[job.j9]"}}) {
    INFO(key);
    CHECK(refusal_of(2, Command("run -").with_input(front + key + "}")).ends_with(label));
  }
}

TEST_CASE("a job's paths are relative to its file", "[app]") {
  const Folder folder;
  std::filesystem::create_directory(folder / "jobs");
  folder.put("jobs/d.npy",
             npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "abc"));
  const std::string text =
      R"({"op": "ScatterUpdate", "data": "d.npy", "indices": [1], "updates": [66], "axis": 0,
          "output": "o.npy"})";
  folder.put("jobs/job.json", text);
  CHECK(folder.run("run jobs/job.json").exit_code == 0);
  CHECK(folder.text("jobs/o.npy").ends_with("aBc"));
  CHECK(Command("run -").in(folder / "jobs").with_input(text).run().exit_code == 0);
  CHECK(refusal_of(3, folder.command("run -").with_input(text)) ==
        "d.npy: data cannot be opened: no such file or directory [file.f1]");
}

TEST_CASE("raw bytes are a value of a job, and data in place", "[app]") {
  const Folder folder;
  folder.put("x+8", std::string("....\0\1\0\2\0\3\0\4??", 14));
  const auto run_with = [&](const std::string& data, const std::string& key,
                            const std::string& value) {
    json object = json::parse(job);
    object["data"] = json::parse(data);
    object["updates"] = 9;
    object["indices"] = 1;
    if (!key.empty()) object[key] = json::parse(value);
    return folder.command("run -").with_input(object.dump()).run();
  };
  const std::string part = R"("raw": "x+8", "dtype": "u16", "shape": )";
  CHECK(run_with("{" + part + R"([4], "offset": 4, "byte_order": "big"})", "", "").out ==
        "[1, 9, 3, 4]\n");
  CHECK(run_with("{" + part + R"([4], "offset": 4})", "", "").out == "[256, 9, 768, 1024]\n");
  const std::string square =
      "{" + part + R"([2, 2], "offset": 4, "byte_order": "big", "order": "fortran"})";
  CHECK(run_with(square, "updates", "[7, 8]").out == "[[1, 3],\n [7, 8]]\n");
  CHECK(run_with("{" + part + R"([4], "offset": 4, "byte_order": "big"})", "in_place", "true")
            .exit_code == 0);
  CHECK(folder.text("x+8") == std::string("....\0\1\0\11\0\3\0\4??", 14));
  CHECK(run_with("{" + part + R"([7]})", "", "").err ==
        "tscatter: <stdin>: data: a raw file whose name ends like an offset or an order must be "
        "given with an offset, got x+8 [cli.c104]\n");
}

TEST_CASE("cli.c104: raw bytes are an operand of a flag as an object, too", "[app]") {
  const Folder folder;
  folder.put("x", std::string("....\0\1\0\2\0\3\0\4", 12));
  const auto run_with = [&](const std::string& data, const Strings& more = {}) {
    Strings words =
        with_more({"ScatterUpdate-3", "-d", data, "-i", "1", "-u", "9", "-a", "0"}, more);
    return folder.run(words);
  };
  const std::string square = R"({"raw": "x", "dtype": "u16", "shape": [2, 2], "offset": 4,
                                 "byte_order": "big", "order": "fortran"})";
  CHECK_THAT(run_with(square).err, contains("updates must have shape"));
  const std::string line =
      R"({"raw": "x", "dtype": "u16", "shape": [4], "offset": 4, "byte_order": "big"})";
  CHECK(run_with(line).out == "[1, 9, 3, 4]\n");
  CHECK(run_with(line, {"--in-place"}).exit_code == 0);
  CHECK(folder.text("x") == std::string("....\0\1\0\11\0\3\0\4", 12));
  CHECK(folder.run({"compare", line, "[1, 9, 3, 4]", "--dtype", "u16"}).exit_code == 0);
  CHECK(run_with(R"({"raw": "x", "dtype": "u16"})").err ==
        "tscatter: --data: raw bytes need shape, a list of sizes >= 0 [cli.c104]\n");
  // Not an object of raw bytes, but a tensor that is one in no other way.
  CHECK(run_with(R"({"dtype": "u16", "data": [1, 2], "raw)").exit_code == 2);
}

TEST_CASE("cli.c104: raw bytes in a job say what they are", "[app]") {
  const auto wrong = [](const std::string& members) {
    return refused_job(job_with("data", "{" + members + "}"));
  };
  const std::string begin = "<stdin>: data: raw bytes must have ";
  CHECK(wrong(R"("raw": "x")") ==
        "<stdin>: data: raw bytes need dtype, the name of a dtype [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32")") ==
        "<stdin>: data: raw bytes need shape, a list of sizes >= 0 [cli.c104]");
  CHECK(wrong(R"("raw": 7, "dtype": "f32", "shape": [1])") ==
        begin + "raw as a path, got 7 [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "2xf32", "shape": [1])") ==
        begin + "dtype as the name of a dtype, got \"2xf32\" [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32", "shape": [-1])") ==
        begin + "shape as a list of sizes >= 0, got [-1] [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32", "shape": [1], "offset": 1.5)") ==
        begin + "offset as an integer >= 0, got 1.5 [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32", "shape": [1], "byte_order": "be")") ==
        begin + "byte_order as little or big, got \"be\" [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32", "shape": [1], "order": "f")") ==
        begin + "order as c or fortran, got \"f\" [cli.c104]");
  CHECK(wrong(R"("raw": "x", "dtype": "f32", "shape": [1], "data": [1])") ==
        begin +
            "the keys raw, dtype and shape, and may have offset, byte_order and order, got data "
            "[cli.c104]");
}

TEST_CASE("a string in a job is a path, not a literal", "[app]") {
  CHECK(refusal_of(3, Command("run -").with_input(job_with("data", "\"3xu8=0\""))) ==
        "3xu8=0: data cannot be opened (a job has no literals: write {\"dtype\": \"float32\", "
        "\"data\": [1, 2]}): no such file or directory [file.f1]");
}

TEST_CASE("job.j1: text that is no JSON object, or has a key twice, is refused", "[app]") {
  CHECK(refused_job("[1]") == "<stdin>: a job must be a JSON object, got array [job.j1]");
  CHECK(refused_job("").ends_with("[job.j1]"));
  CHECK(refused_job("{\"op\": ")
            .starts_with("<stdin>: a job must be a JSON object (a bracket is not closed), got "));
  CHECK(refused_job("{\"op\": 1, \"op\": 2}") ==
        "<stdin>: the key \"op\" occurs twice in a job [job.j1]");
  CHECK(refused_job("{} {}").ends_with("[job.j1]"));
  CHECK(refused_job("{\"\xff\": 1}").ends_with("[job.j1]"));
}

TEST_CASE("job.j1: a NUL byte is refused where it is", "[app]") {
  const std::string nul(1, '\0');
  CHECK(refused_job("{}" + nul + "garbage") ==
        "<stdin>: a job must be a JSON object, got a NUL byte at column 3 [job.j1]");
  CHECK(refused_job("{}\n" + nul) ==
        "<stdin>: a job must be a JSON object, got a NUL byte at line 2, column 1 [job.j1]");
  CHECK(refused_job("{\"op\": \"Scatter" + nul + "Update\"}")
            .ends_with("a NUL byte at column 16 [job.j1]"));
}

TEST_CASE("json.f4: a number beyond float64 is refused where it is", "[app]") {
  CHECK(refused_job("{\"op\": \"ScatterUpdate\", \"data\": [1, -1e400]}") ==
        "<stdin>: a finite number must fit float64, got -1e400 at column 37 [json.f4]");
  CHECK(refused_job("{\"threads\":\n  1e400}") ==
        "<stdin>: a finite number must fit float64, got 1e400 at line 2, column 3 [json.f4]");
  const std::string digits(400, '9');
  CHECK(refused_job("{\"data\": " + digits + "}") ==
        "<stdin>: a finite number must fit float64, got " + digits + " at column 10 [json.f4]");
}

TEST_CASE("job.j2: a key that the operation does not have is refused with the nearest", "[app]") {
  CHECK(refused_job(job_with("indeces", "[1]")) ==
        "<stdin>: ScatterUpdate-3 has no key indeces (nearest: indices) [job.j2]");
  CHECK(refused_job(job_with("reduction", "\"sum\"")).ends_with("[job.j2]"));
}

TEST_CASE("job.j3: a job names its operation", "[app]") {
  CHECK(refused_job("{}") == "<stdin>: the key op, the name of an operation, is missing [job.j3]");
  CHECK(refused_job(job_with("op", "3")).ends_with("got 3 [job.j3]"));
  CHECK(refused_job(job_with("op", "\"ScaterUpdate\"")) ==
        "<stdin>: op must be an operation (nearest: ScatterUpdate-3), got ScaterUpdate [job.j3]");
}

TEST_CASE("job.j4: null is no tensor", "[app]") {
  CHECK(refused_job(job_with("data", "null")) ==
        "<stdin>: data: must be a path, a number, true, false, a list or an object, got null "
        "[job.j4]");
}

TEST_CASE("job.j5: each other value is one that its key takes", "[app]") {
  CHECK(refused_job(job_with("output", "3")) ==
        "<stdin>: output: must be a string, got 3 [job.j5]");
  CHECK(refused_job(job_with("threads", "-1")) ==
        "<stdin>: threads: must be an integer from 0 to 1024, got -1 [job.j5]");
  CHECK(refused_job(job_with("threads", "1025")).ends_with("[job.j5]"));
  CHECK(refused_job(job_with("threads", "1.0")).ends_with("[job.j5]"));
  CHECK(refused_job(job_with("sync", "1")) ==
        "<stdin>: sync: must be true or false, got 1 [job.j5]");
  CHECK(refused_job(job_with("dtype", "\"f33\"")).ends_with("[job.j5]"));
  CHECK(refused_job(R"({"op": "ScatterNDUpdate", "reduction": "summ"})") ==
        "<stdin>: reduction: must be one of none, sum, sub, prod, min, max (nearest: sum), got "
        "summ [job.j5]");
}

TEST_CASE("job.j12: a path has no NUL", "[app]") {
  const TemporaryDirectory directory;
  for (const char* key : {"output", "data", "indices"}) {
    const std::string path = json((directory / "x.npy").native() + std::string("\0z", 2)).dump();
    CHECK(refused_job(job_with(key, path)) == std::string("<stdin>: ") + key +
                                                  ": a path must have no NUL character, got " +
                                                  path + " [job.j12]");
  }
  CHECK(directory.names().empty());
}

TEST_CASE("job.j18: dims is a text of dimension numbers, each once", "[app]") {
  const auto with = [](const std::string& dims, const std::string& more = "") {
    return R"({"op": "stablehlo.scatter", "data": {"dtype": "f32", "data": [0, 0, 0, 0, 0]},
               "indices": [[4]], "updates": [[1, 2]], "reduction": "add", "dims": )" +
           dims + more + "}";
  };
  const std::string lists = "update_window_dims = [1], scatter_dims_to_operand_dims = [0]";
  for (const std::string& text :
       {lists + ", index_vector_dim = 1", "#stablehlo.scatter<" + lists + ", index_vector_dim = 1>",
        std::string("update_window_dims = dense<[1]> : tensor<1xi64>,\n"
                    "scatter_dims_to_operand_dims=dense<[0]>:tensor<1xi64>, index_vector_dim = 1"),
        std::string("update_window_dims={1}, inserted_window_dims={}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1")}) {
    CHECK(run_text(with(json(text).dump())).out == "[0.0, 0.0, 0.0, 0.0, 1.0]\n");
  }
  const std::string words =
      "<stdin>: dims: must be dimension numbers as MLIR has them, update_window_dims = [1, 2], "
      "index_vector_dim = 1, got ";
  CHECK(refused_job(with(R"("update_window_dims: 1")")) ==
        words + "update_window_dims: 1 [job.j18]");
  CHECK(refused_job(with(R"("update_window_dims = [-1]")")) ==
        words + "update_window_dims = [-1] [job.j18]");
  CHECK(refused_job(with(json(std::string(5000, '[')).dump())) ==
        words + std::string(200, '[') + " [job.j18]");
  const std::string names =
      "<stdin>: dims: each name must be one of update_window_dims, inserted_window_dims, "
      "input_batching_dims, scatter_indices_batching_dims, scatter_dims_to_operand_dims, "
      "index_vector_dim, and stand once, got ";
  CHECK(refused_job(with(R"("window = [1]")")) == names + "window [job.j18]");
  CHECK(refused_job(with(R"("update_window_dim = [1]")")) ==
        "<stdin>: dims: each name must be one of update_window_dims, inserted_window_dims, "
        "input_batching_dims, scatter_indices_batching_dims, scatter_dims_to_operand_dims, "
        "index_vector_dim (nearest: update_window_dims), and stand once, got update_window_dim "
        "[job.j18]");
  CHECK(refused_job(with(R"("#stablehlo.scatter<index_vector_dim = 1")")) ==
        "<stdin>: dims: the < is not closed by a > at the end, got "
        "#stablehlo.scatter<index_vector_dim = 1 [job.j18]");
  CHECK(refused_job(with(R"("index_vector_dim = 1, index_vector_dim = 1")")) ==
        names + "index_vector_dim [job.j18]");
  CHECK(refused_job(with(R"("index_vector_dim = 1")", R"(, "update_window_dims": [1])")) ==
        "update_window_dims: dimension numbers must be given as lists, or all together as dims "
        "[job.j18]");
  CHECK(refused_job(job_with("dims", R"("index_vector_dim = 1")")).ends_with(" [job.j2]"));
}

TEST_CASE("operation.o1: a job without a required operand is refused", "[app]") {
  CHECK(refused_job(R"({"op": "ScatterUpdate-3", "data": [1]})") ==
        "scatter_update_3: indices is missing [operation.o1]");
}

TEST_CASE("a job without data is refused, not lost", "[app]") {
  CHECK(refused_job(R"({"op": "ScatterUpdate-3", "updates": [1], "indices": [0], "axis": 0})") ==
        "scatter_update_3: data is missing [operation.o1]");
}

TEST_CASE("integers in a job are exact", "[app]") {
  CHECK(run_text(R"({"op": "ScatterUpdate", "data": {"dtype": "u64", "data": [18446744073709551615,
    9007199254740993]}, "indices": [], "updates": [], "axis": 0})")
            .out == "[18446744073709551615, 9007199254740993]\n");
}

TEST_CASE("integers of a job that fit no 64 bits are judged as those of a flag", "[app]") {
  const auto job_of = [](const std::string& updates) {
    return R"({"op": "ScatterUpdate-3", "data": [1.5], "indices": [0], "axis": 0, "updates": )" +
           updates + "}";
  };
  const auto flags_of = [](const std::string& updates) {
    return Strings{"ScatterUpdate-3", "-d", "[1.5]", "-i", "[0]", "-a", "0", "-u", updates};
  };
  const auto untyped = [](const std::string& data) {
    return R"({"op": "ScatterUpdate-3", "data": )" + data +
           R"(, "indices": [], "updates": [], "axis": 0})";
  };
  for (const std::string& number :
       Strings{"18446744073709551616", "-9223372036854775809", "100000000000000000000000000000"}) {
    CHECK(refused_job(untyped("[1, " + number + "]")) ==
          "data: integers without a dtype must fit int64 (name a dtype, such as uint64), got " +
              number + " [json.f8]");
    CHECK(refused_job(untyped(number)).ends_with("got " + number + " [json.f8]"));
    for (const std::string& text : {R"({"dtype": "u64", "data": [)" + number + "]}",
                                    R"({"data": [1], "shape": [)" + number + "]}",
                                    R"({"dtype": )" + number + R"(, "data": [1]})"}) {
      CHECK("--" + refused_job(job_of(text)) == refusal_of(2, flags_of(text)));
    }
    const std::string real = R"({"dtype": "f64", "data": [)" + number + "]}";
    CHECK(run_text(job_of(real)).out == output_of(flags_of(real)));
    CHECK(run_text(job_of("[" + number + "]")).out == output_of(flags_of("[" + number + "]")));
    CHECK(refused_job(R"({"op": )" + number + "}").ends_with("got " + number + " [job.j3]"));
    CHECK(refused_job(R"({"op": "ScatterUpdate-3", "sync": {"a\"": [)" + number + ", 1.50]}}") ==
          R"(<stdin>: sync: must be true or false, got {"a\"":[)" + number + ",1.5]} [job.j5]");
    CHECK(refused_job(number) == "<stdin>: a job must be a JSON object, got number [job.j1]");
  }
}

TEST_CASE("the numbers of a job are judged as those of a flag", "[app]") {
  CHECK(refused_job(job_with("updates", "[7.0]")) ==
        "updates: the value at [0] must fit uint8 (an integer has no point, fraction or exponent), "
        "got 7.0 [json.f4]");
  CHECK(refused_job(R"({"op": "ScatterUpdate", "data": {"data": [1], "data": [2]}})")
            .ends_with("[job.j1]"));
}

namespace {

// The job with this text for the value, which need not be JSON.
std::string text_job(const std::string& key, const std::string& value) {
  std::string text = R"({"op": "ScatterUpdate-3")";
  for (const auto& [name, own] : std::map<std::string, std::string>{
           {"data", "[1, 2]"}, {"indices", "[0]"}, {"updates", "[1]"}, {"axis", "0"}}) {
    if (name != key) text += ", \"" + name + "\": " + own;
  }
  return text + ", \"" + key + "\": " + value + "}";
}

}  // namespace

TEST_CASE("NaN and infinities without quotes are numbers of a job", "[app]") {
  CHECK(run_text(R"({"op": "ScatterUpdate-3", "data": [0.5, NaN, -Infinity], "indices": [0],
                     "updates": [Infinity], "axis": 0})")
            .out == R"(["Infinity", "NaN", "-Infinity"])"
                    "\n");
  CHECK(run_text(R"({"op": "ScatterUpdate-3", "data": {"dtype": "f16", "data": [1, 2]},
                     "indices": 0, "updates": NaN, "axis": 0})")
            .out == "[\"NaN\", 2.0]\n");
  CHECK(refused_job(text_job("indices", "[NaN]")) ==
        "indices: the value at [0] must fit int64, got NaN [json.f4]");
  CHECK(refused_job(text_job("axis", "NaN")) ==
        "axis: the value must fit int64, got NaN [json.f4]");
  CHECK(refused_job(text_job("threads", "NaN")) ==
        "<stdin>: threads: must be an integer from 0 to 1024, got NaN [job.j5]");
  CHECK(refused_job(text_job("output", "Infinity")) ==
        "<stdin>: output: must be a string, got Infinity [job.j5]");
  CHECK(refused_job(text_job("sync", "[-Infinity]")) ==
        "<stdin>: sync: must be true or false, got [-Infinity] [job.j5]");
  CHECK(refused_job("NaN") == "<stdin>: a job must be a JSON object, got number [job.j1]");
  CHECK(refused_job(text_job("data", R"({"raw": "x", "dtype": "u8", "shape": [NaN]})")) ==
        "<stdin>: data: raw bytes must have shape as a list of sizes >= 0, got [NaN] [cli.c104]");
}

TEST_CASE("job.j1: what would take much memory in a job, and is no tensor, has a limit", "[app]") {
  const auto list = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) text += ",0";
    return text + "]";
  };
  CHECK(refused_job(text_job("sync", list(1000))).ends_with(",0] [job.j5]"));
  std::string keys = "{\"data\": 1";
  for (int i = 1; i < 256; ++i) keys += ",\"k" + std::to_string(i) + "\":1";
  CHECK(refused_job(text_job("data", keys + "}")).ends_with("[json.f5]"));
  CHECK(refused_job(text_job("data", keys + ",\"k\":1}")) ==
        "<stdin>: a job must have at most 256 keys in an object, got more [job.j1]");
  CHECK(refused_job(text_job("data", std::string(255, '[') + "1" + std::string(255, ']')))
            .ends_with("[json.f9]"));
  CHECK(refused_job(text_job("data", std::string(256, '[') + "1" + std::string(256, ']'))) ==
        "<stdin>: a job must be nested at most 256 deep, got more [job.j1]");
}

TEST_CASE("job.j1: keys are there once, in a tensor too", "[app]") {
  CHECK(refused_job(text_job("data", R"({"data": [1], "d\u0061ta": [2]})")) ==
        "<stdin>: the key \"data\" occurs twice in a job [job.j1]");
  CHECK(refused_job(text_job("data", R"([{"a": 1, "b": [{"a": 2}, {"c": 1, "c": 1}]}])")) ==
        "<stdin>: the key \"c\" occurs twice in a job [job.j1]");
  CHECK(refusal_of(2, {"compare", R"({"raw": "x", "raw": "y", "dtype": "u8", "shape": [1]})",
                       "1"}) == "ACTUAL: the key \"raw\" occurs twice in raw bytes [cli.c104]");
  CHECK(
      refusal_of(2, {"compare", R"({"raw": "x", "dtype": "u8", "shape": [1})", "1"}) ==
      "ACTUAL: raw bytes must be a JSON object ([ is closed by ]), got } at column 40 [cli.c104]");
}

TEST_CASE("a job takes at most 4 times its text, whatever its tensors are", "[app]") {
  constexpr std::size_t size = std::size_t{12} << 20U;
  const std::string rest = R"("indices": [0], "updates": [1], "axis": 0, "expected": [2]})";
  for (const std::string item : {"0", "[0]", "{}", "\"NaN\"", "1e-3", "null", "{\"a\":[{}]}"}) {
    INFO(item);
    std::string text = R"({"op": "ScatterUpdate-3", "data": [)" + item;
    while (text.size() < size) text += "," + item;
    text += "], " + rest;
    const TemporaryDirectory directory;
    write_file(directory / "c.jsonl", text + "\n");
    for (const Strings& words : {Strings{"run", "c.jsonl"}, Strings{"batch", "c.jsonl", "-q"}}) {
      Command command(words);
      command.in(directory.path()).with_private_memory_limit(4 * size + (std::size_t{64} << 20U));
      const Result result = command.run();
      INFO(result.err.substr(0, 1000));
      CHECK(result.exit_code < 6);
      CHECK_THAT((result.out + result.err), !contains("memory"));
    }
  }
}

TEST_CASE("--schema is a JSON Schema of every operation", "[app]") {
  const json schema = json::parse(output_of("run --schema"));
  const auto of = [&](const char* operation) {
    const json& all = schema.at("oneOf");
    const auto found = std::ranges::find_if(all, [&](const json& each) {
      return each.at("properties").at("op").at("const") == operation;
    });
    REQUIRE(found != all.end());
    return found->at("properties");
  };
  const json nd = of("ScatterNDUpdate-3");
  CHECK(nd.at("indices").at("description") ==
        "index entries along the last axis, of rank 1 or more; int32 or int64");
  CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  const json& lines = schema.at("oneOf");
  REQUIRE(lines.size() == operations().size() + 1);
  for (std::size_t i = 0; i < operations().size(); ++i) {
    const json& each = lines[i];
    CHECK(each.at("additionalProperties") == false);
    const BaseFrom base = operations()[i]->base;
    CHECK((is_made(base) || each.at("properties").contains("data")));
    CHECK(each.at("required").size() + each.value("allOf", json::array()).size() >=
          (base == BaseFrom::counts ? 1 : 3));  // op, data, updates
    for (const char* key : {"rtol", "tags", "skip", "comment"})
      CHECK(each.at("properties").contains(key));
  }
  const json& defaults = lines.back().at("properties").at("defaults");
  CHECK(lines.back().at("required") == json{"defaults"});
  CHECK(defaults.at("properties").at("float16") == json{{"$ref", "#/$defs/tolerance"}});
  CHECK(defaults.at("properties").size() == 29);  // 15 dtypes under two names, but bool
  CHECK(schema.at("$defs").at("tolerance").at("properties").size() == 4);
}

}  // namespace tscatter
