#include "errors.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "text/json_line.hpp"

namespace tscatter::app {

int exit_code(ErrorKind kind) {
  constexpr std::array<int, 5> codes{2, 3, 4, 5, 70};  // in the order of ErrorKind
  return codes[static_cast<std::size_t>(kind)];
}

std::string error_line(const Error& error, ErrorForm form) {
  if (form == ErrorForm::text) return fmt::format("tscatter: {}\n", error.what());
  const nlohmann::ordered_json object{{"kind", to_string(error.kind())},
                                      {"label", error.label()},
                                      {"where", error.where()},
                                      {"message", error.message()}};
  return json_line(object);
}

}  // namespace tscatter::app
