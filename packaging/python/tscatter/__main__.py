"""python -m tscatter: the program."""

import os
import sys

from . import binary

path = binary()
os.execv(path, [path, *sys.argv[1:]])
