# ./dev wheel, which reads this file.

explain() {
  cat <<'END'
usage: ./dev wheel [--twice | --pythons]

Builds build/wheel/tscatter-…-py3-none-manylinux_2_28_x86_64.whl with zig's C++ compiler (preset zig; pip installs it in
build/wheel-venv): the program, the library for C and the Python module, for any Linux with glibc 2.28 or later. Checks the
wheel: its tag, its size, the C library's symbols, the demo in an empty environment. --twice builds it again, in another folder,
and compares the bytes. --pythons runs the tests of the Python module with every Python from 3.9 to 3.14 that is here, beside NumPy
1.24 and 2 (pip installs them in build/pythons).

The whole test suite with that compiler: ./dev portability zig.
END
}

# zig's compiler, and auditwheel, in a Python environment of their own.
install_zig() {
  local python=build/wheel-venv/bin/python
  if [[ ! -x $python ]]; then
    python3 -m venv build/wheel-venv || fail "python3 cannot make a venv: apt-get install python3-venv"
  fi
  "$python" -c 'import ziglang, auditwheel' 2>/dev/null || "$python" -m pip install -q 'ziglang==0.17.1' auditwheel </dev/null ||
    fail "pip could not install ziglang and auditwheel"
  TSCATTER_ZIG=$("$python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
  export TSCATTER_ZIG
}

# make_wheel FOLDER OUTPUT: builds the sources in FOLDER and puts the wheel into OUTPUT.
make_wheel() {
  local version
  (cd "$1" && cmake --preset zig -DBUILD_TESTING=OFF && cmake --build --preset zig --parallel "$jobs" --target tscatter_app tscatter_c) ||
    fail "preset zig does not build"
  version=$(sed -n 's/^project(tscatter VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  build/wheel-venv/bin/python -B packaging/wheel/make_wheel.py --version "$version" --program "$1/build/zig/tscatter" \
    --library "$1/build/zig/libtscatter_c.so" --sbom "$1/build/zig/tscatter.cdx.json" --tag manylinux_2_28_x86_64 --output "$2" || fail "the wheel cannot be made"
}

do_wheel() {
  local wheel again=build/wheel-again
  [[ $# -eq 0 || ${1:-} =~ ^--(twice|pythons)$ ]] || misused "wheel takes no '$1': ./dev wheel --help"
  setup build
  install_zig
  rm -f build/wheel/*.whl
  make_wheel "$root" build/wheel
  wheel=$(ls build/wheel/*.whl)
  packaging/wheel/check_wheel.sh "$root/$wheel" "$root/build/wheel-venv/bin/python" "$root" || fail "the wheel is not what it says"
  [[ ${1:-} != --pythons ]] || packaging/wheel/try_pythons.sh "$root/$wheel" "$root" "$root/build/pythons" || fail "the module fails with a Python"
  [[ ${1:-} = --twice ]] || return 0
  rm -rf "$again"
  mkdir -p "$again/source"
  # The tests, too: which sources are compiled together depends on what all headers declare.
  cp -r CMakeLists.txt CMakePresets.json app cmake lib tests "$again/source"
  make_wheel "$again/source" "$again"
  cmp "$wheel" "$again/$(basename "$wheel")" || fail "built again, the wheel has other bytes"
  say "built twice: the same bytes"
}
