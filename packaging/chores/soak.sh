# ./dev soak, which reads this file.

explain() {
  cat <<'END'
usage: ./dev soak MINUTES [SEED]

Builds the preset release and runs random jobs with the program for as long as asked: all operations, dtypes and formats, flags and
job files, copies and in place; runs in place are killed at random moments and recovered. Each result is compared with the tests'
oracle. Prints its seed, and what it did each minute; the same seed gives the same cases. A case that goes wrong is kept in
build/soak/soak-failures with its files and command line. Fails if there is one.
END
}

do_soak() {
  local minutes=${1:-}
  [[ $# -ge 1 && $# -le 2 ]] || misused "soak takes minutes, and a seed: ./dev soak --help"
  [[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || misused "soak takes minutes, got '$minutes'"
  [[ ${2:-0} =~ ^[0-9]+$ ]] || misused "soak takes a whole number as its seed, got '$2'"
  setup build test
  configure release with
  build_preset release --target tscatter_app tscatter_soak
  mkdir -p build/soak
  (cd build/soak && exec ../release/tests/tscatter_soak ../release/tscatter "$@")
}
