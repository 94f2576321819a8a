# ./dev fuzz, which reads this file.

fuzz_targets=(npy npz pb safetensors raw csv json literal job index node_test module undo operation)

explain() {
  cat <<'END'
usage: ./dev fuzz TARGET|all [SECONDS]

Builds the targets in the preset asan and runs one for as long as asked (20 seconds), from the inputs in testdata/fuzz and those that
earlier runs found (build/fuzz/corpus). What breaks something is kept in build/fuzz/findings; build/asan/tests/fuzz/tscatter_fuzz_TARGET
runs it again. An allocation of over 64 MiB is a finding, too. Targets: npy, npz, pb, safetensors, raw, csv, json, literal, job, index, node_test, module, undo,
operation (the result is checked against the tests' oracle); all runs two at a time.
END
}

# fuzz_one TARGET SECONDS
fuzz_one() {
  local target=$1 seconds=$2 known=build/fuzz/corpus/$1 seeds=()
  mkdir -p "$known" build/fuzz/findings
  mapfile -t seeds < <(compgen -G "testdata/fuzz/$target" || true)
  case $target in
    npy | npz) seeds+=("testdata/$target/good" "testdata/$target/bad") ;;
    pb) seeds+=("testdata/pb/good") ;;
  esac
  say "fuzzing $target for $seconds s"
  "build/asan/tests/fuzz/tscatter_fuzz_$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=64 -max_len=8192 \
    -artifact_prefix="build/fuzz/findings/$target-" -print_final_stats=1 -verbosity=0 "$known" "${seeds[@]}" </dev/null ||
    fail "$target: found something: build/fuzz/findings"
}

# What a target said, without the functions that it came to and the words that it learnt.
findings_of() { grep -vE '^(	NEW_FUNC|#{6} |"|INFO: )' "build/fuzz/$1.log" | tail -n 60; }

# Two at a time; what each says is printed in one piece, that of those that found something once more at the end.
fuzz_all() {
  local seconds=$1 target running=0 failed=()
  mkdir -p build/fuzz/findings
  rm -f build/fuzz/*.failed
  for target in "${fuzz_targets[@]}"; do
    if [[ $running -eq 2 ]]; then
      wait -n || true
      running=1
    fi
    {
      (fuzz_one "$target" "$seconds") >"build/fuzz/$target.log" 2>&1 || touch "build/fuzz/$target.failed"
      cat "build/fuzz/$target.log"
    } &
    running=$((running + 1))
  done
  wait
  for target in "${fuzz_targets[@]}"; do
    [[ ! -e build/fuzz/$target.failed ]] || failed+=("$target")
  done
  [[ ${#failed[@]} -gt 0 ]] || return 0
  for target in "${failed[@]}"; do findings_of "$target"; done
  fail "${failed[*]}: found something (of ${#fuzz_targets[@]} targets): build/fuzz/findings"
}

do_fuzz() {
  local target=${1:-} seconds=${2:-20}
  [[ $# -le 2 ]] || misused "fuzz takes a target and seconds: ./dev fuzz --help"
  [[ " ${fuzz_targets[*]} all " = *" $target "* && -n $target ]] ||
    misused "fuzz knows ${fuzz_targets[*]} and all, got '$target'"
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || misused "fuzz takes whole seconds, got '$seconds'"
  setup build test fuzz
  configure asan with
  build_preset asan --target tscatter_fuzz_targets
  if [[ $target = all ]]; then fuzz_all "$seconds"; else fuzz_one "$target" "$seconds"; fi
}
