"""Trees of boxes over the triangles of a mesh: building them, and what is inside a closed one."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.kernels.fields import (
    MeshEntry,
    corner,
    high_corner,
    is_leaf,
    leaf_range,
    low_corner,
    second_child,
)
from armwerk.collision.kernels.layout import (
    COUNT,
    DEEPEST,
    HIGH,
    LEAF,
    LOW,
    NEXT,
    NODE_WIDTH,
    MeshTables,
)
from armwerk.collision.kernels.signatures import INTEGERS, ROWS, answers
from armwerk.collision.kernels.vectors import Vector, ahead, cross, dot, minus
from armwerk.compiled import entry, inner

_TRIES = 12  # directions tried until a ray meets no edge
_EDGE = 1e-9  # share of a triangle within which a ray counts as meeting an edge
_UNSURE = 2  # instead of a crossing: too near an edge to tell
_NO_GOOD = -1000  # instead of a winding number: the ray met an edge


@inner
def _bound(triangles: Array, order: Integers, first: int, last: int, node: Array) -> None:
    """Fill lowest and highest corner of some triangles."""
    for k in range(3):
        low, high = math.inf, -math.inf
        for n in range(first, last):
            t = triangles[order[n]]
            low = min(low, t[k], t[3 + k], t[6 + k])
            high = max(high, t[k], t[3 + k], t[6 + k])
        node[LOW + k], node[HIGH + k] = low, high


@inner
def _widened(box: Array, triangle: Array) -> float:
    """Make a box (6,) hold a triangle and return the sum of its three different faces."""
    for k in range(3):
        box[k] = min(box[k], triangle[k], triangle[3 + k], triangle[6 + k])
        box[3 + k] = max(box[3 + k], triangle[k], triangle[3 + k], triangle[6 + k])
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    return float(x * y + y * z + z * x)


@inner
def _halve(triangles: Array, middles: Array, order: Integers, costs: Array) -> int:
    """Sort triangles such that those before a number belong together; return the number.

    They are sorted by their middles along each axis. The boxes around both parts shall have little
    surface, weighed with the numbers of triangles: that is how often they will be met in vain
    (Goldsmith and Salmon 1987). Neither part has less than a quarter, which keeps trees low.

    Args:
        triangles: Shape (t, 9).
        middles: Shape (t, 3).
        order: Numbers of the triangles, sorted here. Shape (n,).
        costs: Working space, at least n numbers.
    """
    count = order.shape[0]
    given, box = order.copy(), np.empty(6)
    best, half = math.inf, count // 2
    for k in range(3):
        part = given[np.argsort(middles[given, k], kind="mergesort")]
        box[:3], box[3:] = math.inf, -math.inf
        for n in range(count - 1):
            costs[n] = (n + 1) * _widened(box, triangles[part[n]])
        box[:3], box[3:] = math.inf, -math.inf
        better = False
        for n in range(count - 1, 0, -1):
            cost = costs[n - 1] + (count - n) * _widened(box, triangles[part[n]])
            if 4 * n >= count and 4 * n <= 3 * count and cost < best:
                best, half, better = cost, n, True
        if better:
            order[:] = part
    return half


@entry(answers(ROWS, INTEGERS)(ROWS))
def build(triangles: Array) -> tuple[Array, Integers]:
    """Return the nodes over triangles (t, 9), Shape (k, NODE_WIDTH), and the triangles' order."""
    count = triangles.shape[0]
    nodes = np.zeros((2 * count + 1, NODE_WIDTH))
    order = np.arange(count)
    middles = np.empty((count, 3))
    for n in range(count):
        for k in range(3):
            middles[n, k] = triangles[n, k] + triangles[n, 3 + k] + triangles[n, 6 + k]
    firsts = np.empty(DEEPEST, dtype=np.int64)
    lasts = np.empty(DEEPEST, dtype=np.int64)
    costs = np.empty(count)
    parents = np.empty(DEEPEST, dtype=np.int64)  # whose second child it is; -1: nobody's
    firsts[0], lasts[0], parents[0] = 0, count, -1
    depth, used = 1, 0
    while depth > 0:
        depth -= 1
        first, last, parent = firsts[depth], lasts[depth], parents[depth]
        if parent >= 0:
            nodes[parent, NEXT] = used
        node = nodes[used]
        used += 1
        _bound(triangles, order, first, last, node)
        if last - first <= LEAF:
            node[NEXT], node[COUNT] = first, last - first
            continue
        half = first + _halve(triangles, middles, order[first:last], costs)
        firsts[depth], lasts[depth], parents[depth] = half, last, used - 1
        firsts[depth + 1], lasts[depth + 1], parents[depth + 1] = first, half, -1
        depth += 2
    return nodes[:used].copy(), order


@inner
def _ray_box(p: Vector, d: Vector, node: Array) -> bool:
    """Whether a ray meets a box; none of its components is 0."""
    low, high = low_corner(node), high_corner(node)
    a, b = (low[0] - p[0]) / d[0], (high[0] - p[0]) / d[0]
    near, far = min(a, b), max(a, b)
    a, b = (low[1] - p[1]) / d[1], (high[1] - p[1]) / d[1]
    near, far = max(near, min(a, b)), min(far, max(a, b))
    a, b = (low[2] - p[2]) / d[2], (high[2] - p[2]) / d[2]
    near, far = max(near, min(a, b)), min(far, max(a, b))
    return far >= 0.0 and near <= far * (1.0 + 1e-12) + 1e-300


@inner
def _crossing(p: Vector, d: Vector, triangle: Array) -> int:
    """Return 1 or -1 where a ray leaves or enters through a triangle, 0: neither, `_UNSURE`."""
    start = corner(triangle, 0)
    a, b = minus(corner(triangle, 1), start), minus(corner(triangle, 2), start)
    across = cross(d, b)
    det = dot(a, across)
    around = abs(a[0]) + abs(a[1]) + abs(a[2])
    size = around * (abs(b[0]) + abs(b[1]) + abs(b[2]))
    r = minus(p, start)
    turned = cross(r, a)
    first, second, along = dot(r, across), dot(d, turned), dot(b, turned)
    edge = _EDGE * size
    if abs(det) <= edge:  # nearly along the plane: only harmless when the ray passes far away
        reach = around + abs(b[0]) + abs(b[1]) + abs(b[2])
        off = ahead(r, -dot(r, d), d)
        return _UNSURE if dot(off, off) <= 4.0 * reach * reach else 0
    sign = 1.0 if det > 0.0 else -1.0
    det, first, second, along = abs(det), sign * first, sign * second, sign * along
    if first < -edge or second < -edge or first + second > det + edge or along < 0.0:
        return 0
    if first < edge or second < edge or first + second > det - edge:
        return _UNSURE
    return -int(sign)


@inner
def _winding(p: Vector, d: Vector, root: int, triangles: Array, nodes: Array, stack: Array) -> int:
    """Return how often a mesh goes round a point, by one ray; `_NO_GOOD`: the ray is no good."""
    total, depth = 0, 1
    stack[0] = root
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        if not _ray_box(p, d, node):
            continue
        if is_leaf(node):
            first, last = leaf_range(node)
            for n in range(first, last):
                crossing = _crossing(p, d, triangles[n])
                if crossing == _UNSURE:
                    return _NO_GOOD
                total += crossing
        else:
            stack[depth], stack[depth + 1] = second_child(node), at + 1
            depth += 2
    return total


@inner
def _solid_angle(p: Vector, triangle: Array) -> float:
    """Return the solid angle of a triangle seen from a point (van Oosterom and Strackee)."""
    a, b, c = (
        minus(corner(triangle, 0), p),
        minus(corner(triangle, 1), p),
        minus(corner(triangle, 2), p),
    )
    u, v, w = math.sqrt(dot(a, a)), math.sqrt(dot(b, b)), math.sqrt(dot(c, c))
    rest = u * v * w + dot(a, b) * w
    rest += dot(b, c) * u + dot(c, a) * v
    return 2.0 * math.atan2(dot(a, cross(b, c)), rest)


@inner
def inside(p: Vector, mesh: MeshEntry, meshes: MeshTables, stack: Array) -> bool:
    """Whether a closed mesh goes round a point of its own frame.

    Crossings of a ray are counted with their sign; a ray that meets an edge is replaced by
    another one. Where none will do, the solid angles of all triangles are added up.

    Args:
        p: The point.
        mesh: Which mesh.
        meshes: All meshes.
        stack: Working space.
    """
    triangles, nodes = meshes.triangles, meshes.nodes
    low, high = low_corner(nodes[mesh.root]), high_corner(nodes[mesh.root])
    if p[0] < low[0] or p[0] > high[0] or p[1] < low[1] or p[1] > high[1]:
        return False
    if p[2] < low[2] or p[2] > high[2]:
        return False
    u, v, w = 0.5411961001, 0.7071067812, 0.4550898606
    for _ in range(_TRIES):
        winding = _winding(p, (u, v, w), mesh.root, triangles, nodes, stack)
        if winding != _NO_GOOD:
            return winding != 0
        u, v, w = w + 0.1372, u - 0.3817, v + 0.0713  # anywhere else
        size = math.sqrt(u * u + v * v + w * w)
        u, v, w = u / size, v / size, w / size
        if min(abs(u), abs(v), abs(w)) < 1e-3:
            u, v, w = u + 0.011, v + 0.013, w + 0.017
    total = 0.0
    for n in range(mesh.first_triangle, mesh.last_triangle):
        total += _solid_angle(p, triangles[n])
    return abs(total) > 2.0 * math.pi
