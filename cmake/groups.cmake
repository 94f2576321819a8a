# Sources that are compiled together, so that headers that they share are read once: a unity build, with CMAKE_UNITY_BUILD. The presets
# dev and lint compile each source on its own, so that each includes what it needs.

# Each source is then an included file that sees the others' names.
if(CMAKE_UNITY_BUILD)
  target_compile_options(tscatter_compiler INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # To look for what can be dropped took a tenth of the time. A compiler takes up to 1.1 GiB.
  target_compile_options(tscatter_compiler INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>)
endif()

# tscatter_precompile(TARGET HEADER…): these headers are compiled once for the target, and those that most sources include.
function(tscatter_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    <algorithm>
    <filesystem>
    <functional>
    <map>
    <memory>
    <optional>
    <span>
    <string>
    <vector>
    ${ARGN})
endfunction()

# tscatter_group(TARGET AT_MOST [ALONE REGEX…]): the sources of a folder are compiled together, at most so many at once. Those whose path
# one of the expressions finds stay alone, as do those with options of their own. The names of unnamed namespaces must differ within a
# folder.
function(tscatter_group target at_most)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "ALONE")
  list(JOIN given_ALONE "|" alone)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(alone AND source MATCHES "${alone}")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR number "(${count_${folder}} - 1) / ${at_most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
