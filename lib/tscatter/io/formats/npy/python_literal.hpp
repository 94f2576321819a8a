// The subset of Python's literals that .npy headers use: dicts, lists, tuples, strings, integers,
// booleans, as Python 2 and 3 write them; without comments and hexadecimal numbers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tscatter {

struct PythonValue;

// A backslash and a character that cannot be printed stay escaped, as repr escapes them: \\, \n,
// \x07.
struct PythonString {
  std::string text;
};
struct PythonList {
  std::vector<PythonValue> items;
};
struct PythonTuple {
  std::vector<PythonValue> items;
};
struct PythonDict {
  std::vector<struct PythonItem> items;  // no key twice
};

struct PythonValue {
  std::variant<PythonString, std::int64_t, bool, PythonList, PythonTuple, PythonDict> value;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
};

struct PythonItem {
  std::string key;
  PythonValue value;
};

// Why a text is not such a literal: "got ... at character N".
struct PythonSyntaxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The one value in `text`, which may have white space around it. Throws PythonSyntaxError.
PythonValue parse_python_literal(std::string_view text);

// As Python's repr writes the text of a PythonString.
std::string python_repr(std::string_view text);

}  // namespace tscatter
