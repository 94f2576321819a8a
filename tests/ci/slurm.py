#!/usr/bin/env python3
"""Runs the files of docs/scale.md on a Slurm of this machine: 64 parts, of which one is killed and one loses its node, and a batch in
8 shards. The bytes must be those of one run.

usage: slurm.py TSCATTER SOURCE_FOLDER
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
import scale_page
from slurm_cluster import Cluster, missing_programs, wait_for

TSCATTER = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
PARTS, KILLED, LOST = 64, 17, 40
# A part that is held stops itself, once, before it begins; its file has the number of the process and its node.
HOLD = """\
if [[ -e held/$SLURM_ARRAY_TASK_ID && -z $SLURM_RESTART_COUNT ]]; then
  echo $$ "$SLURMD_NODENAME" > held/$SLURM_ARRAY_TASK_ID.new
  mv held/$SLURM_ARRAY_TASK_ID.new held/$SLURM_ARRAY_TASK_ID
  kill -STOP $$
fi
exec tscatter"""

if missing_programs():
    print(f"skipped: {', '.join(missing_programs())} not found (Debian: slurm-wlm)")
    sys.exit(77)


class Work:
    """The folder in which a user works."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "held"))
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(TSCATTER, os.path.join(folder, "bin/tscatter"))
        os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
        os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *command, status=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def submit(self, words, *changes):
        """Runs the block of the page that has these words; the numbers of the jobs that it printed or kept in job."""
        script = scale_page.smaller(scale_page.block_with(SOURCE, words), *changes)
        return [line.split()[-1] for line in self.run("bash", "-euc", f'{script}\necho "$job"').splitlines()]

    def missing(self):
        return self.run("tscatter", "parts", "out.npy", "--missing").strip()

    def hold(self, part):
        open(self.path("held", str(part)), "w", encoding="ascii").close()

    def held(self, part):
        """The process and the node of a part that stopped itself."""
        with open(self.path("held", str(part)), encoding="ascii") as file:
            words = file.read().split()
        return (int(words[0]), words[1]) if words else None


def write_script(work):
    script = scale_page.block_with(SOURCE, "#SBATCH")
    script = scale_page.smaller(script, ("1-256%64", f"1-{PARTS}%16"), ("/256", f"/{PARTS}"), ("--part", "--unit 128K --part"),
                                ("(?m)^tscatter", HOLD))
    with open(work.path("scatter.sbatch"), "w", encoding="utf-8") as file:
        file.write(script)


def state_of(cluster, job):
    """Of a job that is no array."""
    return cluster.said("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()


def run_parts(work, cluster, plain):
    write_script(work)
    for part in (KILLED, LOST):
        work.hold(part)
    finish, job = work.submit("sbatch --parsable scatter.sbatch")
    pid, node = wait_for("a part to lose its node", 60, lambda: work.held(LOST))
    killed, _ = wait_for("a part to kill", 60, lambda: work.held(KILLED))
    wait_for("all other parts", 90, lambda: work.missing() == f"{KILLED},{LOST}")

    os.kill(killed, signal.SIGKILL)
    wait_for("the killed part to fail", 30, lambda: cluster.states(job).get(str(KILLED)) in ("FAILED", "NODE_FAIL"))
    cluster.lose(node)
    wait_for("the lost part on another node", 90, lambda: work.missing() == str(KILLED))
    print(f"parts: 1 killed, 1 requeued when {node} was lost, {PARTS - 2} done at once")
    # The first process of the lost part is still there, and goes on: a part that runs twice does no harm.
    os.kill(pid, signal.SIGCONT)
    wait_for("the end of the lost part's first process", 30, lambda: not os.path.exists(f"/proc/{pid}"))
    wait_for("finish to be cancelled", 30, lambda: state_of(cluster, finish) == "CANCELLED")
    assert not os.path.exists(work.path("out.npy"))

    os.remove(work.path("held", str(KILLED)))
    work.submit("parts out.npy --missing")
    wait_for("finish", 60, lambda: os.path.exists(work.path("out.npy")) and not os.path.exists(work.path("out.npy.tscatter-parts")))
    assert scale_page.result(work.folder) == plain, "the parts have other bytes than one run"
    print(f"parts: mended with --missing; {len(plain)} bytes are those of one run")
    os.remove(work.path("out.npy"))


def run_in_allocation(work, plain):
    script = scale_page.smaller(scale_page.block_with(SOURCE, "srun --ntasks"), ("--ntasks=64", "--ntasks=6"), ("256", str(PARTS)),
                                ("--part", "--unit 128K --part"))
    work.run("bash", "-euc", script)
    assert scale_page.result(work.folder) == plain, "srun's parts have other bytes than one run"
    print("srun: the same")


def without_time(line):
    report = json.loads(line)
    for each in (report, report.get("summary", {})):
        each.pop("seconds", None)
    return report


def run_batch(work):
    shutil.copytree(os.path.join(SOURCE, "testdata/spec"), work.path("spec"))
    os.symlink("spec/cases.jsonl", work.path("cases.jsonl"))
    work.submit("--shard", ("200", "8"))
    wait_for("the merge", 60, lambda: os.path.exists(work.path("report.html")) and os.path.exists(work.path("report.xml")))
    shards = [f"shards/{shard}.jsonl" for shard in range(1, 9)]
    merged = work.run("tscatter", "batch", "merge", "cases.jsonl", *shards, "--json").splitlines()
    plain = work.run("tscatter", "batch", "cases.jsonl", "--json", "-j1").splitlines()
    assert [without_time(line) for line in merged] == [without_time(line) for line in plain]
    work.run("tscatter", "batch", "merge", "cases.jsonl", *shards[:2], *shards[3:], status=1)
    print(f"batch: 8 shards and their merge: {len(plain) - 1} cases as in one run")


with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, "slurm"))
    work = Work(os.path.join(folder, "work"))
    scale_page.write_operands(work.folder)
    expected = scale_page.plain_result(TSCATTER, work.folder)
    with Cluster(os.path.join(folder, "slurm")) as slurm:
        run_parts(work, slurm, expected)
        run_in_allocation(work, expected)
        run_batch(work)
print("passed")
