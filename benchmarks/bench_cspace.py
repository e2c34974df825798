"""Configuration spaces against python-fcl, box by box, as the source's program tested them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import fcl
import numpy as np
from measure import Row, best

import armwerk
from armwerk.collision.bodies import Bodies
from armwerk.geometry import Box, Shape, Sphere
from armwerk.planning import ConfigurationSpace, cspace, problem
from armwerk.planning.options import MapMethod

WANTED = {"tt": 5000.0, "rr": 1000.0}
GENERAL = 100.0
CELLS = 1500  # of a map that fcl is timed on; the rest is taken to be alike


def run() -> list[Row]:
    """Measure everything of this file."""
    rows = [*planar("tt"), *planar("rr")]
    for name, bodies in (("ur5e", 20), ("scara", 10)):
        rows.append(spatial(name, bodies, capsules=False))
        rows.append(spatial(name, bodies, capsules=True))
    rows.append(clearance())
    return rows


def planar(name: str) -> list[Row]:
    """The two problems, by exact geometry and by testing every cell; the whole call is timed."""
    asked = problem(name)
    arm = armwerk.load(asked.arm)
    space = asked.make()
    rows = []
    methods: dict[MapMethod | None, float] = {
        None: WANTED[name],
        "planar": GENERAL,
        "boxes": GENERAL,
        "general": GENERAL,
    }
    calls: dict[str, Callable[[], Any]] = {
        str(method): partial(cspace, arm, asked.bodies, shape=asked.shape, method=method)
        for method in methods
    }
    for method_name, call in calls.items():
        if (call().cells != space.cells).any():
            raise RuntimeError(f"the method '{method_name}' gives other cells")
    theirs = fcl_seconds(space)
    times = best(calls, repeats=15)
    for method, wanted in methods.items():
        note = f"{space.tests:,} tests; the source's program took {1000 * asked.seconds:,.0f} ms"
        rows.append(
            Row(
                f"{name.upper()} map, {method or space.method}",
                times[str(method)] * 1e3,
                "python-fcl, one by one",
                theirs * 1e3,
                "ms",
                wanted=wanted,
                note=note if method is None else "every cell tested",
            )
        )
    return rows


def spatial(name: str, count: int, capsules: bool) -> Row:
    """Two joints of a spatial arm, of boxes or of capsules, among boxes that stand anyhow."""
    rng = np.random.default_rng(1)
    arm = armwerk.load(name)
    shapes: dict[str, list[Shape]] | None = {
        f"link{n}": [Box(rng.uniform(0.08, 0.25, 3))] for n in range(1, arm.dof + 1)
    }
    bodies = Bodies(
        Box(rng.uniform(0.05, 0.4, 3), rng.uniform(-0.9, 0.9, 3), turned(rng)) for _ in range(count)
    )
    asked: dict[str, Any] = {
        "shape": (360, 360),
        "shapes": None if capsules else shapes,
        "ranges": [(-np.pi, np.pi)] * 2,
    }
    space = cspace(arm, bodies, **asked)
    theirs = fcl_seconds(space)
    times = best({"ours": lambda: cspace(arm, bodies, **asked)}, repeats=5)
    return Row(
        f"{name} of {'capsules' if capsules else 'boxes'}, two joints, {space.method}",
        times["ours"] * 1e3,
        "python-fcl, one by one",
        theirs * 1e3,
        "ms",
        wanted=GENERAL,
        note=f"{space.tests:,} tests, {len(space.parts)} parts, {count} bodies",
    )


def clearance() -> Row:
    """The distance to the nearest body in every cell of the RR map."""
    space = problem("rr").make()
    times = best({"ours": space.clearance}, repeats=5)
    return Row(
        "RR clearance map",
        times["ours"] * 1e3,
        "python-fcl, one by one",
        fcl_seconds(space, distances=True) * 1e3,
        "ms",
        note="exact distances, 360 x 360 cells",
    )


def turned(rng: np.random.Generator) -> Any:
    """Return a rotation, any of them as likely as any other."""
    from armwerk.geometry import quaternion_normalised, rotation_from_quaternion

    return rotation_from_quaternion(quaternion_normalised(rng.normal(size=4)))


def fcl_shape(shape: Any) -> Any:
    """Return a box, capsule or sphere as fcl has it."""
    if isinstance(shape, Box):
        return fcl.Box(*shape.size)
    if isinstance(shape, Sphere):
        return fcl.Sphere(shape.radius)
    return fcl.Capsule(shape.radius, shape.length)


def fcl_seconds(space: ConfigurationSpace, distances: bool = False) -> float:
    """Return what python-fcl needs for all tests of a map [s], timed on some of its cells.

    As in the source's program a part is moved, then tested against one body after the other. Where
    the parts go is worked out beforehand.
    """
    rng = np.random.default_rng(0)
    cells = [(int(rng.integers(n)), int(rng.integers(m))) for n, m in [space.cells.shape] * CELLS]
    model: Any = armwerk.model(space.arm)
    frames = model.frames(np.array([space.at(*cell) for cell in cells]))
    parts = [fcl.CollisionObject(fcl_shape(shape)) for shape in space.shapes]
    places = [
        frames[:, frame] @ shape.pose
        for frame, shape in zip(space.shapes.frames, space.shapes, strict=True)
    ]
    bodies = [
        fcl.CollisionObject(fcl.Box(*body.size), fcl.Transform(body.rotation, body.position))
        for body in space.bodies
        if isinstance(body, Box)
    ]
    asked = fcl.DistanceRequest() if distances else fcl.CollisionRequest()
    sums = np.zeros(len(cells), dtype=np.int64)

    def test_all() -> None:
        sums[:] = 0
        for cell in range(len(cells)):
            for number, part in enumerate(parts):
                T = places[number][cell]
                part.setTransform(fcl.Transform(T[:3, :3], T[:3, 3]))
                for k, body in enumerate(bodies):
                    if distances:
                        fcl.distance(part, body, asked, fcl.DistanceResult())
                    else:
                        hit = fcl.collide(part, body, asked, fcl.CollisionResult())
                        sums[cell] += (k + 1) * hit

    seconds = best({"fcl": test_all}, repeats=3)["fcl"]
    if not distances:
        ours = np.array([space.cells[cell] for cell in cells])
        wrong = int((ours != sums).sum())
        if wrong > len(cells) // 100:  # cells of edges that touch, which fcl may call free
            raise RuntimeError(f"{wrong} of {len(cells)} cells differ from fcl's")
    return seconds / len(cells) * space.cells.size
