# ./dev portability, which reads this file.

# shellcheck source=wheel.sh
. "$root/packaging/chores/wheel.sh"  # install_zig

# Of ./dev portability, one list for each machine; machine_packages are those of the other machine, which are unpacked
# in build/machines and not installed.
s390x_packages=(g++-s390x-linux-gnu qemu-user)
i386_packages=(g++-i686-linux-gnu)
clang_14_packages=(clang-14)
clang_19_packages=(clang-19)
zig_packages=()
tsan_packages=()
machine_packages=(catch2 libboost-dev libcli11-dev libfmt-dev libspdlog-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev)

explain() {
  cat <<'END'
usage: ./dev portability [s390x|i386|clang-14|clang-19|zig|tsan]…

Builds and tests for what is named, or all of it one after the other, and says at the end what ran and what was skipped:

  s390x      a big-endian machine, under qemu's user mode emulation
  i386       a 32-bit machine, whose programs run here
  clang-14, clang-19
  zig        the compiler of ./dev wheel, with its libc++
  tsan       as ./dev tsan

The compilers are installed with apt-get; the libraries of other machines are unpacked in build/machines. It takes an hour
and more.
END
}

# The libraries of another machine, as Debian calls it, in build/machines.
unpack_libraries() {
  local machine=$1 root=$PWD/build/machines/$1 work options packages
  [[ ! -e $root/complete ]] || return 0
  say "fetching the libraries of $machine"
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
  options=(-q -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null
    -o "APT::Architecture=$machine" -o "APT::Architectures=$machine" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >"$work/log" 2>&1 || true  # other sources may not know the machine
  # CMake wants to see the shared libraries too, and Boost's headers are in a package of their version.
  packages=$(apt-cache "${options[@]}" depends -i "${machine_packages[@]}" |
    sed -n 's/^ *Depends: \(libfmt[0-9]*\|libspdlog[0-9.]*\|libboost[0-9.]*-dev\)$/\1/p')
  # shellcheck disable=SC2086
  (cd "$work/packages" && apt-get "${options[@]}" download "${machine_packages[@]}" $packages) >>"$work/log" 2>&1 ||
    fail "the libraries of $machine cannot be fetched: $(tail -n 1 "$work/log")"
  rm -rf "$root"
  mkdir -p "$root"
  find "$work/packages" -name '*.deb' -exec dpkg-deb -x {} "$root" \;
  touch "$root/complete"
  rm -rf "$work"
}

# What keeps it from running here, if anything does.
obstacle() {
  local machine=$1
  if [[ $machine = i386 && $(uname -m) != x86_64 ]]; then
    echo "its programs do not run on $(uname -m)"
  elif ! (setup "${machine//-/_}") >&2; then
    echo "no package: ${machine} needs $(local -n packages=${machine//-/_}_packages; echo "${packages[*]}")"
  elif [[ $machine = s390x || $machine = i386 ]] && ! (unpack_libraries "$machine") >&2; then
    echo "no packages of its libraries"
  elif [[ $machine = zig ]] && ! (install_zig) >&2; then
    echo "pip has no ziglang"
  fi
}

run_machine() {
  local machine=$1 without=()
  if [[ $machine = tsan ]]; then
    ./dev tsan
    return
  fi
  [[ $machine != s390x ]] || without=(-LE native)
  [[ $machine != zig ]] || install_zig
  configure "$machine" with
  build_preset "$machine"
  run_tests "$machine" "${without[@]}"
}

do_portability() {
  local machine machines=("$@") reason outcomes=() failed=0
  for machine in "$@"; do
    [[ $machine =~ ^(s390x|i386|clang-14|clang-19|zig|tsan)$ ]] ||
      misused "portability knows s390x, i386, clang-14, clang-19, zig and tsan, got '$machine'"
  done
  [[ $# -gt 0 ]] || machines=(s390x i386 clang-14 clang-19 zig tsan)
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
