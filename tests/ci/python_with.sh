# python_with PACKAGES: the first Python that has them: that of TSCATTER_PYTHON, of ./dev bench peers, the user's, the distribution's. Needs $source.
python_with() {
  for python in "${TSCATTER_PYTHON:-python3}" "$source/build/bench-venv/bin/python" python3 /usr/bin/python3; do
    if "$python" -c "import $1" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}
# python_or_skip PACKAGES: sets $python, or skips the test. Its temporary files are in memory: made and removed by the thousand
# they keep a disk busy for longer than what is tested.
python_or_skip() {
  [ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
  if ! python=$(python_with "$1"); then
    echo "no Python with $1 was found: ./dev bench peers installs one"
    exit 77
  fi
}
