"""Compile every kernel once: ``python -m armwerk.mechanics.warm``.

Set-up calls this, so that no later process has to compile; the results lie in numba's cache on
disk. Takes a minute the first time and a second after that.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module

KERNELS = ("direct", "poses", "jacobian", "turns", "search", "dynamics")


def warm() -> float:
    """Compile, or load from the cache, all kernels; return the seconds it took."""
    begin = time.perf_counter()
    for name in KERNELS:
        sys.stderr.write(f"compiling kernels: {name} …\n")
        sys.stderr.flush()
        import_module(f"armwerk.mechanics.kernels.{name}")
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.stderr.write(f"kernels ready after {warm():.1f} s\n")
