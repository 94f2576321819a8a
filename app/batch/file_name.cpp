#include "batch/file_name.hpp"

#include <fmt/format.h>

#include "jobs/hash.hpp"

namespace tscatter::app {
namespace {

bool stays(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') ||
         std::string_view("_-.").find(character) != std::string_view::npos;
}

}  // namespace

std::string file_name_of(std::string_view name) {
  constexpr std::size_t longest = 200;
  std::string text;
  for (const char character : name) {
    if (stays(character) && !(character == '.' && text.empty())) {
      text += character;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    }
  }
  if (text.size() <= longest) return text;
  return fmt::format("{}%{:016x}", text.substr(0, longest), hash_of(name));
}

std::filesystem::path kept_path(const std::filesystem::path& directory, std::string_view name) {
  return directory / (file_name_of(name) + ".npy");
}

}  // namespace tscatter::app
