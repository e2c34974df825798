"""Paths planned for real arms: on the curve, within every limit, honest about what fails."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from problems import serial

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp, rotation_x
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Limits, PathPiece, Trajectory
from armwerk.motion.options import BlendShape, Profile
from armwerk.motion.path import Path
from armwerk.motion.path.follow import follow_track
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.goals import Cylindrical
from armwerk.motion.path.track import Track

LOOSE = Limits(np.full(6, 1e3), np.full(6, 1e5), np.full(6, 1e8))
HOME = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])


@pytest.fixture(scope="module")
def ur() -> SerialModel:
    return serial("ur5e")


@pytest.fixture(scope="module")
def puma() -> SerialModel:
    return serial("puma560")


@pytest.fixture(scope="module")
def start(ur: SerialModel) -> Array:
    return ur.fk(HOME)


def by(x: float, y: float, z: float) -> Array:
    return np.array([x, y, z])


def states(trajectory: Trajectory, count: int = 4001) -> tuple[Array, Array]:
    """Return times, joint samples and tool motion of all pieces."""
    joints, tool = [], []
    for piece in trajectory.pieces:
        assert isinstance(piece, PathPiece)
        j, t = piece.states(np.linspace(0.0, piece.duration, count))
        joints.append(np.stack(j))
        tool.append(t)
    return np.concatenate(joints, axis=1), np.concatenate(tool)


def limits_of(trajectory: Trajectory) -> Limits:
    assert trajectory.limits is not None
    return trajectory.limits


def assert_within(trajectory: Trajectory, path: Path, slack: float = 1e-6) -> None:
    joints, tool = states(trajectory)
    limits = limits_of(trajectory)
    for order, rate in enumerate(("velocity", "acceleration", "jerk"), start=1):
        assert (np.abs(joints[order]) <= getattr(limits, rate) * (1 + slack)).all(), rate
    allowed = np.max([s.limits.array() for s in path.segments], axis=0)
    for order in range(3):
        for group in range(2):
            size = np.linalg.norm(tool[:, order, 3 * group : 3 * group + 3], axis=1).max()
            assert size <= allowed[order, group] * (1 + slack), (order, group)
    q = joints[0]
    assert (q >= limits.lowest - 1e-9).all()
    assert (q <= limits.highest + 1e-9).all()


def assert_consistent(trajectory: Trajectory) -> None:
    """Velocity, acceleration and jerk are the derivatives of the position."""
    t = np.linspace(0.1, 0.9, 40) * trajectory.duration
    h = 1e-5
    low, here, high = (trajectory.evaluate(t + d) for d in (-h, 0.0, h))
    for order in range(2):
        slope = (high[order] - low[order]) / (2 * h)
        size = max(1.0, np.abs(here[order + 1]).max())
        assert np.median(np.abs(slope - here[order + 1])) < 1e-5 * size


def test_corner_of_the_contract(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start, speed=0.5, acceleration=2.0, jerk=1000.0, blend=0.05)
    path = path.lin(p + by(0, 0.3, 0)).lin(p + by(0, 0.3, -0.3))
    trajectory = path.plan(ur, HOME, limits=LOOSE)
    assert trajectory.duration <= 1.6
    assert len(trajectory.pieces) == 1
    times, q, _, _ = trajectory.sampled(0.0005)
    tool = ur.fk(q)[:, :3, 3]
    acceleration = np.diff(tool, 2, axis=0) / 0.0005**2
    assert np.linalg.norm(acceleration[:-1], axis=1).max() <= 2.0 * 1.001
    # it cuts the corner, but stays within the sphere's chord
    corner = p + by(0, 0.3, 0)
    near = np.linalg.norm(tool - corner, axis=1).min()
    assert 0.0 < near < 0.05 / math.sqrt(2)
    assert len(times) == len(q)


def test_a_corner_without_blend_stops(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start).lin(p + by(0, 0.1, 0)).lin(p + by(0, 0.1, -0.1))
    trajectory = path.plan(ur, HOME)
    assert len(trajectory.pieces) == 2
    stop = trajectory.pieces[0].duration
    q, qd, _ = trajectory.sample(stop)
    assert np.abs(qd).max() < 1e-9
    assert np.abs(ur.fk(q)[:3, 3] - p - [0, 0.1, 0]).max() < 1e-9


@pytest.mark.parametrize("shape", ["smooth", "arc", "quadratic", "cubic"])
@pytest.mark.parametrize("degrees", [25, 90, 150])
def test_blend_shapes_keep_speed_and_acceleration(
    ur: SerialModel, start: Array, shape: BlendShape, degrees: int
) -> None:
    p = start[:3, 3]
    turn = math.radians(degrees)
    second = np.array([0.0, math.cos(turn), -math.sin(turn)])
    path = Path(start, speed=0.4, acceleration=2.0, jerk=300.0, blend=0.03, shape=shape)
    path = path.lin(p + by(0, 0.15, 0)).lin(p + by(0, 0.15, 0) + 0.12 * second)
    trajectory = path.plan(ur, HOME, limits=LOOSE)
    _, tool = states(trajectory)
    assert np.linalg.norm(tool[:, 0, :3], axis=1).max() <= 0.4 * (1 + 1e-9)
    assert np.linalg.norm(tool[:, 1, :3], axis=1).max() <= 2.0 * (1 + 1e-3)
    stops = Path(start, speed=0.4, acceleration=2.0, jerk=300.0)
    stops = stops.lin(p + by(0, 0.15, 0)).lin(p + by(0, 0.15, 0) + 0.12 * second)
    assert trajectory.duration < stops.plan(ur, HOME, limits=LOOSE).duration


def test_tool_is_on_the_line_at_every_time_and_near_it_between_samples(puma: SerialModel) -> None:
    T = np.eye(4)
    T[:3, :3] = rotation_x(math.pi)
    T[:3, 3] = [0.5, -0.25, 0.6]
    goal = T[:3, 3] + [0.0, 0.5, 0.0]
    fast = Limits(np.full(6, 10.0), np.full(6, 100.0), np.full(6, 1e4))
    path = Path(T, speed=1.0, acceleration=8.0, jerk=200.0).lin(goal)
    trajectory = path.plan(puma, limits=fast)
    times, q, _, _ = trajectory.sampled(0.004)
    tool = puma.fk(q)
    off = tool[:, :3, 3] - T[:3, 3]
    assert np.abs(off[:, [0, 2]]).max() < 1e-9
    assert np.abs(tool[:, :3, :3] - T[:3, :3]).max() < 1e-9
    assert np.abs(tool[-1, :3, 3] - goal).max() < 1e-9
    middle = puma.fk(0.5 * (q[1:] + q[:-1]))[:, :3, 3] - T[:3, 3]
    assert np.linalg.norm(middle[:, [0, 2]], axis=1).max() < 1e-5
    speed = np.diff(off[:, 1]) / np.diff(times)
    assert speed.max() == pytest.approx(1.0, rel=1e-6)
    assert_consistent(trajectory)


def test_line_takes_no_longer_than_the_plain_law(ur: SerialModel, start: Array) -> None:
    path = Path(start, speed=0.2, acceleration=1.0, jerk=10.0)
    path = path.lin(start[:3, 3] + [0, 0.2, 0])
    # way over speed plus one acceleration and one jerk ramp, all reached here
    assert path.plan(ur, HOME).duration == pytest.approx(0.2 / 0.2 + 0.2 / 1.0 + 1.0 / 10.0)


@pytest.mark.parametrize("profile", ["trapezoid", "sine", "quintic"])
def test_profiles(ur: SerialModel, start: Array, profile: Profile) -> None:
    p = start[:3, 3]
    path = Path(start, profile=profile, blend=0.02)
    path = (
        path.lin(p + by(0, 0.1, 0))
        .lin(p + by(0, 0.1, -0.1))
        .circ(p + by(0, 0.15, -0.15), p + by(0, 0.2, -0.1), blend=0.0)
        .lin(p + by(0, 0.2, 0.0))
    )
    trajectory = path.plan(ur, HOME)
    assert_within(trajectory, path)
    assert_consistent(trajectory)


def segment(path: Path, kind: str, rng: np.random.Generator, p: Array, R: Array) -> Path:
    """Append one random segment of a kind near the point p."""

    def near() -> Array:
        pose = np.eye(4)
        pose[:3, 3] = p + rng.uniform(-0.12, 0.12, 3)
        pose[:3, :3] = rotation_exp(rng.uniform(-0.3, 0.3, 3)) @ R
        return pose

    if kind == "lin":
        return path.lin(near())
    if kind == "circ":
        end = near()
        across = rng.uniform(-0.02, 0.02, 3)
        here = p + by(0.03, 0.02, 0.04) if path.end is None else path.end[:3, 3]
        return path.circ(0.5 * (here + end[:3, 3]) + across, end)
    if kind == "bezier":
        return path.bezier(near(), near(), end=near())
    if kind == "spline":
        return path.spline([near(), near(), near()])
    if kind == "spiral":
        return path.spiral(p + by(0.02, 0.01, 0.0), 2.5, rise=0.03)
    return path.ptp(HOME + rng.uniform(-0.2, 0.2, 6))


KINDS = ("lin", "circ", "bezier", "spline", "spiral", "ptp")


@pytest.mark.parametrize(("first", "second"), list(itertools.product(KINDS, KINDS)))
def test_blends_of_all_pairs_keep_every_limit(
    ur: SerialModel, start: Array, first: str, second: str
) -> None:
    rng = np.random.default_rng(100 * KINDS.index(first) + KINDS.index(second))
    p, R = start[:3, 3], start[:3, :3]
    path = Path(start, speed=0.4, acceleration=2.0, jerk=40.0, blend=0.03)
    path = path.lin(p + by(0.03, 0.02, 0.04), blend=0.01)
    path = segment(segment(path, first, rng, p, R), second, rng, p, R)
    trajectory = path.plan(ur, HOME)
    assert_within(trajectory, path)
    assert_consistent(trajectory)
    q, qd, _ = trajectory.sample(np.array([0.0, trajectory.duration]))
    assert np.abs(q[0] - HOME).max() < 1e-9
    assert np.abs(qd).max() < 1e-9
    end = path.end
    if end is not None:
        assert np.abs(ur.fk(q[1]) - end).max() < 1e-9


def test_orientation_zone_of_its_own(ur: SerialModel, start: Array) -> None:
    p, R = start[:3, 3], start[:3, :3]
    tilted = np.eye(4)
    tilted[:3, :3] = rotation_x(0.5) @ R
    tilted[:3, 3] = p + by(0, 0.2, 0)
    back = np.eye(4)
    back[:3, :3] = R
    back[:3, 3] = p + by(0, 0.2, -0.2)

    def peak(zone: float | None) -> float:
        path = Path(start, speed=0.3, blend=0.02, zone=zone).lin(tilted).lin(back)
        trajectory = path.plan(ur, HOME)
        assert_within(trajectory, path)
        (piece,) = trajectory.pieces
        assert isinstance(piece, PathPiece)
        twists = piece.run.grid(np.ones((3, 6))).whole().tool
        return float(np.linalg.norm(twists[:, 1, 3:], axis=1).max())

    # the wider the zone, the gentler the rate of turning changes along the way
    assert peak(0.08) < 0.5 * peak(None)


def test_path_related_orientation_turns_with_the_circle(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start).circ(
        p + by(0, 0.05, 0.05), p + by(0, 0.1, 0.0), orientation="constant", reference="path"
    )
    q = path.plan(ur, HOME).sampled(0.05)[1]
    poses = ur.fk(q)
    axis = np.array([-1.0, 0.0, 0.0])  # up first, then towards +y
    way = poses[:, :3, 3] - (p + by(0, 0.05, 0))
    angle = np.arctan2(way @ np.cross(axis, [0, -1, 0]), way @ [0.0, -1, 0])
    expected = rotation_exp(angle[:, None] * axis) @ start[:3, :3]
    assert np.abs(poses[:, :3, :3] - expected).max() < 1e-8


def test_radius_shrinks_to_half_of_a_short_segment_and_says_so(
    ur: SerialModel, start: Array
) -> None:
    p = start[:3, 3]
    path = (
        Path(start, blend=0.05)
        .lin(p + by(0, 0.2, 0))
        .lin(p + by(0, 0.2, -0.04))
        .lin(p + by(0, 0.0, -0.04))
    )
    trajectory = path.plan(ur, HOME)
    shrunk = [str(n) for n in trajectory.notices if "shrunk" in n.text]
    assert len(shrunk) == 2
    assert "from 50 to 20 mm, half of segment 2 'lin'" in shrunk[0]
    assert_within(trajectory, path)


def test_a_reversal_stops_with_a_notice(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    trajectory = Path(start, blend=0.02).lin(p + by(0, 0.1, 0)).lin(p).plan(ur, HOME)
    assert len(trajectory.pieces) == 2
    assert "turns back" in trajectory.notices[0].text


def test_slows_down_near_a_singularity_and_says_so(ur: SerialModel) -> None:
    # the wrist is nearly straight here, so joint 4 and 6 must turn quickly
    q0 = np.array([0.2, -1.5, 1.6, -1.6, -0.06, 0.1])
    T = ur.fk(q0)
    path = Path(T, speed=0.5, acceleration=3.0, jerk=50.0).lin(T[:3, 3] + [0.0, 0.15, 0.1])
    trajectory = path.plan(ur, q0)
    assert_within(trajectory, path)
    slowed = [n for n in trajectory.notices if "slowed" in n.text]
    assert slowed
    assert slowed[0].segment == "segment 1 'lin'"
    assert "joint" in slowed[0].axis
    free = path.plan(ur, q0, limits=LOOSE)
    assert not free.notices
    assert trajectory.duration > free.duration


def test_work_piece_and_tool_frames(ur: SerialModel, start: Array) -> None:
    frame = np.eye(4)
    frame[:3, :3] = rotation_exp([0.1, -0.2, 0.4])
    frame[:3, 3] = [0.1, 0.2, 0.3]
    seen = np.linalg.inv(frame)
    goal = start.copy()
    goal[:3, 3] += [0, 0.1, 0]
    plain = Path(start).lin(goal).plan(ur, HOME)
    framed = Path(seen @ start, frame=frame).lin(seen @ goal).plan(ur, HOME)
    assert np.abs(plain.sampled(0.1)[1] - framed.sampled(0.1)[1]).max() < 1e-9
    tool = np.eye(4)
    tool[:3, 3] = [0.0, 0.02, 0.1]
    longer = Path(start @ tool, tool=tool).lin(goal @ tool).plan(ur, HOME)
    assert np.abs(plain.sampled(0.1)[1] - longer.sampled(0.1)[1]).max() < 1e-9


def test_turn_on_the_spot(ur: SerialModel, start: Array) -> None:
    goal = rotation_exp([0.0, 0.3, 0.4]) @ start[:3, :3]
    path = Path(start).turn(goal)
    trajectory = path.plan(ur, HOME)
    poses = ur.fk(trajectory.sampled(0.02)[1])
    assert np.abs(poses[:, :3, 3] - start[:3, 3]).max() < 1e-9
    assert np.abs(poses[-1, :3, :3] - goal).max() < 1e-9
    # 0.5 rad at 1.5 rad/s, 6 rad/s², 60 rad/s³: 0.333 s, 0.25 s and 0.1 s
    assert trajectory.duration == pytest.approx(0.5 / 1.5 + 0.25 + 0.1, rel=0.02)
    assert_within(trajectory, path)


def test_branch_is_chosen_so_that_the_whole_path_fits(ur: SerialModel, start: Array) -> None:
    trajectory = Path(start).lin(start[:3, 3] + [0.0, 0.1, 0.0]).plan(ur)
    poses = ur.fk(trajectory.sampled(0.05)[1])
    assert np.abs(poses[0] - start).max() < 1e-9
    low, high = limits_of(trajectory).lowest, limits_of(trajectory).highest
    q = trajectory.sampled(0.01)[1]
    assert (q >= low).all()
    assert (q <= high).all()


def test_five_axis_arm_keeps_its_inclination() -> None:
    model = aw.model("five_axis", ik="numeric")
    points = [Cylindrical(0.4, 0.3, a) for a in (0.0, 0.5, 1.0)]
    poses = [c.pose(-0.6) for c in points]
    path = Path(poses[0], speed=0.2, blend=0.02)
    path = path.lin(poses[1], orientation="inclination")
    path = path.lin(poses[2], orientation="inclination")
    trajectory = path.plan(model)
    z = model.fk(trajectory.sampled(0.02)[1])[:, 2, 2]
    assert np.abs(np.arcsin(z) + 0.6).max() < 1e-8
    assert_within(trajectory, path)


def test_arm_with_joints_to_spare() -> None:
    model = aw.model("iiwa7", ik="numeric")
    q0 = np.array([0.1, 0.5, 0.2, -1.2, 0.3, 0.9, 0.0])
    T = model.fk(q0)
    path = Path(T).lin(T[:3, 3] + [0.0, 0.1, -0.05])
    trajectory = path.plan(model, q0)
    off = model.fk(trajectory.sampled(0.02)[1])
    assert np.abs(off[:, :3, :3] - T[:3, :3]).max() < 1e-9
    assert_within(trajectory, path, slack=0.01)


def bad(p: Array) -> dict[str, tuple[Callable[[Any], object], str]]:
    """Return calls on a path that a type checker would refuse, or could not see."""
    return {
        "collinear": (lambda x: x.circ(p + by(0, 0.1, 0), p + by(0, 0.2, 0)), "stand in line"),
        "nan": (lambda x: x.lin([0.1, np.nan, 0.2]), "finite"),
        "text": (lambda x: x.lin("P4"), "numbers"),
        "shape": (lambda x: x.lin([0.1, 0.2]), "shape"),
        "zero speed": (lambda x: x.lin(p + 0.1, speed=0.0), "speed must be above 0"),
        "negative blend": (lambda x: x.lin(p + 0.1, blend=-0.1), "blend must be"),
        "option": (lambda x: x.lin(p + 0.1, spede=1.0), "spede"),
        "shape name": (lambda x: x.lin(p + 0.1, shape="round"), "shape must be one of"),
        "orientation": (lambda x: x.lin(p + 0.1, orientation="any"), "orientation must be"),
        "no help point": (lambda x: x.circ(None, p + 0.1), "help point"),
        "not rigid": (lambda x: x.lin(2 * np.eye(4)), "rigid"),
        "ptp": (lambda x: x.ptp(np.full(6, np.nan)), "finite"),
        "fraction": (lambda x: x.ptp(HOME, fraction=None), "fraction must be"),
        "fraction list": (lambda x: x.ptp(HOME, fraction=[1.0]), "fraction must be"),
        "speed list": (lambda x: x.lin(p + 0.1, speed=[1.0]), "speed must be above 0"),
        "complex speed": (lambda x: x.lin(p + 0.1, speed=1j), "speed must be above 0"),
        "blend list": (lambda x: x.lin(p + 0.1, blend=[1.0]), "blend must be"),
        "zone list": (lambda x: x.lin(p + 0.1, zone=[1.0]), "zone must be"),
        "angle list": (lambda x: x.circ(p + 0.1, p + by(0, 0.1, 0.2), angle=[1, 2]), "one number"),
        "spline of none": (lambda x: x.spline(None), "list of goals"),
        "spiral axis": (lambda x: x.spiral(p + 0.1, 3.0, axis=(0, 1)), "three numbers"),
        "spiral radius": (lambda x: x.spiral(p + 0.1, 3.0, end_radius=by(1, 2, 3)), "one number"),
    }


@pytest.mark.parametrize("case", list(bad(np.zeros(3))))
def test_bad_segments_are_refused_by_name(start: Array, case: str) -> None:
    call, words = bad(start[:3, 3])[case]
    path = Path(start).lin(start[:3, 3] + [0, 0.1, 0]).lin(start[:3, 3])
    with pytest.raises(MotionError, match=words) as caught:
        call(path)
    assert caught.value.segment.startswith(("segment 3", "segment 4"))


def test_zero_limits_and_unknown_profile() -> None:
    with pytest.raises(MotionError, match="acceleration must be above 0"):
        Path(np.eye(4), acceleration=0.0)
    wrong: Any = "fast"
    with pytest.raises(MotionError, match="profile must be one of"):
        Path(np.eye(4), profile=wrong)
    axes: tuple[Any, ...] = (0.0, (0.0,), (0.0, 0.0, 0.0))
    for axis in axes:
        with pytest.raises(MotionError, match="axis must be two numbers"):
            Path(np.eye(4), axis=axis)
    nothing: Any = None
    with pytest.raises(MotionError, match="blend must be"):
        Path(np.eye(4), blend=nothing)


def test_wrong_cycle_and_limits_are_refused(ur: SerialModel, start: Array) -> None:
    path = Path(start).lin(start[:3, 3] + [0, 0.1, 0])
    cycles: tuple[Any, ...] = (0.0, -1.0, math.nan, 1e-12, "4 ms")
    wrong: Any = "fast"
    for cycle in cycles:
        with pytest.raises(MotionError, match="the cycle must be"):
            path.plan(ur, HOME, cycle=cycle)
    with pytest.raises(MotionError, match="limits must be"):
        path.plan(ur, HOME, limits=wrong)
    with pytest.raises(MotionError, match="limits are for 3 axes"):
        path.plan(ur, HOME, limits=Limits(np.ones(3), np.ones(3), np.ones(3)))


STANDING: dict[str, Callable[[Path, Array], Path]] = {
    "line to a pose": lambda path, T: path.lin(T),
    "line to a point": lambda path, T: path.lin(T[:3, 3]),
    "turn": lambda path, T: path.turn(T[:3, :3]),
    "joints": lambda path, _: path.ptp(HOME),
    "pose": lambda path, T: path.ptp(T),
}


@pytest.mark.parametrize("kind", STANDING)
def test_a_goal_where_the_arm_stands_takes_no_time(
    ur: SerialModel, start: Array, kind: str
) -> None:
    trajectory = STANDING[kind](Path(start), start).plan(ur, HOME)
    assert trajectory.duration == 0.0
    assert trajectory.sample(0.0)[0] == pytest.approx(HOME)


@pytest.mark.parametrize("kind", STANDING)
def test_standing_on_the_way_changes_nothing(ur: SerialModel, start: Array, kind: str) -> None:
    there = start[:3, 3] + by(0, 0.1, 0)
    way = STANDING[kind](Path(start), start).lin(there)
    plain = Path(start).lin(there).plan(ur, HOME)
    assert way.plan(ur, HOME).duration == pytest.approx(plain.duration, rel=1e-12)


def test_standing_at_a_corner_stops_there_unless_it_is_blended(
    ur: SerialModel, start: Array
) -> None:
    corner, end = start[:3, 3] + by(0, 0.1, 0), start[:3, 3] + by(0.1, 0.1, 0)

    def least(blend: float) -> float:
        path = Path(start).lin(corner, blend=0.03).lin(corner, blend=blend).lin(end)
        q = path.plan(ur, HOME).sampled(0.001)[1]
        return float(np.linalg.norm(ur.fk(q)[:, :3, 3] - corner, axis=1).min())

    assert least(0.0) < 1e-6
    assert least(0.03) > 1e-3


def test_a_full_circle_ends_where_it_began(ur: SerialModel, start: Array) -> None:
    far = start[:3, 3] + by(0, 0.1, 0)
    trajectory = Path(start).circ(far, start).plan(ur, HOME)
    tool = ur.fk(trajectory.sampled(0.005)[1])[:, :3, 3]
    centre = 0.5 * (start[:3, 3] + far)
    assert np.linalg.norm(tool - centre, axis=1) == pytest.approx(0.05, abs=1e-6)
    upright = start[:3, 2] * [1, 0, 1]  # across the tool, as far as the help point allows
    assert np.abs((tool - centre) @ upright).max() < 1e-6
    assert np.linalg.norm(np.diff(tool, axis=0), axis=1).sum() == pytest.approx(
        2 * math.pi * 0.05, rel=1e-3
    )
    with pytest.raises(MotionError, match="not only along the tool"):
        Path(start).circ(start[:3, 3] + 0.1 * start[:3, 2], start)


@pytest.mark.parametrize("turns", [None, 1.0, -1.0, 0.5, 2.25])
@pytest.mark.parametrize("told", ["far side", "centre", "both"])
def test_circles_back_to_the_start_turn_as_far_as_is_told(
    ur: SerialModel, start: Array, told: str, turns: float | None
) -> None:
    centre = start[:3, 3] + by(0, 0.05, 0)
    angle = None if turns is None else 2 * math.pi * turns
    via = {"far side": centre + by(0, 0.05, 0), "centre": None, "both": centre + by(0.05, 0, 0.05)}
    about = None if told == "far side" else centre
    path = Path(start).circ(via[told], start, centre=about, angle=angle)
    tool = ur.fk(path.plan(ur, HOME).sampled(0.001)[1])[:, :3, 3]
    assert np.linalg.norm(tool - centre, axis=1) == pytest.approx(0.05, abs=1e-8)
    way = np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()
    assert way == pytest.approx(2 * math.pi * 0.05 * abs(turns or 1.0), rel=1e-4)
    side = start[:3, 3] if turns in (None, 1.0, -1.0) else tool[-1]
    assert np.abs(tool[-1] - side).max() < 1e-8
    upright = start[:3, 2] * [1, 0, 1] if told != "both" else np.cross(by(0, 1, 0), by(1, 0, 1))
    assert np.abs((tool - centre) @ upright).max() < 1e-6


def test_controls_at_the_ends_make_a_line(ur: SerialModel, start: Array) -> None:
    a, b = start[:3, 3], start[:3, 3] + by(0, 0.1, 0)
    curve = Path(start).bezier(a, b, end=b).plan(ur, HOME)
    assert curve.duration == pytest.approx(Path(start).lin(b).plan(ur, HOME).duration, rel=1e-12)
    with pytest.raises(MotionError, match="cusp"):
        Path(start).bezier(b + (b - a), a - (b - a), end=b)


def test_spline_takes_any_sequence_of_goals(start: Array) -> None:
    goals = [start[:3, 3] + by(0, 0.1, 0), start[:3, 3] + by(0, 0.1, 0.1)]
    ends = [Path(start).spline(g).end for g in (goals, np.array(goals), iter(goals))]
    assert all(np.array_equal(np.asarray(end), np.asarray(ends[0])) for end in ends)
    assert ends[0] is not None


def test_rates_stay_finite_right_in_a_wrist_singularity(puma: SerialModel) -> None:
    q = np.array([0.2, 0.8, -3.0, 0.0, 0.3, 0.1])
    goal = puma.fk(q - [0, 0, 0, 0, 0.6, 0]) + 0.0
    goal[2, 3] += 0.05
    trajectory = Path(puma.fk(q)).lin(goal).plan(puma, q)
    low, high = 0.0, trajectory.duration
    for _ in range(60):  # to the time at which the wrist stretches
        middle = 0.5 * (low + high)
        low, high = (middle, high) if trajectory.sample(middle)[0][4] > 0 else (low, middle)
    around = np.concatenate([[0.0], np.geomspace(1e-12, 0.02, 200)])
    states = trajectory.evaluate(np.concatenate([low - around, low + around]))
    limits = limits_of(trajectory)
    assert (np.abs(states.qd) <= limits.velocity).all()
    assert (np.abs(states.qdd) <= limits.acceleration).all()
    assert (np.abs(states.qddd) <= limits.jerk).all()


def test_out_of_reach_names_segment_and_place(ur: SerialModel, start: Array) -> None:
    path = Path(start).lin(start[:3, 3] + [0, 0.1, 0]).lin(start[:3, 3] + [0, 2.0, 0], name="P4")
    with pytest.raises(MotionError, match="out of reach") as caught:
        path.plan(ur, HOME)
    assert caught.value.segment == "segment 2 'lin to P4'"
    assert "m of 1.9 m" in caught.value.place


def test_joint_stop_names_axis(puma: SerialModel) -> None:
    q0 = np.array([2.6, 0.9, -0.2, 0.0, 0.8, 0.0])
    T = puma.fk(q0)
    turned = rotation_exp([0.0, 0.0, 0.4])
    path = Path(T).circ(None, turned @ T[:3, 3], centre=[0.0, 0.0, T[2, 3]])
    with pytest.raises(MotionError, match="stop at") as caught:
        path.plan(puma, q0)
    assert caught.value.axis == "joint 'waist'"
    assert caught.value.segment == "segment 1 'circ'"


def test_arm_that_does_not_stand_at_the_start(ur: SerialModel, start: Array) -> None:
    with pytest.raises(MotionError, match="does not stand at the start"):
        Path(start).lin(start[:3, 3] + 0.1).plan(ur, HOME + 0.1)


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("puma560", [0.3, 0.6, -0.4, 0.2, 0.9, 0.1]),
        ("simple_arm", [0.3, 0.5, -1.2]),
        ("panda", [0.2, -0.6, 0.3, -2.0, 0.4, 1.6, 0.5]),
    ],
)
def test_joint_values_may_be_rounded_at_the_start(name: str, q: list[float]) -> None:
    model = serial(name)
    here = model.fk(np.array(q))
    way = np.array([0.0, 0.03, 0.0])
    path = Path(here).lin(here[:3, 3] + way)
    rounded = np.round(np.array(q) + 1.23e-8, 7), np.array(q, dtype=np.float32)
    for given in (np.array(q) + 1.5e-7, *rounded):
        motion = path.plan(model, given)
        ends = model.fk(motion.sample(np.array([0.0, motion.duration]))[0])[:, :3, 3]
        np.testing.assert_allclose(ends, here[:3, 3] + np.array([0.0 * way, way]), atol=1e-9)
        np.testing.assert_allclose(motion.sample(0.0)[0], given, atol=1e-5)


@pytest.mark.parametrize("rate", ["speed", "acceleration", "jerk", "rotation_speed"])
def test_rates_are_numbers_that_a_motion_can_have(ur: SerialModel, start: Array, rate: str) -> None:
    goal = start[:3, 3] + by(0, 0.05, 0)

    def driven(value: float) -> dict[str, Any]:
        return {rate: value}

    with pytest.raises(MotionError, match=f"{rate.replace('_', ' ')} must be at least 1e-09"):
        Path(start, **driven(1e-300)).lin(goal)
    durations = [
        Path(start, **driven(value)).lin(goal).plan(ur, HOME, optimal=False).duration
        for value in (100.0, 1e300, math.inf)
    ]
    assert durations[1] == durations[2] <= durations[0] * (1.0 + 1e-9)


def test_blends_without_a_length_are_stops(ur: SerialModel, start: Array) -> None:
    corner = [start[:3, 3] + by(0, 0.05, 0), start[:3, 3] + by(0, 0.05, 0.05)]
    stopping = Path(start).lines(corner).plan(ur, HOME)
    assert Path(start, blend=1e-11).lines(corner).plan(ur, HOME).duration == stopping.duration


def test_paths_are_immutable(start: Array) -> None:
    path = Path(start)
    longer = path.lin(start[:3, 3] + 0.1)
    assert path.segments == ()
    assert len(longer.segments) == 1


def test_start_may_be_left_to_the_arm(ur: SerialModel, start: Array) -> None:
    trajectory = Path().lin(start[:3, 3] + [0, 0.1, 0]).plan(ur, HOME)
    assert np.abs(trajectory.sample(0.0)[0] - HOME).max() < 1e-9


def test_ptp_after_lin_and_back(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start, blend=0.02).lin(p + by(0, 0.1, 0)).ptp(HOME + 0.2).lin(p)
    trajectory = path.plan(ur, HOME)
    assert len(trajectory.pieces) == 1  # nothing stops
    assert_within(trajectory, path)
    q, _, _ = trajectory.sample(trajectory.duration)
    assert np.abs(ur.fk(q)[:3, 3] - p).max() < 1e-9


def test_what_goes_on_smoothly_does_not_stop(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start).lin(p + by(0, 0.1, 0), speed=0.1).lin(p + by(0, 0.2, 0), speed=0.2)
    trajectory = path.plan(ur, HOME)
    assert len(trajectory.pieces) == 1
    times, q, _, _ = trajectory.sampled(0.001)
    tool = ur.fk(q)[:, :3, 3]
    speed = np.linalg.norm(np.diff(tool, axis=0), axis=1)[:-1] / 0.001
    first = tool[1:-1, 1] - p[1] < 0.1  # to its very end, where it speeds up at once
    assert speed[first].max() <= 0.1 * (1 + 1e-4)
    assert speed[~first].max() > 0.19
    assert len(times) == len(tool)


def test_full_circle_comes_back(ur: SerialModel, start: Array) -> None:
    p = start[:3, 3]
    path = Path(start).circ(p + by(0, 0.05, 0.05), p + by(0, 0.1, 0), angle=2 * math.pi)
    trajectory = path.plan(ur, HOME)
    q = trajectory.sampled(0.01)[1]
    poses = ur.fk(q)
    assert np.abs(poses[-1] - start).max() < 1e-9
    far = np.linalg.norm(poses[:, :3, 3] - p - by(0, 0.05, 0), axis=1)
    assert np.abs(far - 0.05).max() < 1e-9


def test_ptp_to_a_pose_takes_a_configuration_with_which_the_rest_fits(
    ur: SerialModel, start: Array
) -> None:
    goal = start.copy()
    goal[:3, 3] += by(0.05, 0.1, 0.0)
    path = Path(start).ptp(goal).lin(goal[:3, 3] + by(0, 0, -0.1))
    trajectory = path.plan(ur, HOME)
    end = ur.fk(trajectory.sample(trajectory.duration)[0])
    assert np.abs(end[:3, 3] - goal[:3, 3] - by(0, 0, -0.1)).max() < 1e-9
    assert np.abs(trajectory.sample(trajectory.pieces[0].duration)[0] - HOME).max() < 1.0


def test_a_wrong_configuration_is_named_with_the_one_that_fits(puma: SerialModel) -> None:
    # on the way round, this configuration runs into a stop that another one does not have
    q0 = np.array([2.6, 0.2, -2.4, 0.3, 0.9, 0.1])
    T = puma.fk(q0)
    turned = rotation_exp([0.0, 0.0, 0.6])
    goal = np.eye(4)
    goal[:3, :3] = turned @ T[:3, :3]
    goal[:3, 3] = turned @ T[:3, 3]
    path = Path(T).circ(None, goal, centre=[0.0, 0.0, T[2, 3]])
    with pytest.raises(MotionError, match="stop at") as caught:
        path.plan(puma, q0)
    other = path.plan(puma)  # free to choose
    assert np.abs(other.sample(0.0)[0] - q0).max() > 0.1
    assert "would fit with the configuration" in caught.value.problem


def counted(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list that gets the length of every track that is followed from here on."""
    lengths: list[float] = []

    def follow(track: Track, *given: Any, **named: Any) -> Follower:
        lengths.append(track.length)
        return follow_track(track, *given, **named)

    monkeypatch.setattr("armwerk.motion.path.branches.follow_track", follow)
    return lengths


def out_of_reach(T: Array) -> Array:
    goal = T.copy()
    goal[:3, 3] = 3.0, 0.0, 0.5
    return goal


LAST: dict[str, Callable[[Path, Array], Path]] = {
    "line": lambda path, T: path.lin(out_of_reach(T)),
    "pose": lambda path, T: path.ptp(out_of_reach(T)),
}


@pytest.mark.parametrize("last", LAST)
def test_a_last_goal_out_of_reach_is_refused_without_driving_all_again(
    ur: SerialModel, start: Array, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: every stretch is followed once, whatever choice poses leave."""
    followed = counted(monkeypatch)
    path, there = Path(start), start.copy()
    there[:3, 3] += by(0, 0.1, 0)
    for _ in range(5):
        path = path.lin(there).lin(start).ptp(there).ptp(start)
    with pytest.raises(MotionError, match=r"segment 21 .*out of reach"):
        LAST[last](path, start).plan(ur, HOME)
    assert len(followed) <= 11


def test_two_poses_and_a_way_that_no_configuration_fits_end_soon(
    ur: SerialModel, start: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight configurations at either pose, 64 with their whole turns; each is followed once."""
    followed = counted(monkeypatch)
    there = start.copy()
    there[:3, 3] += by(0, 0.05, 0)
    via, end = start[:3, 3] + by(0, 0.01, 0), start[:3, 3] + by(0.01, 0.01, 0)
    # four turns with the tool along: out of some joint's range from every configuration
    path = Path(start).ptp(there).ptp(start).circ(via, end, angle=8 * math.pi, reference="path")
    with pytest.raises(MotionError, match=r"segment 3 .*runs into its stop"):
        path.plan(ur, HOME)
    assert 4 < len(followed) <= 12


def test_a_thousand_segments_are_no_matter(ur: SerialModel, start: Array) -> None:
    path = Path(start)
    for k in range(1000):
        path = path.ptp(HOME + 0.1 * (k % 2))
    assert len(path.plan(ur, HOME).pieces) == 999
