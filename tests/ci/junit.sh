#!/bin/sh
# A report with all that can be in one, checked against the schema's rules.
#   junit.sh TSCATTER JUNIT_CHECK.py
set -eu
binary=$(readlink -f "$1")
check=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
cd "$work"
job='"op": "ScatterNDUpdate-15", "data": [1, 2, 3], "indices": [[0]], "updates": [5]'
cat >cases.jsonl <<END
{"name": "good", $job, "expected": [5, 2, 3]}
{"name": "bad <&>\"' \u0001\u001b\ufffe\uffff é 𝄞 \n\t\r\u0085", $job, "expected": [5, 9, 3]}
{"name": "bad \u0002", $job, "expected": [5, 9, 3]}
{"name": "bad \u0003", $job, "expected": [5, 9, 3]}
{"name": "good", $job, "expected": [5, 2, 3]}
{"name": "good", $job, "expected": [5, 2, 3]}
{"name": "known", $job, "expected": [9], "xfail": "<![CDATA[ ]]> & \u0000 \u000b"}
{"name": "mended", $job, "expected": [5, 2, 3], "xfail": "]]>"}
{"name": "written", $job, "output": "o.npy"}
{"name": "lost", $job, "expected": "lost.npy"}
not JSON: $(printf '\001\377')
$(printf '\377\376')
END
status=0
"$binary" batch cases.jsonl --junit r.xml >out.txt || status=$?
[ "$status" -eq 1 ]
"$check" r.xml 12
"$binary" batch cases.jsonl --junit r.xml --fail-fast -j 1 >out.txt || true
"$check" r.xml 12
echo '{"name": "only", '"$job"', "expected": [5, 2, 3]}' >one.jsonl
for shard in 1/2 2/2; do "$binary" batch one.jsonl --shard $shard --junit r.xml && "$check" r.xml; done
awk 'BEGIN { for (i = 0; i < 10000; ++i)
  printf "{\"name\": \"case %d %0100d\", \"op\": \"ScatterNDUpdate-15\", \"data\": [1.5, 2.5, 3.5], \"indices\": [[0]], \"updates\": [5e8], \"expected\": [-1e300, 2, 3]}\n", i, i }' >many.jsonl
"$binary" batch many.jsonl --junit r.xml -q >out.txt || true
"$check" r.xml 10000
echo "passed"
