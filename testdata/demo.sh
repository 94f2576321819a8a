#!/usr/bin/env bash
# Runs the examples of the operations' texts on real .npy files.
#   testdata/demo.sh BINARY            shows each command and its result
#   testdata/demo.sh BINARY --check    compares each result with the expected one, a line a case
# The cases are the lines of testdata/spec/cases.jsonl; the comments above a line say where it is from.
set -euo pipefail
unset CDPATH

usage() {
  echo "usage: testdata/demo.sh BINARY [--check]" >&2
  exit 2
}

[[ $# -eq 1 || ($# -eq 2 && $2 = --check) ]] || usage
[[ -x $1 && ! -d $1 ]] || { echo "demo.sh: no program at $1" >&2; exit 2; }
binary=$(readlink -f "$1")
check=false
[[ $# -eq 1 ]] || check=true
spec=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/spec
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
fi

tscatter() { "$binary" "$@" </dev/null; }

# What a case says: the line of its job, or the comments above it. Operands come as lines of name, tab, JSON object.
operands_of() {
  grep -o '"[a-z_]*": {[^}]*}' <<<"$1" | grep -v '^"expected"' | sed 's/^"\([a-z_]*\)": /\1\t/'
}
# Its other members, operands and expected left out: the attributes, lines of name, tab, value.
attributes_of() {
  sed 's/^{//; s/{[^}]*}//g' <<<"$1" | grep -oE '"[a-z_]+": ("[^"]*"|[-0-9.]+|true|false)' |
    sed -E '/^"(name|op)"/d; s/^"([a-z_]+)": "?([^"]*)"?$/\1\t\2/' || true
}
text_of() { grep -o '"'"$2"'": "[^"]*"' <<<"$1" | sed 's/^[^:]*: "\(.*\)"$/\1/' || true; }
json_of() { grep -o '"'"$2"'": {[^}]*}' <<<"$1" | sed 's/^[^:]*: //'; }
note_of() { sed -n 's/^# '"$2"': //p' <<<"$1"; }

flag_of() {
  case $1 in
    data | indices | updates | axis | reduction) echo "-${1:0:1}" ;;
    *) echo "--${1//_/-}" ;;
  esac
}

# "data     float32 [2, 5]  [[0, 1], [2, 3]]"; long values are cut.
describe() {
  local name=$1 object=$2 line=$2
  local form='^\{"dtype": "([a-z0-9]*)", "shape": (\[[^]]*\]), "data": (.*)\}$'
  if [[ $object =~ $form ]]; then line="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}  ${BASH_REMATCH[3]}"; fi
  [[ ${#line} -le 100 ]] || line="${line:0:96} ..."
  printf '%s  %-8s %s%s\n' "$dim" "$name" "$line" "$plain"
}

verdict() {
  local name=$1 ok=$2
  if $ok; then
    passed=$((passed + 1))
    echo "ok $name"
  else
    failed=$((failed + 1))
    echo "FAILED $name"
  fi
}

# Makes the operands of a case as .npy files in the working directory, and sets `command` to what is to be run.
prepare() {
  local line=$1 name object
  command=("$(text_of "$line" op)")
  while IFS=$'\t' read -r name object; do
    tscatter convert "$object" "$name.npy"
    command+=("$(flag_of "$name")" "$name.npy")
  done < <(operands_of "$line")
  [[ ${#command[@]} -gt 1 ]] || { echo "demo.sh: no operands in $line" >&2; return 1; }
  while IFS=$'\t' read -r name object; do
    command+=("$(flag_of "$name")" "$object")
  done < <(attributes_of "$line")
}

check_case() {
  local line=$1
  prepare "$line" || return 1
  tscatter convert "$(json_of "$line" expected)" expected.npy || return 1
  tscatter "${command[@]}" -o out.npy || return 1
  cmp -s out.npy expected.npy && return 0
  echo "  got      $(tscatter convert out.npy - --format json)"
  echo "  expected $(tscatter convert expected.npy - --format json)"
  return 1
}

show_case() {
  local line=$1 comments=$2 name object note printed
  echo "$bold$(note_of "$comments" source)$plain"
  while IFS=$'\t' read -r name object; do describe "$name" "$object"; done < <(operands_of "$line")
  prepare "$line"
  echo "\$ tscatter ${command[*]}"
  tscatter "${command[@]}"
  note=$(note_of "$comments" note)
  printed=$(note_of "$comments" printed)
  [[ -z $printed ]] || printed="the page prints $printed: "
  [[ -z $note ]] || echo "${dim}  note: $printed$note$plain"
  echo
}

# run_error NAME CODE LABEL ARGUMENTS…: a command that must be refused.
run_error() {
  local name=$1 code=$2 label=$3 status=0
  shift 3
  if $check; then
    local message
    message=$(tscatter "$@" 2>&1) || status=$?
    if [[ $status -eq $code && $message = *"[$label]" ]]; then verdict "$name" true; else verdict "$name" false; fi
    return
  fi
  printf '$ tscatter'
  printf ' %s' "${@@Q}" | sed "s/'\([-A-Za-z0-9_.=,]*\)'/\1/g"
  echo
  tscatter "$@" 2>&1 || status=$?
  echo "${dim}  exit code $status$plain"
  echo
}

comments=''
while IFS= read -r line; do
  case $line in
    '') comments='' ;;
    '#'*) comments+=$line$'\n' ;;
    *)
      name=$(text_of "$line" name)
      mkdir "$work/$name"
      cd "$work/$name"
      if ! $check; then
        show_case "$line" "$comments"
      elif check_case "$line"; then
        verdict "$name" true
      else
        verdict "$name" false
      fi
      ;;
  esac
done <"$spec/cases.jsonl"

mkdir "$work/errors"
cd "$work/errors"
$check || echo "${bold}Two errors: a rule of the operation, and a file that is cut short$plain"
tscatter convert 8xf32=0 data.npy
head -c 96 data.npy >cut.npy
run_error error_rule 5 scatter_nd_update_15.c4 ScatterNDUpdate-15 -d data.npy -i '[[4], [9]]' -u '[1, 2]'
run_error error_format 4 npy.f3 show cut.npy

$check || exit 0
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
