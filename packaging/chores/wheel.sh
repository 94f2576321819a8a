# ./dev wheel, which reads this file.

# shellcheck source=machines.sh
. "$root/packaging/chores/machines.sh"

explain() {
  cat <<'END'
usage: ./dev wheel [--target x86_64|aarch64] [--twice | --pythons]

Builds build/wheel/tscatter-…-py3-none-manylinux_2_28_x86_64.whl with zig's C++ compiler (preset zig; pip installs it in
build/wheel-venv): the program, the library for C and the Python module, for any Linux with glibc 2.28 or later. Checks the
wheel: its tag, its size, the C library's symbols, the demo in an empty environment. --twice builds it again, in another folder,
and compares the bytes. --pythons runs the tests of the Python module with every Python from 3.9 to 3.14 that is here, beside NumPy
1.24 and 2 (pip installs them in build/pythons).

--target aarch64 builds that machine's wheel, build/wheel-aarch64/tscatter-…-py3-none-manylinux_2_28_aarch64.whl (preset aarch64). Its
program and its Python, Debian's, are run by qemu's user mode emulation, for the module's types, the checks and --pythons. apt-get
installs the emulator and a GCC, for its libgcc; the machine's libraries and Python are unpacked in build/machines.

The whole test suite with that compiler: ./dev portability zig aarch64.
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

# make_wheel FOLDER OUTPUT: builds the sources in FOLDER, and puts the wheel into OUTPUT.
make_wheel() {
  local version build=$1/build/$preset
  (cd "$1" && cmake --preset "$preset" -DBUILD_TESTING=OFF && cmake --build --preset "$preset" --parallel "$jobs" --target tscatter_app tscatter_c) ||
    fail "preset $preset does not build"
  version=$(sed -n 's/^project(tscatter VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  build/wheel-venv/bin/python -B packaging/wheel/make_wheel.py --version "$version" --program "$build/tscatter" --library "$build/libtscatter_c.so" \
    --sbom "$build/tscatter.cdx.json" --tag "manylinux_2_28_$target" --output "$2" --python "${emulated[0]:-$root/build/wheel-venv/bin/python}" ||
    fail "the wheel cannot be made"
}

do_wheel() {
  local target suffix emulated options wheel preset=zig again=build/wheel-again
  read_target wheel "$@"
  [[ ${#options[@]} -eq 0 || ${options[*]} =~ ^--(twice|pythons)$ ]] || misused "wheel takes no '${options[*]}': ./dev wheel --help"
  [[ -z $suffix ]] || preset=$target
  setup build
  install_zig
  rm -f "build/wheel$suffix"/*.whl
  make_wheel "$root" "build/wheel$suffix"
  wheel=$(ls "build/wheel$suffix"/*.whl)
  packaging/wheel/check_wheel.sh "$root/$wheel" "$root/build/wheel-venv/bin/python" "$root" "${emulated[@]}" || fail "the wheel is not what it says"
  [[ ${options[*]} != --pythons ]] || packaging/wheel/try_pythons.sh "$root/$wheel" "$root" "$root/build/pythons$suffix" "${emulated[@]}" ||
    fail "the module fails with a Python"
  [[ ${options[*]} = --twice ]] || return 0
  rm -rf "$again"
  mkdir -p "$again/source/build"
  ln -s "$root/build/machines" "$again/source/build"
  # The tests, too: which sources are compiled together depends on what all headers declare.
  cp -r CMakeLists.txt CMakePresets.json app cmake lib tests "$again/source"
  make_wheel "$again/source" "$again"
  cmp "$wheel" "$again/$(basename "$wheel")" || fail "built again, the wheel has other bytes"
  say "built twice: the same bytes"
}
