#!/bin/sh
# Runs the files of docs/ci.md as far as they run without their services, over cases of several operations, with names that shells,
# make and CMake might read otherwise: the Makefile and the runtime's script, the commands of the two YAML files (services.py runs the
# action and the template that they use), the tests of CTest, and the Bazel test for each of its shards.
#   run.sh TSCATTER docs/ci.md JUNIT_CHECK.py
set -eu
binary=$(readlink -f "$1")
page=$(readlink -f "$2")
check=$(readlink -f "$3")
package=$(readlink -f "$(dirname "$0")/../../cmake")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
unset CI GITHUB_ACTIONS 2>/dev/null || true

fail() { echo "$1"; exit 1; }

# What was printed last has this.
shows() { grep -q -e "$1" out.txt || { cat out.txt; fail "that has no $1"; }; }

# The first fenced block of a language after the heading, or the one of that number.
block() {
  awk -v heading="## $1" -v fence="\`\`\`$2" -v number="${3:-1}" '
    $0 == heading { found = 1 }
    found && $0 == fence { inside = ++n == number; next }
    inside && /^```/ { exit }
    inside { print }' "$page"
}

# golden/cases.jsonl and golden/device.jsonl stand before the first heading.
cases() { awk '/^```json/ { ++n; inside = 1; next } /^```/ { inside = 0 } inside && n == '"$1" "$page"; }

mkdir -p "$work/repository/golden" "$work/bin"
cd "$work/repository"
ln -s "$binary" "$work/bin/tscatter"
PATH=$work/bin:$PATH
export PATH
cases 1 >golden/cases.jsonl
cases 2 >golden/device.jsonl
block Makefile make >./Makefile
block Makefile python >run_on_device
block Bazel sh >golden_test.sh
block Bazel python >BUILD.bazel
block 'GitHub Actions' yaml >github.yml
block GitLab yaml 2 >gitlab.yml
chmod +x run_on_device golden_test.sh
"$binary" convert '[[1, 2], [3, 4]]' golden/rows.data.npy --dtype float32
"$binary" convert '[[1], [1]]' golden/rows.indices.npy
"$binary" convert '[[10, 20], [30, 40]]' golden/rows.updates.npy --dtype float32

# More cases: without indices; with a member of an archive, a list for an index, attributes, inline operands; without a name; and two of
# which the runtime has no result.
cat >more.jsonl <<'END'
{"name": "two words", "op": "SliceScatter-15", "data": "two words.data.npy", "updates": [[5, 6]], "start": [0, 1], "stop": [1, 3], "step": [1, 1], "actual": "../out/two words.npy", "expected": "two words.expected.npy"}
{"name": "it's 50% #1", "op": "torch.masked_fill", "input": "pack.npz:data", "mask": [true, false, true], "value": 7, "actual": "../out/it's 50% #1.npy", "expected": "it's 50% #1.expected.npy"}
{"name": "$(HOME): `touch bad`; $(touch bad) \"a\" [\\", "op": "torch.index_put", "input": "pack.npz:table", "indices": [[0, 0], "1:3"], "values": [[1, 2], [3, 4]], "accumulate": true, "actual": "../out/put.npy", "expected": "put.expected.npy"}
{"name": "-x\t%.y é", "op": "torch.index_add", "input": [1, 2, 3], "dim": 0, "index": [2, 2], "source": [1, 3], "alpha": 2, "actual": "../out/add.npy", "expected": "add.expected.npy"}
{"op": "ScatterElementsUpdate-12", "data": [1, 2, 3], "indices": [2, 2], "updates": [1, 3], "axis": 0, "reduction": "sum", "actual": "../out/unnamed.npz:sum", "expected": "unnamed.expected.npz:sum"}
{"name": "past the end", "op": "ScatterUpdate-3", "data": [1, 2, 3], "indices": [3], "updates": [1], "axis": 0, "expected_error": "scatter_update_3.c4"}
{"name": "later", "op": "not.yet", "actual": "../out/later.npy", "skip": "not yet"}
END
cat more.jsonl >>golden/device.jsonl
sed 's/"actual": "[^"]*", //' more.jsonl >>golden/cases.jsonl
number=8 results=6
"$binary" convert '[[1, 2, 3], [4, 5, 6]]' 'golden/two words.data.npy'
"$binary" convert '[1, 2, 3]' golden/pack.npz:data
"$binary" convert '[[1, 2, 3], [4, 5, 6]]' golden/pack.npz:table
# A runtime of every operation.
cat >my_runtime.py <<'END'
import json
import subprocess

def run(case):
    job = {key: value for key, value in case.items() if key not in ("name", "actual", "expected", "rtol")}
    job["output"] = case["actual"]
    subprocess.run(["tscatter", "run", "-"], input=json.dumps(job), cwd="golden", text=True, check=True)
END

# The runtime has made all, and nothing ran a name.
check_results() {
  [ "$(find out -type f | wc -l)" -eq $results ] || fail "out has not $results results: $(ls out)"
  [ -z "$(find . -name bad)" ] || fail "a name was run"
}

echo "Makefile"
if make test TSCATTER="$binary" >out.txt 2>&1; then fail "a missing golden passed"; fi
shows 'batch.b6'
make update-golden TSCATTER="$binary"
make test TSCATTER="$binary"
check_results
"$check" golden.xml $number
"$check" device.xml $number
# Another runtime is run anew. It gets one result wrong; it makes none; it fails.
cat >wrong_runtime <<'END'
#!/bin/sh
./run_on_device && tscatter convert '[[1, 2], [43, 65]]' out/rows.npy --dtype float32
END
chmod +x wrong_runtime
if make device RUNTIME=./wrong_runtime TSCATTER="$binary" >out.txt 2>&1; then fail "a wrong result passed"; fi
shows '1 of 4 elements'
[ -e device.html ]
if make device RUNTIME=true TSCATTER="$binary" >out.txt 2>&1; then fail "an old result passed"; fi
shows "cases: .*$results failed"
if make device RUNTIME=false TSCATTER="$binary" >out.txt 2>&1; then fail "a runtime that failed passed"; fi
make device TSCATTER="$binary"

echo "GitHub Actions"
grep -B 1 'run: make device' github.yml | grep -q 'if: .*!cancelled()'
made=0
for shard in 1 2 3 4; do
  sed -n 's/^ *run: //p' github.yml | sed "s/\${{ matrix.shard }}/$shard/" >github.sh
  grep -q "make device SHARD=$shard/4" github.sh
  sh -eu github.sh
  shard_made=$(find out -type f | wc -l)
  [ "$shard_made" -lt $results ] || fail "a shard made the results of all"
  made=$((made + shard_made))
done
[ "$made" -eq $results ]

echo "GitLab"
sed -n '/^  script:/,/^  artifacts:/s/^    - //p' gitlab.yml >gitlab.sh
for shard in 1 2 3 4; do CI_NODE_INDEX=$shard CI_NODE_TOTAL=4 sh -eu gitlab.sh; done
# A wrong golden fails both halves, and both are run.
"$binary" convert '[[0, 0], [0, 0]]' golden/rows.expected.npy --dtype float32
rm -f golden.xml device.xml
if CI_NODE_INDEX=1 CI_NODE_TOTAL=1 sh -eu gitlab.sh >out.txt 2>&1; then fail "a wrong golden passed"; fi
"$check" golden.xml $number
"$check" device.xml $number
[ -e failed/rows.npy ]
make update-golden TSCATTER="$binary"
python3 - github.yml gitlab.yml <<'END'
import sys
try:
    import yaml
except ImportError:
    print("PyYAML is not there: the YAML files are not parsed")
    sys.exit()
for name in sys.argv[1:]:
    assert isinstance(yaml.safe_load(open(name)), dict), name
END

echo "CTest"
if command -v cmake >/dev/null && command -v ctest >/dev/null && command -v c++ >/dev/null; then
  # Of the installed package, which tests/package has, what the tests need.
  mkdir package
  printf 'set(tscatter_PROGRAM [==[%s]==])\ninclude([==[%s/tscatter-batch.cmake]==])\n' "$binary" "$package" >package/tscatter-config.cmake
  { printf 'cmake_minimum_required(VERSION 3.25)\nproject(golden LANGUAGES CXX)\n'; block CTest cmake; } >CMakeLists.txt
  cat >run_on_device.cpp <<'END'
#include <cstdlib>
int main() { return std::system("tscatter batch golden/device.jsonl --list --json | ./run_on_device") == 0 ? 0 : 1; }
END
  rm -rf out
  mkdir out
  cmake -S . -B build -Dtscatter_DIR="$work/repository/package" >out.txt 2>&1 || { cat out.txt; exit 1; }
  cmake --build build >out.txt 2>&1 || { cat out.txt; exit 1; }
  ctest --test-dir build --output-on-failure >out.txt || { cat out.txt; exit 1; }
  for outcome in "run_on_device.two words [.]*   Passed" "run_on_device.it's 50% #1 [.]*   Passed" "run_on_device.later [.*]*Skipped" \
    "golden.4of4 [.]*   Passed" "100% tests passed, 0 tests failed out of $((number + 5))"; do
    shows "$outcome"
  done
  check_results
else
  echo "cmake, ctest or c++ is not there: not run"
fi

echo "Bazel"
# What the rule says: the number of shards, the script and its words.
python3 - >bazel.txt <<'END'
def sh_test(srcs, args, data, shard_count, name):
    print(shard_count, *srcs, *(word.replace("$(rootpath ", "").rstrip(")") for word in args))

with open("BUILD.bazel") as file:
    exec(file.read(), {"sh_test": sh_test, "glob": lambda patterns: patterns})
END
[ "$(cat bazel.txt)" = "4 golden_test.sh //third_party:tscatter golden/cases.jsonl" ]
cases=0
for index in 0 1 2 3; do
  TEST_TOTAL_SHARDS=4 TEST_SHARD_INDEX=$index TEST_SHARD_STATUS_FILE=status.$index XML_OUTPUT_FILE=bazel.$index.xml \
    ./golden_test.sh "$binary" golden/cases.jsonl
  [ -e status.$index ]
  "$check" bazel.$index.xml
  cases=$((cases + $(grep -c '<testcase ' bazel.$index.xml || true)))
done
[ "$cases" -eq $number ]
echo "passed"
