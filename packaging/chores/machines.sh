# What ./dev portability, wheel and tarball need for other machines: their libraries are unpacked in build/machines and not installed.

aarch64_packages=(g++-aarch64-linux-gnu qemu-user)
machine_packages=(catch2 libboost-dev libcli11-dev libfmt-dev libspdlog-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev)
module_packages=(python3-numpy python3-pytest python3-venv)  # where the Python module is tested, too

# The libraries of another machine, with those that they need themselves.
unpack_libraries() {
  local machine=$1 root=$PWD/build/machines/$1 name=${1/aarch64/arm64} packages=("${machine_packages[@]}") work options
  [[ ! -e $root/complete ]] || return 0
  say "fetching the libraries of $machine"
  [[ $machine != aarch64 ]] || packages+=("${module_packages[@]}")
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  options=(-q -y --no-install-recommends -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null
    -o "APT::Architecture=$name" -o "APT::Architectures=$name" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >"$work/log" 2>&1 || true  # other sources may not know the machine
  apt-get "${options[@]}" --download-only install "${packages[@]}" >>"$work/log" 2>&1 ||
    fail "the libraries of $machine cannot be fetched: $(tail -n 1 "$work/log")"
  rm -rf "$root"
  mkdir -p "$root"
  # The compilers have the headers of the C library and of Linux.
  find "$work/cache" -name '*.deb' ! -name 'libc6-dev_*' ! -name 'linux-libc-dev_*' -exec dpkg-deb -x {} "$root" \;
  [[ ! -e $root/usr/bin/python3 ]] || emulate_python "$root"
  touch "$root/complete"
  rm -rf "$work"
}

# Another machine's Python becomes a script that starts it by the emulator, also where a venv or a test starts it again. Without
# installation, Debian's alternatives are missing.
emulate_python() {
  local python
  python=$(readlink "$1/usr/bin/python3")
  rm "$1/usr/bin/python3"
  cat >"$1/usr/bin/python3" <<END
#!/bin/sh
python=\$(readlink -f "\$0")
exec qemu-aarch64 -L "\${python%/usr/bin/*}" -0 "\$0" "\${python%/*}/$python" "\$@"
END
  chmod +x "$1/usr/bin/python3"
  ln -s blas/libblas.so.3 lapack/liblapack.so.3 "$1/usr/lib/aarch64-linux-gnu"
}

# read_target CHORE OPTION…: --target sets target; a suffix, which names what is another machine's; emulated, that machine's Python and the
# words that start its programs. options are the others.
read_target() {
  local chore=$1
  shift
  target=x86_64 suffix='' emulated=() options=("$@")
  [[ ${1:-} = --target ]] || return 0
  [[ ${2:-} =~ ^(x86_64|aarch64)$ ]] || misused "$chore --target knows x86_64 and aarch64, got '${2:-}'"
  target=$2 options=("${@:3}")
  [[ $target != x86_64 ]] || return 0
  suffix=-$target
  emulated=("$root/build/machines/$target/usr/bin/python3" "qemu-$target" -L "$root/build/machines/$target")
  setup "$target"
  unpack_libraries "$target"
}
