#!/bin/sh
# Makes 2,000 cases of all operations with their results, and casts, by two programs: a digest of all files must be the same. Then the first one
# runs the other's cases.
#   same_bytes.sh TSCATTER REFERENCE
set -eu
[ -x "$2" ] || { echo "no program to compare with: ./dev build makes $2"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state" LC_ALL=C
operations=$("$2" ops | cut -d " " -f 1 | grep -vx generic.scatter)  # which asks for policies
count=$((1999 / $(echo "$operations" | wc -l) + 1))
# digest NAME PROGRAM: of the cases that PROGRAM makes in NAME, and of what casts make of the reference's floats, NaNs of any bits among them.
digest() {
  for operation in $operations; do
    "$2" generate "$operation" --count "$count" --seed 7 -o "$work/$1/$operation"
  done
  for data in "$work"/reference/*/*-f[0-9]*-full-*.data.npy; do
    for dtype in float16 float32 int64; do
      "$2" convert "$data" "$work/$1/$(basename "$data").$dtype.npy" --to $dtype --cast unsafe
    done
  done
  (cd "$work/$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}
mkdir "$work/reference" "$work/tested"
reference=$(digest reference "$2")
tested=$(digest tested "$1")
cases=$(cat "$work"/tested/*/cases.jsonl | grep -c '^{')
echo "$cases cases and $(ls "$work/tested" | grep -c npy) casts, by $1: $tested, by $2: $reference"
[ "$cases" -ge 2000 ] && [ "$tested" = "$reference" ]
"$1" batch "$work/reference" -q
