"""How deep two convex rows overlap, by the expanding polytope method.

The difference of the two bodies, without their swept balls, contains the origin; the depth is the
distance of the origin to its surface. A polytope inside the difference is grown at its nearest
face until that face lies on the surface.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.gjk import COUNT, FIRST, SECOND
from armwerk.collision.kernels.layout import Array
from armwerk.collision.kernels.rows import support
from armwerk.collision.kernels.simple import point_triangle
from armwerk.compiled import inner

_MOST = 96  # corners; round bodies are within 1e-8 of their size before that
_FACES = 4 * _MOST
_DONE = 1e-10  # share of the size by which the surface may be farther than the nearest face
_SEEN = 1e-12  # share of the size by which a corner must stand above a face to see it
_START = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])  # faces of four corners
_THIN = 1e-9  # share of the size below which a polytope has no thickness


@inner
def _grow(a: Array, b: Array, x: float, y: float, z: float, V: Array, n: int) -> None:
    """Fill corner n: the difference's farthest point along a direction, and both bodies' points."""
    V[n, 3], V[n, 4], V[n, 5] = support(a, x, y, z)
    V[n, 6], V[n, 7], V[n, 8] = support(b, -x, -y, -z)
    for k in range(3):
        V[n, k] = V[n, 3 + k] - V[n, 6 + k]


@inner
def _normal(V: Array, i: int, j: int, k: int) -> tuple[float, float, float]:
    ax, ay, az = V[j, 0] - V[i, 0], V[j, 1] - V[i, 1], V[j, 2] - V[i, 2]
    bx, by, bz = V[k, 0] - V[i, 0], V[k, 1] - V[i, 1], V[k, 2] - V[i, 2]
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inner
def _enclose(a: Array, b: Array, S: Array, V: Array) -> bool:
    """Fill four corners around the origin from the last simplex of `gjk`; False: it is flat."""
    count = int(S[COUNT, 0])
    size = 0.0
    for n in range(count):
        for k in range(3):
            V[n, k], V[n, 3 + k], V[n, 6 + k] = S[n, k], S[4 + n, k], S[8 + n, k]
            size = max(size, abs(V[n, k]))
    if count < 2:
        return False
    if count == 2:
        dx, dy, dz = V[1, 0] - V[0, 0], V[1, 1] - V[0, 1], V[1, 2] - V[0, 2]
        ux, uy, uz = (0.0, dz, -dy) if abs(dx) <= abs(dy) else (-dz, 0.0, dx)
        wx, wy, wz = dy * uz - dz * uy, dz * ux - dx * uz, dx * uy - dy * ux
        for turn in range(8):
            c, s = math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4)
            scale = math.sqrt((ux * ux + uy * uy + uz * uz) / (wx * wx + wy * wy + wz * wz))
            s *= scale
            _grow(a, b, c * ux + s * wx, c * uy + s * wy, c * uz + s * wz, V, count)
            nx, ny, nz = _normal(V, 0, 1, 2)
            if nx * nx + ny * ny + nz * nz > (_THIN * size) ** 2 * (dx * dx + dy * dy + dz * dz):
                count = 3
                break
        if count == 2:
            return False
    if count == 3:
        nx, ny, nz = _normal(V, 0, 1, 2)
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        if length == 0.0:
            return False
        for sign in (1.0, -1.0):
            _grow(a, b, sign * nx, sign * ny, sign * nz, V, count)
            up = nx * (V[3, 0] - V[0, 0]) + ny * (V[3, 1] - V[0, 1]) + nz * (V[3, 2] - V[0, 2])
            if abs(up) > _THIN * size * length:
                return True
        return False
    return True


@inner
def _add_face(V: Array, T: Array, N: Array, at: int, i: int, j: int, k: int) -> None:
    """Fill a face with its outward unit normal and its distance; nan for one without area."""
    nx, ny, nz = _normal(V, i, j, k)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    T[at, 0], T[at, 1], T[at, 2] = i, j, k
    if length == 0.0:
        N[at, 3] = math.inf
        N[at, 0], N[at, 1], N[at, 2] = 0.0, 0.0, 0.0
        return
    N[at, 0], N[at, 1], N[at, 2] = nx / length, ny / length, nz / length
    N[at, 3] = (nx * V[i, 0] + ny * V[i, 1] + nz * V[i, 2]) / length


@inner
def _reshape(V: Array, T: Array, N: Array, E: Array, faces: int, new: int, seen: float) -> int:
    """Replace the faces that a new corner is ``seen`` above; return the number of faces."""
    edges, kept = 0, 0
    for f in range(faces):
        i = T[f, 0]
        up = N[f, 0] * (V[new, 0] - V[i, 0])
        up += N[f, 1] * (V[new, 1] - V[i, 1]) + N[f, 2] * (V[new, 2] - V[i, 2])
        if up > seen:
            for c in range(3):
                p, q = T[f, c], T[f, (c + 1) % 3]
                found = False
                for e in range(edges):
                    if E[e, 0] == q and E[e, 1] == p:  # an edge seen from both sides goes
                        edges -= 1
                        E[e, 0], E[e, 1] = E[edges, 0], E[edges, 1]
                        found = True
                        break
                if not found:
                    E[edges, 0], E[edges, 1] = p, q
                    edges += 1
        else:
            for k in range(3):
                T[kept, k] = T[f, k]
            for k in range(4):
                N[kept, k] = N[f, k]
            kept += 1
    for e in range(edges):
        if kept < _FACES:
            _add_face(V, T, N, kept, E[e, 0], E[e, 1], new)
            kept += 1
    return kept


@inner
def depth(a: Array, b: Array, S: Array) -> float:
    """Return how deep two rows overlap for which `gjk` has just said 0.

    Rows 12 and 13 of S then hold the points of either body that are deepest in the other; the
    way from the second to the first is the shortest one that frees them, reversed.
    """
    V = np.zeros((_MOST + 4, 9))
    if not _enclose(a, b, S, V):
        return 0.0
    T, N = np.zeros((_FACES, 3), dtype=np.int64), np.zeros((_FACES, 4))
    E = np.zeros((3 * _FACES, 2), dtype=np.int64)
    nx, ny, nz = _normal(V, 0, 1, 2)
    up = nx * (V[3, 0] - V[0, 0]) + ny * (V[3, 1] - V[0, 1]) + nz * (V[3, 2] - V[0, 2])
    if up > 0.0:  # so that all normals point outwards
        for k in range(9):
            V[1, k], V[2, k] = V[2, k], V[1, k]
    for f in range(4):
        _add_face(V, T, N, f, _START[f, 0], _START[f, 1], _START[f, 2])
    faces, used, best, size = _START.shape[0], _START.shape[0], 0, 0.0
    while True:
        best = 0
        for f in range(1, faces):
            if N[f, 3] < N[best, 3]:
                best = f
        x, y, z, near = N[best, 0], N[best, 1], N[best, 2], N[best, 3]
        _grow(a, b, x, y, z, V, used)
        size = max(size, abs(V[used, 0]), abs(V[used, 1]), abs(V[used, 2]))
        gain = x * V[used, 0] + y * V[used, 1] + z * V[used, 2] - near
        if gain <= _DONE * size or used >= _MOST:
            break
        faces = _reshape(V, T, N, E, faces, used, _SEEN * size)
        used += 1
    least, v, w, i, j, k = math.inf, 0.0, 0.0, 0, 0, 0
    for f in range(faces):  # of several faces in that plane, the one with the foot point in it
        if N[f, 3] <= N[best, 3] + 1e-9 * size:
            p, q, r = T[f, 0], T[f, 1], T[f, 2]
            g, h, square = point_triangle(
                0.0,
                0.0,
                0.0,
                V[p, 0],
                V[p, 1],
                V[p, 2],
                V[q, 0],
                V[q, 1],
                V[q, 2],
                V[r, 0],
                V[r, 1],
                V[r, 2],
            )
            if square < least:
                least, v, w, i, j, k = square, g, h, p, q, r
    for c in range(3):
        S[FIRST, c] = (1.0 - v - w) * V[i, 3 + c] + v * V[j, 3 + c] + w * V[k, 3 + c]
        S[SECOND, c] = (1.0 - v - w) * V[i, 6 + c] + v * V[j, 6 + c] + w * V[k, 6 + c]
    S[COUNT, 0], S[COUNT, 1], S[COUNT, 2] = N[best, 0], N[best, 1], N[best, 2]
    return max(N[best, 3], 0.0)
