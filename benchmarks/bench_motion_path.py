"""Cartesian paths: planned, solved and checked, and how near to the plain bound they get."""

from __future__ import annotations

import numpy as np
from measure import Row, best

import armwerk
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion import Limits, Path
from armwerk.motion.options import BLEND_SHAPES

CYCLE = 0.004  # [s]
PROMISED = 20.0  # [ms] for 1 s of motion
PER_LINE = 1.0  # [ms] for a line of a milling path
REFUSAL = 100.0  # [ms] for a path that cannot be driven
REFUSED = (
    (
        "irb140",
        (0.2, 0.3, -0.2, 0.4, 0.0, 0.1),
        (-0.7, 0.0, 0.0),
        "irb140 from a stretched wrist, all configurations tried",
    ),
    (
        "gen3",
        (0.3, 0.5, 0.2, 0.4, 0.1, 0.6, 0.1),
        (0.0, 0.0, 0.6),
        "gen3 beyond its reach, no closed form",
    ),
)
HOME = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
LOOSE = Limits(np.full(6, 1e3), np.full(6, 1e5), np.full(6, 1e8))


def run() -> list[Row]:
    """Measure everything of this file."""
    model = armwerk.model("ur5e")
    start = model.fk(HOME)
    x, y, z = start[:3, 3]
    paths = {
        "line": Path(start, speed=0.4, acceleration=2.0, jerk=40.0).lin([x, y + 0.3, z]),
        "corner, blended": Path(start, speed=0.4, acceleration=2.0, jerk=40.0, blend=0.05)
        .lin([x, y + 0.3, z])
        .lin([x, y + 0.3, z - 0.3]),
        "circle": Path(start, speed=0.3, jerk=40.0).circ(
            [x, y + 0.15, z - 0.15], [x, y + 0.3, z], reference="path"
        ),
        "spline": Path(start, speed=0.3, jerk=40.0).spline(
            [[x, y + 0.1, z - 0.1], [x + 0.05, y + 0.2, z], [x, y + 0.3, z - 0.1]]
        ),
    }
    rows = [*planning(model, paths), *corner(model, start), milling(model, start)]
    rows += [sharp_lines(model, start, length) for length in (2e-3, 5e-3)]
    return [*rows, *refusing()]


def refusing() -> list[Row]:
    """What refusing costs where it costs most: at singular starts, and at the edge of the reach."""
    rows = []
    for name, joints, way, what in REFUSED:
        model = armwerk.model(name)
        q = np.array(joints)
        start = model.fk(q)
        path = Path(start, speed=0.2).lin(start[:3, 3] + np.array(way))
        said = ""

        def ours(model: armwerk.ArmModel = model, path: Path = path, q: Array = q) -> object:
            nonlocal said
            try:
                return path.plan(model, q)
            except MotionError as error:
                said = error.problem
                return said

        took = best({"ours": ours}, number=2, repeats=5)["ours"]
        rows.append(
            Row(
                f"refused: {what}",
                1e3 * took,
                "promised",
                REFUSAL,
                "ms",
                wanted=1.0,
                note=said[:60],
            )
        )
    return rows


def sharp_lines(model: armwerk.ArmModel, start: Array, length: float, count: int = 5000) -> Row:
    """Return what a line costs that ends in a corner of some 17 degrees, within a box."""
    turn = np.cumsum(0.3 * np.random.default_rng(1).normal(size=count))
    way = np.cumsum(length * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1), axis=0)
    side = 0.12
    goals = start[:3, 3] + 0.5 * side - np.abs(way % (2.0 * side) - side)
    path = Path(start, speed=0.1, acceleration=2.0, jerk=100.0)
    duration = 0.0

    def ours(optimal: bool | None = None) -> object:
        nonlocal duration
        motion = path.lines(goals, blend=length / 4.0).plan(model, HOME, optimal=optimal)
        duration = motion.duration
        return motion

    plain = best({"ours": lambda: ours(optimal=False)}, number=1, repeats=2)["ours"]
    slow = duration
    took = best({"ours": ours}, number=1, repeats=2)["ours"]
    return Row(
        f"{count} lines of {1e3 * length:g} mm with corners of 17°, a line told and planned",
        1e3 * took / count,
        "by the plain law",
        1e3 * plain / count,
        "ms",
        note=f"{duration / slow:.2f} of its time",
    )


def milling(model: armwerk.ArmModel, start: Array, count: int = 5000) -> Row:
    """Return what a segment of a long milling path costs: told, planned, and sampled at 1 kHz."""
    number = np.arange(count)
    radius = 0.01 + 0.03 * np.abs(np.sin(7e-4 * number))
    turn = np.cumsum(5e-4 / radius)
    flat = np.stack([radius * np.cos(turn) - 0.01, radius * np.sin(turn), 0.0 * turn], axis=1)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0).lin(start[:3, 3] + flat[0])
    duration = 0.0

    def ours() -> object:
        nonlocal duration
        motion = path.lines(start[:3, 3] + flat[1:], blend=2.5e-4).plan(model, HOME)
        duration = motion.duration
        return sum(len(block.times) for block in motion.stream(1e-3))

    took = best({"ours": ours}, number=1, repeats=3)["ours"]
    feed = 100.0 * count * 5e-4 / duration / 0.05
    return Row(
        f"milling path of {count} lines of 0.5 mm, a line told, planned and sampled at 1 kHz",
        1e3 * took / count,
        "promised",
        PER_LINE,
        "ms",
        wanted=1.0,
        note=f"motion of {duration:.0f} s, {feed:.0f} % of the feed",
    )


def planning(model: armwerk.ArmModel, paths: dict[str, Path]) -> list[Row]:
    """Planned, solved, checked and sampled, in milliseconds per second of motion."""
    rows = []
    for name, path in paths.items():
        duration = path.plan(model, HOME).duration

        def ours(path: Path = path) -> object:
            return path.plan(model, HOME).sampled(CYCLE)

        took = best({"ours": ours}, number=2, repeats=9)["ours"]
        rows.append(
            Row(
                f"{name}, 1 s planned and sampled at 4 ms",
                1e3 * took / duration,
                "promised",
                PROMISED,
                "ms",
                wanted=1.0,
                note=f"motion of {duration:.2f} s",
            )
        )
    return rows


def corner(model: armwerk.ArmModel, start: np.ndarray) -> list[Row]:
    """The corner of two 0.3 m lines at 0.5 m/s and 2 m/s², r = 50 mm."""
    x, y, z = start[:3, 3]
    rows = []
    for shape in BLEND_SHAPES:
        path = Path(start, speed=0.5, acceleration=2.0, jerk=1000.0, blend=0.05, shape=shape)
        path = path.lin([x, y + 0.3, z]).lin([x, y + 0.3, z - 0.3])
        duration = path.plan(model, HOME, limits=LOOSE).duration
        rows.append(Row(f"90° corner, blend {shape}", duration, "promised", 1.6, "s", wanted=1.0))
    return rows
