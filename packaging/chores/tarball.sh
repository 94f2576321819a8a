# ./dev tarball, which reads this file.

# shellcheck source=machines.sh
. "$root/packaging/chores/machines.sh"

tarball_packages=(python3)

explain() {
  cat <<'END'
usage: ./dev tarball [--target x86_64|aarch64]

Builds the preset static, whose program needs no library where it is run, and packs it with its manual page, completion scripts,
the licences of what is in it and the bill of materials (CycloneDX): build/tarball, with SHA256SUMS. The same sources make the same
bytes with the same compiler and libraries, in any folder: SOURCE_DATE_EPOCH is the time of the files (default: that of the last commit).

--target aarch64 packs that machine's program (preset static-aarch64) in build/tarball-aarch64, by Debian's cross compiler. It is run by qemu's
user mode emulation; its libraries are unpacked in build/machines.
END
}

do_tarball() {
  local target suffix emulated options program folder
  read_target tarball "$@"
  no_options tarball "${options[@]}"
  setup build tarball
  folder=build/tarball$suffix program=build/static$suffix/tscatter
  configure "static$suffix" without
  build_preset "static$suffix" --target tscatter_app
  rm -rf "$folder"
  cp "$program" "$program.started"
  packaging/emulated.sh "$program.started" "${emulated[@]:1}"
  python3 packaging/tarball/make_tarball.py "$program" "$program.cdx.json" . "$folder" "$target" "$program.started" || fail "the tarball cannot be made"
  testdata/demo.sh "$program.started" --check >"$folder.log" || fail "the demo fails: $folder.log"
  cat "$folder/SHA256SUMS"
}
