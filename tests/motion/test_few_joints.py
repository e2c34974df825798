"""Arms of few joints from and to stretched and folded elbows, by angles as people type them.

Only the place of the tool is met there, or its whole pose where the arm can. Limits and rates are
held against differences of joint values, the tool against its curve.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from singular_paths import limit_use, steps

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Path, Trajectory

WAY = 0.02  # [m] of each line

# degrees, the elbow stretched, and which way leads inwards
STRETCHED = [
    ("planar_rr", (0, 0), (-1, 0, 0)),
    ("planar_rr", (30, 0), (-1, 0, 0)),
    ("planar_rr", (30, 0), (-1, -1, 0)),
    ("planar_rr", (-120, 0), (0, 1, 0)),
    ("simple_arm", (0, 0, 0), (-1, 0, 0)),
    ("simple_arm", (0, 45, 0), (-1, 0, -1)),
    ("simple_arm", (30, -20, 0), (-1, 0.3, 0.2)),
    ("five_axis", (0, 0, 0, 0, 0), (0, 0, -1)),
    ("five_axis", (0, 30, 0, 30, 0), (-1, 0, -1)),
]
# degrees, the elbow folded, and a way along which the tool leaves the smallest circle it reaches
FOLDED = [
    ("planar_rr", (45, 180), (-1, -1, 0)),
    ("planar_rr", (45, 180), (-1, 1, 0)),
    ("planar_rr", (0, 180), (0, 1, 0)),
    ("planar_rr", (0, 180), (0, -1, 0)),
    ("planar_rr", (45, -180), (-1, 1, 0)),
]


def typed(name: str, degrees: tuple[float, ...]) -> tuple[SerialModel, Array, Array]:
    """Return an arm, joint values as somebody types them, and the pose there."""
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    q = np.deg2rad(np.array(degrees, dtype=np.float64))
    return model, q, np.asarray(model.fk(q))


def moved(pose: Array, direction: tuple[float, ...]) -> Array:
    """Return a place [m] beside a pose."""
    along = np.array(direction, dtype=np.float64)
    return np.asarray(pose[:3, 3] + WAY * along / np.linalg.norm(along))


def rates_off(motion: Trajectory) -> Array:
    """Return by how much qd, qdd and jerk differ from the derivatives of what they are rates of.

    By their largest for qd; two in a hundred are left out of the others, since the jerk may step.
    """
    times, h = np.linspace(0.0, motion.duration, 20_001)[1:-1], 1e-6
    after, before, here = (motion.sample(times + by) for by in (h, -h, 0.0))
    rows = [*here, motion.jerk(times)]
    found = []
    for order in range(3):
        off = np.abs((after[order] - before[order]) / (2.0 * h) - rows[order + 1]).max(axis=1)
        found.append(
            np.quantile(off, 0.98 if order else 1.0) / max(np.abs(rows[order + 1]).max(), 1.0)
        )
    return np.array(found)


def hold(model: SerialModel, motion: Trajectory, places: list[Array]) -> None:
    """Hold a motion along lines between places to its bars."""
    assert limit_use(motion).max() <= 1.0 + 1e-6
    assert (rates_off(motion) < (1e-6, 1e-7, 1e-6)).all()
    assert steps(motion) < 1e-9
    rows = motion.sample(np.linspace(0.0, motion.duration, 6001))[0]
    low, high = model.chain.limits.T
    assert (rows >= low - 1e-9).all()
    assert (rows <= high + 1e-9).all()
    points, gaps = model.fk(rows)[:, :3, 3], []
    for one, two in pairwise(places):
        left, way = points - one, two - one
        share = np.clip(left @ way / (way @ way), 0.0, 1.0)
        gaps.append(np.linalg.norm(left - share[:, None] * way, axis=1))
    assert np.min(gaps, axis=0).max() < 1e-7
    assert np.abs(points[[0, -1]] - [places[0], places[-1]]).max() < 1e-7


@pytest.mark.parametrize(("name", "degrees", "inwards"), [*STRETCHED, *FOLDED])
def test_a_line_leaves_a_singular_place_comes_back_and_leaves_it_again(
    name: str, degrees: tuple[float, ...], inwards: tuple[float, ...]
) -> None:
    model, q, pose = typed(name, degrees)
    here, there = pose[:3, 3], moved(pose, inwards)
    once = Path(pose, speed=0.1).lin(there)
    for q0 in (q, None):
        hold(model, once.plan(model, q0), [here, there])
    again = once.lin(here).lin(there).plan(model, q)
    assert np.abs(again.sample(0.0)[0] - q).max() < 1e-12
    hold(model, again, [here, there, here, there])


@pytest.mark.parametrize(("name", "degrees", "inwards"), STRETCHED)
def test_a_line_into_a_stretched_elbow_takes_as_long_as_one_away(
    name: str, degrees: tuple[float, ...], inwards: tuple[float, ...]
) -> None:
    model, q, pose = typed(name, degrees)
    away = Path(pose, speed=0.1).lin(moved(pose, inwards)).plan(model, q)
    ended = away.sample(away.duration)[0]
    into = Path(speed=0.1).lin(pose[:3, 3]).plan(model, ended)
    hold(model, into, [moved(pose, inwards), pose[:3, 3]])
    assert into.duration == pytest.approx(away.duration, rel=0.02)


@pytest.mark.parametrize("name", ["planar_rr", "simple_arm"])
def test_curves_blends_and_poses_from_a_stretched_elbow(name: str) -> None:
    degrees = (30, 0) if name == "planar_rr" else (30, 0, 0)
    model, q, pose = typed(name, degrees)
    here, there = pose[:3, 3], moved(pose, (-1, -1, 0))
    beside = 0.5 * (here + there) + np.array([0.002, -0.002, 0.0])
    goal = np.array(pose)
    goal[:3, 3] = there
    start = Path(pose, speed=0.1)
    for path in (
        start.circ(beside, there),
        start.spline([beside, there]),
        start.bezier(beside, there, end=moved(pose, (-1, -0.8, 0))),
        start.lin(there, blend=0.004).lin(moved(pose, (-1, 0, 0))),
        start.ptp(goal).lin(here).ptp(q),
        start.lin(there, orientation="free").turn(pose[:3, :3]),
    ):
        motion = path.plan(model, q)
        assert limit_use(motion).max() <= 1.0 + 1e-6
        assert (rates_off(motion) < (1e-6, 1e-7, 1e-6)).all()


@pytest.mark.parametrize("beside", [1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
def test_a_line_from_a_hair_beside_a_stretched_elbow(beside: float) -> None:
    for name, degrees in (("planar_rr", (30, 0)), ("simple_arm", (0, 45, 0))):
        model, q, _ = typed(name, degrees)
        q[-1] += beside
        pose = np.asarray(model.fk(q))
        there = moved(pose, (-1, -0.3, 0) if name == "planar_rr" else (-1, 0, -0.5))
        hold(model, Path(pose, speed=0.1).lin(there).plan(model, q), [pose[:3, 3], there])


@pytest.mark.parametrize(
    ("name", "degrees", "way"),
    [
        ("planar_rr", (30, 0), (1, 1, 0)),
        ("planar_rr", (0, 0), (0, 1, 0)),
        ("simple_arm", (0, 45, 0), (1, 1, 1)),
        ("simple_arm", (0, 45, 0), (0, 1, 0)),
    ],
)
def test_outwards_and_along_the_circle_there_is_no_place_to_go(
    name: str, degrees: tuple[float, ...], way: tuple[float, ...]
) -> None:
    model, q, pose = typed(name, degrees)
    with pytest.raises(MotionError, match="out of reach: no joint values"):
        Path(pose).lin(moved(pose, way)).plan(model, q)


def test_a_scara_whose_elbow_stays_stretched_is_as_quick_as_its_spindle() -> None:
    """Straight down nothing but its slide moves, though the elbow is singular all along."""
    model = aw.model("scara")
    q = np.array([0.0, 0.0, 0.05, 0.0])
    here = np.asarray(model.fk(q))
    down = Path(here, speed=0.1).lin(here[:3, 3] - [0.0, 0.0, 0.02], orientation="free")
    assert down.plan(model, q).duration < 0.41


@pytest.mark.parametrize("radius", [0.05, 0.08, 0.1])
@pytest.mark.parametrize("which", [0, 1])
def test_joints_do_not_leap_on_a_circle_that_touches_the_reach(radius: float, which: int) -> None:
    """The elbow goes through its stretched place; it must not come out bent the other way."""
    model = aw.model("planar_rr")
    turns = np.array([-2.0, 0.0, 2.0])
    points = np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1) * radius
    points[:, 0] += 0.41 - radius  # [m] the arm's reach
    start = np.eye(4)
    start[:3, 3] = points[0]
    q = model.solutions(start, None, "position").joints[which]
    motion = Path(speed=0.1).circ(points[1], points[2]).plan(model, q)
    assert motion.duration < 5.0
    assert limit_use(motion).max() <= 1.0 + 1e-6
