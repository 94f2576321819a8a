# ./dev deb, which reads this file.

deb_packages=(catch2 debhelper dh-python dpkg-dev libopenmpi-dev lintian python3 python3-numpy)

explain() {
  cat <<'END'
usage: ./dev deb

Builds the packages of packaging/debian in build/deb, with all tests, and has lintian look at them: an error or a warning fails. What is
built is what git knows or would add. DEB_BUILD_OPTIONS=nocheck leaves the tests out. docs/packages.md says what is in them.
END
}

do_deb() {
  local files
  no_options deb "$@"
  setup build deb
  mapfile -t files < <(git_here ls-files --cached --others --exclude-standard | while read -r file; do [[ ! -e $file ]] || echo "$file"; done)
  [[ ${#files[@]} -gt 0 ]] || fail "no files: is this a git repository?"
  packaging/deb.sh "${files[@]}" || fail "the packages cannot be built"
  say "running lintian"
  lintian --allow-root --fail-on error,warning build/deb/*.changes || fail "lintian found something"
  ls build/deb/*.deb
}
