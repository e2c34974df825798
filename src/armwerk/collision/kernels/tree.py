"""Trees of boxes over the triangles of a mesh: building them, and what is inside a closed one."""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.layout import DEEPEST, LEAF, Array
from armwerk.compiled import entry, inner

_TRIES = 12  # directions tried until a ray meets no edge
_EDGE = 1e-9  # share of a triangle within which a ray counts as meeting an edge


@inner
def _bound(triangles: Array, order: Array, first: int, last: int, node: Array) -> None:
    """Fill lowest and highest corner of some triangles."""
    for k in range(3):
        low, high = math.inf, -math.inf
        for n in range(first, last):
            t = triangles[order[n]]
            low = min(low, t[k], t[3 + k], t[6 + k])
            high = max(high, t[k], t[3 + k], t[6 + k])
        node[k], node[3 + k] = low, high


@entry("Tuple((float64[:,::1], int64[::1]))(float64[:,::1])")
def build(triangles: Array) -> tuple[Array, Array]:
    """Return the nodes over triangles (t, 9), Shape (k, 8), and the order of the triangles.

    Each node's triangles are halved at the median of their middles along the longest side.
    """
    count = triangles.shape[0]
    nodes = np.zeros((2 * count + 1, 8))
    order = np.arange(count)
    middles = np.empty((count, 3))
    for n in range(count):
        for k in range(3):
            middles[n, k] = triangles[n, k] + triangles[n, 3 + k] + triangles[n, 6 + k]
    stack = np.empty((DEEPEST, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, count, -1
    depth, used = 1, 0
    while depth > 0:
        depth -= 1
        first, last, parent = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if parent >= 0:
            nodes[parent, 6] = used
        node = nodes[used]
        used += 1
        _bound(triangles, order, first, last, node)
        if last - first <= LEAF:
            node[6], node[7] = first, last - first
            continue
        axis, widest = 0, -1.0
        for k in range(3):
            values = middles[order[first:last], k]
            width = values.max() - values.min()
            if width > widest:
                axis, widest = k, width
        part = order[first:last].copy()
        order[first:last] = part[np.argsort(middles[part, axis])]
        half = (first + last) // 2
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = half, last, used - 1
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = first, half, -1
        depth += 2
    return nodes[:used].copy(), order


@inner
def _ray_box(x: float, y: float, z: float, u: float, v: float, w: float, node: Array) -> bool:
    """Whether a ray meets a box; none of its components is 0."""
    a, b = (node[0] - x) / u, (node[3] - x) / u
    near, far = min(a, b), max(a, b)
    a, b = (node[1] - y) / v, (node[4] - y) / v
    near, far = max(near, min(a, b)), min(far, max(a, b))
    a, b = (node[2] - z) / w, (node[5] - z) / w
    near, far = max(near, min(a, b)), min(far, max(a, b))
    return far >= 0.0 and near <= far * (1.0 + 1e-12) + 1e-300


@inner
def _crossing(x: float, y: float, z: float, u: float, v: float, w: float, t: Array) -> int:
    """Return 1 or -1 where a ray leaves or enters through a triangle, 0 for none, 2 for unsure."""
    ax, ay, az = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    bx, by, bz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    px, py, pz = v * bz - w * by, w * bx - u * bz, u * by - v * bx
    det = ax * px + ay * py + az * pz
    size = (abs(ax) + abs(ay) + abs(az)) * (abs(bx) + abs(by) + abs(bz))
    rx, ry, rz = x - t[0], y - t[1], z - t[2]
    qx, qy, qz = ry * az - rz * ay, rz * ax - rx * az, rx * ay - ry * ax
    first = rx * px + ry * py + rz * pz
    second = u * qx + v * qy + w * qz
    along = bx * qx + by * qy + bz * qz
    edge = _EDGE * size
    if abs(det) <= edge:  # nearly along the plane: only harmless when the ray passes far away
        reach = abs(ax) + abs(ay) + abs(az) + abs(bx) + abs(by) + abs(bz)
        s = -(rx * u + ry * v + rz * w)
        dx, dy, dz = rx + s * u, ry + s * v, rz + s * w
        return 2 if dx * dx + dy * dy + dz * dz <= 4.0 * reach * reach else 0
    sign = 1.0 if det > 0.0 else -1.0
    det, first, second, along = abs(det), sign * first, sign * second, sign * along
    if first < -edge or second < -edge or first + second > det + edge or along < 0.0:
        return 0
    if first < edge or second < edge or first + second > det - edge:
        return 2
    return -int(sign)


@inner
def _turns(
    x: float,
    y: float,
    z: float,
    u: float,
    v: float,
    w: float,
    first: int,
    triangles: Array,
    nodes: Array,
    stack: Array,
) -> int:
    """Return how often a mesh goes round a point, by one ray; -1000 when the ray is no good."""
    total, depth = 0, 1
    stack[0] = first
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        if not _ray_box(x, y, z, u, v, w, node):
            continue
        if node[7] > 0.0:
            for n in range(int(node[6]), int(node[6]) + int(node[7])):
                crossing = _crossing(x, y, z, u, v, w, triangles[n])
                if crossing == 2:
                    return -1000
                total += crossing
        else:
            stack[depth], stack[depth + 1] = node[6], at + 1
            depth += 2
    return total


@inner
def _solid_angle(x: float, y: float, z: float, t: Array) -> float:
    ax, ay, az, bx, by, bz = t[0] - x, t[1] - y, t[2] - z, t[3] - x, t[4] - y, t[5] - z
    cx, cy, cz = t[6] - x, t[7] - y, t[8] - z
    a = math.sqrt(ax * ax + ay * ay + az * az)
    b = math.sqrt(bx * bx + by * by + bz * bz)
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    rest = a * b * c + (ax * bx + ay * by + az * bz) * c
    rest += (bx * cx + by * cy + bz * cz) * a + (cx * ax + cy * ay + cz * az) * b
    return 2.0 * math.atan2(det, rest)


@inner
def inside(
    x: float,
    y: float,
    z: float,
    first: int,
    start: int,
    count: int,
    triangles: Array,
    nodes: Array,
    stack: Array,
) -> bool:
    """Whether a closed mesh goes round a point of its own frame.

    Crossings of a ray are counted with their sign; a ray that meets an edge is replaced by
    another one. Where none will do, the solid angles of all triangles are added up.
    """
    root = nodes[first]
    if x < root[0] or x > root[3] or y < root[1] or y > root[4] or z < root[2] or z > root[5]:
        return False
    u, v, w = 0.5411961001, 0.7071067812, 0.4550898606
    for _ in range(_TRIES):
        turns = _turns(x, y, z, u, v, w, first, triangles, nodes, stack)
        if turns != -1000:
            return turns != 0
        u, v, w = w + 0.1372, u - 0.3817, v + 0.0713  # anywhere else
        size = math.sqrt(u * u + v * v + w * w)
        u, v, w = u / size, v / size, w / size
        if min(abs(u), abs(v), abs(w)) < 1e-3:
            u, v, w = u + 0.011, v + 0.013, w + 0.017
    total = 0.0
    for n in range(start, start + count):
        total += _solid_angle(x, y, z, triangles[n])
    return abs(total) > 2.0 * math.pi
