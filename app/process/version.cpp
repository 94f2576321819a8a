#include "process/version.hpp"

#include <fmt/format.h>
#include <spdlog/version.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>

#include "tscatter/kernels/path.hpp"

namespace tscatter::app {

std::string_view version() { return TSCATTER_VERSION; }

std::string version_text() {
  return fmt::format(
      "tscatter {} ({})\ncompiler   {}\nlibraries  CLI11 {}, fmt {}.{}.{}, nlohmann_json {}.{}.{}, "
      "spdlog {}.{}.{}\n"
      "kernels    {}\n",
      version(), TSCATTER_BUILD_TYPE, __VERSION__, CLI11_VERSION, FMT_VERSION / 10000,
      FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR,
      SPDLOG_VER_PATCH, kernel_path_name());
}

}  // namespace tscatter::app
