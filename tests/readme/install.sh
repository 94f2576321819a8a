#!/bin/sh
# Runs the lines of README's section Install in a clean clone, with an empty home. It builds the program three times, and asks pip for
# a compiler: only with TSCATTER_WHOLE.
#   install.sh SOURCE
set -eu
[ -n "${TSCATTER_WHOLE:-}" ] || { echo "only ./dev test --whole runs the lines of Install"; exit 77; }
git -C "$1" rev-parse --quiet --verify HEAD >/dev/null 2>&1 || { echo "no git repository here to clone"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet "$1" "$work/clone"
cd "$work/clone"
HOME=$work/home
export HOME
mkdir "$HOME"
sed -n '/^## Install/,/^## What/ { /^```sh$/,/^```$/ { /^```/d; p } }' README.md >"$work/lines"
test -s "$work/lines" || { echo "README.md has no lines in its section Install"; exit 1; }
while read -r line; do
  case $line in
    ./dev\ wheel*) python3 -m venv "$work/try" && "$work/try/bin/pip" download -q --no-deps -d "$work/try" ziglang >/dev/null 2>&1 ||
      { echo "left out, pip has no compiler here: $line"; continue; } ;;
  esac
  echo "+ $line"
  rm -f "$HOME/.local/bin/tscatter"
  sh -euc "$line" </dev/null >"$work/log" 2>&1 || { tail -n 30 "$work/log"; echo "failed: $line"; exit 1; }
  case $line in
    *cmake\ --install*) test "$("$HOME/.local/bin/tscatter" get '2xi8=1,2[:]' 2>/dev/null)" = "[1, 2]" || { echo "no program after: $line"; exit 1; } ;;
  esac
done <"$work/lines"
