#include <limits>

#include "catch.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"

using namespace tscatter::app;

TEST_CASE("a size has a unit, and at most one decimal", "[app]") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1) == "1 byte");
  CHECK(size_text(1023) == "1,023 bytes");
  CHECK(size_text(1024) == "1.0 KiB");
  CHECK(size_text(1536) == "1.5 KiB");
  CHECK(size_text((std::int64_t{1} << 20U) - 1) == "1.0 MiB");
  CHECK(size_text(std::int64_t{476} << 20U) == "476.0 MiB");
  CHECK(size_text(std::int64_t{3} << 40U) == "3.0 TiB");
  CHECK(size_text(std::numeric_limits<std::int64_t>::max()) == "8.0 EiB");
}

TEST_CASE("a progress line has bytes, share and time left", "[app]") {
  constexpr std::int64_t gib = std::int64_t{1} << 30U;
  CHECK(progress_text(gib, 4 * gib, 10) == "1.0 GiB of 4.0 GiB, 25 %, 30 s left");
  CHECK(progress_text(gib, 101 * gib, 1) == "1.0 GiB of 101.0 GiB, 0 %, 1 min 40 s left");
  CHECK(progress_text(gib, 4096 * gib, 2) == "1.0 GiB of 4.0 TiB, 0 %, 2 h 16 min left");
  CHECK(progress_text(gib, gib, 10) == "1.0 GiB of 1.0 GiB, 100 %, 0 s left");
  CHECK(progress_text(2 * gib, gib, 10) == "1.0 GiB of 1.0 GiB, 100 %, 0 s left");
  CHECK(progress_text(0, gib, 10) == "0 bytes of 1.0 GiB, 0 %");
  CHECK(progress_text(gib, 0, 10) == "1.0 GiB");
}
