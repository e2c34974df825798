"""A witness of time-optimal motion: direct transcription, solved by casadi and ipopt.

In: how joints and tool move along a path, with limits. Out: the least time from rest to rest.
Nothing of armwerk's own retiming is used. The way is cut at fixed places; between two of them the
path's parameter has one jerk for an unknown time, and speed, acceleration and the place reached are
equations between neighbours. Limits hold at the places, from both sides. Against the true optimum
the answer is off by what happens between places, which falls with their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion import Limits
from armwerk.motion.path.stop_to_stop import Run
from armwerk.robot import Arm

if TYPE_CHECKING:
    import casadi


class PathRates(NamedTuple):
    """Rates along a path at m places, one after the other, seen from one side.

    Attributes:
        joints: q', q'', q''' by the parameter. Shape (m, 3, n).
        tool: The same of the tool, (v, w). Shape (m, 3, 6).
        joint_limits: Velocity, acceleration, jerk. Shape (m, 3, n).
        tool_limits: The same of translation and rotation; infinite: none. Shape (m, 3, 2).
        torques: Per joint what s̈ asks for, what ṡ² asks for, what rest and dry friction ask for,
            what ṡ asks for, all over the largest torque. Shape (m, 4, n), or (m, 4, 0): no limits.
    """

    joints: Array
    tool: Array
    joint_limits: Array
    tool_limits: Array
    torques: Array


class CutPath(NamedTuple):
    """A path cut into m pieces.

    Attributes:
        s: Where the pieces begin, and the end of the last. Shape (m + 1,).
        times: About when these places are passed, to begin with [s]. Shape (m + 1,).
        begin: Rates where each piece begins.
        end: Rates where each piece ends.
    """

    s: Array
    times: Array
    begin: PathRates
    end: PathRates


class TimeLaw(Protocol):
    """The path's parameter by time."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ...

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        ...


class _Solution(NamedTuple):
    """Least time [s], and whether ipopt says that it is one."""

    duration: float
    solved: bool


def cut_path(
    run: Run, limits: Limits, law: TimeLaw, places: int = 400, arm: Arm | None = None
) -> CutPath:
    """Return what the witness is told of a run.

    Args:
        run: What is driven.
        limits: Of the joints.
        law: A law by which it is driven; it says where places lie close and where to begin from.
        places: About how many, evenly in the time of that law; borders of the run are added.
        arm: Whose torques, by pinocchio, take the place of limits of acceleration; None: none do.
    """
    grid = run.grid(np.stack([limits.velocity, limits.acceleration, limits.jerk])).whole()
    length = float(grid.s[-1])
    dense = np.linspace(0.0, law.duration, 50 * places + 1)
    passed = law.evaluate(dense)[:, 0]
    s = np.unique(np.concatenate([passed[::50], grid.borders, [0.0, length]]))
    s = s[np.append(True, np.diff(s) > 1e-9 * length)]
    s[-1] = length
    borders = np.flatnonzero(np.diff(grid.s) <= 0.0)

    def rates(where: Array, left: bool) -> PathRates:
        joints, tool = run.evaluate(where)
        row = np.clip(np.searchsorted(grid.s, where, "right") - 1, 0, len(grid.s) - 1)
        for border in borders:
            at = np.abs(where - grid.s[border]) <= 1e-9 * length
            row[at] = border if left else border + 1
            joints[at, 1:], tool[at] = grid.joints[row[at], 1:], grid.tool[row[at]]
        most = grid.joint_limits[row]
        loads = np.zeros((len(where), 4, 0))
        if arm is not None:
            most[:, 1] = np.inf
            loads = _loads(arm, joints)
        return PathRates(joints[:, 1:], tool, most, grid.tool_limits[row], loads)

    times = np.interp(s, passed, dense)
    return CutPath(s, times, rates(s[:-1], False), rates(s[1:], True))


def _loads(arm: Arm, joints: Array) -> Array:
    """Return what a path asks of drives, over what they have, see `PathRates`. Shape (m, 4, n)."""
    from arm_witness import PinArm

    witness = PinArm(arm)
    largest = np.array([joint.max_force or np.nan for joint in arm.moving])
    viscous = np.array([float(joint.viscous_friction) for joint in arm.moving])
    dry = np.array([[float(c) for c in joint.coulomb_friction] for joint in arm.moving])
    rows = []
    for q, one, two, _ in joints:
        still = np.zeros_like(q)
        weight = witness.gravity(q)
        against = dry[:, 0] * (one > 0.0) - dry[:, 1] * (one < 0.0)
        mass = witness.inverse(q, still, one) - weight
        bias = witness.inverse(q, one, two) - weight
        rows.append([mass, bias, weight + against, viscous * one])
    return np.asarray(np.array(rows) / largest)


def least_time(path: CutPath, print_level: int = 0) -> _Solution:
    """Return the least time in which a path can be driven from rest to rest."""
    import casadi

    pieces = len(path.s) - 1
    length, about = float(path.s[-1]), float(path.times[-1])
    way = np.diff(path.s) / length
    step = casadi.SX.sym("step", pieces)
    jerk = casadi.SX.sym("jerk", pieces)
    speed = casadi.SX.sym("speed", pieces + 1)
    acceleration = casadi.SX.sym("acceleration", pieces + 1)
    v, a = speed[:-1], acceleration[:-1]
    ways = v * step + a * step**2 / 2 + jerk * step**3 / 6 - way
    rows = [
        (ways * pieces, 0.0, 0.0),
        (v + a * step + jerk * step**2 / 2 - speed[1:], 0.0, 0.0),
        (a + jerk * step - acceleration[1:], 0.0, 0.0),
    ]
    top = np.full(pieces + 1, np.inf)
    for rates, first in ((path.begin, 0), (path.end, 1)):
        v, a = speed[first : first + pieces], acceleration[first : first + pieces]
        rows += _limits(rates, v, a, jerk, length, about)
        here = slice(first, first + pieces)
        top[here] = np.minimum(top[here], _top_speed(rates) * about / length)
    top[0] = top[-1] = 0.0
    bend = np.full(pieces + 1, np.inf)
    bend[0] = bend[-1] = 0.0
    unknowns = casadi.vertcat(step, jerk, speed, acceleration)
    problem = {
        "x": unknowns,
        "f": casadi.sum1(step),
        "g": casadi.vertcat(*(row for row, _, _ in rows)),
    }
    options: dict[str, str | float | bool] = {
        "ipopt.print_level": print_level,
        "print_time": False,
        "ipopt.sb": "yes",
        "ipopt.max_iter": 1500,
        "ipopt.tol": 1e-7,
        "ipopt.mu_strategy": "adaptive",
        "ipopt.linear_solver": "mumps",
    }
    solver = casadi.nlpsol("witness", "ipopt", problem, options)
    begun = _begun(path, length, about)
    none = np.full(pieces, np.inf)
    answer = solver(
        x0=np.concatenate(begun),
        lbx=np.concatenate([0.02 * begun[0], -none, 0.0 * top, -bend]),
        ubx=np.concatenate([50.0 * begun[0], none, top, bend]),
        lbg=np.concatenate([np.full(row.numel(), low) for row, low, _ in rows]),
        ubg=np.concatenate([np.full(row.numel(), high) for row, _, high in rows]),
    )
    return _Solution(float(answer["f"]) * about, bool(solver.stats()["success"]))


def _begun(path: CutPath, length: float, about: float) -> tuple[Array, Array, Array, Array]:
    """Return steps, jerks, speeds, accelerations to begin with, in units of length and time."""
    step = np.diff(path.times) / about
    speed = np.gradient(path.s / length, path.times / about)
    speed[0] = speed[-1] = 0.0
    acceleration = np.gradient(speed, path.times / about)
    acceleration[0] = acceleration[-1] = 0.0
    return step, np.diff(acceleration) / step, speed, acceleration


def _top_speed(rates: PathRates) -> Array:
    """Return the largest speeds by the limits of velocity. Shape (m,)."""
    tool = np.stack([np.linalg.norm(rates.tool[:, 0, k : k + 3], axis=1) for k in (0, 3)], axis=1)
    sizes = np.concatenate([np.abs(rates.joints[:, 0]), tool], axis=1)
    limits = np.concatenate([rates.joint_limits[:, 0], rates.tool_limits[:, 0]], axis=1)
    return np.asarray((limits / np.maximum(sizes, 1e-12)).min(axis=1))


def _limits(
    rates: PathRates,
    v: casadi.SX,
    a: casadi.SX,
    jerk: casadi.SX,
    length: float,
    about: float,
) -> list[tuple[casadi.SX, float, float]]:
    """Return rows that must lie between bounds: accelerations, jerks and torques over limits."""
    rows = []
    units = length ** np.arange(1, 4)  # of x', x'', x''' by the parameter over the length
    for i in range(rates.joints.shape[2]):
        one, two, three = (rates.joints[:, k, i] * units[k] for k in range(3))
        most = rates.joint_limits[:, :, i] * about ** np.arange(1, 4)
        if np.isfinite(most[:, 1]).all():
            rows.append(((one * a + two * v**2) / most[:, 1], -1.0, 1.0))
        rows.append(((one * jerk + 3 * two * v * a + three * v**3) / most[:, 2], -1.0, 1.0))
    for group in range(2):
        most = rates.tool_limits[:, :, group] * about ** np.arange(1, 4)
        if not np.isfinite(most).any():
            continue
        bent, jerked = 0.0 * a, 0.0 * a
        for r in range(3 * group, 3 * group + 3):
            one, two, three = (rates.tool[:, k, r] * units[k] for k in range(3))
            bent += ((one * a + two * v**2) / most[:, 1]) ** 2
            jerked += ((one * jerk + 3 * two * v * a + three * v**3) / most[:, 2]) ** 2
        rows += [(bent, -np.inf, 1.0), (jerked, -np.inf, 1.0)]
    for i in range(rates.torques.shape[2]):
        mass, bias, still, drag = (rates.torques[:, k, i] for k in range(4))
        force = mass * a * length / about**2 + bias * v**2 * (length / about) ** 2 + still
        rows.append((force + drag * v * length / about, -1.0, 1.0))
    return rows
