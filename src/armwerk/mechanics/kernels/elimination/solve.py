"""All solutions of a pose by elimination, view after view until their number is proved."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.elimination.back import joints_of, polish, root_vector
from armwerk.mechanics.kernels.elimination.circle import (
    COEFFICIENTS,
    FROM,
    KIND,
    MOST_PLACES,
    NODE_COSINES,
    NODE_SINES,
    NODES,
    ROOT,
    RUN,
    SPREAD,
    STEEPEST,
    TO,
    around_gap,
    fit_polynomial,
    is_bent,
    is_simple,
    isolate,
    split,
)
from armwerk.mechanics.kernels.elimination.determinant import SUMMED, at_angle, determinant, norm
from armwerk.mechanics.kernels.elimination.gathered import (
    SAME,
    clear_behind,
    gather,
    is_other,
)
from armwerk.mechanics.kernels.elimination.lines import fill_right, right_error
from armwerk.mechanics.kernels.elimination.pencil import is_empty, pair_basis, pair_vector
from armwerk.mechanics.kernels.elimination.reduction import SMALLEST, fill_rows, reduce_products
from armwerk.mechanics.kernels.elimination.single import distance_to_solution
from armwerk.mechanics.kernels.elimination.views import (
    PHASE_H,
    PRODUCTS,
    TERMS,
    UNIT,
    UNKNOWNS,
    A,
    B,
    E,
    F,
    H,
    LoopViews,
    pose_link,
)
from armwerk.mechanics.kernels.packed import length_scale
from armwerk.mechanics.kernels.turns import TURN

MOST_SOLUTIONS = 16  # of a chain of six joints
_APART = 0.25 * SAME  # [rad or scales] within which two that count as two have their true ones
_MOST_STARTS = 6  # at one place
_ROUNDED = 1e-14  # [rad] of an angle on the circle
_VIEWS = RecordText(
    LoopViews,
    arm="float64[:,:,::1]",
    links="float64[:,:,:,:,::1]",
    ends="float64[:,:,:,::1]",
    link_wrong="float64",
    order="int64[:,::1]",
    revolute="boolean[:,::1]",
    sign="float64[::1]",
    slot="int64[::1]",
    left="float64[:,:,::1]",
    left_wrong="float64[::1]",
    defect="float64[::1]",
)


@inner
def eliminate(
    views: LoopViews,
    v: int,
    T: Array,
    links: Array,
    L: Array,
    Q: Array,
    factors: Array,
    inverse: Array,
    P: Array,
    p: Array,
) -> tuple[float, float, float, float]:
    """Fill links, L, Q as reduced, the six rows P and the polynomial p of a view.

    Returns:
        Bounds: of |p| at true solutions, of the error of its slope, of ‖M w‖ / ‖w‖ at solutions,
        and of the error of the rotation in T. The first is infinite where nothing can be said.
    """
    nothing = (math.inf, math.inf, math.inf, 0.0)
    goal, moved = pose_link(views, v, T, length_scale(views.arm), links)
    before, constant = np.empty((PRODUCTS, UNKNOWNS)), np.empty(PRODUCTS)
    fill_right(links, views.revolute[v], before, constant)
    last_a = 1.0 if views.revolute[v, A] else 0.0  # 1 is 1 + x² over itself where a joint turns
    last_b = 1.0 if views.revolute[v, B] else 0.0
    for r in range(PRODUCTS):
        for k in range(TERMS):
            L[r, k] = views.left[v, r, k]
        L[r, 0] -= constant[r]
        L[r, 2] -= last_b * constant[r]
        L[r, 6] -= last_a * constant[r]
        L[r, 8] -= last_a * last_b * constant[r]
        for k in range(UNKNOWNS):
            Q[r, k] = before[r, k]
    if not reduce_products(Q, factors, inverse):
        return nothing
    slide, slides = 0.0, 0
    for k in range(6):
        way = 0.0
        for r in range(3):
            way += links[k, 0, r, 3] * links[k, 0, r, 3]
        slide += 1.001 * math.sqrt(way)  # the longest way around the loop but for the slide
        slides += 0 if views.revolute[v, k] else 1
    unknowns = 3.0
    if not (views.revolute[v, E] and views.revolute[v, F]):
        unknowns = 1.0 + 2.0 * (slide * slide + slide**4)
    rounded = 0.0
    for r in range(PRODUCTS):
        rounded += constant[r] * constant[r]
    right_wrong = UNIT * math.sqrt(rounded + norm(before) ** 2)
    right_wrong += right_error(
        links, views.revolute[v], views.slot[v], views.link_wrong, goal, moved
    )
    amplified = norm(inverse)
    if not (right_wrong + 1000.0 * UNIT * norm(before)) * amplified < 0.01:
        return nothing  # Q may have lost a direction
    amplified *= 1.02 * norm(L)
    missed, wrong = fill_rows(
        before,
        Q,
        factors,
        L,
        P,
        math.sqrt(unknowns),
        right_wrong,
        views.left_wrong[v],
        amplified,
    )
    missed /= SMALLEST
    values = np.empty(NODES)
    matrix, W, S = np.empty((6, 9)), np.empty((6, 9)), np.empty((6, 6))
    summed = math.sqrt(2.0) * SUMMED * norm(P)
    rounded = hidden = tilted = 0.0
    for j in range(NODES):
        at_angle(P, NODE_COSINES[j], NODE_SINES[j], matrix)
        values[j], steep, back = determinant(matrix, W, S)
        near, far = steep * (back + summed), steep * (back + summed + 2.0 * wrong)
        if not far < 0.5:
            hidden = tilted = math.inf
            break
        size = abs(values[j])
        hidden = max(hidden, size * steep * math.exp(near) / (1.0 - near))
        tilted = max(tilted, size * (1.001 * (math.exp(far) - 1.0) + 20.0 * UNIT))
        rounded = max(rounded, size * (1.001 * (math.exp(near) - 1.0) + 20.0 * UNIT))
    rest = fit_polynomial(values, p)
    error = SPREAD * (missed * hidden + rounded) + rest if slides < 2 else math.inf
    return error, STEEPEST * (SPREAD * tilted + rest), missed, goal


@inner
def solve_view(views: LoopViews, v: int, T: Array, found: Array, count: int) -> tuple[int, bool]:
    """Add the solutions that a view shows to those found; return their number and whether proved.

    Proved: every place in which the determinant may be zero is empty or holds one solution, and
    that is found. Then ``found`` holds only them.
    """
    links, L = np.empty((6, 2, 3, 4)), np.empty((PRODUCTS, TERMS))
    Q, factors = np.empty((PRODUCTS, UNKNOWNS)), np.empty((UNKNOWNS, 2))
    inverse, P, p = np.empty((UNKNOWNS, UNKNOWNS)), np.empty((6, TERMS)), np.empty(COEFFICIENTS)
    error, slope_error, missed, goal = eliminate(views, v, T, links, L, Q, factors, inverse, P, p)
    if not error < math.inf:
        return count, False
    places = np.empty((MOST_PLACES, 4))
    number = isolate(p, error, places)
    if number > MOST_PLACES:
        return count, False
    proved = True
    mine = np.empty((MOST_SOLUTIONS, 6))
    angles, nears = np.empty(MOST_SOLUTIONS), np.empty(MOST_SOLUTIONS)
    most = np.zeros(MOST_PLACES, dtype=np.int64)  # solutions of a place; 0: cannot be told
    empty = np.zeros(MOST_PLACES, dtype=np.bool_)
    starts, w, N = np.empty((_MOST_STARTS, 6)), np.empty(6), np.empty((12, 4))
    good = 0
    for k in range(number):
        low, high, root = places[k, FROM], places[k, TO], places[k, ROOT]
        if places[k, KIND] == RUN:
            most[k] = 1 if is_simple(p, error, slope_error, low, high, root) else 0
            root_vector(P, root, w)
            joints_of(views, v, links, L, Q, factors, inverse, root, w, starts[0])
            tried = 1
        else:
            empty[k] = is_empty(P, low, high, missed)
            if empty[k]:
                continue
            most[k] = 2 if is_bent(p, STEEPEST * slope_error, low, high) else 0
            tried = 0
            for side in range(2):
                angle = root + (2 * side - 1) * split(p, root)
                root_vector(P, angle, w)
                joints_of(views, v, links, L, Q, factors, inverse, angle, w, starts[tried])
                tried += 1
            pair_basis(P, root, N)
            for side in range(4):
                pair_vector(N, 3 if side < 2 else 1, side % 2, w)
                joints_of(views, v, links, L, Q, factors, inverse, root, w, starts[tried])
                tried += 1
        for i in range(tried):
            q = starts[i]
            if not polish(views.arm, T, q) or not is_other(views.arm, q, mine, good):
                continue
            if good < MOST_SOLUTIONS:
                for j in range(6):
                    mine[good, j] = q[j]
                good += 1
                angles[good - 1] = views.sign[v] * q[views.order[v, H]] - PHASE_H
                nears[good - 1] = (
                    distance_to_solution(views.arm, views.defect, T, q, goal) + _ROUNDED
                )
    for k in range(good):
        proved = proved and nears[k] < _APART
    for k in range(number):
        low, high = places[k, FROM], places[k, TO]
        known = number_between(angles, good, low, high) == most[k] > 0
        if proved and not (known or empty[k]):
            low, high = around_gap(places, number, k)
            two = low < high and is_bent(p, STEEPEST * slope_error, low, high)
            proved = two and number_between(angles, good, low, high) == 2
    return gather(views.arm, mine, good, proved, found, count), proved


@inner
def number_between(angles: Array, count: int, low: float, high: float) -> int:
    """Return how many solutions have their hidden angle between two; -1: one may be at the edge."""
    number = 0
    for k in range(count):
        angle = angles[k] + TURN * math.ceil((low - _APART - angles[k]) / TURN)
        if low + _APART < angle < high - _APART:
            number += 1
        elif angle < high + _APART:
            return -1
    return number


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
        clear_behind(found[k], counts[k])


@entry(
    "UniTuple(float64, 3)(VIEWS, int64, float64[:,::1], float64[:,::1], float64[::1])",
    VIEWS=_VIEWS,
)
def polynomial(
    views: LoopViews, v: int, T: Array, P: Array, p: Array
) -> tuple[float, float, float]:
    """Fill the six rows P (6, 27) and the polynomial p of a view, as `eliminate` does.

    1, cos θ … cos 8θ, sin θ … sin 8θ of the hidden angle less its phase. Shape (17,).

    Returns:
        Bounds: of |p| at solutions, of |p - true polynomial|, and of ‖M w‖ / ‖w‖ at solutions.
    """
    links, L = np.empty((6, 2, 3, 4)), np.empty((PRODUCTS, TERMS))
    Q, factors = np.empty((PRODUCTS, UNKNOWNS)), np.empty((UNKNOWNS, 2))
    inverse = np.empty((UNKNOWNS, UNKNOWNS))
    error, slope_error, missed, _ = eliminate(views, v, T, links, L, Q, factors, inverse, P, p)
    return error, slope_error / STEEPEST, missed
