#!/bin/sh
# Makes a program of another machine a script that starts it by its emulator; without an emulator, leaves it alone.
#   emulated.sh PROGRAM [EMULATOR…]
set -eu
program=$(readlink -f "$1")
shift
[ $# -gt 0 ] || exit 0
mv "$program" "$program.emulated"
printf '#!/bin/sh\nexec %s %s "$@"\n' "$*" "$program.emulated" >"$program"
chmod +x "$program"
