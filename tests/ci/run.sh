#!/bin/sh
# Runs the files of docs/ci.md as far as they run without their services: the Makefile, the Bazel test for each of its
# shards, and the commands of the two YAML files (services.py runs the action and the template that they use).
#   run.sh TSCATTER docs/ci.md JUNIT_CHECK.py
set -eu
binary=$(readlink -f "$1")
page=$(readlink -f "$2")
check=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
unset CI GITHUB_ACTIONS 2>/dev/null || true

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
block Makefile make >Makefile
block Bazel sh >golden_test.sh
block 'GitHub Actions' yaml >github.yml
block GitLab yaml 2 >gitlab.yml
cat >run_on_device <<END
#!/bin/sh
exec "$binary" ScatterNDUpdate-15 -d golden/\$1.data.npy -i golden/\$1.indices.npy -u golden/\$1.updates.npy -r sum -o \$2
END
chmod +x run_on_device golden_test.sh
"$binary" convert '[[1, 2], [3, 4]]' golden/rows.data.npy --dtype float32
"$binary" convert '[[1], [1]]' golden/rows.indices.npy
"$binary" convert '[[10, 20], [30, 40]]' golden/rows.updates.npy --dtype float32

echo "Makefile"
if make test TSCATTER="$binary" >out.txt 2>&1; then echo "a missing golden passed"; exit 1; fi
grep -q 'batch.b6' out.txt
make update-golden TSCATTER="$binary"
make test TSCATTER="$binary"
"$binary" convert '[[1, 2], [43, 65]]' out/rows.npy --dtype float32
if make device TSCATTER="$binary" >out.txt 2>&1; then echo "a wrong result passed"; exit 1; fi
grep -q '1 of 4 elements differ' out.txt
[ -e device.html ]
touch run_on_device
make device TSCATTER="$binary"
"$check" golden.xml 1
"$check" device.xml 1

echo "GitHub Actions"
sed -n 's/^ *run: //p' github.yml | sed 's/\${{ matrix.shard }}/1/' >github.sh
grep -q 'make device SHARD=1/4' github.sh
grep -B 1 'run: make device' github.yml | grep -q 'if: .*!cancelled()'
sh -eu github.sh

echo "GitLab"
sed -n '/^  script:/,/^  artifacts:/s/^    - //p' gitlab.yml >gitlab.sh
CI_NODE_INDEX=1 CI_NODE_TOTAL=4 sh -eu gitlab.sh
# One that has the case: a wrong golden fails both halves, and both are run.
"$binary" convert '[[0, 0], [0, 0]]' golden/rows.expected.npy --dtype float32
rm -f golden.xml device.xml
if CI_NODE_INDEX=1 CI_NODE_TOTAL=1 sh -eu gitlab.sh >out.txt 2>&1; then echo "a wrong golden passed"; exit 1; fi
"$check" golden.xml 1
"$check" device.xml 1
[ -e failed/rows.npy ]
make update-golden TSCATTER="$binary"

echo "Shards run their own cases only"
for name in a b c d; do
  for operand in data indices updates expected; do cp golden/rows.$operand.npy golden/$name.$operand.npy; done
  sed "s/rows/$name/g" golden/cases.jsonl >>more.jsonl
  sed "s/rows/$name/g" golden/device.jsonl >>more_device.jsonl
done
mv golden/cases.jsonl rows.jsonl
mv more.jsonl golden/cases.jsonl
mv more_device.jsonl golden/device.jsonl
mkdir rows
mv golden/rows.*.npy rows
made=0
for index in 1 2; do
  rm -rf out
  make device SHARD=$index/2 TSCATTER="$binary"
  made=$((made + $(ls out 2>/dev/null | wc -l)))
done
[ "$made" -eq 4 ]
mv rows.jsonl golden/cases.jsonl
rm golden/?.*.npy
mv rows/* golden
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

echo "Bazel"
for name in a b c d e f g h; do
  sed 's/"name": "rows"/"name": "'$name'"/' golden/cases.jsonl
done >bazel.jsonl
mv bazel.jsonl golden/cases.jsonl
cases=0
for index in 0 1 2 3; do
  TEST_TOTAL_SHARDS=4 TEST_SHARD_INDEX=$index TEST_SHARD_STATUS_FILE=status.$index XML_OUTPUT_FILE=bazel.$index.xml \
    ./golden_test.sh "$binary" golden/cases.jsonl
  [ -e status.$index ]
  "$check" bazel.$index.xml
  cases=$((cases + $(grep -c '<testcase ' bazel.$index.xml || true)))
done
[ "$cases" -eq 8 ]
echo "passed"
