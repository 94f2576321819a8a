// The library's exception for errors. Every error that a user or a file can cause has a kind, which
// decides the program's exit code, and a label, which leads to the rule in docs/.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace tscatter {

enum class ErrorKind : std::uint8_t {
  usage,     // the command line, an inline value or a job's own keys are wrong
  file,      // a file cannot be read or written
  format,    // a file is not what it claims to be
  rule,      // a rule of the operation is broken
  internal,  // a bug in tscatter
};

// "usage", "file", "format", "rule" or "internal".
std::string_view to_string(ErrorKind kind);

// what() is "<where>: <message> [<label>]", one line, with control characters escaped.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string_view label, std::string_view where, std::string_view message);

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& label() const noexcept { return label_; }  // "scatter_nd_update_15.c4"
  const std::string& where() const noexcept {
    return where_;
  }  // the operation, the file or the flag
  const std::string& message() const noexcept { return message_; }  // "<rule>, got <actual>"
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::string label_;
  std::string where_;
  std::string message_;
  std::string text_;
};

// Thrown when a `stop` flag became true. Nothing was put under the output's name.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

// A rule, documented in docs/ under its label.
struct Rule {
  std::string_view label;
  std::string_view text;
};

// `text` with control characters and bytes that are not UTF-8 escaped as \n, \x1b and so on: a file
// name must not control the terminal.
std::string escape_control(std::string_view text);

}  // namespace tscatter
