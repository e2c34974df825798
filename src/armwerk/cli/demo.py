"""``armwerk demo``: the main job from beginning to end, in a few seconds."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from armwerk.cli.console import put, working
from armwerk.cli.extent import reach_words
from armwerk.cli.solutions import Solutions, beyond_limits, solutions_table, solve
from armwerk.cli.tables import dh_table, pose_words
from armwerk.cli.units import Units
from armwerk.errors import UnsupportedError

Array = NDArray[np.float64]
ARM = "puma560"
POSE = (0.4, -0.2, 0.9, 0.0, np.pi / 2, 0.0)  # x y z [m], a b c [rad]: the hand points forwards
UNITS = Units()


@dataclass(slots=True)
class Tour:
    """What the steps hand on to each other.

    Args:
        folder: Where pictures go.
        arm: The arm that is shown.
        found: The solutions of one pose; set by the step that solves.
        files: What was written so far, with a word on each.
    """

    folder: Path
    arm: Any
    found: Solutions | None = None
    files: list[tuple[str, Path]] = field(default_factory=list)


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the pictures.")
    ] = Path("out/demo"),
) -> None:
    """Show the main job: an arm, its table, all solutions of a pose, two pictures.

    Lengths are metres or millimetres and angles degrees, as each header says.

    \b
    Example:
      armwerk demo --out pictures
    """
    from armwerk.robot import load

    tour = Tour(out, load(ARM))
    for number, (title, step) in enumerate(STEPS, start=1):
        put(f"{number}. {title}", "")
        step(tour)
        put("")
    put("Written:")
    for what, path in tour.files:
        put(f"  {path}  {what}")
    name = _own_name()
    put("", f"Next: {name} arms; {name} show NAME; {name} ik NAME --pose ...")


def _own_name() -> str:
    """Return how this program is called from here: by its path where the shell cannot find it."""
    started = Path(sys.argv[0])
    if shutil.which("armwerk") or started.name != "armwerk":
        return "armwerk"
    return os.path.relpath(started)


def _describe(tour: Tour) -> None:
    put(f"{tour.arm.title} ({tour.arm.name}), reach {reach_words(tour.arm)}", "")
    put(dh_table(tour.arm, Units(millimetres=True)))


def _solve(tour: Tour) -> None:
    from armwerk.geometry import transform_from_pose

    target = transform_from_pose(POSE)
    with working("solving (the first run on a machine compiles kernels, once)"):
        tour.found = solve(tour.arm, target, "pref", None)
    put(f"pose: {pose_words(target, UNITS)}", "")
    put(solutions_table(tour.found, UNITS))


def _draw_solutions(tour: Tour) -> None:
    found = _solved(tour)
    with working("drawing"):
        from armwerk.pictures import draw_arm

        title = f"{tour.arm.title}: {len(found.q)} ways to hold one pose"
        path = draw_arm(found.model, found.q, tour.folder / "solutions.png", title=title)
    _note(tour, "the arm in every solution", path)


def _draw_motion(tour: Tour) -> None:
    found = _solved(tour)
    start, end = _two_within_limits(found)
    times, values = smooth_motion(tour.arm, found.q[start], found.q[end])
    with working("drawing"):
        from armwerk.pictures import draw_motion

        words = f"from solution {start + 1} to solution {end + 1} in {times[-1]:.2f} s"
        title = f"{tour.arm.title}: {words}"
        path = draw_motion(found.model, times, values, tour.folder / "motion.png", title=title)
    put(f"every joint follows a quintic, {words}, within its velocity and acceleration limits")
    _note(tour, "a motion: poses, tool path, joint curves", path)


# Later rooms add their step here; each leaves what it made in the tour.
STEPS: tuple[tuple[str, Callable[[Tour], None]], ...] = (
    ("An arm, described once", _describe),
    ("Every joint configuration for one pose", _solve),
    ("The solutions as a picture", _draw_solutions),
    ("A motion between two of them", _draw_motion),
)


def smooth_motion(arm: Any, q0: Array, q1: Array, steps: int = 121) -> tuple[Array, Array]:
    """Return times [s] (m,) and joint values (m, n) of a motion that starts and ends at rest.

    q(t) = q0 + (q1 - q0)(10 s³ - 15 s⁴ + 6 s⁵), s = t / T, with T as short as the velocity and
    acceleration limits allow: the peaks are 15/8 and 10/√3 times the mean values.
    """
    span = np.abs(q1 - q0)
    duration = 1e-3
    for joint, way in zip(arm.moving, span, strict=True):
        duration = max(duration, 15 / 8 * way / (joint.max_velocity or 1.0))
        if joint.max_acceleration:
            duration = max(duration, float(np.sqrt(10 / np.sqrt(3) * way / joint.max_acceleration)))
    s = np.linspace(0.0, 1.0, steps)
    shape = s**3 * (10 - 15 * s + 6 * s**2)
    return duration * s, q0 + shape[:, None] * (q1 - q0)


def _two_within_limits(found: Solutions) -> tuple[int, int]:
    """Return the nearest solution and, of the others within the limits, the most different."""
    inside = [row for row in range(len(found.q)) if not beyond_limits(found, row, UNITS)]
    start = found.nearest if found.nearest is not None else 0
    others = [row for row in inside if row != start] or [start]
    away = [float(np.linalg.norm(found.q[row] - found.q[start])) for row in others]
    return start, others[int(np.argmax(away))]


def _solved(tour: Tour) -> Solutions:
    if tour.found is None:
        raise UnsupportedError("the demo draws solutions before it has found any")
    return tour.found


def _note(tour: Tour, what: str, path: Path) -> None:
    tour.files.append((what, path))
    put(f"{what}: {path}")
