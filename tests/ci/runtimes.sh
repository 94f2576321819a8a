#!/bin/sh
# Runs the scripts of docs/testing-a-runtime.md on small suites, each where a Python has its runtime.
#   runtimes.sh TSCATTER SOURCE_DIRECTORY
set -eu
binary=$(readlink -f "$1")
source=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
cd "$work"

. "$source/tests/ci/python_with.sh"

for operation in ScatterUpdate-3 ScatterNDUpdate-15 SliceScatter-15; do
  "$binary" generate "$operation" --count 20 --seed 7 --errors -o "all-$operation"
done
"$binary" generate ScatterNDUpdate-15 --count 20 --seed 7 --dtype float32 -r none -r sum --values exact -o sums

# check RUNTIME SUITE: each case is run or has its reason; what is run is verified, and only verify calls it wrong.
check() {
  "$python" -B "$source/docs/runtimes/$1_cases.py" "$2"
  lines=$(grep -c '^{' "$2/cases.jsonl")
  [ "$(tail -n +2 "$2/$1.jsonl" | wc -l)" -eq "$lines" ] || { echo "$1, $2: cases are missing"; exit 1; }
  grep -q '^{' "$2/$1.jsonl" || return 0
  status=0
  "$binary" batch "$2/$1.jsonl" -q >report.txt || status=$?
  tail -n 1 report.txt
  [ "$status" -le 1 ] || exit 1
  if grep '^FAILED' report.txt | grep -v ': not legal: .*\[batch.b5\]$'; then exit 1; fi
  grep -q '^[0-9]* cases: [1-9][0-9]* passed' report.txt
}

ran=0
for runtime in onnxruntime openvino; do
  packages=numpy,$runtime
  [ "$runtime" = openvino ] || packages=$packages,onnx
  if ! python=$(python_with "$packages"); then
    echo "$runtime: no Python with $packages was found: ./dev bench peers installs one"
    continue
  fi
  ran=$((ran + 1))
  for suite in all-* sums; do check "$runtime" "$suite"; done
  # A result that lost its updates is not legal.
  sed 's/"actual": "[^"]*"/"actual": "lost.npy"/' sums/$runtime.jsonl | grep '^{' | grep -v no-entries | head -n 1 >sums/lost.jsonl
  cp "sums/$(sed 's/.*"data": "\([^"]*\)".*/\1/' sums/lost.jsonl)" sums/lost.npy
  if "$binary" batch sums/lost.jsonl -q; then echo "a lost update passed"; exit 1; fi
done
[ "$ran" -gt 0 ] || exit 77
echo "passed: $ran of 2 runtimes"
