#!/usr/bin/env bash
# Installs a wheel beside an old and a new NumPy into each Python from 3.9 to 3.14 that is here, and runs the module's tests. A line for each.
#   try_pythons.sh WHEEL SOURCE_DIRECTORY FOLDER [OTHER_PYTHON EMULATOR…]
# Pythons are looked for in PATH and among those of pyenv; OTHER_PYTHON, another machine's, whose programs EMULATOR starts, takes their place.
# FOLDER keeps the environments. TSCATTER_TORCH has the words by which pip installs a PyTorch for processors (it is large, and pip's own brings
# CUDA): without it there is none.
set -euo pipefail
wheel=$1 source=$2 folder=$3 other=${4:-}
emulator=("${@:5}")
failed=0

# The program of Python 3.N, if there is one that runs.
find_python() {
  local candidate candidates=("python$1" "$HOME"/.pyenv/versions/"$1".*/bin/python3 "$HOME"/.local/share/uv/python/cpython-"$1".*/bin/python3)
  [[ -z $other ]] || candidates=("$other")
  for candidate in "${candidates[@]}"; do
    if "$candidate" -c "import sys, venv, ensurepip; assert '%d.%d' % sys.version_info[:2] == '$1'" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

installed() { "$1" -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$2" 2>/dev/null || echo none; }

# What the tests take where it is there. None of it may bring another NumPy.
install_others() {
  local python=$1 numpy=$2 words
  for words in ml_dtypes pytest "${TSCATTER_TORCH:-}"; do
    # shellcheck disable=SC2086
    [[ -z $words ]] || "$python" -m pip install -q --only-binary :all: "numpy==$numpy" $words </dev/null 2>/dev/null || true
  done
}

try() {
  local version=$1 numpy=$2 python=$3 environment=$folder/$1-numpy-$4 of
  rm -rf "$environment"
  "$python" -m venv "$environment"
  python=$environment/bin/python
  if ! "$python" -m pip install -q --only-binary :all: "numpy$numpy" </dev/null 2>/dev/null; then
    echo "Python $version: pip has no NumPy $4 for it"
    return 0
  fi
  numpy=$(installed "$python" numpy)
  install_others "$python" "$numpy"
  "$python" -m pip install -q --no-index "$wheel" </dev/null
  "$source/packaging/emulated.sh" "$environment/bin/tscatter" "${emulator[@]}"
  of="$("$python" -V), NumPy $numpy, ml_dtypes $(installed "$python" ml_dtypes), PyTorch $(installed "$python" torch), pytest $(installed "$python" pytest)"
  if (cd "$source/tests/python" && unset PYTHONPATH TSCATTER_LIBRARY &&
    TSCATTER_PROGRAM=$environment/bin/tscatter "$python" -B -W error::ResourceWarning -m unittest discover -v) >"$environment/log" 2>&1; then
    echo "$of: $(tail -n 1 "$environment/log")"
  else
    tail -n 40 "$environment/log" >&2
    echo "$of: failed, $environment/log"
    failed=1
  fi
}

mkdir -p "$folder"
for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
  if ! found=$(find_python "$version"); then
    echo "Python $version: not here"
    continue
  fi
  [[ ${version#3.} -gt 11 ]] || try "$version" '==1.24.*' "$found" 1.24
  try "$version" '>=2' "$found" 2
done
exit $failed
