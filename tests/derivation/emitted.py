"""Generated code, compiled and loaded, behind one interface for both languages."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"]


class Compiled:
    """The C functions of one arm.

    Args:
        source: The .c file, its header beside it.
        dof: Number of joints.
        most: The most solutions, or more if the header says so.
    """

    def __init__(self, source: Path, dof: int, most: int) -> None:
        library = source.with_suffix(".so")
        command = ["gcc", *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self._library = ctypes.CDLL(str(library))
        said = re.search(r"MAX_SOLUTIONS (\d+)", source.with_suffix(".h").read_text())
        self._most = max(most, int(said.group(1)) if said else 0)
        self._prefix, self._dof = source.stem, dof

    def _call(self, name: str, *arguments: Any) -> int:
        function = getattr(self._library, f"{self._prefix}_{name}")
        function.restype = ctypes.c_int
        ready = [
            a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            if isinstance(a, np.ndarray)
            else ctypes.c_double(a)
            for a in arguments
        ]
        return int(function(*ready))

    def direct_kinematics(self, q: Array) -> Array:
        pose = np.full((4, 4), np.nan)
        assert self._call("directKinematics", q, pose) == 1
        return pose

    def compute_jacobian(self, q: Array) -> Array:
        jacobian = np.full((6, self._dof), np.nan)
        assert self._call("computeJacobian", q, jacobian) == 1
        return jacobian

    def all_inverse_kinematics(self, pose: Array, *given: float) -> Array:
        found = np.full((self._most, self._dof), np.nan)
        count = self._call("allInverseKinematics", np.ascontiguousarray(pose), *given, found)
        return found[:count]

    def inverse_kinematics(self, q: Array, pose: Array, *given: float) -> Array | None:
        near = np.array(q)
        if not self._call("inverseKinematics", near, np.ascontiguousarray(pose), *given):
            assert np.array_equal(near, q)
            return None
        return near

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        tau = np.full(self._dof, np.nan)
        assert self._call("inverseDynamics", q, qd, qdd, tau) == 1
        return tau

    def direct_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        qdd = np.full(self._dof, np.nan)
        assert self._call("directDynamics", q, qd, qdd, tau) == 1
        return qdd

    def mass_matrix(self, q: Array) -> Array:
        mass = np.full((self._dof, self._dof), np.nan)
        assert self._call("massMatrix", q, mass) == 1
        return mass


def imported(path: Path) -> ModuleType:
    """Return a generated Python module."""
    spec = importlib.util.spec_from_file_location(f"emitted_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
