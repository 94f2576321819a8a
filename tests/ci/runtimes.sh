#!/bin/sh
# Runs the scripts of docs/testing-a-runtime.md on small suites, and the kernels of kernels/ with the Python module over LIBRARY, the library
# for C, each where a Python has what it needs.
#   runtimes.sh TSCATTER SOURCE_DIRECTORY [LIBRARY]
set -eu
binary=$(readlink -f "$1")
source=$(readlink -f "$2")
library=${3:+$(readlink -f "$3")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
cd "$work"

. "$source/tests/ci/python_with.sh"

for operation in ScatterUpdate-3 ScatterNDUpdate-15 SliceScatter-15 ScatterElementsUpdate-12 onnx.ScatterElements-18 onnx.ScatterND-18 \
  onnx.Scatter-9 onnx.TensorScatter-24; do
  "$binary" generate "$operation" --count 6 --seed 7 --errors -o "all-$operation"
done
# Of a runtime's own names, for it alone; it has more random calls (names).
for operation in torch.scatter torch.index_reduce torch.index_put; do
  "$binary" generate "$operation" --count 6 --seed 7 --errors -o "own-$operation"
done
for operation in tensor_scatter_nd_update tensor_scatter_nd_add tensor_scatter_nd_max scatter_nd math.segment_max math.unsorted_segment_sum; do
  "$binary" generate "tf.$operation" --count 6 --seed 7 --errors -o "own-tensorflow.$operation"
done
for operation in jax.at.add jax.lax.scatter_min jax.ops.segment_prod stablehlo.scatter xla.scatter; do
  "$binary" generate "$operation" --count 6 --seed 7 --errors -o "own-jax.$operation"
done
"$binary" generate numpy.bincount --count 6 --seed 7 --errors -o own-numpy.bincount
"$binary" generate ScatterNDUpdate-15 --count 12 --seed 7 --dtype float32 -r none -r sum --values exact -o sums
# Legal in every runtime: what they differ in is left out.
"$binary" generate ScatterElementsUpdate-12 --count 12 --seed 7 --dtype float32 -r none -r sum --values exact -o same

# Suites of which a runtime has no result: it has no such operation.
without_result() {
  case $1 in
    onnx_reference) echo "all-SliceScatter-15 all-onnx.Scatter-9" ;;
    onnxruntime) echo "all-SliceScatter-15" ;;
    tensorflow) echo "all-ScatterUpdate-3 all-SliceScatter-15 all-ScatterElementsUpdate-12 all-onnx.ScatterElements-18 all-onnx.Scatter-9 all-onnx.TensorScatter-24 same" ;;
    torch) echo "all-ScatterNDUpdate-15 all-onnx.TensorScatter-24" ;;
    *) echo "all-onnx.TensorScatter-24" ;;
  esac
}

# The names of cases whose result need not be legal, as docs/runtimes/findings.md explains. OpenVINO narrows 64-bit numbers to 32 bits,
# and applies no updates of depth 0. All others are legal in every runtime.
explained() {
  case $1 in
    openvino) echo '-[iu]64-\|-f64-\|-depth-0-' ;;
    *) echo '^$' ;;
  esac
}

# check RUNTIME SUITE: each case is run or has its reason, a suite without a result is known, what is run is verified, and what is not
# legal is explained.
check() {
  "$python" -B "$source/docs/runtimes/$1_cases.py" "$2" >counts.txt
  lines=$(grep -c '^{' "$2/cases.jsonl")
  [ "$(tail -n +2 "$2/$1.jsonl" | wc -l)" -eq "$lines" ] || { echo "$1, $2: cases are missing"; exit 1; }
  if ! grep -q '^{' "$2/$1.jsonl"; then
    echo "$1, $2: none of $lines cases has a result"
    case " $(without_result "$1") " in *" $2 "*) return ;; esac
    cat counts.txt
    exit 1
  fi
  status=0
  "$binary" batch "$2/$1.jsonl" -q >report.txt || status=$?
  echo "$1, $2: $(tail -n 1 report.txt)"
  [ "$status" -le 1 ] || exit 1
  if grep '^FAILED' report.txt | grep -v ': not legal: .*\[batch.b5\]$'; then exit 1; fi
  if sed -n 's/^FAILED *\([^ ]*\) .*/\1/p' report.txt | grep -v -e "$(explained "$1")"; then
    echo "$1, $2: this is not legal, and not explained"
    exit 1
  fi
  grep -q '^[0-9,]* cases*: [1-9][0-9,]* passed' report.txt
  [ "$2" != same ] || [ "$status" -eq 0 ]
}

# names RUNTIME: random calls of the names that are its own, and the golden cases of what it printed, if there are any.
names() {
  legal=200 broken=100
  [ -z "${TSCATTER_WHOLE:-}" ] || legal=1500 broken=500
  for words in "--legal $legal --broken $broken" "--legal 40 --broken 20 --threads 2 --seed 2"; do
    # shellcheck disable=SC2086
    "$python" -B "$source/docs/runtimes/$1_names.py" "$binary" $words >names.txt || { cat names.txt; exit 1; }
    head -n 1 names.txt
  done
  [ ! -e "$source/testdata/$1" ] || "$python" -B "$source/testdata/$1/make_$1.py" --check
}

# modules: what generate --layout mlir writes, on StableHLO's interpreter.
modules() {
  "$binary" generate stablehlo.scatter --count 120 --seed 7 --max-elements 512 --layout mlir -o modules
  "$python" -B "$source/tests/ci/modules.py" modules
}

ran=0
known=0
for runtime in onnx_reference:onnx,ml_dtypes onnxruntime:onnx,onnxruntime openvino:onnx,openvino numpy:ml_dtypes jax:jax torch:torch \
  tensorflow:tensorflow; do
  known=$((known + 1))
  packages=numpy,${runtime#*:}
  runtime=${runtime%%:*}
  if ! python=$(python_with "$packages"); then
    echo "$runtime: no Python with $packages was found: ./dev bench peers installs one"
    continue
  fi
  ran=$((ran + 1))
  for suite in all-* sums same $(find . -name "own-$runtime.*" -printf '%f ' -prune); do check "$runtime" "$suite"; done
  [ ! -e "$source/docs/runtimes/${runtime}_names.py" ] || names "$runtime"
  [ "$runtime" != jax ] || modules
  # A result that lost its updates is not legal.
  sed 's/"actual": "[^"]*"/"actual": "lost.npy"/' sums/$runtime.jsonl | grep '^{' | grep -v no-entries | head -n 1 >sums/lost.jsonl
  cp "sums/$(sed 's/.*"data": "\([^"]*\)".*/\1/' sums/lost.jsonl)" sums/lost.npy
  if "$binary" batch sums/lost.jsonl -q >report.txt; then echo "a lost update passed"; exit 1; fi
done
# Right kernels, and such with a bug, which is named.
kernels() {
  if ! python=$(python_with "numpy,$2"); then
    echo "kernels of $1: no Python with numpy,$2 was found: ./dev bench peers installs one"
    return
  fi
  TMPDIR=$work TSCATTER_LIBRARY=$library PYTHONPATH=$source/packaging/python "$python" -B "$source/tests/ci/kernels/$1_kernels.py"
  ran_kernels=$((ran_kernels + 1))
}

# PaddlePaddle has no results of its own for the suites: its names only.
known=$((known + 1))
if python=$(python_with numpy,paddle); then
  ran=$((ran + 1))
  names paddle
else
  echo "paddle: no Python with numpy,paddle was found"
fi

ran_kernels=0
if [ -n "$library" ]; then
  kernels torch torch
  kernels triton torch,triton
  kernels numba numba
else
  echo "kernels: the library for C is not built, or sanitized: see TSCATTER_BUILD_C"
fi
# Wrong words are answered in one line.
if [ "$ran" -gt 0 ]; then
  for words in "$work/nothing" "sums --filter f32"; do
    # shellcheck disable=SC2086
    if "$python" -B "$source/docs/runtimes/onnx_reference_cases.py" $words 2>refusal.txt; then exit 1; fi
    if grep -q Traceback refusal.txt; then cat refusal.txt; exit 1; fi
  done
  [ ! -e "$work/nothing" ]
fi
[ $((ran + ran_kernels)) -gt 0 ] || exit 77
# The page of a runtime has its groups, each with a smallest case.
if python=$(python_with numpy,ml_dtypes); then
  "$python" -B "$source/docs/runtimes/pages.py" "$binary" "$work/pages" --runtime numpy --count 3 --to "$work" 2>pages.txt || { cat pages.txt; exit 1; }
  for part in '^# NumPy [0-9]' '^## Not legal$' '^| ScatterNDUpdate-15 |' '^## Cases that break a rule$'; do
    grep -q "$part" "$work/numpy.md" || { echo "numpy.md has no $part"; exit 1; }
  done
fi
echo "passed: $ran of $known runtimes, the kernels of $ran_kernels of 3 libraries"
