#!/bin/sh
# Runs a Python over a library with the address sanitizer, which TSCATTER_PRELOAD names.
#   sanitized.sh PYTHON WORD…
# What the sanitizer finds ends the process. Of what leaks only what tscatter has allocated counts: Python keeps much to its end.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# watched NAME COMMAND…: reports of all its processes are $work/NAME.*
watched() {
  name=$1
  shift
  env LD_PRELOAD="$TSCATTER_PRELOAD" PYTHONMALLOC=malloc \
    ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}:exitcode=0:abort_on_error=1:log_path=$work/$name" \
    UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1}:log_path=$work/$name" "$@"
}

# leaks NAME: those with a function or an object of tscatter among the callers.
leaks() {
  cat "$work/$1".* 2>/dev/null | awk 'BEGIN { RS = "" } /(Direct|Indirect) leak/ && /tsc_|tscatter/ { print $0 "\n" }'
}

# It is seen to work: a tensor that is longer than its memory, and a text that nobody frees.
watched past "$1" -c 'if True:
  import ctypes, tscatter
  class Longer:
    memory = ctypes.create_string_buffer(64)
    __array_interface__ = {"version": 3, "data": (ctypes.addressof(memory), False), "typestr": "<f4", "shape": (17,)}
  tscatter.scatter_nd_update_15(Longer(), [[16]], [1], out=Longer())' >/dev/null 2>&1
grep -q 'ERROR: AddressSanitizer: .*overflow' "$work"/past.* 2>/dev/null ||
  { echo "the address sanitizer does not watch the library"; cat "$work"/past.* 2>/dev/null; exit 1; }
watched lost "$1" -c 'if True:
  import ctypes
  from tscatter import _library
  text, error = ctypes.c_char_p(), ctypes.POINTER(_library._Error)()
  _library._library.tsc_describe(ctypes.byref(text), ctypes.byref(error))
  text.value = None'
[ -n "$(leaks lost)" ] || { echo "the leak sanitizer does not watch the library"; exit 1; }

watched tests "$@"
status=$?
if grep -h 'ERROR: AddressSanitizer\|runtime error' "$work"/tests.* 2>/dev/null || [ -n "$(leaks tests)" ]; then
  cat "$work"/tests.*
  exit 1
fi
exit "$status"
