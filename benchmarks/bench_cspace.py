"""Configuration spaces against python-fcl, box by box, as the source's program tested them.

Times are medians of processor time, both sides taking turns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import fcl
import numpy as np
from measure import Row, typical

import armwerk
from armwerk.collision.bodies import Bodies
from armwerk.geometry import Box, Shape, Sphere
from armwerk.planning import ConfigurationSpace, cspace, problem
from armwerk.planning.options import MapMethod

WANTED = {"tt": 20_000.0, "rr": 2000.0}
GENERAL = 100.0
IN_A_ROW = 40  # calls between two turns of fcl, which last about as long
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
    methods: tuple[MapMethod | None, ...] = (None, "planar", "boxes", "general")
    calls: dict[MapMethod | None, Callable[[], Any]] = {
        method: partial(cspace, arm, asked.bodies, shape=asked.shape, method=method)
        for method in methods
    }
    for method, call in calls.items():
        if (call().cells != space.cells).any():
            raise RuntimeError(f"the method '{method}' gives other cells")
    theirs = FclTests(space)
    quickest, title = calls.pop(None), f"{name.upper()} map"
    times = typical({str(method): call for method, call in calls.items()}, repeats=7)
    times |= typical({"alone": quickest, "fcl": theirs.test_all})
    many = typical({"ours": partial(in_a_row, quickest), "fcl": theirs.test_all})
    times["in a row"] = many["ours"] / IN_A_ROW

    def row(what: str, key: str, wanted: float, note: str) -> Row:
        fcl_time = times["fcl"] * theirs.scale
        peer = "python-fcl, one by one"
        return Row(what, times[key] * 1e3, peer, fcl_time * 1e3, "ms", wanted=wanted, note=note)

    note = f"{space.tests:,} tests; the source's program took {1000 * asked.seconds:,.0f} ms"
    cold = "one call, caches full of other work"
    return [
        row(f"{title}, {space.method}", "in a row", WANTED[name], note),
        row(f"{title}, {space.method}, alone", "alone", WANTED[name], cold),
        *(row(f"{title}, {method}", str(method), GENERAL, "every cell tested") for method in calls),
    ]


def in_a_row(call: Callable[[], Any]) -> None:
    """Call, and drop what comes, many times."""
    for _ in range(IN_A_ROW):
        call()


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
    theirs = FclTests(space)
    times = typical(
        {"ours": lambda: cspace(arm, bodies, **asked), "fcl": theirs.test_all}, repeats=7
    )
    return Row(
        f"{name} of {'capsules' if capsules else 'boxes'}, two joints, {space.method}",
        times["ours"] * 1e3,
        "python-fcl, one by one",
        times["fcl"] * theirs.scale * 1e3,
        "ms",
        wanted=GENERAL,
        note=f"{space.tests:,} tests, {len(space.parts)} parts, {count} bodies",
    )


def clearance() -> Row:
    """The distance to the nearest body in every cell of the RR map."""
    space = problem("rr").make()
    theirs = FclTests(space, distances=True)
    times = typical({"ours": space.clearance, "fcl": theirs.test_all}, repeats=7)
    return Row(
        "RR clearance map",
        times["ours"] * 1e3,
        "python-fcl, one by one",
        times["fcl"] * theirs.scale * 1e3,
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


class FclTests:
    """The tests of some cells of a map by python-fcl, one at a time.

    As in the source's program a part is moved, then tested against one body after the other. Where
    the parts go is worked out beforehand.

    Args:
        space: The map.
        distances: Whether to ask for distances instead of contact.

    Attributes:
        scale: Cells of the whole map for each one that is tested.
    """

    def __init__(self, space: ConfigurationSpace, distances: bool = False) -> None:
        rng = np.random.default_rng(0)
        size = space.cells.shape
        cells = [(int(rng.integers(n)), int(rng.integers(m))) for n, m in [size] * CELLS]
        self.scale = space.cells.size / CELLS
        model: Any = armwerk.model(space.arm)
        frames = model.frames(np.array([space.at(*cell) for cell in cells]))
        self._parts = [fcl.CollisionObject(fcl_shape(shape)) for shape in space.shapes]
        self._places = [
            frames[:, frame] @ shape.pose
            for frame, shape in zip(space.shapes.frames, space.shapes, strict=True)
        ]
        self._bodies = [
            fcl.CollisionObject(fcl.Box(*body.size), fcl.Transform(body.rotation, body.position))
            for body in space.bodies
            if isinstance(body, Box)
        ]
        self._distances = distances
        if not distances:
            ours = np.array([space.cells[cell] for cell in cells])
            wrong = int((ours != self.test_all()).sum())
            if wrong > CELLS // 100:  # cells of edges that touch, which fcl may call free
                raise RuntimeError(f"{wrong} of {CELLS} cells differ from fcl's")

    def test_all(self) -> Any:
        """Test all the cells, and return their sums of body number + 1. Shape (CELLS,)."""
        asked = fcl.DistanceRequest() if self._distances else fcl.CollisionRequest()
        sums = np.zeros(CELLS, dtype=np.int64)
        for cell in range(CELLS):
            for part, place in zip(self._parts, self._places, strict=True):
                T = place[cell]
                part.setTransform(fcl.Transform(T[:3, :3], T[:3, 3]))
                for k, body in enumerate(self._bodies):
                    if self._distances:
                        fcl.distance(part, body, asked, fcl.DistanceResult())
                    else:
                        hit = fcl.collide(part, body, asked, fcl.CollisionResult())
                        sums[cell] += (k + 1) * hit
        return sums
