// Wrong command lines, each with its whole message.
#pragma once

#include <span>
#include <string>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {

// What a user may write, words separated by spaces, and all of the message.
struct WrongLine {
  int exit_code;
  std::string words;
  std::string message;
};

inline void check_lines(std::span<const WrongLine> lines) {
  const TemporaryDirectory directory;
  const auto npy_of = [](const std::string& descr, const std::string& bytes, int count) {
    return npy_file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                        std::to_string(count) + ",)}",
                    bytes);
  };
  const std::string bytes = npy_of("|u1", "\1\2\3", 3);
  for (const char* name : {"data.npy", "case-1.npy", "-dash.npy"})
    write_file(directory / name, bytes);
  write_file(directory / "rows.json", "5\n6\n");
  write_file(directory / "row", "5,-6\n");
  write_file(directory / "v2.npy", npy_of("|V2", std::string("\x80\x3f\x00\x40", 4), 2));
  for (const WrongLine& line : lines) {
    INFO(line.words);
    Command command(split_words(line.words));
    command.in(directory.path());
    CHECK(refusal_of(line.exit_code, command) == line.message);
  }
}

}  // namespace tscatter
