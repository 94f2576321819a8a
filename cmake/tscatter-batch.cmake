# tscatter_add_batch(): a batch of cases as tests of CTest. docs/ci.md shows it.

set(tscatter_batch_tests ${CMAKE_CURRENT_LIST_DIR}/tscatter-batch-tests.cmake)

# tscatter_add_batch(TARGET CASES… [FLAGS FLAG…] [ARGUMENTS WORD…] [SHARDS N] [PREFIX TEXT] [PROGRAM PATH]
#                    [WORKING_DIRECTORY FOLDER] [PROPERTIES NAME VALUE…])
#
# A test TARGET.NAME for each case of the files and folders CASES, as `tscatter batch --list` names them when ctest starts: a new case
# needs no new configuration. A case's tags are its test's labels; one with `skip` is a skipped test. What cannot be listed fails.
#   TARGET             an executable of this project is run first, once, as the test TARGET.run: it makes what the cases name as
#                      `actual`, and where it fails no case is run. Any other word is only a name.
#   FLAGS              of `tscatter batch`, for each test: --details
#   ARGUMENTS          of TARGET
#   SHARDS             N tests of a part of the cases each, instead of one for each case: for thousands, and for --unreferenced
#   PREFIX             of the tests' names, instead of "TARGET."
#   PROGRAM            instead of ${tscatter_PROGRAM}
#   WORKING_DIRECTORY  of the tests and of TARGET (the current binary folder)
#   PROPERTIES         of each test, as set_tests_properties takes them
function(tscatter_add_batch target)
  cmake_parse_arguments(PARSE_ARGV 1 batch "" "SHARDS;PREFIX;PROGRAM;WORKING_DIRECTORY" "FLAGS;ARGUMENTS;PROPERTIES")
  set(cases)
  foreach(path IN LISTS batch_UNPARSED_ARGUMENTS)
    get_filename_component(path "${path}" ABSOLUTE)
    list(APPEND cases "${path}")
  endforeach()
  if(NOT cases)
    message(FATAL_ERROR "tscatter_add_batch(${target}): needs files or folders of cases")
  endif()
  if(NOT batch_PROGRAM)
    set(batch_PROGRAM "${tscatter_PROGRAM}")
  endif()
  if(NOT batch_PROGRAM)
    message(FATAL_ERROR "tscatter_add_batch(${target}): there is no program tscatter: install it, or set tscatter_PROGRAM or PROGRAM")
  endif()
  if(NOT DEFINED batch_PREFIX)
    set(batch_PREFIX "${target}.")
  endif()
  if(NOT batch_WORKING_DIRECTORY)
    set(batch_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  list(APPEND batch_PROPERTIES WORKING_DIRECTORY "${batch_WORKING_DIRECTORY}")
  if(TARGET ${target})
    add_test(NAME ${batch_PREFIX}run COMMAND ${target} ${batch_ARGUMENTS} WORKING_DIRECTORY "${batch_WORKING_DIRECTORY}")
    set_tests_properties(${batch_PREFIX}run PROPERTIES FIXTURES_SETUP "${batch_PREFIX}run")
    list(APPEND batch_PROPERTIES FIXTURES_REQUIRED "${batch_PREFIX}run")
  endif()
  string(MAKE_C_IDENTIFIER "${batch_PREFIX}${target}" file)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${file}-batch.cmake)
  file(
    WRITE ${file}
    "set(program [==[${batch_PROGRAM}]==])
set(cases [==[${cases}]==])
set(flags [==[${batch_FLAGS}]==])
set(shards [==[${batch_SHARDS}]==])
set(prefix [==[${batch_PREFIX}]==])
set(properties [==[${batch_PROPERTIES}]==])
include([==[${tscatter_batch_tests}]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
