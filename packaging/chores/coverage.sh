# ./dev coverage, which reads this file.

coverage_packages=(gcovr)

explain() {
  cat <<'END'
usage: ./dev coverage [-- CTEST_OPTION…]

Builds the preset coverage, runs the tests, and prints for each file of lib/ and app/ how many lines and branches they
reach, the files with the most unreached lines first, and the totals. Branches that only an exception takes are not
counted. build/coverage/html/index.html shows the lines. docs/testing.md says why some are not reached.
END
}

# Each file's unreached lines, and the sums of lib/ and app/.
coverage_table() {
  awk -F, 'NR > 1 { print $2 - $3 "," $0 }' | sort -t, -k1,1nr -k2,2 | awk -F, '
    function percent(part, all) { return all ? sprintf("%.1f %%", 100 * part / all) : "-" }
    function row(name, lines, reached, branches, taken) {
      printf "%-46s %6d %6d %8s %8d %8d %8s\n", name, lines, lines - reached, percent(reached, lines), branches,
             branches - taken, percent(taken, branches)
    }
    BEGIN { printf "%-46s %6s %6s %8s %8s %8s %8s\n", "", "lines", "not", "reached", "branches", "not", "taken" }
    {
      row($2, $3, $4, $6, $7)
      folder = substr($2, 1, index($2, "/") - 1)
      lines[folder] += $3; reached[folder] += $4; branches[folder] += $6; taken[folder] += $7
    }
    END {
      row("app", lines["app"], reached["app"], branches["app"], taken["app"])
      row("lib", lines["lib"], reached["lib"], branches["lib"], taken["lib"])
    }'
}

do_coverage() {
  only_ctest_options coverage "$@"
  setup build test coverage
  configure coverage with
  build_preset coverage
  find build/coverage -name '*.gcda' -delete
  # An instrumented library does not link into the plain project of package; the runtimes are other people's programs;
  # programs that are killed while they write their counters spoil them for all others.
  run_tests coverage -E '^(package|runtimes|kill|faults|soak)$' "${@:2}"
  say "reading what was reached"
  mkdir -p build/coverage/html
  gcovr --root . --filter lib/ --filter app/ --exclude-throw-branches --exclude-unreachable-branches \
    --gcov-ignore-parse-errors -j "$jobs" --csv build/coverage/coverage.csv --html-details build/coverage/html/index.html \
    build/coverage || fail "gcovr failed"
  coverage_table <build/coverage/coverage.csv
}
