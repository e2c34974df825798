"""Paths that begin, stop or run in a singular place exactly, by angles as people type them.

At a stop the joints turn while the tool stands, wherever on the path it is; a line within a
singularity is driven with a joint held; from a stretched elbow either side is tried. Limits are
held against differences of joint values, the tool against the lines themselves.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from refused import Count
from singular_paths import limit_use, steps, turns_of

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp, separation
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Path, Trajectory
from armwerk.motion.path import branches

WAY = 0.05  # [m] of each line

# degrees, the wrist stretched (a UR's where its fifth joint is at 0 or 180)
STRETCHED = [
    ("irb140", (0, 0, 0, 0, 0, 0)),
    ("kr6_r900", (30, -90, 75, 45, 0, -60)),
    ("irb120", (0, 0, 0, 0, 0, 0)),
    ("irb1200", (0, 0, 0, 0, 0, 0)),
    ("lrmate200id", (0, 0, 0, 0, 0, 0)),
    ("puma560", (-45, 120, -135, 30, 0, 90)),
    ("tx60", (15, 30, 75, -60, 0, 0)),
    ("stanford", (30, -60, 0, 45, 0, 0)),
    ("ur5e", (30, -60, 90, -120, 0, 45)),
    ("ur5e", (0, -90, 90, -90, 0, 0)),
    ("ur3e", (45, -120, -90, 30, 180, 0)),
]
CORNERS = [((1, 0, 0), (0, 1, 0)), ((0.6, 0.7, -0.3), (-0.5, 0.3, -0.6))]


def serial(name: str) -> SerialModel:
    """Return the model of a serial arm."""
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    return model


def typed(name: str, degrees: tuple[float, ...]) -> tuple[SerialModel, Array]:
    """Return an arm and joint values as somebody types them."""
    model, q = serial(name), np.deg2rad(np.array(degrees, dtype=np.float64))
    if name == "stanford":
        q[2] = 0.5  # [m]
    return model, q


def moved(pose: Array, direction: tuple[float, ...] | Array, way: float = WAY) -> Array:
    """Return a pose moved by a way [m]."""
    goal, along = np.array(pose), np.array(direction, dtype=np.float64)
    goal[:3, 3] += way * along / np.linalg.norm(along)
    return goal


def off_lines(model: SerialModel, motion: Trajectory, places: list[Array]) -> float:
    """Return how far tool point and orientation leave the lines through poses in a row [m, rad]."""
    poses = model.fk(motion.sample(np.linspace(0.0, motion.duration, 6001))[0])
    gaps = []
    for one, two in pairwise(places):
        way = two[:3, 3] - one[:3, 3]
        left = poses[:, :3, 3] - one[:3, 3]
        share = np.clip(left @ way / (way @ way), 0.0, 1.0)
        gaps.append(np.linalg.norm(left - share[:, None] * way, axis=1))
    turned = separation(poses, np.broadcast_to(places[0], poses.shape))[1]
    ends = separation(poses[[0, -1]], np.array([places[0], places[-1]]))[0]
    return float(max(np.min(gaps, axis=0).max(), turned.max(), ends.max()))


def hold(model: SerialModel, motion: Trajectory, places: list[Array]) -> None:
    """Hold a motion along lines to its bars."""
    assert limit_use(motion).max() <= 1.0 + 1e-6
    assert off_lines(model, motion, places) < 1e-7
    assert steps(motion) < 1e-9
    low, high = model.chain.limits.T
    rows = motion.sample(np.linspace(0.0, motion.duration, 2001))[0]
    assert (rows >= low - 1e-9).all()
    assert (rows <= high + 1e-9).all()
    for span in turns_of(motion):
        poses = model.fk(motion.sample(np.linspace(*span, 501))[0])
        far, angle = separation(poses, np.broadcast_to(poses[0], poses.shape))
        assert max(far.max(), angle.max()) < 1e-7


def starts(model: SerialModel, pose: Array, q: Array) -> list[Array]:
    """Return configurations for a start, those like joint values q first."""
    low, high = model.chain.limits.T
    found = np.asarray(model.ik(pose)).reshape(-1, model.dof)
    inside = [one for one in found if (one >= low).all() and (one <= high).all()]
    return sorted(inside, key=lambda one: float(np.abs(one - q)[:3].max()))


def driven(path: Path, model: SerialModel, q: Array) -> Trajectory:
    """Return the motion from the configuration most like q with which the path can be driven."""
    error = MotionError("no configuration")
    for q0 in starts(model, np.asarray(path.start), q)[:3]:
        try:
            return path.plan(model, q0)
        except MotionError as stop:
            error = stop
    raise error


@pytest.mark.parametrize(("name", "degrees"), STRETCHED)
@pytest.mark.parametrize(("into", "out"), CORNERS)
def test_a_line_to_a_singular_place_and_one_away(
    name: str, degrees: tuple[float, ...], into: tuple[float, ...], out: tuple[float, ...]
) -> None:
    model, q = typed(name, degrees)
    motions = {}
    for beside in (0.0, 1e-12, 1e-9, 0.01):  # by which all of it lies beside the place [m]
        place = moved(model.fk(q), (0.3, -0.2, 0.9), beside)
        places = [moved(place, into, -WAY), place, moved(place, out)]
        try:
            motions[beside] = driven(Path(places[0], speed=0.2).lin(place).lin(places[2]), model, q)
        except MotionError:
            # a stretched wrist that does not turn at one go runs into a stop
            assert (name, beside) == ("stanford", 0.01)
            continue
        if beside < 1e-9:
            hold(model, motions[beside], places)
    assert motions[0.0].duration < 3.0 * motions.get(0.01, motions[0.0]).duration


@pytest.mark.parametrize(("name", "degrees"), STRETCHED)
def test_a_ptp_to_a_singular_place_and_a_line_away(name: str, degrees: tuple[float, ...]) -> None:
    model, q = typed(name, degrees)
    low, high = model.chain.limits.T
    q0 = np.clip(q + np.array([0.2, -0.2, 0.3, 0.2, -0.4, 0.1]), low, high)
    place = np.asarray(model.fk(q))
    motion = (
        Path(model.fk(q0), speed=0.2).ptp(q).lin(moved(place, (-0.5, 0.3, -0.6))).plan(model, q0)
    )
    turns = turns_of(motion)
    began = turns[0][0] if turns else motion.duration - 1.0
    rows = motion.sample(np.linspace(began, motion.duration, 2001))[0]
    if turns:  # the joint values that were asked for are met, then the joints turn
        assert np.abs(rows[0] - q).max() < 1e-9
    assert limit_use(motion).max() <= 1.0 + 1e-6
    assert steps(motion) < 1e-9
    for span in turns:
        poses = model.fk(motion.sample(np.linspace(*span, 501))[0])
        assert max(one.max() for one in separation(poses, place[None])) < 1e-7


def test_a_goal_that_is_a_pose_needs_no_turn() -> None:
    """Neither does a start that is free: the arm comes with the joint values it leaves with."""
    model, q = typed("irb140", (0, 0, 0, 0, 0, 0))
    place = np.asarray(model.fk(q))
    q0 = q + np.array([0.2, -0.2, 0.3, 0.2, -0.4, 0.1])
    path = Path(model.fk(q0), speed=0.2)
    away = moved(place, (0, 1, 0))
    turning, straight = (path.ptp(goal).lin(away).plan(model, q0) for goal in (q, place))
    assert turns_of(turning)
    assert not turns_of(straight)
    assert straight.duration < turning.duration - 0.1
    free = Path(place, speed=0.2).lin(away).plan(model)
    assert not turns_of(free)
    for motion in (turning, straight, free):
        assert limit_use(motion).max() <= 1.0 + 1e-6
        assert steps(motion) < 1e-9


@pytest.mark.parametrize(
    ("degrees", "direction"),
    [
        ((30, -60, 90, -120, 0, 45), (0, 1, 0)),
        ((0, -90, 90, -90, 0, 0), (0.6, 0.7, -0.3)),
        ((30, -60, 90, -120, 0, 45), (-1, 0, 0)),
    ],
)
def test_a_stretched_wrist_of_a_ur_turns_on_a_curve(
    degrees: tuple[float, ...], direction: tuple[float, ...]
) -> None:
    """Four axes are parallel there: elbow and wrist turn against one another."""
    model, q = typed("ur5e", degrees)
    place = np.asarray(model.fk(q))
    places = [place, moved(place, direction)]
    motion = Path(place, speed=0.2).lin(places[1]).plan(model, q)
    ((began, ended),) = turns_of(motion)
    rows = motion.sample(np.linspace(began, ended, 501))[0]
    straight = rows[0] + np.linspace(0.0, 1.0, 501)[:, None] * (rows[-1] - rows[0])
    assert separation(model.fk(straight), place[None])[0].max() > 1e-4  # no straight line would do
    hold(model, motion, places)


WITHIN = [
    ("ur5e", (0, -90, 90, 0, 0, 0), (-1, 0, 0)),
    ("ur5e", (0, -90, 90, -90, 0, 0), (1, 0, 0)),
    ("ur5e", (0, -45, 90, -45, 180, 0), (0, 0, -1)),
    ("ur3e", (0, -90, 90, 0, 0, 0), (0.5, 0, 1)),
    ("ur10e", (0, -90, 90, 0, 180, 0), (1, 0, -1)),
    ("lrmate200id", (165, 60, -130.45732345, 180, -90, 45), (0, 0, 1)),
]


@pytest.mark.parametrize(("name", "degrees", "direction"), WITHIN)
def test_a_line_within_a_singularity_is_driven_straight(
    name: str, degrees: tuple[float, ...], direction: tuple[float, ...]
) -> None:
    """A UR in the plane of its arm, a wrist upright over the first axis; there and back again."""
    model, q = typed(name, degrees)
    if name == "lrmate200id":
        q = next(one for one in starts(model, np.asarray(model.fk(q)), q) if one[4] < 0.0)
    place = np.asarray(model.fk(q))
    places = [place, moved(place, direction), place]
    motion = Path(place, speed=0.2).lin(places[1]).lin(place).plan(model, q)
    hold(model, motion, places)
    assert not turns_of(motion)
    rows = motion.sample(np.linspace(0.0, motion.duration, 2001))[0]
    assert np.linalg.svd(model.jacobian(rows), compute_uv=False)[:, -1].max() < 1e-5
    assert (np.ptp(rows, axis=0) < 1e-12).any()  # the joint that is held
    assert np.abs(rows[-1] - rows[0]).max() < 1e-6
    beside = q + 1e-6 * np.array([0.1, 0.3, 0.4, 0.3, 0.7, 0.1])
    start = np.asarray(model.fk(beside))
    other = Path(start, speed=0.2).lin(moved(start, direction)).lin(start)
    assert motion.duration < 1.1 * other.plan(model, beside).duration


@pytest.mark.parametrize(
    ("name", "degrees"),
    [(name, (0, -90, 0, -90, 0, 0)) for name in ("ur3e", "ur5e", "ur10e", "ur16e")]
    + [("tx60", (0,) * 6)],
)
def test_straight_down_from_an_upright_arm(name: str, degrees: tuple[float, ...]) -> None:
    """Elbow and wrist stretched at once."""
    model, q = typed(name, degrees)
    place = np.asarray(model.fk(q))
    places = [place, moved(place, (0, 0, -1))]
    motion = Path(place, speed=0.2).lin(places[1]).plan(model, q)
    hold(model, motion, places)
    assert motion.duration < 2.0


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("ur5e", (0, -60, 0, -90, 90, 0)), ("ur3e", (0, -60, 0, -90, 90, 0))],
)
def test_a_line_into_a_stretched_elbow_and_back(name: str, degrees: tuple[float, ...]) -> None:
    model, q = typed(name, degrees)
    place = np.asarray(model.fk(q))
    places = [moved(place, (-0.6, 0.4, 0.7), -WAY), place]
    places.append(places[0])
    motion = driven(Path(places[0], speed=0.2).lin(place).lin(places[0]), model, q)
    hold(model, motion, places)


@pytest.mark.parametrize("beside", [1e-12, 1e-10, 1e-9])
def test_a_turn_a_hair_beside_the_place(beside: float) -> None:
    """Where the arm stands at a place that rounding has moved out of the singularity."""
    model, q = typed("ur5e", (30, -60, 90, -120, 0, 45))
    place = moved(model.fk(q), (0.3, -0.2, 0.9), beside)
    places = [place, moved(place, (0, 1, 0))]
    motion = Path(place, speed=0.2).lin(places[1]).plan(model, q)
    hold(model, motion, places)
    assert turns_of(motion)


def test_an_elbow_bends_to_the_side_where_no_stop_is() -> None:
    model = serial("irb120")
    q = np.deg2rad(np.array([-60.0, -75.0, -76.95, -150.0, -15.0, -90.0]))
    q[2] = -np.arctan2(0.302, 0.07)  # the elbow stretched
    assert np.linalg.svd(model.jacobian(q), compute_uv=False)[-1] < 1e-12
    place = np.asarray(model.fk(q))
    places = [place, moved(place, (0, 0, -1))]
    hold(model, Path(place, speed=0.2).lin(places[1]).plan(model, q), places)
    back = Path(places[1], speed=0.2).lin(place).lin(places[1])
    hold(model, driven(back, model, q), [places[1], place, places[1]])


@pytest.mark.parametrize("direction", [(1, 1, -1), (1, 0, 0), (-1, 0, 0), (0, 1, -1)])
def test_joint_values_do_not_step_where_an_arm_leaves_many_singularities(
    direction: tuple[float, ...],
) -> None:
    """A UR with all axes in line: whatever is driven keeps its limits."""
    model, q = typed("ur5e", (0,) * 6)
    place = np.asarray(model.fk(q))
    places = [place, moved(place, direction)]
    try:
        motion = Path(place, speed=0.2).lin(places[1]).plan(model, q)
    except MotionError:
        assert direction == (1, 1, -1)
        return
    hold(model, motion, places)


def test_joint_values_do_not_step_behind_a_turn() -> None:
    """A step of a nanometre is a jerk beyond its limit to whoever looks at joint values."""
    model, q = typed("irb140", (90, 110, 45, 180, 0, 0))
    place = np.asarray(model.fk(q))
    goal = moved(place, (1, 0, 0))
    goal[:3, :3] = rotation_exp(np.pi / 4.0 * np.array([0.0, 1.0, -1.0]) / 2**0.5) @ goal[:3, :3]
    motion = Path(place, speed=0.2).lin(goal).plan(model, q)
    assert turns_of(motion)
    assert steps(motion) < 1e-12
    assert limit_use(motion).max() <= 1.0 + 1e-6


@pytest.mark.parametrize("radius", [0.005, 0.01])
def test_a_small_circle_out_of_a_singular_place_is_kept(radius: float) -> None:
    """The tool turns round a good part of it before the joints are clear of the place."""
    model, q = typed("kr6_r900", (45, 0, 0, 45, 0, 180))
    place = np.asarray(model.fk(q))
    centre, away = moved(place, (-1, 0, 0), radius), moved(place, (-1, 0, 0), 2.0 * radius)
    motion = Path(place, speed=0.25).circ(moved(centre, (0, 0, 1), radius), away).plan(model, q)
    points = model.fk(motion.sample(np.linspace(0.0, motion.duration, 4001))[0])[:, :3, 3]
    off = points - centre[:3, 3]
    assert np.abs(np.linalg.norm(off, axis=1) - radius).max() < 1e-7
    assert np.abs(off[:, 1]).max() < 1e-7  # out of its plane
    assert limit_use(motion).max() <= 1.0 + 1e-6


def test_a_path_with_many_singular_stops_is_refused_quickly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Turns that lead on are as many as are needed, those in vain few."""
    model, q = typed("irb140", (0,) * 6)
    place = np.asarray(model.fk(q))
    random = np.random.default_rng(0)
    path = Path(place, speed=0.2)
    for _ in range(20):
        path = path.lin(moved(place, random.normal(size=3))).lin(place)
    followed = Count(monkeypatch, branches, "follow_track")
    motion = path.plan(model, q)
    assert len(turns_of(motion)) > 10
    once = followed.calls
    far = moved(place, (-0.9, 0.3, -0.5), 1.07)
    with pytest.raises(MotionError, match="a change of configuration is forced"):
        path.lin(far).plan(model, q)
    assert followed.calls - once < once + 40
