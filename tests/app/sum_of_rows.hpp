// The job that tests of parts compute: rows of three float32 are summed into [5000, 3], some of
// them many times. The file has 60,128 bytes: 15 units of 4096.
#pragma once

#include <fmt/format.h>

#include <string>

#include "app/process.hpp"
#include "io/files.hpp"

namespace tscatter {

inline const Strings sum_of_rows = split_words("ScatterNDUpdate -d d.npy -i i.npy -u u.npy -r sum");

inline void write_operands_of_sum(const TemporaryDirectory& directory) {
  const auto convert = [&](const std::string& tensor, const std::string& name, Strings more = {}) {
    Strings words{"convert", tensor, directory / name};
    words.insert(words.end(), more.begin(), more.end());
    output_of(words);
  };
  std::string indices = "[";
  for (int i = 0; i < 3000; ++i)
    indices += fmt::format("{}[{}]", i == 0 ? "" : ",", i * 7919 % 4001);
  convert("5000x3xf32=0.1", "d.npy");
  convert(indices + "]", "i.npy", {"--dtype", "int32"});
  convert("3000x3xf32=0.3", "u.npy");
}

}  // namespace tscatter
