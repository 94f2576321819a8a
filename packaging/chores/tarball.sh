# ./dev tarball, which reads this file.

tarball_packages=(python3)

explain() {
  cat <<'END'
usage: ./dev tarball

Builds the preset static, whose program needs no library where it is run, and packs it with its manual page, completion scripts,
the licences of what is in it and the bill of materials (CycloneDX): build/tarball, with SHA256SUMS. The same sources make the same
bytes with the same compiler and libraries, in any folder: SOURCE_DATE_EPOCH is the time of the files (default: that of the last commit).
END
}

do_tarball() {
  no_options tarball "$@"
  setup build tarball
  configure static without
  build_preset static --target tscatter_app
  rm -rf build/tarball
  python3 packaging/tarball/make_tarball.py build/static/tscatter build/static/tscatter.cdx.json . build/tarball || fail "the tarball cannot be made"
  testdata/demo.sh build/static/tscatter --check >build/tarball.log || fail "the demo fails: build/tarball.log"
  cat build/tarball/SHA256SUMS
}
