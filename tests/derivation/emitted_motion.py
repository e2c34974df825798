"""Trajectory generators in C, compiled and loaded."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from emitted import FLAGS
from numpy.typing import NDArray

import armwerk as aw

Array = NDArray[np.float64]
PATH, TURN = np.array([0.25, 1.0, 10.0]), np.array([1.5, 8.0, 80.0])


class CompiledMotion:
    """The C functions of an arm; structs are plain rows of doubles.

    Args:
        name: Of a library arm.
        axes: How many it has.
        folder: Where the files go.
    """

    def __init__(self, name: str, axes: int, folder: Path) -> None:
        self.name, self.axes = name, axes
        files = aw.derive(name).write(folder, formats=("c", "motion"))
        names = [path.name for path in files]
        assert names == [f"{name}.h", f"{name}.c", f"{name}_motion.h", f"{name}_motion.c"]
        sources = [str(path) for path in files if path.suffix == ".c"]
        library = folder / "motion.so"
        command = ["gcc", *FLAGS, "-shared", "-fPIC", *sources, "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self._library = ctypes.CDLL(str(library))
        table = (ctypes.c_double * (3 * axes)).in_dll(self._library, f"{name}_rates")
        self.rates = np.array(table).reshape(axes, 3)

    def call(self, name: str, *arguments: Any, real: bool = False) -> Any:
        function = getattr(self._library, f"{self.name}_{name}")
        function.restype = ctypes.c_double if real else ctypes.c_int
        kinds = {float: ctypes.c_double, int: ctypes.c_int}
        ready = [
            a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            if isinstance(a, np.ndarray)
            else kinds[type(a)](a)
            for a in arguments
        ]
        return function(*ready)

    def ptp(self, q0: Array, q1: Array, straight: int) -> Array:
        motion = np.full(7 * self.axes + 1, np.nan)
        assert self.call("planPtp", motion, q0, q1, self.rates, straight) == 1
        return motion

    def ptp_at(self, motion: Array, times: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = (np.full((len(times), self.axes), np.nan) for _ in range(3))
        for k, time in enumerate(times):
            self.call("ptpAt", motion, float(time), q[k], qd[k], qdd[k])
        return q, qd, qdd

    def line(self, start: Array, goal: Array) -> Array:
        line = np.full(16 + 16 + 3 + 3 + 5, np.nan)
        rows = (np.ascontiguousarray(pose) for pose in (start, goal))
        assert self.call("planLine", line, *rows, PATH, TURN) == 1
        return line

    def line_pose(self, line: Array, time: float) -> Array:
        pose = np.full((4, 4), np.nan)
        self.call("linePose", line, float(time), pose)
        return pose
