# Every package that tscatter needs, found in one place. A missing one is answered with what to install.

macro(tscatter_need package debian_package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: apt-get install ${debian_package} (./dev setup installs all that is needed)")
  endif()
endmacro()

find_package(Threads REQUIRED)
tscatter_need(fmt libfmt-dev)
# fmt becomes part of the program, which needs no libfmt where it is run. Its code is compiled once, by lib/tscatter/core/fmt.cpp,
# in a namespace of its own: a program that links another fmt beside tscatter has no symbol twice. Which templates fmt
# declares extern changes with its versions; with one that fmt.cpp does not know it is header-only, which only builds slower.
add_library(tscatter_fmt INTERFACE)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  set(tscatter_fmt_source tscatter/core/fmt.cpp)
  target_include_directories(tscatter_fmt SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(tscatter_fmt INTERFACE "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace tscatter_fmt {"
                                                    "FMT_END_NAMESPACE=} }")
else()
  set(tscatter_fmt_source)
  target_link_libraries(tscatter_fmt INTERFACE fmt::fmt-header-only)
endif()
tscatter_need(nlohmann_json nlohmann-json3-dev)
tscatter_need(ZLIB zlib1g-dev)
# xxHash is compiled into the file that uses it (io/files/xxh3.cpp): there is nothing to link.
find_path(TSCATTER_XXHASH_INCLUDE_DIR xxhash.h)
mark_as_advanced(TSCATTER_XXHASH_INCLUDE_DIR)
if(NOT TSCATTER_XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "xxhash.h was not found: apt-get install libxxhash-dev (./dev setup installs all that is needed)")
endif()
add_library(tscatter_xxhash INTERFACE)
target_include_directories(tscatter_xxhash SYSTEM INTERFACE ${TSCATTER_XXHASH_INCLUDE_DIR})
if(TSCATTER_BUILD_APP)
  tscatter_need(CLI11 libcli11-dev)
  tscatter_need(spdlog libspdlog-dev)
  # Its target links the compiled fmt, which nothing here calls.
  set_property(TARGET spdlog::spdlog_header_only PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads tscatter_fmt)
endif()
if(PROJECT_IS_TOP_LEVEL AND BUILD_TESTING)
  tscatter_need(Catch2 catch2)
endif()
if(TSCATTER_BUILD_BENCH)
  tscatter_need(benchmark libbenchmark-dev)
endif()
