// One tensor from a word of the command line, for show and convert.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/targets.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

inline constexpr const char* tensor_help = "a file, x.npz:name, -, inline JSON or a typed literal";

// --dtype: the dtype of values without one, and of opaque records to be reinterpreted. V1 or V2:
// elements become opaque records of so many bytes.
struct RecordSize {
  std::size_t bytes;
};
// A float8 name: opaque records of one byte, and uint8, become that.
using ElementsAs = std::variant<DType, RecordSize, const Float8*>;

// The names of dtypes, of float8 too.
std::vector<std::string> element_names();

// Stores parse(text, where). Shells complete the names; what is none is for `parse` to refuse.
template <class T, class Parse>
Target named_elements(T& place, Parse parse) {
  Target target = parsed(place, parse);
  target.choices = element_names();
  target.is_alias = [](const std::string&) { return true; };
  return target;
}

// Throws Error (usage, cli.c4).
ElementsAs parse_elements(const std::string& text, const std::string& where);

// `name` is used in messages. Throws Error (usage, cli.c7) if the elements are of another dtype.
Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<ElementsAs>& elements, Missing missing);

}  // namespace tscatter::app
