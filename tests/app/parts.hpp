// A job by parts in a folder of its own.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/process.hpp"
#include "app/sum_of_rows.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {

struct Parts {
  TemporaryDirectory directory;
  Strings call = sum_of_rows;

  Parts() { write_operands_of_sum(directory); }

  Command command(const Strings& words) const {
    Command command(words);
    return command.in(directory.path());
  }
  Result run(const Strings& words) const { return command(words).run(); }
  Strings with(const Strings& more) const { return with_more(call, more); }
  Strings part(const std::string& number, const std::string& output = "o.npy") const {
    return with({"-o", output, "--unit", "4K", "--part", number});
  }
  std::string refused(int exit_code, const Strings& words) const {
    return refusal_of(exit_code, command(words));
  }
  std::string bytes(const std::string& name) const { return read_file(directory / name); }
  std::string whole() const {
    CHECK(run(with({"-o", "whole.npy"})).exit_code == 0);
    return bytes("whole.npy");
  }
  std::filesystem::path folder() const { return directory / "o.npy.tscatter-parts"; }
  void run_all(int count) const {
    for (int k = 1; k <= count; ++k)
      CHECK(run(part(fmt::format("{}/{}", k, count))).exit_code == 0);
  }
  std::string out_of(const Strings& words) const {
    const Result result = run(words);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    return result.out;
  }
};

}  // namespace tscatter
