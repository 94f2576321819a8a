# zig's C++ compiler and libc++, for programs that run on any Linux with glibc 2.28 or later. TSCATTER_ZIG is the program;
# ./dev wheel installs it in build/wheel-venv. The headers of Debian's packages are seen through links in a folder of their
# own, since /usr/include has another glibc; their libraries are linked statically. For x86-64, unless zig_aarch64.cmake reads this.
if(tscatter_machine)
  include(${CMAKE_CURRENT_LIST_DIR}/other_machine.cmake)
else()
  set(tscatter_libraries x86_64-linux-gnu)
  set(CMAKE_LIBRARY_ARCHITECTURE ${tscatter_libraries})
  set(tscatter_root)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TSCATTER_ZIG)
set(TSCATTER_ZIG $ENV{TSCATTER_ZIG} CACHE FILEPATH "The program zig")
if(NOT TSCATTER_ZIG)
  message(FATAL_ERROR "TSCATTER_ZIG must name the program zig: pip install ziglang (./dev wheel does it)")
endif()
set(CMAKE_C_COMPILER ${TSCATTER_ZIG} cc)
set(CMAKE_CXX_COMPILER ${TSCATTER_ZIG} c++)
# What is built does not know where: the same bytes come from any folder. zig writes debug information unless told not to. Functions
# have sections of their own, so that those that nothing calls are left out.
get_filename_component(tscatter_source ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(tscatter_target "-target ${tscatter_libraries}.2.28 -fno-sanitize=all -g0 -ffile-prefix-map=${tscatter_source}/= -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_INIT "${tscatter_target}")
set(CMAKE_CXX_FLAGS_INIT "${tscatter_target}")
# Without the symbols of libc++'s debug information.
set(CMAKE_EXE_LINKER_FLAGS_RELEASE_INIT "-s -Wl,--gc-sections")
set(CMAKE_SHARED_LINKER_FLAGS_RELEASE_INIT "-s -Wl,--gc-sections")

set(tscatter_headers ${CMAKE_BINARY_DIR}/headers)
foreach(header CLI fmt nlohmann spdlog xxhash.h xxh3.h zlib.h zconf.h catch2 benchmark)
  foreach(folder ${tscatter_root}/usr/include/${tscatter_libraries} ${tscatter_root}/usr/include)
    if(EXISTS ${folder}/${header} AND NOT EXISTS ${tscatter_headers}/${header})
      file(MAKE_DIRECTORY ${tscatter_headers})
      file(CREATE_LINK ${folder}/${header} ${tscatter_headers}/${header} SYMBOLIC)
    endif()
  endforeach()
endforeach()
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${tscatter_headers})
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${tscatter_headers})
set(ZLIB_LIBRARY ${tscatter_root}/usr/lib/${tscatter_libraries}/libz.a CACHE FILEPATH "")
# Arithmetic on 128 bits. zig has it in one object with a memcpy and a memmove of its own, which then take the place of the C
# library's, which are faster.
set(tscatter_gcc ${tscatter_libraries}-gcc)
execute_process(COMMAND ${tscatter_gcc} -print-libgcc-file-name OUTPUT_VARIABLE tscatter_libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${tscatter_libgcc}")
  message(FATAL_ERROR "${tscatter_gcc} must be there, for its libgcc.a")
endif()
set(CMAKE_CXX_STANDARD_LIBRARIES ${tscatter_libgcc})
