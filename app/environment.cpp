#include "environment.hpp"

#include <cstdlib>

namespace tscatter::app {

std::filesystem::path temporary_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory == nullptr || *directory == '\0' ? "/tmp" : directory;
}

}  // namespace tscatter::app
