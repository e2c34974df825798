"""An arm prepared for elimination: the views of the loop it makes with its pose, best first."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.kernels.elimination.solve import MOST_SOLUTIONS, solve_pose
from armwerk.mechanics.kernels.elimination.views import (
    PHASE_A,
    PHASE_B,
    PHASE_H,
    PRODUCTS,
    TERMS,
    UNIT,
    LoopViews,
)

Long: TypeAlias = NDArray[np.longdouble]

_TRIALS = 8  # poses on which views are compared
_LONG = float(np.finfo(np.longdouble).eps)  # what is prepared is rounded to this, and once to UNIT
_ROOT = np.sqrt(np.longdouble(3.0))
_THIRDS = ((1.0, 0.0), (-0.5, _ROOT / 2), (-0.5, -_ROOT / 2))  # cosine and sine of samples
_STEPS = (0.0, 1.0, -1.0)
_TRIG = np.array([[1, 1, 1], [2, -1, -1], [0, _ROOT, -_ROOT]], dtype=np.longdouble) / 3
_POWERS = np.array([[1, 0, 0], [0, 0.5, -0.5], [-1, 0.5, 0.5]], dtype=np.longdouble)
_HALF = np.array([[1, 1, 0], [0, 0, 2], [1, -1, 0]], dtype=np.longdouble) @ _TRIG
"""From samples to coefficients of (1, cos, sin), of (1, d, d²), and of (1, x, x²) over 1 + x²."""


def loop_views(chain: Chain) -> LoopViews | None:
    """Return the views of an arm, those that prove most poses first; None: it has none.

    An arm has views if it has six joints, two of which turn and stand opposite each other in the
    loop.
    """
    if chain.dof != 6:
        return None
    revolute = np.array(chain.revolute)
    places = [(h, 1 if h < 3 else -1) for h in range(6) if revolute[h] and revolute[(h + 3) % 6]]
    if not places:
        return None
    rigid, defect = rigid_constants(chain)
    parts = [_view(rigid[1:6], revolute, h, sign) for h, sign in places]
    views = LoopViews(
        arm=np.require(chain.constants, np.float64, ["C", "W"]),
        links=np.array([part[0] for part in parts]),
        ends=np.array([_twofold(rigid[0]), _twofold(rigid[6])]),
        link_wrong=100.0 * _LONG,
        order=np.array([part[1] for part in parts], dtype=np.int64),
        revolute=np.array([revolute[part[1]] for part in parts]),
        sign=np.array([float(sign) for _, sign in places]),
        slot=np.array([5 - h if sign > 0 else h for h, sign in places], dtype=np.int64),
        left=np.array([part[2] for part in parts]),
        left_wrong=np.array([part[3] for part in parts]),
        defect=defect,
    )
    return _best_first(chain, views)


def rigid_constants(chain: Chain) -> tuple[list[Long], Array]:
    """Return C_0 … C_6 with true rotations, lengths in scales, and how far the arm's are from them.

    The second is a bound of Frobenius norms. Shape (7,).
    """
    rigid = [_rigid(chain, k) for k in range(7)]
    true = np.array([link[:3, :3] for link in rigid])
    off = (chain.constants[:, :3, :3] - true).astype(np.float64)
    return rigid, np.asarray(np.linalg.norm(off, axis=(1, 2)) + 40.0 * _LONG)


def _rigid(chain: Chain, k: int) -> Long:
    """Return a constant of the arm, lengths in scales, with the true rotation next to its own."""
    link = np.eye(4, dtype=np.longdouble)
    link[:3] = chain.constants[k, :3]
    link[:3, 3] /= np.longdouble(chain.scale)
    R = link[:3, :3]
    for _ in range(4):
        R = R @ (3.0 * np.eye(3) - R.T @ R) / 2.0  # Newton's method
    link[:3, :3] = R
    return link


def _view(
    inner: list[Long], revolute: Flags, h: int, sign: int
) -> tuple[Array, list[int], Array, float]:
    """Return links, order, left side and its error of the view that hides joint h."""
    order = [(h + sign * k) % 6 for k in range(6)]
    links: list[Long] = []
    for joint in order:
        between = joint if sign > 0 else joint - 1  # the link behind the joint, in this direction
        if not 0 <= between < 5:
            links.append(np.eye(4, dtype=np.longdouble))  # that of the pose, filled in when known
        else:
            links.append(inner[between] if sign > 0 else _inverse(inner[between]))
    left, wrong = _left(links, [bool(revolute[joint]) for joint in order[:3]])
    return np.array([_twofold(link) for link in links]), order, left, wrong


def _twofold(link: Long) -> Array:
    """Return a transform as the sum of two arrays of plain numbers. Shape (2, 3, 4)."""
    first = link[:3].astype(np.float64)
    return np.array([first, (link[:3] - first).astype(np.float64)])


def _inverse(link: Long) -> Long:
    result = np.eye(4, dtype=np.longdouble)
    result[:3, :3] = link[:3, :3].T
    result[:3, 3] = -link[:3, :3].T @ link[:3, 3]
    return result


def _left(links: list[Long], revolute: list[bool]) -> tuple[Array, float]:
    """Return the products of the line seen through three joints, by coefficient, and their error.

    Shape (14, 27). Each link adds at most 60 units to the error of a direction, relative to 1, and
    of a place, relative to the reach; the products of a line are wrong by six times that at most.
    Coefficients are at most 12 times as wrong as samples, and 1500 units more by the sums for them.
    """
    phases = (PHASE_H, PHASE_A, PHASE_B)
    steps = [
        [_moved(turns, phase, k) @ link for k in range(3)]
        for turns, phase, link in zip(revolute, phases, links, strict=False)
    ]
    first, second, third = (np.array(step) for step in steps)
    poses = first[:, None, None] @ second[:, None] @ third
    p, line = poses[..., :3, 3], poses[..., :3, 2]
    pp = (p * p).sum(-1, keepdims=True)
    pl = (p * line).sum(-1, keepdims=True)
    values = np.concatenate([line, p, pp, pl, np.cross(p, line), pp * line - 2.0 * pl * p], axis=-1)
    kept = [_HALF if turns else _POWERS for turns in revolute[1:]]
    terms = np.einsum("habe,xh,ya,zb->exyz", values, _TRIG, *kept).reshape(PRODUCTS, TERMS)
    reach = 1.0 + sum(float(np.linalg.norm(np.float64(link[:3, 3]))) for link in links[:3])
    reach += sum(0.0 if turns else 1.0 + abs(p) for turns, p in zip(revolute, phases, strict=True))
    left = terms.astype(np.float64)
    units = 12.0 * 6.0 * 3.0 * 60.0 + 1500.0
    return left, UNIT * float(np.linalg.norm(left)) + units * 0.5 * _LONG * reach**2


def _moved(turns: bool, phase: float, k: int) -> Long:
    """Return what a joint does at the k-th of its samples."""
    pose = np.eye(4, dtype=np.longdouble)
    if turns:
        c, s = np.cos(np.longdouble(phase)), np.sin(np.longdouble(phase))
        cosine, sine = _THIRDS[k]
        pose[0, 0] = pose[1, 1] = c * cosine - s * sine
        pose[1, 0] = s * cosine + c * sine
        pose[0, 1] = -pose[1, 0]
    else:
        pose[2, 3] = np.longdouble(phase) + _STEPS[k]
    return pose


def _best_first(chain: Chain, views: LoopViews) -> LoopViews:
    """Return the views in the order in which they prove the most of some poses.

    Those that prove none are left out, unless all do.
    """
    from armwerk.mechanics.kernels.direct import fk_batch

    poses = fk_batch(views.arm, chain.spread(_TRIALS))
    found = np.empty((MOST_SOLUTIONS, 6))
    proved = np.array(
        [
            sum(solve_pose(views, v, v + 1, pose, found)[1] for pose in poses)
            for v in range(len(views.left))
        ]
    )
    rank = np.argsort(-proved, kind="stable")
    return LoopViews(
        views.arm,
        links=views.links[rank],
        ends=views.ends,
        link_wrong=views.link_wrong,
        order=views.order[rank],
        revolute=views.revolute[rank],
        sign=views.sign[rank],
        slot=views.slot[rank],
        left=views.left[rank],
        left_wrong=views.left_wrong[rank],
        defect=views.defect,
    )
