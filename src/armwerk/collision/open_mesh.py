"""Meshes that bound no solid, made into something that others can touch.

A mesh with holes comes in, a closed one goes out. Three ways are offered, since no one is right for
all: "close" spans every hole, "hull" takes the convex hull, "surface" keeps the triangles as a thin
skin with two sides and nothing inside. A third of the STL files that makers publish need one of
them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.mesh_check import flat_triangles, hull
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import Mesh

OpenMesh: TypeAlias = Literal["refuse", "close", "hull", "surface"]
"""What is made of a mesh that is not closed."""
WAYS = ("refuse", "close", "hull", "surface")
"""Every `OpenMesh`."""
_JOINED = 1e-6  # share of a mesh's size within which corners are one


def made_solid(mesh: Mesh, way: OpenMesh) -> Mesh:
    """Return a mesh that is closed.

    Args:
        mesh: Anything; a closed one without triangles that have no area is returned as it is.
        way: What is made of another; "refuse": nothing, it is returned as it is.

    Raises:
        UnknownNameError: For an unknown way.
        DescriptionError: When holes cannot be spanned, or the hull has no volume.
    """
    if way not in WAYS:
        raise UnknownNameError("way to take an open mesh", str(way), WAYS)
    if way == "refuse" or (mesh.is_closed and not flat_triangles(mesh).any()):
        return mesh
    if way == "hull":
        return hull(mesh)
    return two_sided(mesh) if way == "surface" else closed(mesh)


def two_sided(mesh: Mesh) -> Mesh:
    """Return a skin: every triangle alone, with a front and a back, which together are closed."""
    rows = mesh.triangles[~flat_triangles(mesh)]
    if not len(rows):
        raise _hopeless(mesh, "has no triangle with an area")
    first = np.arange(3 * len(rows)).reshape(-1, 3)
    faces = np.concatenate([first, first[:, ::-1]])
    return Mesh(rows.reshape(-1, 3), faces, mesh.position, mesh.rotation, mesh.name)


def closed(mesh: Mesh) -> Mesh:
    """Return a mesh whose holes are spanned.

    Corners that are nearly one are joined, triangles without area and doubles left out. Parts that
    only touch along edges get corners of their own, since makers put several solids into one file.
    Then all triangles of a part are turned the same way, and every hole is filled from its middle.

    Raises:
        DescriptionError: When edges belong to more than two triangles, so that in and out mean
            nothing.
    """
    corners, faces = _parted(*_clean(mesh))
    faces = _turned_alike(faces)
    corners, faces = _filled(corners, faces)
    found = Mesh(corners, faces, mesh.position, mesh.rotation, mesh.name)
    if not found.is_closed:
        raise _hopeless(mesh, "cannot be closed: edges belong to three or more triangles")
    flat = flat_triangles(found)
    if flat.any():
        raise _hopeless(mesh, "cannot be closed: a hole has no area")
    return (
        found
        if found.volume > 0
        else Mesh(corners, faces[:, ::-1], mesh.position, mesh.rotation, mesh.name)
    )


def _hopeless(mesh: Mesh, problem: str) -> DescriptionError:
    return DescriptionError(
        problem,
        element=f"mesh '{mesh.name}'" if mesh.name else "mesh",
        allowed='open_mesh = "hull", its convex hull, or "surface", its triangles as a skin',
    )


def _clean(mesh: Mesh) -> tuple[Array, Integers]:
    """Return corners and faces, near corners joined, without flat and double triangles."""
    size = float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    cells = np.round(mesh.vertices / (_JOINED * size)).astype(np.int64)
    _, first, numbers = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    corners, faces = mesh.vertices[first], numbers.reshape(-1)[mesh.faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if len(faces):
        faces = faces[~flat_triangles(Mesh(corners, faces))]
    if not len(faces):
        raise _hopeless(mesh, "has no triangle with an area")
    _, kept = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return corners, faces[np.sort(kept)]


def _parted(corners: Array, faces: Integers) -> tuple[Array, Integers]:
    """Return corners and faces with corners of their own for parts that touch along edges alone."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = np.sort(np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    _, numbers, counts = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(numbers.reshape(-1), kind="stable")
    ends = np.cumsum(counts)[counts == 2]
    owner = np.tile(np.arange(len(faces)), 3)[order]
    one, two = owner[ends - 2], owner[ends - 1]
    links = coo_array((np.ones(len(one)), (one, two)), shape=(len(faces), len(faces)))
    _, parts = connected_components(links, directed=False)
    keys = np.column_stack([np.repeat(parts, 3), faces.reshape(-1)])
    rows, renamed = np.unique(keys, axis=0, return_inverse=True)
    return corners[rows[:, 1]], renamed.reshape(-1, 3)


def _turned_alike(faces: Integers) -> Integers:
    """Return faces with neighbours running along their edge in opposite ways, where that can be."""
    faces = faces.copy()
    owners: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces.tolist()):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            owners.setdefault((min(a, b), max(a, b)), []).append(number)
    seen = np.zeros(len(faces), dtype=bool)
    for start in range(len(faces)):
        if seen[start]:
            continue
        seen[start] = True
        waiting = [start]
        while waiting:
            number = waiting.pop()
            face = faces[number].tolist()
            for a, b in zip(face, (*face[1:], face[0]), strict=True):
                both = owners[min(a, b), max(a, b)]
                if len(both) != 2:
                    continue
                other = both[0] if both[1] == number else both[1]
                if seen[other]:
                    continue
                row = faces[other].tolist()
                if (a, b) in zip(row, (*row[1:], row[0]), strict=True):
                    faces[other] = row[::-1]
                seen[other] = True
                waiting.append(other)
    return faces


def _filled(corners: Array, faces: Integers) -> tuple[Array, Integers]:
    """Return corners and faces with a fan of triangles over each hole."""
    edges = np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)]).tolist()
    known = {(a, b) for a, b in edges}
    onward: dict[int, list[int]] = {}
    for a, b in known:
        if (b, a) not in known:
            onward.setdefault(b, []).append(a)  # the hole runs the other way
    more: list[Array] = []
    fans: list[tuple[int, int, int]] = []
    while onward:
        ring = [next(iter(onward))]
        while True:
            following = onward.get(ring[-1])
            if not following:
                break  # an edge of three triangles: left open
            ring.append(following.pop())
            if not following:
                del onward[ring[-2]]
            if ring[-1] == ring[0]:
                break
        if ring[-1] != ring[0] or len(ring) < 4:
            continue
        ring.pop()
        if len(ring) == 3:
            fans.append((ring[0], ring[1], ring[2]))
            continue
        middle = len(corners) + len(more)
        more.append(corners[ring].mean(axis=0))
        fans += [(a, b, middle) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)]
    if fans:
        faces = np.concatenate([faces, np.array(fans, dtype=faces.dtype)])
    return (np.vstack([corners, *more]) if more else corners), faces
