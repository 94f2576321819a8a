"""Cluster: a Slurm of one controller and four nodes on this machine, from Debian's packages, in a folder of its own. No munge,
no systemd, no cgroups, only the loopback device; whoever starts it is its user."""
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "sinfo"]
NODES = 4

CONFIGURATION = """\
ClusterName=tscatter
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=1
SlurmdTimeout=6
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmdPidFile={folder}/%n.pid
SlurmctldPidFile={folder}/ctld.pid
SlurmdLogFile={folder}/%n.log
SlurmctldLogFile={folder}/ctld.log
"""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def missing_programs():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name) is None]


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def wait_for(what, seconds, test):
    """The first true value of test(). Fails after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        value = test()
        if value:
            return value
        assert time.monotonic() < end, f"waited {seconds} s in vain for {what}"
        time.sleep(0.2)


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.nodes = {}
        # What a daemon leaves behind becomes a child of this process, and is ended with it.
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)

    def __enter__(self):
        self.configuration = os.path.join(self.folder, "slurm.conf")
        os.makedirs(os.path.join(self.folder, "state"))
        port, *node_ports = free_ports(1 + NODES)
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=port, user=getpass.getuser(), folder=self.folder))
            for node, node_port in enumerate(node_ports, 1):
                file.write(f"NodeName=n{node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={node_port} CPUs=4 State=UNKNOWN\n")
            file.write(f"PartitionName=p Nodes=n[1-{NODES}] Default=YES State=UP\n")
        os.environ["SLURM_CONF"] = self.configuration
        try:
            self.start("slurmctld", "-D", "-f", self.configuration)
            for node in range(1, NODES + 1):
                os.makedirs(os.path.join(self.folder, f"spool.n{node}"))
                self.nodes[f"n{node}"] = self.start("slurmd", "-D", "-N", f"n{node}", "-f", self.configuration)
            wait_for("four idle nodes", 60, lambda: self.said("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(NODES))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.print_logs()
        self.end()

    def start(self, *command):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                preexec_fn=die_with_parent)

    def said(self, *command):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def states(self, job):
        """Of each task of an array that is known, as COMPLETED or FAILED."""
        lines = self.said("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%K %T").splitlines()
        return dict(line.split() for line in lines)

    def lose(self, node):
        """Kills the node's daemon. What it runs stays, as on a node that is cut off."""
        self.nodes[node].kill()
        self.nodes[node].wait()

    def print_logs(self):
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log"):
                with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
                    print(f"-- {name}", *file.read().splitlines()[-15:], sep="\n")

    def children(self):
        path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
        with open(path, encoding="ascii") as file:
            return [int(each) for each in file.read().split()]

    def end(self):
        """Ends all that was started, and what that started: orphans become children here, round after round."""
        while children := self.children():
            for child in children:
                os.kill(child, signal.SIGKILL)
            for child in children:
                os.waitpid(child, 0)
