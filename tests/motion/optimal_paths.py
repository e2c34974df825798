"""Thirty paths of several arms on which time laws are held against the optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.geometry import rotation_x, rotation_y
from armwerk.motion import Path

HOMES: dict[str, tuple[float, ...]] = {
    "ur5e": (0.2, -1.5, 1.6, -1.6, -1.5, 0.1),
    "puma560": (0.3, 0.6, -0.4, 0.2, 0.9, 0.1),
    "kr6_r900": (0.1, -1.2, 1.4, 0.2, 0.8, 0.0),
    "irb140": (0.2, 0.2, -0.4, 0.3, 0.7, 0.1),
    "tx60": (0.3, 0.4, 1.2, 0.2, 0.8, 0.1),
    "xarm6": (0.2, -0.4, -0.9, 0.2, 1.2, 0.1),
    "scara": (-0.4, 1.5, 0.05, 0.2),
}
"""Where each arm stands [rad or m], away from its singularities."""


class TimedProblem(NamedTuple):
    """A path to be driven in as short a time as may be.

    Attributes:
        name: Arm and kind.
        model: Of the arm.
        q0: Where it stands [rad or m]. Shape (n,).
        path: What it drives.
    """

    name: str
    model: aw.ArmModel
    q0: Array
    path: Path


def _beside(p: Array, x: float, y: float, z: float) -> Array:
    """Return a point beside p [m]. Shape (3,)."""
    return np.asarray(p + np.array((x, y, z)))


def _line(path: Path, p: Array, q0: Array) -> Path:
    return path.lin(_beside(p, 0.0, 0.2, 0.0))


def _corner(path: Path, p: Array, q0: Array) -> Path:
    return path.lin(_beside(p, 0.0, 0.15, 0.0), blend=0.04).lin(_beside(p, -0.1, 0.15, 0.0))


def _zigzag(path: Path, p: Array, q0: Array) -> Path:
    goals = [_beside(p, -0.02 * k, 0.06 * (k % 2), 0.0) for k in range(1, 7)]
    return path.lines(np.array(goals), blend=0.008)


def _circle(path: Path, p: Array, q0: Array) -> Path:
    return path.circ(_beside(p, -0.06, 0.06, 0.0), _beside(p, 0.0, 0.12, 0.0))


def _spline(path: Path, p: Array, q0: Array) -> Path:
    steps = ((-0.05, 0.05, 0.0), (0.0, 0.1, 0.0), (-0.06, 0.16, 0.0), (-0.02, 0.22, 0.0))
    return path.spline([_beside(p, *step) for step in steps])


def _bezier(path: Path, p: Array, q0: Array) -> Path:
    return path.bezier(
        _beside(p, -0.1, 0.0, 0.0), _beside(p, -0.1, 0.2, 0.0), end=_beside(p, 0.0, 0.2, 0.0)
    )


def _joints(path: Path, p: Array, q0: Array) -> Path:
    change = np.where(np.arange(len(q0)) % 2, -0.4, 0.7)
    if len(q0) == 4:
        change[2] = 0.04
    one = q0 + change
    return path.ptp(one, blend=0.05).ptp(one + change * 0.5)


def _mixed(path: Path, p: Array, q0: Array) -> Path:
    change = np.full(len(q0), 0.15)
    if len(q0) == 4:
        change[2] = 0.02
    return (
        path.lin(_beside(p, 0.0, 0.1, 0.0), blend=0.03)
        .lin(_beside(p, -0.08, 0.1, 0.0), blend=0.03)
        .ptp(q0 + change)
    )


def _tilted(path: Path, p: Array, q0: Array) -> Path:
    assert path.start is not None
    goal = np.array(path.start)
    goal[:3, :3] = rotation_x(0.5) @ rotation_y(-0.3) @ goal[:3, :3]
    goal[:3, 3] += [-0.05, 0.12, 0.05]
    return path.lin(goal)


def _spiral(path: Path, p: Array, q0: Array) -> Path:
    return path.spiral(_beside(p, -0.04, 0.0, 0.0), 2.0 * np.pi, rise=0.03)


KINDS: dict[str, Callable[[Path, Array, Array], Path]] = {
    "line": _line,
    "corner": _corner,
    "zigzag": _zigzag,
    "circle": _circle,
    "spline": _spline,
    "bezier": _bezier,
    "joints": _joints,
    "mixed": _mixed,
    "tilted line": _tilted,
    "spiral": _spiral,
}
TOOLS: dict[str, tuple[float, float, float]] = {
    "gentle": (0.25, 1.0, 10.0),
    "usual": (0.5, 2.0, 40.0),
    "free": (2.0, 20.0, 1000.0),
}
"""Speed [m/s], acceleration [m/s²] and jerk [m/s³] of the tool; free: the joints hold it back."""

CHOSEN: tuple[tuple[str, str, str], ...] = (
    ("ur5e", "line", "gentle"),
    ("ur5e", "line", "free"),
    ("ur5e", "corner", "usual"),
    ("ur5e", "corner", "free"),
    ("ur5e", "spline", "usual"),
    ("ur5e", "mixed", "usual"),
    ("ur5e", "joints", "usual"),
    ("puma560", "line", "free"),
    ("puma560", "circle", "usual"),
    ("puma560", "zigzag", "usual"),
    ("puma560", "tilted line", "usual"),
    ("puma560", "spiral", "free"),
    ("kr6_r900", "corner", "gentle"),
    ("kr6_r900", "spline", "free"),
    ("kr6_r900", "bezier", "usual"),
    ("kr6_r900", "mixed", "free"),
    ("irb140", "circle", "free"),
    ("irb140", "tilted line", "free"),
    ("irb140", "zigzag", "gentle"),
    ("irb140", "joints", "usual"),
    ("tx60", "line", "usual"),
    ("tx60", "corner", "free"),
    ("tx60", "bezier", "free"),
    ("tx60", "spiral", "usual"),
    ("xarm6", "spline", "gentle"),
    ("xarm6", "circle", "free"),
    ("xarm6", "mixed", "usual"),
    ("scara", "corner", "usual"),
    ("scara", "zigzag", "free"),
    ("scara", "joints", "usual"),
)
"""Arm, kind of path and limits of the tool."""


def problem(arm: str, kind: str, tool: str) -> TimedProblem:
    """Return a path of an arm; see `CHOSEN`."""
    model = aw.model(arm)
    q0 = np.array(HOMES[arm])
    start = model.fk(q0)
    speed, acceleration, jerk = TOOLS[tool]
    path = Path(
        start,
        speed=speed,
        acceleration=acceleration,
        jerk=jerk,
        rotation_speed=4.0 * speed,
        rotation_acceleration=4.0 * acceleration,
        rotation_jerk=4.0 * jerk,
    )
    return TimedProblem(
        f"{arm}, {kind}, {tool}", model, q0, KINDS[kind](path, start[:3, 3].copy(), q0)
    )
