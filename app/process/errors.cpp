#include "process/errors.hpp"

#include <fmt/format.h>

#include <array>

#include "text/document.hpp"

namespace tscatter::app {

int exit_code(ErrorKind kind) {
  constexpr std::array<int, 5> codes{2, 3, 4, 5, 70};  // in the order of ErrorKind
  return codes[static_cast<std::size_t>(kind)];
}

std::string internal_error(std::string_view what) {
  return fmt::format("internal error: {} (a bug in tscatter, please report it)", what);
}

std::string error_line(const Error& error, ErrorForm form) {
  if (form == ErrorForm::text) return fmt::format("tscatter: {}\n", error.what());
  return json_line({{"kind", to_string(error.kind())},
                    {"label", error.label()},
                    {"where", error.where()},
                    {"message", error.message()}});
}

std::string warning_line(std::string_view text) {
  return fmt::format("tscatter: warning: {}\n", text);
}

}  // namespace tscatter::app
