# Sources that are compiled together, so that the same headers are not read and the same inline functions not generated for each:
# a unity build, with CMAKE_UNITY_BUILD. The presets dev and lint compile each source on its own, so that each includes
# what it needs.
#
# Grouping must not change what a source means. A group includes all headers of its sources first. Two of a group declare no name
# both. And where one has, in its unnamed namespace, a name that a header declares, too, no other of its group speaks of that name: it
# would find the wrong one, perhaps unnoticed. (A source whose own hidden name is then ambiguous does not compile: it gets another
# name.) CMake's own groups do not look at names.

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

# declared_in(NAMES TEXT): what is declared at the beginning of a line.
function(declared_in names text)
  string(REPLACE ";" "!" text "\n${text}")
  # Not the bases of a class.
  string(REGEX REPLACE "\n(class|struct) ([A-Za-z0-9_]+)( final)?( : [^\n]*)? {" "\n\\1 \\2 {" text "${text}")
  string(REGEX REPLACE "\n(\\[\\[[a-z]+\\]\\]|namespace [a-z_]+ =) " "\n" text "${text}")
  string(REGEX MATCHALL "\n(struct|class|enum|enum class|using|[A-Za-z][A-Za-z0-9_:<>,*& ]*) [*&]?[A-Za-z0-9_:]+( =| {| :|\\(|{|!)" found
         "${text}")
  set(all)
  foreach(each IN LISTS found)
    string(REGEX REPLACE ".*[ *&]([A-Za-z0-9_:]+)( =| {| :|\\(|{|!)$" "\\1" name "${each}")
    if(NOT name MATCHES ":" AND NOT each MATCHES "^\nnamespace ")
      list(APPEND all ${name})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${names} ${all} PARENT_SCOPE)
endfunction()

# declared_in_headers(NAMES FOLDER…): what the headers of these folders of the project declare, read once.
function(declared_in_headers names)
  set(all)
  foreach(folder IN LISTS ARGN)
    get_property(is_known GLOBAL PROPERTY tscatter_declared_in_${folder} SET)
    if(NOT is_known)
      set(known)
      file(GLOB_RECURSE headers ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
      foreach(header IN LISTS headers)
        file(READ ${header} text)
        declared_in(more "${text}")
        list(APPEND known ${more})
      endforeach()
      list(REMOVE_DUPLICATES known)
      set_property(GLOBAL PROPERTY tscatter_declared_in_${folder} ${known})
    endif()
    get_property(known GLOBAL PROPERTY tscatter_declared_in_${folder})
    list(APPEND all ${known})
  endforeach()
  set(${names} ${all} PARENT_SCOPE)
endfunction()

# risky_names(NAMES TEXT FOLDER…): of the unnamed namespace, those that a header of the folders declares, too.
function(risky_names names text)
  set(risky)
  string(FIND "${text}" "\nnamespace {\n" begin)
  string(FIND "${text}" "\n}  // namespace\n" end REVERSE)
  if(NOT begin EQUAL -1)
    math(EXPR length "${end} - ${begin}")
    string(SUBSTRING "${text}" ${begin} ${length} text)
    declared_in(own "${text}")
    declared_in_headers(headers ${ARGN})
    foreach(name IN LISTS own)
      if(name IN_LIST headers)
        list(APPEND risky ${name})
      endif()
    endforeach()
  endif()
  set(${names} ${risky} PARENT_SCOPE)
endfunction()

# speaks_of(RESULT TEXT NAME…)
function(speaks_of result text)
  list(JOIN ARGN "|" any)
  set(found OFF)
  if(any AND text MATCHES "[^A-Za-z0-9_.:>\"](${any})[^A-Za-z0-9_\"]")
    set(found ON)
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# first_those_including(RESULT REGEX SOURCE…)
function(first_those_including result header)
  set(first)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} includes REGEX "^#include [<\"].*(${header})")
    if(includes)
      list(APPEND first ${source})
    endif()
  endforeach()
  list(REMOVE_ITEM ARGN ${first} "")
  set(${result} ${first} ${ARGN} PARENT_SCOPE)
endfunction()

# write_group(FILE MEMBER…): the headers of the members, then the members.
function(write_group file)
  set(headers)
  set(members)
  foreach(member IN LISTS ARGN)
    file(STRINGS ${member} includes REGEX "^#include ")
    list(APPEND headers ${includes})
    string(APPEND members "#include \"${member}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  file(CONFIGURE OUTPUT ${file} CONTENT "${headers}\n\n${members}" @ONLY)
endfunction()

# tscatter_compile_together(TARGET AT_MOST HEADERS FOLDER… [ALONE REGEX…] [INCLUDING REGEX] [COLD REGEX OPTION…]): groups of up to AT_MOST
# sources, which include headers of these folders of the project. Sources whose path one of the expressions of ALONE finds stay alone, as
# do those with properties or macros of their own. Those that include a header that INCLUDING finds come first: what they instantiate of
# it is compiled in few groups. Those whose path COLD finds have groups of their own, which are compiled with its options.
function(tscatter_compile_together target at_most)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 given "" INCLUDING "HEADERS;ALONE;COLD")
  list(JOIN given_ALONE "|" alone)
  list(POP_FRONT given_COLD cold)
  get_target_property(sources ${target} SOURCES)
  if(given_INCLUDING)
    first_those_including(sources "${given_INCLUDING}" ${sources})
  endif()
  set(groups)
  set(others)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(without_header ${source} SKIP_PRECOMPILE_HEADERS)
    file(READ ${path} text)
    if(options OR without_header OR text MATCHES "(^|\n) *# *(if|define)" OR (alone AND source MATCHES "${alone}"))
      list(APPEND others ${source})
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    declared_in(names "${text}")
    risky_names(risky "${text}" ${given_HEADERS})
    set(kind together)
    if(cold AND source MATCHES "${cold}")
      set(kind cold)
    endif()
    foreach(number RANGE 1 1000)
      set(group ${kind}_${number})
      list(LENGTH members_${group} size)
      set(both ${names} ${names_${group}})
      list(LENGTH both length)
      list(REMOVE_DUPLICATES both)
      list(LENGTH both different)
      speaks_of(is_told "${text_${group}}" ${risky})
      speaks_of(tells "${text}" ${risky_${group}})
      if(size LESS at_most AND length EQUAL different AND NOT is_told AND NOT tells)
        break()
      endif()
    endforeach()
    list(APPEND groups ${group})
    list(APPEND members_${group} ${path})
    list(APPEND risky_${group} ${risky})
    set(names_${group} ${both})
    string(APPEND text_${group} "${text}")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups/${group}.cpp)
    write_group(${file} ${members_${group}})
    list(APPEND others ${file})
    if(group MATCHES "^cold_")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${given_COLD}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${others}" UNITY_BUILD OFF)
endfunction()
