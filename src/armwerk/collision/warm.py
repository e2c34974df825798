"""Compile every kernel of collision once: ``python -m armwerk.collision.warm``."""

from __future__ import annotations

import sys
import time
from importlib import import_module

KERNELS = ("tree", "pair_contact", "arm", "pair_distance", "arm_distance", "motion", "segments")


def warm() -> float:
    """Compile, or load from the cache, all kernels; return the seconds it took."""
    begin = time.perf_counter()
    for name in KERNELS:
        sys.stderr.write(f"compiling collision: {name} …\n")
        sys.stderr.flush()
        import_module(f"armwerk.collision.kernels.{name}")
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.stderr.write(f"kernels ready after {warm():.1f} s\n")
