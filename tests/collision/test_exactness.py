"""A hundred thousand random pairs against coal and python-fcl: no disagreement beyond 1e-6 m."""

from __future__ import annotations

from collections.abc import Callable

import coal
import fcl
import numpy as np

from armwerk.collision.kernels import layout
from armwerk.collision.kernels.pair_contact import touch_many
from armwerk.collision.packing import MeshShelf, row_of
from armwerk.geometry import Mesh
from collision_witness import (
    SHELL,
    coal_distance,
    coal_geometry,
    coal_touches,
    fcl_mesh,
    fcl_touches,
    lumpy_mesh,
    plain_rows,
    random_rotations,
)

COUNT = 100_000
NO_MESHES = MeshShelf().tables()


def poses(count: int, spread: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return random_rotations(count, rng), rng.uniform(-spread, spread, (count, 3))


def disagreements(ours: np.ndarray, asked: np.ndarray, theirs: Callable[[int], bool]) -> list[int]:
    return [int(n) for n in asked if theirs(int(n)) != ours[n]]


def test_box_and_box() -> None:
    rng = np.random.default_rng(1)
    (R, p), (Q, o) = poses(COUNT, 0.25, rng), poses(COUNT, 0.25, rng)
    h, g = rng.uniform(0.01, 0.2, (2, COUNT, 3))
    none = np.zeros((COUNT, 1))
    first = plain_rows(layout.BOX, R, p, np.hstack([h, none]))
    second = plain_rows(layout.BOX, Q, o, np.hstack([g, none]))
    ours = touch_many(first, second, NO_MESHES)
    assert 0.1 < ours.mean() < 0.9

    def by_coal(n: int) -> bool:
        a, b = coal.Box(*(2 * h[n])), coal.Box(*(2 * g[n]))
        return coal_touches(a, coal.Transform3s(R[n], p[n]), b, coal.Transform3s(Q[n], o[n]))

    def by_fcl(n: int) -> bool:
        a, b = fcl.Box(*(2 * h[n])), fcl.Box(*(2 * g[n]))
        return fcl_touches(a, fcl.Transform(R[n], p[n]), b, fcl.Transform(Q[n], o[n]))

    for n in disagreements(ours, np.arange(COUNT), by_coal) + disagreements(
        ours, np.arange(0, COUNT, 4), by_fcl
    ):
        a, b = coal.Box(*(2 * h[n])), coal.Box(*(2 * g[n]))
        value, _ = coal_distance(a, coal.Transform3s(R[n], p[n]), b, coal.Transform3s(Q[n], o[n]))
        assert abs(value) < SHELL


def test_box_and_sphere() -> None:
    rng = np.random.default_rng(2)
    (R, p), (Q, o) = poses(COUNT, 0.25, rng), poses(COUNT, 0.25, rng)
    h, r = rng.uniform(0.01, 0.2, (COUNT, 3)), rng.uniform(0.01, 0.15, COUNT)
    zeros = np.zeros((COUNT, 3))
    first = plain_rows(layout.BOX, R, p, np.hstack([h, zeros[:, :1]]))
    second = plain_rows(layout.SPHERE, Q, o, np.hstack([zeros, r[:, None]]))
    ours = touch_many(first, second, NO_MESHES)
    assert 0.1 < ours.mean() < 0.9

    def by_coal(n: int) -> bool:
        a, b = coal.Box(*(2 * h[n])), coal.Sphere(r[n])
        return coal_touches(a, coal.Transform3s(R[n], p[n]), b, coal.Transform3s(Q[n], o[n]))

    def by_fcl(n: int) -> bool:
        a, b = fcl.Box(*(2 * h[n])), fcl.Sphere(r[n])
        return fcl_touches(a, fcl.Transform(R[n], p[n]), b, fcl.Transform(Q[n], o[n]))

    wrong = disagreements(ours, np.arange(COUNT), by_coal)
    wrong += disagreements(ours, np.arange(0, COUNT, 4), by_fcl)
    for n in wrong:
        own = np.abs(R[n].T @ (o[n] - p[n])) - h[n]
        assert abs(np.linalg.norm(np.maximum(own, 0)) - r[n]) < SHELL


def capsules_and_meshes(count: int, seed: int) -> tuple[list[Mesh], dict[str, np.ndarray]]:
    """Return a few concave meshes and many placements of capsules beside them."""
    rng = np.random.default_rng(seed)
    meshes = [lumpy_mesh(rng, a, b) for a, b in rng.uniform(0.05, 0.3, (12, 2))]
    (R, p), (Q, o) = poses(count, 0.25, rng), poses(count, 0.25, rng)
    numbers = rng.integers(len(meshes), size=count)
    radius, half = rng.uniform(0.004, 0.1, count), rng.uniform(0.0, 0.15, count)
    return meshes, {"R": R, "p": p, "Q": Q, "o": o, "mesh": numbers, "r": radius, "h": half}


def wholly_inside(mesh: Mesh, of: dict[str, np.ndarray], n: int) -> bool:
    """Whether capsule n is inside the mesh, all round, by the signed distance of its axis."""
    ends = of["o"][n] + np.outer(np.linspace(-1, 1, 9) * of["h"][n], of["Q"][n][:, 2])
    own = (ends - of["p"][n]) @ of["R"][n]
    return bool((mesh.own_distance(own) < -of["r"][n] + SHELL).all())


def test_capsule_and_mesh() -> None:
    count = COUNT
    meshes, of = capsules_and_meshes(count, 3)
    shelf = MeshShelf()
    second = np.array([row_of(mesh, shelf) for mesh in meshes])[of["mesh"]]
    second[:, layout.ROTATION : layout.POSITION] = of["R"].reshape(-1, 9)
    second[:, layout.POSITION : layout.SIZES] = of["p"]
    zeros = np.zeros(count)
    sizes = np.column_stack([of["h"], zeros, zeros, of["r"]])
    first = plain_rows(layout.CAPSULE, of["Q"], of["o"], sizes)
    ours = touch_many(first, second, shelf.tables())
    assert 0.1 < ours.mean() < 0.9
    models = [coal_geometry(mesh) for mesh in meshes]

    def by_coal(n: int) -> bool:
        capsule = coal.Capsule(of["r"][n], 2 * of["h"][n])
        there = coal.Transform3s(of["R"][n], of["p"][n])
        return coal_touches(
            capsule, coal.Transform3s(of["Q"][n], of["o"][n]), models[of["mesh"][n]], there
        )

    bodies = [fcl_mesh(mesh) for mesh in meshes]

    def by_fcl(n: int) -> bool:
        capsule = fcl.Capsule(of["r"][n], 2 * of["h"][n])
        there = fcl.Transform(of["R"][n], of["p"][n])
        here = fcl.Transform(of["Q"][n], of["o"][n])
        return fcl_touches(capsule, here, bodies[of["mesh"][n]], there)

    inside = 0
    wrong = disagreements(ours, np.arange(count), by_coal)
    for n in wrong + disagreements(ours, np.arange(0, count, 10), by_fcl):
        mesh, capsule = meshes[of["mesh"][n]], coal.Capsule(of["r"][n], 2 * of["h"][n])
        value, _ = coal_distance(
            capsule,
            coal.Transform3s(of["Q"][n], of["o"][n]),
            models[of["mesh"][n]],
            coal.Transform3s(of["R"][n], of["p"][n]),
        )
        if ours[n] and wholly_inside(mesh, of, n):  # which coal does not look for
            inside += 1
        else:
            assert abs(value) < SHELL
    assert inside > 0
