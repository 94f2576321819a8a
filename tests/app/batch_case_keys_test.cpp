// tscatter batch: everything that can be wrong with the keys of a case, word for word.
#include "app/batch.hpp"
#include "catch.hpp"

namespace tscatter {

using nlohmann::json;

TEST_CASE("job.j6: a name is not empty and has no NUL", "[app]") {
  CHECK(failure_with({{"name", ""}}) ==
        "name: must have at least one character, and no NUL, got \"\" [job.j6]");
  CHECK(failure_with({{"name", std::string("a\0b", 3)}}) ==
        "name: must have at least one character, and no NUL, got \"a\\u0000b\" [job.j6]");
  CHECK(failure_with({{"name", 7}}) == "name: must be a string, got 7 [job.j5]");
}

TEST_CASE("job.j7: expected_error is the label of a rule", "[app]") {
  CHECK(failure_with({{"expected_error", "scatter_nd_update_15.c44"}}) ==
        "expected_error: must be the label of a rule (tscatter help rules) (nearest: "
        "scatter_nd_update_15.c4), got scatter_nd_update_15.c44 [job.j7]");
}

TEST_CASE("job.j8: expected_error stands without expected and actual", "[app]") {
  for (const char* key : {"expected", "actual"}) {
    CHECK(failure_with({{"expected_error", "npy.f1"}, {key, {1}}}) ==
          "expected_error: must stand alone: leave out expected and actual [job.j8]");
  }
}

TEST_CASE("job.j9: tolerances are given with expected", "[app]") {
  for (const char* key : {"rtol", "atol", "max_ulp"}) {
    CHECK(failure_with({{key, 1}, {"output", "o.npy"}}) ==
          "rtol, atol, max_ulp and equal_nan need expected [job.j9]");
  }
}

TEST_CASE("job.j10: a golden test does not change its data in place", "[app]") {
  CHECK(failure_with({{"in_place", true}, {"data", "d.npy"}, {"expected", {1}}}) ==
        "in_place: must not be true beside expected: a golden test does not change its data "
        "[job.j10]");
}

TEST_CASE("job.j11: a case neither reads stdin nor writes to stdout", "[app]") {
  for (const char* key : {"data", "expected", "actual", "output", "updates"}) {
    json more = right;
    more[key] = "-";
    CHECK(failure_with(more) ==
          std::string(key) +
              ": must not be -: all cases of a batch share stdin and stdout [job.j11]");
  }
}

TEST_CASE("job.j12: a path of a case has no NUL", "[app]") {
  for (const char* key : {"data", "expected", "actual", "output", "updates"}) {
    json more = right;
    more[key] = std::string("g.npy\0z", 7);
    CHECK(failure_with(more) ==
          std::string(key) +
              ": a path must have no NUL character, got \"g.npy\\u0000z\" [job.j12]");
  }
}

TEST_CASE("job.j13: xfail and skip need a reason", "[app]") {
  json more = right;
  more["xfail"] = "";
  CHECK(failure_with(more) ==
        "xfail: must be the reason why the case is known to fail, got an empty one [job.j13]");
  more = right;
  more["skip"] = "";
  CHECK(failure_with(more) ==
        "skip: must be the reason why the case is not run, got an empty one [job.j13]");
}

TEST_CASE("the values of a case's keys are checked as those of flags are", "[app]") {
  const auto with = [](const std::string& key, const json& value) {
    json more = right;
    more[key] = value;
    return failure_with(more);
  };
  CHECK(with("rtol", "1") == "rtol: must be a finite number >= 0, got \"1\" [job.j5]");
  CHECK(with("rtol", -0.5) == "rtol: must be a finite number >= 0, got -0.5 [job.j5]");
  CHECK(with("max_ulp", -1) == "max_ulp: must be an integer >= 0, got -1 [job.j5]");
  CHECK(with("max_ulp", 1.5) == "max_ulp: must be an integer >= 0, got 1.5 [job.j5]");
  CHECK(with("equal_nan", 1) == "equal_nan: must be true or false, got 1 [job.j5]");
  CHECK(with("xfail", true) == "xfail: must be a string, got true [job.j5]");
  CHECK(with("expected", nullptr).ends_with("got null [job.j4]"));
  CHECK(with("atol", -1) == "atol: must be a finite number >= 0, got -1 [job.j5]");
  CHECK(with("expectd", {1}) ==
        "ScatterNDUpdate-15 has no key expectd (nearest: expected) [job.j2]");
}

TEST_CASE("integers of a case that fit no 64 bits are exact, or the nearest number of a bound",
          "[app]") {
  const std::string number = "18446744073709551616";
  const auto line = [&](const std::string& key) {
    json object = json::parse(case_line(right));
    object[key] = "?";
    std::string text = object.dump();
    return text.replace(text.find("\"?\""), 3, number);
  };
  CHECK(failure_of(line("data")) ==
        "data: integers without a dtype must fit int64 (name a dtype, such as uint64), got " +
            number + " [json.f8]");
  CHECK(failure_of(line("expected")) ==
        "expected: the value must fit int64, got " + number + " [json.f4]");
  check_passes(line("atol"));
  CHECK(failure_of(line("max_ulp")) ==
        "max_ulp: must be an integer >= 0, got " + number + " [job.j5]");
}

}  // namespace tscatter
