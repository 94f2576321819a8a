# ./dev docs, which reads this file.

explain() {
  cat <<'END'
usage: ./dev docs

Makes a site of the documentation in build/site/html, with pages of all commands, operations and rules from the program, and a
search. A link that leads nowhere fails. The site needs no network; look at it with

  python3 -m http.server --directory build/site/html
END
}

do_docs() {
  no_options docs "$@"
  local python=build/site/venv/bin/python
  build_target tscatter_app
  [[ -x $python ]] || python3 -m venv build/site/venv || fail "python3 cannot make a venv: apt-get install python3-venv"
  "$python" -c 'import mkdocs' 2>/dev/null || "$python" -m pip install -q 'mkdocs==1.6.1' </dev/null || fail "pip could not install mkdocs"
  "$python" -B packaging/site/pages.py build/release/tscatter build/site/source || fail "the pages cannot be made"
  if ! PYTHONPATH=packaging/site PYTHONDONTWRITEBYTECODE=1 "$python" -m mkdocs build --strict -f packaging/site/mkdocs.yml 2>build/site/log; then
    grep -v '^INFO' build/site/log >&2
    fail "the site has links that lead nowhere"
  fi
  say "build/site/html/index.html"
}
