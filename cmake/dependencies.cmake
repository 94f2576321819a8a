# Every package that tscatter needs, found in one place. A missing one is answered with what to install.

macro(tscatter_need package debian_package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: apt-get install ${debian_package} (./dev setup installs all that is needed)")
  endif()
endmacro()

find_package(Threads REQUIRED)
tscatter_need(fmt libfmt-dev)
# fmt becomes part of the program, which needs no libfmt where it is run. What is built for the sanitizers is run here: with
# the library it builds in half the time.
add_library(tscatter_fmt INTERFACE)
target_link_libraries(tscatter_fmt INTERFACE $<IF:$<BOOL:${TSCATTER_SANITIZERS}>,fmt::fmt,fmt::fmt-header-only>)
tscatter_need(Eigen3 libeigen3-dev)
tscatter_need(nlohmann_json nlohmann-json3-dev)
tscatter_need(ZLIB zlib1g-dev)
if(TSCATTER_BUILD_APP)
  tscatter_need(CLI11 libcli11-dev)
  tscatter_need(PNG libpng-dev)
  tscatter_need(spdlog libspdlog-dev)
  # Its target links the compiled fmt, which nothing here calls.
  set_property(TARGET spdlog::spdlog_header_only PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads tscatter_fmt)
endif()
if(TSCATTER_BUILD_TESTS)
  tscatter_need(Catch2 catch2)
endif()
if(TSCATTER_BUILD_BENCH)
  tscatter_need(benchmark libbenchmark-dev)
endif()
