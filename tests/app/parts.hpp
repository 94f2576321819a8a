// A job by parts in a folder of its own.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/folder.hpp"
#include "app/sum_of_rows.hpp"
#include "catch.hpp"

namespace tscatter {

struct Parts : Folder {
  Strings call = sum_of_rows;

  Parts() { write_operands_of_sum(*this); }

  Strings with(const Strings& more) const { return with_more(call, more); }
  Strings part(const std::string& number, const std::string& output = "o.npy") const {
    return with({"-o", output, "--unit", "4K", "--part", number});
  }
  std::string whole() const {
    CHECK(run(with({"-o", "whole.npy"})).exit_code == 0);
    return text("whole.npy");
  }
  std::filesystem::path folder() const { return *this / "o.npy.tscatter-parts"; }
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
