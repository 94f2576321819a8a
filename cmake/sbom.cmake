# What the program is made of, as a software bill of materials: tscatter.cdx.json in the build folder, in the form of CycloneDX 1.6.
# ./dev tarball adds it to what it packs.

# found_version(VERSION FILE PREFIX NAME…): "0.8.1", of the numbers that a header defines.
function(found_version version file prefix)
  set(numbers)
  foreach(name IN LISTS ARGN)
    file(STRINGS ${file} line REGEX "^# *define[ \t]+${prefix}${name}[ \t]+[0-9]+")
    string(REGEX REPLACE ".*[ \t]([0-9]+).*" "\\1" line "${line}")
    list(APPEND numbers "${line}")
  endforeach()
  list(JOIN numbers . numbers)
  set(${version} ${numbers} PARENT_SCOPE)
endfunction()

set(sbom_components)
set(sbom_refs)

# add_component(NAME VERSION LICENCE PURL): LICENCE is an expression of SPDX.
macro(add_component name version licence purl)
  list(APPEND sbom_refs "      \"${purl}@${version}\"")
  list(
    APPEND
    sbom_components
    "    {
      \"type\": \"library\",
      \"bom-ref\": \"${purl}@${version}\",
      \"name\": \"${name}\",
      \"version\": \"${version}\",
      \"licenses\": [{\"expression\": \"${licence}\"}],
      \"purl\": \"${purl}@${version}\"
    }")
endmacro()

found_version(sbom_xxhash ${TSCATTER_XXHASH_INCLUDE_DIR}/xxhash.h XXH_VERSION_ MAJOR MINOR RELEASE)
add_component(fmt ${fmt_VERSION} MIT pkg:github/fmtlib/fmt)
add_component(nlohmann_json ${nlohmann_json_VERSION} MIT pkg:github/nlohmann/json)
add_component(xxHash ${sbom_xxhash} BSD-2-Clause pkg:github/cyan4973/xxhash)
add_component(zlib ${ZLIB_VERSION_STRING} Zlib pkg:github/madler/zlib)
if(TSCATTER_BUILD_APP)
  add_component(CLI11 ${CLI11_VERSION} BSD-3-Clause pkg:github/cliutils/cli11)
  add_component(spdlog ${spdlog_VERSION} MIT pkg:github/gabime/spdlog)
endif()
set(sbom_libgcc)
set(sbom_is_static FALSE)
if(CMAKE_EXE_LINKER_FLAGS MATCHES "(^| )-static( |$)")
  set(sbom_is_static TRUE)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (TSCATTER_STATIC_LIBSTDCXX OR sbom_is_static))
  add_component(libstdc++ ${CMAKE_CXX_COMPILER_VERSION} "GPL-3.0-or-later WITH GCC-exception-3.1" pkg:generic/libstdc%2B%2B)
endif()
if(sbom_is_static)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(sbom_libgcc ${CMAKE_CXX_COMPILER_VERSION})
  endif()
  find_path(sbom_features_dir features.h HINTS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(sbom_features_dir)
  found_version(sbom_glibc ${sbom_features_dir}/features.h __GLIBC_ _ MINOR__)
  add_component(glibc ${sbom_glibc} LGPL-2.1-or-later pkg:generic/glibc)
endif()
if(tscatter_libgcc)  # of the toolchain
  execute_process(COMMAND ${tscatter_gcc} -dumpfullversion OUTPUT_VARIABLE sbom_libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(sbom_libgcc)
  add_component(libgcc ${sbom_libgcc} "GPL-3.0-or-later WITH GCC-exception-3.1" pkg:generic/libgcc)
endif()
# zig's C++ library, of which LLVM's number is 220108 for 22.1.8, is linked statically.
if(TSCATTER_ZIG)
  get_filename_component(sbom_zig ${TSCATTER_ZIG} DIRECTORY)
  file(STRINGS ${sbom_zig}/lib/libcxx/include/__config sbom_llvm REGEX "define _LIBCPP_VERSION")
  string(REGEX REPLACE ".*VERSION 0*([0-9]+)([0-9][0-9])([0-9][0-9])$" "\\1.\\2.\\3" sbom_llvm "${sbom_llvm}")
  string(REGEX REPLACE "\\.0([0-9])" ".\\1" sbom_llvm "${sbom_llvm}")
  add_component(libc++ ${sbom_llvm} "Apache-2.0 WITH LLVM-exception" pkg:generic/libc%2B%2B)
  add_component(libc++abi ${sbom_llvm} "Apache-2.0 WITH LLVM-exception" pkg:generic/libc%2B%2Babi)
  add_component(libunwind ${sbom_llvm} "Apache-2.0 WITH LLVM-exception" pkg:generic/libunwind)
endif()
list(JOIN sbom_components ",\n" sbom_components)
list(JOIN sbom_refs ",\n" sbom_refs)
file(
  CONFIGURE
  OUTPUT
  ${PROJECT_BINARY_DIR}/tscatter.cdx.json
  CONTENT
  "{
  \"$schema\": \"http://cyclonedx.org/schema/bom-1.6.schema.json\",
  \"bomFormat\": \"CycloneDX\",
  \"specVersion\": \"1.6\",
  \"version\": 1,
  \"metadata\": {
    \"component\": {
      \"type\": \"application\",
      \"bom-ref\": \"tscatter\",
      \"name\": \"tscatter\",
      \"version\": \"@PROJECT_VERSION@\",
      \"description\": \"@PROJECT_DESCRIPTION@\"
    }
  },
  \"components\": [
@sbom_components@
  ],
  \"dependencies\": [
    {\"ref\": \"tscatter\", \"dependsOn\": [
@sbom_refs@
    ]}
  ]
}
"
  @ONLY)
