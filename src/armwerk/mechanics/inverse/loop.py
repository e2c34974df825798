"""An arm prepared for elimination: the views of the loop it makes with its pose, best first."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.kernels.elimination.solve import MOST_SOLUTIONS, solve_pose
from armwerk.mechanics.kernels.elimination.views import PHASE_A, PHASE_B, PRODUCTS, TERMS, LoopViews

_TRIALS = 8  # poses on which views are compared
_THIRDS = np.array([0.0, 2.0 * np.pi / 3.0, -2.0 * np.pi / 3.0])
_STEPS = np.array([0.0, 1.0, -1.0])
_TRIG = np.linalg.inv(np.stack([np.ones(3), np.cos(_THIRDS), np.sin(_THIRDS)], axis=1))
_POWERS = np.linalg.inv(np.stack([np.ones(3), _STEPS, _STEPS**2], axis=1))
_HALF = np.array(
    [[1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [1.0, -1.0, 0.0]]
)  # of (1, cos, sin) by 1, x, x²


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
    inner = [_scaled(chain, k) for k in range(1, 6)]
    parts = [_view(inner, revolute, h, sign) for h, sign in places]
    views = LoopViews(
        arm=np.require(chain.constants, np.float64, ["C", "W"]),
        links=np.array([part[0] for part in parts]),
        order=np.array([part[1] for part in parts], dtype=np.int64),
        revolute=np.array([revolute[part[1]] for part in parts]),
        sign=np.array([float(sign) for _, sign in places]),
        slot=np.array([5 - h if sign > 0 else h for h, sign in places], dtype=np.int64),
        left=np.array([part[2] for part in parts]),
    )
    return _best_first(chain, views)


def _scaled(chain: Chain, k: int) -> Array:
    link = np.eye(4)
    link[:3] = chain.constants[k, :3]
    link[:3, 3] /= chain.scale
    return link


def _view(inner: list[Array], revolute: Flags, h: int, sign: int) -> tuple[Array, list[int], Array]:
    """Return links, order and left side of the view that hides joint h."""
    order = [(h + sign * k) % 6 for k in range(6)]
    links: list[Array] = []
    for joint in order:
        between = joint if sign > 0 else joint - 1  # the link behind the joint, in this direction
        if not 0 <= between < 5:
            links.append(np.eye(4))  # that of the pose, filled in when it is known
        else:
            links.append(inner[between] if sign > 0 else np.asarray(np.linalg.inv(inner[between])))
    left = _left(links, [bool(revolute[joint]) for joint in order[:3]])
    return np.array(links)[:, :3], order, left


def _left(links: list[Array], revolute: list[bool]) -> Array:
    """Return the products of the line seen through three joints, by coefficient. Shape (14, 27)."""
    phases = (0.0, PHASE_A, PHASE_B)
    steps = [
        [_moved(turns, phase + value) @ link for value in (_THIRDS if turns else _STEPS)]
        for turns, phase, link in zip(revolute, phases, links, strict=False)
    ]
    poses = np.einsum("hij,ajk,bkl->habil", *(np.array(step) for step in steps))
    p, line = poses[..., :3, 3], poses[..., :3, 2]
    pp = (p * p).sum(-1, keepdims=True)
    pl = (p * line).sum(-1, keepdims=True)
    values = np.concatenate([line, p, pp, pl, np.cross(p, line), pp * line - 2.0 * pl * p], axis=-1)
    kept = [_HALF @ _TRIG if turns else _POWERS for turns in revolute[1:]]
    terms = np.einsum("habe,xh,ya,zb->exyz", values, _TRIG, *kept)
    return np.asarray(terms.reshape(PRODUCTS, TERMS))


def _moved(turns: bool, value: float) -> Array:
    pose = np.eye(4)
    if turns:
        c, s = np.cos(value), np.sin(value)
        pose[:2, :2] = [[c, -s], [s, c]]
    else:
        pose[2, 3] = value
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
    if proved.any():
        rank = rank[proved[rank] > 0]
    return LoopViews(
        views.arm,
        links=views.links[rank],
        order=views.order[rank],
        revolute=views.revolute[rank],
        sign=views.sign[rank],
        slot=views.slot[rank],
        left=views.left[rank],
    )
