# What every target of this project is compiled with, as interface targets; no global flags.

# With 32 bits each index of a vector would be warned of; what goes beyond them is refused (core/memory_size.hpp).
set(conversion_warnings -Wconversion)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(conversion_warnings)
endif()
add_library(tscatter_compiler INTERFACE)
target_compile_features(tscatter_compiler INTERFACE cxx_std_20)
target_compile_options(
  tscatter_compiler
  INTERFACE -Wall -Wextra -Wpedantic ${conversion_warnings} -Wshadow
            # docs/ops.md: each step is rounded; a contracted a*b+c would not be.
            -ffp-contract=off)
# The library for C is made of the same objects as the program. Nothing of them is seen outside of it, so they are not slower.
set(is_c_library_built ON)
if(NOT TSCATTER_BUILD_APP OR TSCATTER_SANITIZERS OR CMAKE_CROSSCOMPILING)
  set(is_c_library_built OFF)
endif()
option(TSCATTER_BUILD_C "Build the library for C and other languages" ${is_c_library_built})
function(tscatter_part_of_shared_library target)
  if(TSCATTER_BUILD_C)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()
# GCC 12 warns of its own std::string's operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tscatter_compiler INTERFACE -Wno-restrict)
endif()
# On 32-bit x86 the x87 unit would round to more than the dtype; SSE2 does not.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i[3-6]86|x86|x86_64|AMD64)$")
  target_compile_options(tscatter_compiler INTERFACE -msse2 -mfpmath=sse)
endif()
# Linked in addition by what is measured. Threads share the counters.
add_library(tscatter_counted INTERFACE)
if(TSCATTER_COVERAGE)
  target_compile_options(tscatter_counted INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(tscatter_counted INTERFACE --coverage)
endif()
if(TSCATTER_SANITIZERS)
  target_compile_options(tscatter_compiler INTERFACE -fsanitize=${TSCATTER_SANITIZERS} -fno-sanitize-recover=all
                                                     -fno-omit-frame-pointer)
  target_link_options(tscatter_compiler INTERFACE -fsanitize=${TSCATTER_SANITIZERS})
  # Clang does not define what GCC does.
  if(TSCATTER_SANITIZERS MATCHES address)
    target_compile_definitions(tscatter_compiler INTERFACE TSCATTER_SANITIZES_ADDRESSES)
  elseif(TSCATTER_SANITIZERS MATCHES thread)
    target_compile_definitions(tscatter_compiler INTERFACE TSCATTER_SANITIZES_THREADS)
  endif()
  # The tests start the program thousands of times: without relocating 100 MB it starts in 26 instead of 44 ms.
  if(TSCATTER_SANITIZERS MATCHES address AND NOT TSCATTER_BUILD_C)
    target_compile_options(tscatter_compiler INTERFACE -fno-pie)
    target_link_options(tscatter_compiler INTERFACE -no-pie)
  endif()
endif()
# What takes longer to compile than it ever runs: the program around the library, and most tests.
add_library(tscatter_quick INTERFACE)
target_compile_options(tscatter_quick INTERFACE $<$<CONFIG:Release>:-O1>)
