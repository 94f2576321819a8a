# ./dev slurm, which reads this file.

slurm_packages=(python3 slurm-wlm slurm-wlm-basic-plugins)

explain() {
  cat <<'END'
usage: ./dev slurm

Builds the program, starts Slurm on this machine (one controller and four nodes, from Debian's packages, without munge and systemd, in
a temporary folder) and runs the files of docs/scale.md there: 64 parts, of which one is killed and mended and one loses its node, and
a batch in 8 shards with its merge. The bytes must be those of one run. All that was started is ended. It takes a minute.
END
}

do_slurm() {
  no_options slurm "$@"
  setup slurm
  do_build
  say "running parts and shards on Slurm"
  exec python3 tests/ci/slurm.py build/release/tscatter "$root"
}
