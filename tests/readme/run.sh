#!/bin/sh
# Runs the examples of Markdown files and compares what they print with what stands there.
#   run.sh TSCATTER EXAMPLES FILE.md…
# EXAMPLES are programs, name=path;name=path: they are made from the files' ```cpp blocks.
# In ```console blocks, "$ command" is run (a trailing \ goes on in the next line); the lines after it are its stdout
# and stderr. A ```shell block is run as a whole; a ```text block right after it is what it prints, without one it prints
# nothing. The commands of one file share a shell and an empty directory, where each program is ./name.
set -u
binary=$(readlink -f "$1")
examples=$2
shift 2

start=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/blocks"
ln -s "$binary" "$work/bin/tscatter"
PATH=$work/bin:$PATH
export PATH
export LC_ALL=C NO_COLOR=1 XDG_STATE_HOME="$work/state"
unset CI GITHUB_ACTIONS
failed=0
count=0

# Writes N.command, N.expected and N.line for each example of the file.
extract() {
  rm -f "$work"/blocks/*
  awk -v to="$work/blocks" '
    function begin() { ++n; printf "" > (to "/" n ".expected"); printf "%d", NR > (to "/" n ".line") }
    /^```/ && inside { inside = ""; goes_on = 0; next }
    /^```shell$/ { inside = "shell"; begin(); prints = 1; next }
    /^```text$/ && prints { inside = "text"; prints = 0; next }
    /^```/ { inside = $0 == "```console" ? "console" : "other"; prints = 0; next }
    inside == "shell" { print > (to "/" n ".command"); next }
    inside == "text" { print > (to "/" n ".expected"); next }
    /./ && !inside { prints = 0 }
    inside != "console" { next }
    goes_on { print > (to "/" n ".command"); goes_on = /\\$/; next }
    /^\$ / { begin(); print substr($0, 3) > (to "/" n ".command"); goes_on = /\\$/; next }
    n == 0 { print "output before the first command" > "/dev/stderr"; exit 1 }
    { print > (to "/" n ".expected") }
    END { printf "%d", n > (to "/count") }' "$1"
}

for file in "$@"; do
  extract "$file" || exit 1
  number=$(cat "$work/blocks/count")
  if [ "$number" -eq 0 ]; then
    echo "$file: no examples"
    failed=$((failed + 1))
    continue
  fi
  rm -rf "$work/here"
  mkdir "$work/here"
  cd "$work/here" || exit 1
  for example in $(echo "$examples" | tr ';' ' '); do
    ln -s "${example#*=}" "${example%%=*}"
  done
  status=0
  i=1
  while [ "$i" -le "$number" ]; do
    command=$(cat "$work/blocks/$i.command")
    (exit "$status")
    eval "$command" >"$work/actual" 2>&1 </dev/null
    status=$?
    count=$((count + 1))
    if ! cmp -s "$work/actual" "$work/blocks/$i.expected"; then
      failed=$((failed + 1))
      echo "$file:$(cat "$work/blocks/$i.line"): \$ $command"
      diff -u --label documented --label printed "$work/blocks/$i.expected" "$work/actual"
    fi
    i=$((i + 1))
  done
  cd "$start" || exit 1
done

echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
