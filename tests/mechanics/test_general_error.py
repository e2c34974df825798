"""The error bounds of the elimination, which "proved" rests on, against numbers of eighty bits.

The determinant does not depend on which six orthonormal rows the elimination leaves, so it is
computed here in another way: samples, Gram-Schmidt, Gaussian elimination, all in extended numbers.
The bounds are derived, so no error may exceed them; that errors are far below says how generous
they are, and that a bound that forgets something would be seen.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.chain import Chain, pack
from armwerk.mechanics.inverse.loop import loop_views
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.elimination.circle import DEGREE, NODES
from armwerk.mechanics.kernels.elimination.solve import polynomial
from armwerk.mechanics.kernels.elimination.views import PHASE_A, PHASE_B, PHASE_H, LoopViews

Long: TypeAlias = NDArray[np.longdouble]

pytestmark = pytest.mark.skipif(
    bool(np.finfo(np.longdouble).eps > 1e-18), reason="this machine has no numbers of eighty bits"
)
ROOT = np.sqrt(np.longdouble(3)) / 2
TURNED = [(1.0, 0.0), (-0.5, ROOT), (-0.5, -ROOT)]  # cosine and sine of thirds of a turn
TRIG = np.array([[1, 1, 1], [2, -1, -1], [0, 2 * ROOT, -2 * ROOT]], dtype=np.longdouble) / 3
HALF = np.array([[1, 1, 0], [0, 0, 2], [1, -1, 0]], dtype=np.longdouble) @ TRIG
POWERS = np.array([[1, 0, 0], [0, 0.5, -0.5], [-1, 0.5, 0.5]], dtype=np.longdouble)
ANGLES = 2 * np.pi * np.arange(NODES)[:, None] / NODES * np.arange(1, DEGREE + 1)
HARMONICS = np.hstack([np.ones((NODES, 1)), np.cos(ANGLES), np.sin(ANGLES)])
WORST = 0.2  # of the bound: the largest error that may be met


def joint(turns: bool, k: int, phase: float = 0.0) -> Long:
    pose = np.eye(4, dtype=np.longdouble)
    if turns:
        c, s = np.cos(np.longdouble(phase)), np.sin(np.longdouble(phase))
        cosine, sine = TURNED[k]
        pose[:2, :2] = [
            [c * cosine - s * sine, -(s * cosine + c * sine)],
            [s * cosine + c * sine, c * cosine - s * sine],
        ]
    else:
        pose[2, 3] = np.longdouble(phase) + (0, 1, -1)[k]
    return pose


def inverse(pose: Long) -> Long:
    result = np.eye(4, dtype=np.longdouble)
    result[:3, :3] = pose[:3, :3].T
    result[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return result


def products(pose: Long) -> Long:
    p, line = pose[:3, 3], pose[:3, 2]
    square, along = p @ p, p @ line
    last = square * line - 2 * along * p
    return np.concatenate([line, p, [square, along], np.cross(p, line), last])


def links_of(views: LoopViews, v: int, T: Array, chain: Chain) -> list[Long]:
    """Return the links of the loop in a view, from the arm's constants."""

    def scaled(pose: Array) -> Long:
        link = np.eye(4, dtype=np.longdouble)
        link[:3] = pose[:3]
        link[:3, 3] /= np.longdouble(chain.scale)
        return link

    behind = [scaled(views.arm[k]) for k in range(1, 6)]
    behind.append(scaled(views.arm[6]) @ inverse(scaled(T)) @ scaled(views.arm[0]))
    if views.sign[v] > 0:
        return [behind[k] for k in views.order[v]]
    return [inverse(behind[(k - 1) % 6]) for k in views.order[v]]


def rows_left(views: LoopViews, v: int, links: list[Long]) -> Long:
    """Return six orthonormal combinations of the fourteen equations without e and f (6, 3, 9)."""
    turns = [bool(one) for one in views.revolute[v]]
    L = np.empty((14, 3, 3, 3), dtype=np.longdouble)
    for place in np.ndindex(3, 3, 3):
        pose = np.eye(4, dtype=np.longdouble)
        for k, phase in enumerate((PHASE_H, PHASE_A, PHASE_B)):
            pose = pose @ joint(turns[k], place[k], phase) @ links[k]
        L[:, *place] = products(pose)
    R = np.empty((14, 3, 3), dtype=np.longdouble)
    for f, e in np.ndindex(3, 3):
        back = links[3] @ joint(turns[4], e) @ links[4] @ joint(turns[5], f) @ links[5]
        R[:, f, e] = products(inverse(back))
    kept = [HALF if one else POWERS for one in turns[1:3]]
    gone = [TRIG if one else POWERS for one in (turns[5], turns[4])]
    L = np.einsum("rhab,xh,ya,zb->rxyz", L, TRIG, *kept)
    R = np.einsum("rfe,xf,ye->rxy", R, *gone).reshape(14, 9)
    one = np.multiply.outer([1, 0, int(turns[1])], [1, 0, int(turns[2])])
    L[:, 0] -= np.multiply.outer(R[:, 0], one)
    basis: list[Long] = []
    for column in [*R[:, 1:].T, *np.eye(14, dtype=np.longdouble)]:
        left = column.copy()
        for _ in range(3):
            for known in basis:
                left -= (known @ left) * known
        length = np.sqrt(left @ left)
        if length > 1e-3 * np.sqrt(column @ column) or len(basis) < 8:
            basis.append(left / length)
    rows: Long = np.einsum("nr,rhab->nhab", np.array(basis[8:14]), L).reshape(6, 3, 9)
    return rows


def determinant(matrix: Long) -> np.longdouble:
    A, value = matrix.copy(), np.longdouble(1)
    for k in range(len(A)):
        place = k + int(np.argmax(np.abs(A[k:, k])))
        if place != k:
            A[[k, place]] = A[[place, k]]
            value = -value
        value *= A[k, k]
        A[k + 1 :] -= np.multiply.outer(A[k + 1 :, k] / A[k, k], A[k])
    return value


def exact(views: LoopViews, v: int, T: Array, chain: Chain) -> Long:
    P = rows_left(views, v, links_of(views, v, T, chain))
    values = []
    for k in range(NODES):
        angle = 2 * np.arccos(np.longdouble(-1)) * k / NODES
        E = P[:, 0] + np.cos(angle) * P[:, 1] + np.sin(angle) * P[:, 2]
        M = np.zeros((12, 12), dtype=np.longdouble)
        M[:6, :9], M[6:, 3:] = E, E
        values.append(determinant(M))
    return np.array(values)


def share_of_bound(arm: aw.Arm, count: int, seed: int) -> float:
    """Return the largest error of the polynomial of any view over its bound."""
    chain = pack(arm)
    views = loop_views(chain)
    assert views is not None
    draw = np.random.default_rng(seed)
    worst = 0.0
    for T in fk_batch(views.arm, draw.uniform(-np.pi, np.pi, (count, 6))):
        for v in range(len(views.left)):
            P, p = np.empty((6, 27)), np.empty(2 * DEGREE + 1)
            _, bound, _ = polynomial(views, v, T, P, p)
            if not bound < 1e-3 * np.abs(p).max():
                continue  # this view has nothing to say
            wanted = exact(views, v, T, chain)
            got = HARMONICS @ p
            sign = np.sign(wanted @ got)  # of the six rows
            worst = max(worst, float(np.abs(sign * wanted - got).max()) / bound)
    return worst


def missed_at_solutions(arm: aw.Arm, count: int, seed: int) -> tuple[float, float]:
    """Return the largest |p| and ‖M w‖ / ‖w‖ at known solutions, over their bounds."""
    chain = pack(arm)
    views = loop_views(chain)
    assert views is not None
    draw = np.random.default_rng(seed)
    value = residual = 0.0
    known = draw.uniform(-np.pi, np.pi, (count, 6))
    for q, T in zip(known, fk_batch(views.arm, known), strict=True):
        for v in range(len(views.left)):
            P, p = np.empty((6, 27)), np.empty(2 * DEGREE + 1)
            error, _, missed = polynomial(views, v, T, P, p)
            if not error < 1e-3 * np.abs(p).max():
                continue
            angles = views.sign[v] * q[views.order[v, :3]] - [PHASE_H, PHASE_A, PHASE_B]
            turns = np.arange(1, DEGREE + 1) * angles[0]
            terms = np.hstack([1, np.cos(turns), np.sin(turns)])
            value = max(value, float(abs(terms @ p)) / error)
            x, y = (np.array([np.cos(half), np.sin(half)]) for half in angles[1:] / 2)
            a = np.array([x[0] ** 2, x[0] * x[1], x[1] ** 2])
            b = np.array([y[0] ** 2, y[0] * y[1], y[1] ** 2])
            hidden = np.array([1, np.cos(angles[0]), np.sin(angles[0])])
            left = P @ np.kron(hidden, np.kron(a, b))
            w = np.kron([x[0] ** 3, x[0] * a[1], x[1] * a[1], x[1] ** 3], b)
            residual = max(residual, float(np.linalg.norm(left) / np.linalg.norm(w)) / missed)
    return value, residual


def skew_arm(seed: int, kinds: str) -> aw.Arm:
    draw = np.random.default_rng(seed)
    joints = []
    for kind in kinds:
        d, a, alpha, turn = draw.uniform(-0.5, 0.5, 4) * [1.0, 1.0, 4.0, 6.0]
        if kind == "R":
            joints.append(aw.Joint("revolute", d=d, a=a, alpha=alpha))
        else:
            joints.append(aw.Joint("prismatic", a=a, alpha=alpha, offset=turn))
    return aw.Arm.from_dh(joints)


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRTRRR", "RTRRRR"])
@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.soak)])
def test_the_error_is_far_below_its_bound(kinds: str, count: int) -> None:
    for seed in range(count):
        assert share_of_bound(skew_arm(seed, kinds), 2, seed) < WORST


@pytest.mark.parametrize("name", ["puma560", "ur5e", "kr16", "xarm6"])
def test_also_for_arms_with_structure(name: str) -> None:
    assert share_of_bound(aw.load_arm(name), 3, 1) < WORST


@pytest.mark.parametrize("seed", range(3))
def test_what_solutions_may_miss(seed: int) -> None:
    """Solutions lie where the bounds let them, although the pose is rounded once more here."""
    value, residual = missed_at_solutions(skew_arm(seed, "RRRRRR"), 20, seed)
    assert value < 0.5
    assert 1e-4 < residual < 0.5
