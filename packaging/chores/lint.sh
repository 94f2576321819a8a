# ./dev lint, which reads this file.

explain() {
  cat <<'END'
usage: ./dev lint [--changed | --fix] [FILE…]

Checks that all C++ files are formatted (.clang-format) and that clang-tidy (.clang-tidy) finds nothing in them (but
in tests/fuzz, tests/package and those for MPI, which other builds compile), or only looks at the named files. build/linted is the
commit at which it last passed; a clone without it looks for a commit whose message ends with "Linted: COMMIT". --changed runs clang-tidy
over what changed since then: the sources, and for a changed header one source that includes it. --fix formats the files instead, and
runs no clang-tidy.
END
}

# All C++ files that git knows or would add.
cpp_files() {
  git_here ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' | sort -u |
    while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}

# tidy FILE…, as many at a time as there are processors; what is found in one file is printed in one piece.
tidy() {
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" bash -c '
    found=$(clang-tidy -p build/lint --quiet "$0" 2>&1 </dev/null) && exit 0
    printf "%s\n" "$found" | grep -v "warnings generated\|warnings treated as errors" || true
    exit 1'
}

# The commit at which ./dev lint last passed: in this tree, else as a commit's message has it. Empty if that commit is not known here.
linted() {
  local since
  since=$(cat build/linted 2>/dev/null) || since=$(git_here log -1 --format='%(trailers:key=Linted,valueonly)' --grep='^Linted: ')
  git_here cat-file -e "$since^{commit}" 2>/dev/null && echo "$since"
}

# The C++ files that changed since then; all if the checks themselves changed.
changed_files() {
  local since
  if since=$(linted) && git_here diff --quiet "$since" -- .clang-tidy cmake/compiler.cmake; then
    git_here diff --name-only --diff-filter=d "$since" -- '*.cpp' '*.hpp'
  else
    cpp_files
  fi
}

# The sources to look at for some files: the sources among them, and of each header the source of its name, or else the first
# that includes it.
sources_of() {
  local file source
  for file in "$@"; do
    source=$file
    if [[ $file = *.hpp ]]; then
      source=${file%.hpp}.cpp
      [[ -e $source ]] || source=$(git_here grep -lF "${file#*/}\"" -- '*.cpp' | head -n 1 || true)
    fi
    [[ -z $source ]] || echo "$source"
  done | sort -u | grep -vE '^(tests/(fuzz|mpi|package)|app/mpi)/' || true
}

do_lint() {
  local which=all files=() sources=()
  case ${1:-} in
    --fix | --changed)
      which=${1#--}
      shift
      ;;
  esac
  [[ $# -eq 0 || $1 != -* ]] || misused "lint has no '$1': ./dev lint --help"
  setup build lint
  files=("$@")
  [[ $# -gt 0 ]] || mapfile -t files < <(cpp_files)
  [[ ${#files[@]} -gt 0 ]] || fail "no C++ files: is this a git repository?"
  if [[ $which = fix ]]; then
    say "formatting ${#files[@]} files"
    clang-format -i "${files[@]}"
    return
  fi
  say "checking the formatting of ${#files[@]} files"
  clang-format --dry-run --Werror --ferror-limit=1 "${files[@]}" || fail "not formatted: ./dev lint --fix"
  [[ $which = all ]] || mapfile -t files < <(changed_files)
  mapfile -t sources < <(sources_of "${files[@]}")
  if [[ ${#sources[@]} -gt 0 ]]; then
    configure lint with
    say "running clang-tidy over ${#sources[@]} files"
    tidy "${sources[@]}" || fail "clang-tidy found something"
  fi
  [[ $# -eq 0 && -z $(git_here status --porcelain) ]] || return 0
  mkdir -p build
  git_here rev-parse HEAD >build/linted
}
