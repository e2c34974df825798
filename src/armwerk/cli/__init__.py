"""The command line: what comes in is words, what goes out is tables, pictures and exit codes.

One module per command, listed in `armwerk.cli.app`. Exit codes: 0 done, 1 no solution exists or
was found, 2 wrong input, 3 a fault of the program, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os

from armwerk.cli.collecting import begin_loading
from armwerk.cli.leaving import prepare

prepare()
# Matrices of arms are small: threads for large ones would only cost the time to start them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
begin_loading()

try:
    from armwerk.cli.app import app, main
except KeyboardInterrupt:  # Ctrl-C before any command has begun
    raise SystemExit(130) from None

__all__ = ["app", "main"]
