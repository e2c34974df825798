"""How far an arm gets: the largest value of anything over all configurations within limits.

The reach of its tool is one such number. Numpy only, with a walk along the arm of its own: a list
of all arms compiles and loads no kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.chain import Chain

_BEST, _CHILDREN = 8, 10  # survivors of a round, and trials around each
_WIDTH = 0.25  # of the first steps around a survivor, a share of the joint ranges
_TRIALS, _ROUNDS = 1200, 26
_GLANCES = 40  # trials that tell of most places that they are not thousands of times too far
_FEW_TRIALS, _FEW_ROUNDS = 300, 8  # of an assembly, whose closed chains take longer
_TOO_FAR = 20.0  # times the reach: nobody errs so much by mistake, only by a unit
_FREE_TURN = np.pi  # [rad], half a turn either way stands for an angle without limits


@dataclass(frozen=True, slots=True, eq=False)
class ReachEstimate:
    """Where the tool point gets to, in the world.

    Args:
        radius: Largest distance from the arm's base [m]; infinite when a prismatic joint has no
            limits, as for the corners.
        lower: Least coordinates met [m]. Shape (3,).
        upper: Largest coordinates met [m]. Shape (3,).
    """

    radius: float
    lower: Array
    upper: Array


def search_maximum(
    score: Callable[[Array], Array],
    limits: Array,
    *,
    trials: int,
    rounds: int,
    shrink: float = 0.78,
) -> float:
    """Return the largest score over configurations within limits, by sampling and refining.

    Each round keeps the best few and tries steps around them, shorter every time; the same
    question gets the same answer.

    Args:
        score: From configurations (m, n) to numbers (m,); nan where there is none.
        limits: Finite. Shape (n, 2).
        trials: Random configurations looked at first.
        rounds: How often the best are refined.
        shrink: Length of a round's steps, a share of those before.
    """
    random = np.random.default_rng(1)
    low, high = limits.T

    def scored(q: Array) -> Array:
        found = score(q)
        return np.where(np.isnan(found), -np.inf, found)

    q = random.uniform(low, high, (trials, len(limits)))
    values = scored(q)
    width = _WIDTH
    for _ in range(rounds):
        best = np.argsort(-values, kind="stable")[:_BEST]
        q, values = q[best], values[best]
        steps = random.normal(0.0, width, (_CHILDREN, *q.shape)) * (high - low)
        children = np.clip(q + steps, low, high).reshape(_CHILDREN * len(q), len(limits))
        q = np.vstack([q, children])
        values = np.concatenate([values, scored(children)])
        width *= shrink
    return float(values.max())


def tool_points(arm: Arm, q: Array) -> Array:
    """Return the tool's places in the world for many configurations. (m, n) to (m, 3)."""
    arm, q = arm.free_chain, arm.angles(q)
    rotation = np.broadcast_to(arm.base[:3, :3], (len(q), 3, 3))
    point = np.broadcast_to(arm.base[:3, 3], (len(q), 3))
    column = 0
    for joint in arm.joints:
        theta, d = np.full(len(q), float(joint.offset)), np.full(len(q), float(joint.d))
        if joint.is_moving:
            (theta if joint.kind == "revolute" else d)[:] += q[:, column]
            column += 1
        step, shift = _row(theta, d, float(joint.a), float(joint.alpha))
        point = point + np.einsum("mij,mj->mi", rotation, shift)
        rotation = rotation @ step
    return np.asarray(point + rotation @ arm.tool[:3, 3], dtype=np.float64)


def _row(theta: Array, d: Array, a: float, alpha: float) -> tuple[Array, Array]:
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    none = np.zeros_like(ct)
    rotation = np.stack(
        [ct, -ca * st, sa * st, st, ca * ct, -sa * ct, none, none + sa, none + ca], axis=-1
    ).reshape(-1, 3, 3)
    return rotation, np.stack([a * ct, a * st, d], axis=-1)


def is_bounded(arm: Arm | Assembly) -> bool:
    """Whether the reach is a number at all: no symbols, and no endless slide."""
    slides = (joint for joint in arm.moving if joint.unit == "m")
    return not getattr(arm, "is_symbolic", False) and all(joint.limits for joint in slides)


def _places(arm: Arm | Assembly) -> Callable[[Array], Array]:
    """Return the function from configurations (m, n) to places of the hand (m, 3) [m]."""
    if isinstance(arm, Arm):
        if arm.is_coupled:  # some axis values put coupled joints beyond their limits
            return lambda q: np.where(
                arm.keeps_limits(q)[:, None], tool_points(arm, q), np.full(3, np.nan)
            )
        return lambda q: tool_points(arm, q)
    from armwerk.mechanics.assembly import AssemblyModel  # loads numba

    model = AssemblyModel(arm)
    return lambda q: np.asarray(model.fk(q)[:, :3, 3], dtype=np.float64)


def largest(
    arm: Arm | Assembly, score: Callable[[Array], Array], *, at_a_glance: bool = False
) -> float:
    """Return the largest score over the tool's places, found by sampling and refining.

    Args:
        arm: An arm or assembly with `is_bounded`.
        score: From places (m, 3) [m] to numbers (m,).
        at_a_glance: Whether a few of the samples will do; the score is then at most the other.
    """
    limits = np.where(np.isfinite(arm.limits), arm.limits, [[-_FREE_TURN, _FREE_TURN]])
    places = _places(arm)  # nan where a closed chain does not close
    if at_a_glance:
        return search_maximum(lambda q: score(places(q)), limits, trials=_GLANCES, rounds=0)
    if isinstance(arm, Arm):
        return search_maximum(lambda q: score(places(q)), limits, trials=_TRIALS, rounds=_ROUNDS)
    return search_maximum(
        lambda q: score(places(q)), limits, trials=_FEW_TRIALS, rounds=_FEW_ROUNDS, shrink=0.5
    )


def tool_reach(arm: Arm | Assembly) -> float | None:
    """Return the farthest the tool point gets from the first axis [m]; None when unbounded.

    An arm whose first joint slides has no axis to turn about; then it is the distance from the
    base. Of an assembly it is the distance from the upright axis through its body.
    """
    if not is_bounded(arm):
        return None
    origin, along = np.zeros(3), np.array([0.0, 0.0, 1.0])
    if isinstance(arm, Arm):
        origin = arm.base[:3, 3]
        along = arm.base[:3, 2] if arm.joints[0].kind != "prismatic" else np.zeros(3)

    def distance(points: Array) -> Array:
        away = points - origin
        return np.asarray(np.linalg.norm(away - np.outer(away @ along, along), axis=1))

    return largest(arm, distance)


def millimetre_hint(arm: Arm | Assembly, point: Array) -> str:
    """Return a question when a place is out of reach as millimetres taken for metres would be.

    Args:
        arm: Any arm; of one without bounds nothing is known.
        point: World [m]. Shape (3,).

    Returns:
        Begins with "; ", to be put behind a sentence. Empty: it is something else.
    """
    if not is_bounded(arm) or not np.isfinite(point).all():
        return ""
    centre = arm.base[:3, 3] if isinstance(arm, Arm) else np.zeros(3)

    def away(points: Array) -> Array:
        return np.asarray(np.linalg.norm(points - centre, axis=1))

    if math.dist(point, centre) <= _TOO_FAR * largest(arm, away, at_a_glance=True):
        return ""
    far = largest(arm, away)
    is_thousandfold = math.dist(point, centre) > _TOO_FAR * far
    if not is_thousandfold or math.dist(np.asarray(point) / 1000.0, centre) > far:
        return ""
    return "; are these millimetres? A thousandth of it would be within reach, lengths are metres"


class ReachModel(Protocol):
    """What is asked of a model to find its reach; `SerialModel` is one."""

    arm: Arm
    chain: Chain

    def fk(self, q: ArrayLike) -> Array: ...


def reach_of(model: ReachModel, samples: int) -> ReachEstimate:
    """Return how far the tool gets within the limits of axes and, where coupled, of joints.

    Args:
        model: Of the arm.
        samples: Number of configurations for the corners.
    """
    arm, chain = model.arm, model.chain
    endless = ~chain.revolute & ~np.isfinite(chain.limits).all(axis=1)
    if endless.any():
        return ReachEstimate(np.inf, np.full(3, -np.inf), np.full(3, np.inf))
    rows = chain.spread(samples)
    points = model.fk(rows[arm.keeps_limits(rows)])[:, :3, 3]

    def distance(q: Array) -> Array:
        far = np.linalg.norm(model.fk(q)[:, :3, 3] - arm.base[:3, 3], axis=1)
        return np.where(arm.keeps_limits(q), far, np.nan)

    radius = search_maximum(distance, chain.ranges(), trials=2000, rounds=70)
    return ReachEstimate(radius, points.min(axis=0), points.max(axis=0))


def shoulder(arm: Arm) -> Array:
    """Return the point of the first axis where the second joint stands, world [m]. Shape (3,)."""
    first = arm.joints[0]
    along = 0.0 if first.kind == "prismatic" else float(first.d)
    return np.asarray(arm.base[:3, 3] + along * arm.base[:3, 2], dtype=np.float64)
