"""All solutions of a pose by elimination, view after view until their number is proved."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.elimination.back import polish, substitute
from armwerk.mechanics.kernels.elimination.circle import (
    FROM,
    GAP,
    KIND,
    MOST_PLACES,
    NODE_COSINES,
    NODE_SINES,
    NODES,
    ROOT,
    SPREAD,
    TO,
    fit_polynomial,
    isolate,
    split,
)
from armwerk.mechanics.kernels.elimination.determinant import at_angle, determinant
from armwerk.mechanics.kernels.elimination.lines import fill_right
from armwerk.mechanics.kernels.elimination.pencil import is_empty
from armwerk.mechanics.kernels.elimination.reduction import UNIT, reduce_products
from armwerk.mechanics.kernels.elimination.views import (
    PRODUCTS,
    TERMS,
    UNKNOWNS,
    A,
    B,
    H,
    LoopViews,
    pose_link,
)
from armwerk.mechanics.kernels.packed import is_revolute, length_scale
from armwerk.mechanics.kernels.turns import TURN

MOST_SOLUTIONS = 16  # of a chain of six joints
_SAME = 1e-6  # [rad or scales] solutions nearer to each other than this count as one
_EDGE = 1e-6  # [rad] how far a solution may lie outside the run of its root
_VIEWS = RecordText(
    LoopViews,
    arm="float64[:,:,::1]",
    links="float64[:,:,:,::1]",
    order="int64[:,::1]",
    revolute="boolean[:,::1]",
    sign="float64[::1]",
    slot="int64[::1]",
    left="float64[:,:,::1]",
)


@inner
def eliminate(
    views: LoopViews,
    v: int,
    T: Array,
    links: Array,
    L: Array,
    inverse: Array,
    p: Array,
) -> tuple[float, float]:
    """Fill links, L, the inverse of R and the polynomial p of a view; return bounds of errors.

    The first is that of p, the second that of the six rows P.
    """
    pose_link(views, v, T, length_scale(views.arm), links)
    Q, constant = np.empty((PRODUCTS, UNKNOWNS)), np.empty(PRODUCTS)
    fill_right(links, views.revolute[v], Q, constant)
    last_a = 1.0 if views.revolute[v, A] else 0.0  # 1 is 1 + x² over itself where a joint turns
    last_b = 1.0 if views.revolute[v, B] else 0.0
    for r in range(PRODUCTS):
        for k in range(TERMS):
            L[r, k] = views.left[v, r, k]
        L[r, 0] -= constant[r]
        L[r, 2] -= last_b * constant[r]
        L[r, 6] -= last_a * constant[r]
        L[r, 8] -= last_a * last_b * constant[r]
    wrong = reduce_products(Q, L, inverse)
    if not wrong < math.inf:
        return math.inf, math.inf
    values = np.empty(NODES)
    matrix, W, S = np.empty((6, 9)), np.empty((6, 9)), np.empty((6, 6))
    worst = largest = 0.0
    for j in range(NODES):
        at_angle(L, NODE_COSINES[j], NODE_SINES[j], matrix)
        values[j], sensitivity = determinant(matrix, W, S)
        worst = max(worst, sensitivity)
        largest = max(largest, abs(values[j]))
    fit_polynomial(values, p)
    # both halves of the matrix are wrong by as much as P, at any angle by √2 of that at most
    return SPREAD * 2.0 * wrong * worst + 100.0 * UNIT * largest, wrong


@inner
def solve_view(views: LoopViews, v: int, T: Array, found: Array, count: int) -> tuple[int, bool]:
    """Add the solutions that a view shows to those found; return their number and whether proved.

    Proved: each root of the view is certain and simple, gives one solution, and all are found.
    Then ``found`` holds only them.
    """
    links, L = np.empty((6, 3, 4)), np.empty((PRODUCTS, TERMS))
    inverse, p = np.empty((UNKNOWNS, UNKNOWNS)), np.empty(NODES)
    error, wrong = eliminate(views, v, T, links, L, inverse, p)
    if not error < math.inf:
        return count, False
    places = np.empty((MOST_PLACES, 4))
    number = isolate(p, error, places)
    proved = number <= MOST_PLACES
    q = np.empty(6)
    mine = np.empty((MOST_SOLUTIONS, 6))
    good = 0
    for k in range(min(number, MOST_PLACES)):
        low, high, root = places[k, FROM], places[k, TO], places[k, ROOT]
        away = 0.0
        if places[k, KIND] == GAP:
            if is_empty(L, low, high, wrong):
                continue
            proved = False
            away = split(p, root)
        for side in range(1 if away == 0.0 else 2):
            substitute(views, v, links, L, inverse, root + (2 * side - 1) * away, q)
            if not polish(views.arm, T, q):
                proved = False
                continue
            if proved:
                angle = views.sign[v] * q[views.order[v, H]]
                angle += TURN * math.ceil((low - _EDGE - angle) / TURN)
                proved = angle <= high + _EDGE and good < MOST_SOLUTIONS
            if good < MOST_SOLUTIONS and (proved or is_other(views.arm, q, mine, good)):
                for i in range(6):
                    mine[good, i] = q[i]
                good += 1
    if proved:
        for k in range(good):
            for i in range(6):
                found[k, i] = mine[k, i]
        return good, True
    for k in range(good):
        if count < MOST_SOLUTIONS and is_other(views.arm, mine[k], found, count):
            for i in range(6):
                found[count, i] = mine[k, i]
            count += 1
    return count, False


@inner
def is_other(arm: Array, q: Array, found: Array, count: int) -> bool:
    """Whether q is none of those found, full turns not counted."""
    for k in range(count):
        far = 0.0
        for i in range(6):
            apart = abs(q[i] - found[k, i])
            if is_revolute(arm, i):
                apart = abs(apart - TURN * math.floor(apart / TURN + 0.5))
            else:
                apart /= length_scale(arm)
            far = max(far, apart)
        if far < _SAME:
            return False
    return True


@entry("Tuple((int64, boolean))(VIEWS, int64, int64, float64[:,::1], float64[:,::1])", VIEWS=_VIEWS)
def solve_pose(views: LoopViews, first: int, last: int, T: Array, found: Array) -> tuple[int, bool]:
    """Fill ``found`` (16, 6) with solutions of a pose; return their number and whether proved.

    Views first … last - 1 are tried in turn, until one proves that it shows all.
    """
    count, proved = 0, False
    for v in range(first, last):
        count, proved = solve_view(views, v, T, found, count)
        if proved:
            break
    return count, proved


@entry("void(VIEWS, float64[:,:,::1], float64[:,:,::1], int64[::1], boolean[::1])", VIEWS=_VIEWS)
def solve_poses(views: LoopViews, Ts: Array, found: Array, counts: Integers, proved: Flags) -> None:
    """The same for m poses: fill (m, 16, 6), nan behind the last, (m,) and (m,)."""
    for k in range(Ts.shape[0]):
        counts[k], proved[k] = 0, False
        for v in range(views.left.shape[0]):
            counts[k], proved[k] = solve_view(views, v, Ts[k], found[k], counts[k])
            if proved[k]:
                break
        for row in range(counts[k], MOST_SOLUTIONS):
            for i in range(6):
                found[k, row, i] = math.nan


@entry("float64(VIEWS, int64, float64[:,::1], float64[::1])", VIEWS=_VIEWS)
def polynomial(views: LoopViews, v: int, T: Array, p: Array) -> float:
    """Fill the polynomial of a view: 1, cos θ … cos 8θ, sin θ … sin 8θ; return its error bound."""
    links, L = np.empty((6, 3, 4)), np.empty((PRODUCTS, TERMS))
    inverse = np.empty((UNKNOWNS, UNKNOWNS))
    error, _ = eliminate(views, v, T, links, L, inverse, p)
    return error
