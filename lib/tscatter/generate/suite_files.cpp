#include <span>
#include <system_error>

#include "tscatter/core/fail.hpp"
#include "tscatter/generate/suite.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/own_file.hpp"

namespace tscatter::generate {

using std::filesystem::path;

void make_directory(const path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::error_code unseen;
  const bool is_there = std::filesystem::is_directory(directory, unseen);
  // C++ libraries differ in what they say of a file of that name.
  const bool is_file = error == std::errc::file_exists;
  if (is_file) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) error = unseen;
  // file.f4
  if (!is_there) {
    fail(ErrorKind::file, "file.f4", directory.native(), "cannot be created: {}",
         error ? errno_text(error.value()) : "a file");
  }
}

void write_text(const path& file, const std::string& text) {
  require_own_place(file);
  OutputFile output(file, Durability::kill);
  output.write(0, std::as_bytes(std::span(text)));
  output.commit();
}

}  // namespace tscatter::generate
