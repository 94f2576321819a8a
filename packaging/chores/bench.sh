# ./dev bench, which reads this file.

explain() {
  cat <<'END'
usage: ./dev bench [OPTION…]
       ./dev bench peers
       ./dev bench kernels [BENCHMARK_OPTION…]

Builds the preset release with bench/, makes the workloads (about 8 GB in TMPDIR/tscatter-bench, kept for the next time),
runs tscatter in turn with cp and with the scripts of today, and prints the medians. A whole run is kept in bench/results.
It wants a quiet machine. Options go to bench/bench.py, whose --help lists them all:

  ./dev bench --only 'scalars-*'         some workloads
  ./dev bench --part whole --no-peers    the whole program and cp, no more
  ./dev bench --part python              the Python module beside the C++ library, in memory
  ./dev bench --before ../old/build/release    beside another build, in turn: a table of both
  ./dev bench --scale 0.01 --rounds 2    only to see whether it works

peers installs NumPy, ONNX Runtime, OpenVINO, JAX and PyTorch with pip, into build/bench-venv, and Triton and Numba for the kernels that
ctest runs; what is not there is left out of the tables. kernels runs the loops alone, with Google Benchmark.
END
}

# The first Python that has NumPy: that of ./dev bench peers, the user's, the distribution's.
python_with_numpy() {
  local python
  for python in build/bench-venv/bin/python python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

install_peers() {
  local package
  [[ -x build/bench-venv/bin/pip ]] || python3 -m venv build/bench-venv || fail "python3 cannot make a venv"
  for package in numpy onnxruntime onnx openvino jax torch tensorflow triton numba; do
    say "installing $package"
    build/bench-venv/bin/pip install -q "$package" </dev/null || say "pip could not install $package: it is left out"
  done
}

build_bench() {
  python_with_numpy >/dev/null || bench_packages+=(python3 python3-numpy)
  {
    setup build bench
    configure release without with
    build_preset release --target tscatter_app tscatter_c tscatter_memory tscatter_sweep tscatter_kernels_bench
  } >&2  # stdout is for the tables
}

do_bench() {
  local python
  case ${1:-} in
    peers)
      no_options 'bench peers' "${@:2}"
      install_peers
      ;;
    kernels)
      build_bench
      exec build/release/bench/tscatter_kernels_bench "${@:2}"
      ;;
    *)
      build_bench
      python=$(python_with_numpy) || fail "bench needs a Python with NumPy"
      exec "$python" bench/bench.py "$@"
      ;;
  esac
}
