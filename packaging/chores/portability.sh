# ./dev portability, which reads this file.

# shellcheck source=wheel.sh
. "$root/packaging/chores/wheel.sh"  # install_zig, and what it reads

# One list for each machine; machines.sh has that of aarch64.
s390x_packages=(g++-s390x-linux-gnu qemu-user)
i386_packages=(g++-i686-linux-gnu)
clang_14_packages=(clang-14)
clang_19_packages=(clang-19)
zig_packages=()
tsan_packages=()

explain() {
  cat <<'END'
usage: ./dev portability [s390x|i386|aarch64|clang-14|clang-19|zig|tsan]…

Builds and tests for what is named, or all of it one after the other, and says at the end what ran and what was skipped:

  s390x      a big-endian machine, under qemu's user mode emulation
  i386       a 32-bit machine, whose programs run here
  aarch64    by the compiler of ./dev wheel --target aarch64, under the emulation, with an emulated Python
  clang-14, clang-19
  zig        the compiler of ./dev wheel, with its libc++
  tsan       as ./dev tsan

The compilers are installed with apt-get; the libraries of other machines are unpacked in build/machines. It takes an hour
and more.
END
}

# What keeps it from running here, if anything does.
obstacle() {
  local machine=$1
  if [[ $machine = i386 && $(uname -m) != x86_64 ]]; then
    echo "its programs do not run on $(uname -m)"
  elif ! (setup "${machine//-/_}") >&2; then
    echo "no package: ${machine} needs $(local -n packages=${machine//-/_}_packages; echo "${packages[*]}")"
  elif [[ $machine =~ ^(s390x|i386|aarch64)$ ]] && ! (unpack_libraries "$machine") >&2; then
    echo "no packages of its libraries"
  elif [[ $machine =~ ^(zig|aarch64)$ ]] && ! (install_zig) >&2; then
    echo "pip has no ziglang"
  fi
}

run_machine() {
  local machine=$1 without=()
  if [[ $machine = tsan ]]; then
    ./dev tsan
    return
  fi
  [[ ! $machine =~ ^(s390x|aarch64)$ ]] || without=(-LE native)
  [[ ! $machine =~ ^(zig|aarch64)$ ]] || install_zig
  build_target tscatter_app  # whose results the test same_bytes takes
  configure "$machine" with
  build_preset "$machine"
  run_tests "$machine" "${without[@]}"
}

do_portability() {
  local machine machines=("$@") reason outcomes=() failed=0
  for machine in "$@"; do
    [[ $machine =~ ^(s390x|i386|aarch64|clang-14|clang-19|zig|tsan)$ ]] ||
      misused "portability knows s390x, i386, aarch64, clang-14, clang-19, zig and tsan, got '$machine'"
  done
  [[ $# -gt 0 ]] || machines=(s390x i386 aarch64 clang-14 clang-19 zig tsan)
  setup build test
  for machine in "${machines[@]}"; do
    reason=$(obstacle "$machine")
    if [[ -n $reason ]]; then
      outcomes+=("skipped: $machine: $reason")
    elif (run_machine "$machine"); then
      outcomes+=("ran: $machine")
    else
      outcomes+=("failed: $machine")
      failed=1
    fi
  done
  printf '%s\n' "${outcomes[@]}"
  return $failed
}
