"""Motions among bodies that move: free at fine steps, within limits, refused with reasons."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.collision import (
    Checker,
    ConstantVelocity,
    MovingBody,
    Repeated,
    TimedPoses,
)
from armwerk.collision.moving_body import Moving
from armwerk.errors import DescriptionError, MotionError, PlanningError
from armwerk.planning import MotionsTogether, TimedPath, find_together
from armwerk.planning.paths import in_time, together

pytest.importorskip("ompl")

Array = NDArray[np.float64]

START = np.deg2rad([-60.0, -90.0, 90.0, -90.0, -90.0, 0.0])
GOAL = np.deg2rad([60.0, -90.0, 90.0, -90.0, -90.0, 0.0])
BOX = aw.Box((0.3, 0.3, 0.5), name="box")


@cache
def ur5e() -> aw.Arm:
    arm = aw.load("ur5e")
    assert isinstance(arm, aw.Arm)
    return arm


@cache
def opposite() -> aw.Arm:
    """The same arm, a metre away and turned to the first."""
    base = np.eye(4)
    base[:2, :2], base[0, 3] = -np.eye(2), -1.0
    return aw.Arm.from_dh(ur5e().joints, "opposite", base)


def at(q: Array) -> Array:
    T = np.eye(4)
    T[:3, 3] = aw.model(ur5e()).fk(q)[:3, 3]
    return T


def found(*moving: Moving, **options: float) -> TimedPath:
    path = aw.find_path(ur5e(), [], START, GOAL, moving=moving, **options)  # type: ignore[arg-type]
    assert isinstance(path, TimedPath)
    return path


def assert_sound(path: TimedPath, body: MovingBody, start: float = 0.0) -> None:
    """At fine steps nothing is touched, and limits hold by differences of positions alone."""
    motion = path.trajectory
    times = np.linspace(0.0, motion.duration, 100)
    Q = motion.sample(times)[0]
    assert Q[0] == pytest.approx(path.q[0], abs=1e-9)
    assert Q[-1] == pytest.approx(path.q[-1], abs=1e-9)
    for q, T in zip(Q, body.motion.poses(times + start), strict=True):
        around = [shape.moved(T) for shape in body.shapes]
        assert not Checker(ur5e(), around, self_check=False).contact(q)
    limits = aw.Limits.of(ur5e())
    h = 1e-3
    fine = np.arange(0.0, motion.duration, h)
    q = motion.sample(fine)[0]
    assert (np.abs(np.diff(q, axis=0) / h) <= limits.velocity * (1 + 1e-6)).all()
    assert (np.abs(np.diff(q, 2, axis=0) / h**2) <= limits.acceleration * (1 + 1e-4)).all()
    verdict = path.check()
    assert verdict.free
    assert verdict.proved


def test_the_arm_waits_until_a_box_has_gone_or_goes_round() -> None:
    middle = at((START + GOAL) / 2)
    leaving = MovingBody(BOX, ConstantVelocity((-1.0, 0.0, 0.0), pose=middle, at=3.0, begin=3.0))
    path = found(leaving)
    assert_sound(path, leaving)
    assert 1.1 < path.trajectory.duration < 4.4  # straight and at once it would be 1.08 s
    again = found(leaving)
    assert (again.q == path.q).all()
    assert (again.arrivals == path.arrivals).all()


def test_ways_round_where_things_come_by_need_no_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    # a ball that spins on the spot in the middle of the way, and never goes away
    ball = MovingBody(
        aw.Sphere(0.12, position=(0.05, 0.0, 0.0), name="ball"),
        ConstantVelocity((0, 0, 0), (0.0, 0.0, 8.0), at((START + GOAL) / 2)),
    )
    monkeypatch.setattr(in_time, "_BATCH", 0)  # no random configurations at all
    path = found(ball)
    assert_sound(path, ball)
    assert len(path.q) > 2
    monkeypatch.setattr(in_time, "detours", lambda *_: [])
    with pytest.raises(PlanningError, match="no motion found within 1 s"):
        found(ball, seconds=1.0)


def test_what_comes_later_is_not_waited_for() -> None:
    middle = at((START + GOAL) / 2)
    coming = MovingBody(BOX, ConstantVelocity((0.0, 0.0, -1.0), pose=middle, at=9.0))
    path = found(coming)
    assert path.trajectory.duration == pytest.approx(
        aw.ptp(ur5e(), START, GOAL, "full").duration, abs=1e-9
    )
    late = found(coming, start=8.5)  # then it is in the middle, and has to be let by
    assert_sound(late, coming, 8.5)
    assert late.trajectory.duration > path.trajectory.duration


def test_the_goal_is_taken_when_it_becomes_free_and_for_as_long_as_asked() -> None:
    places = np.stack([at(GOAL), at(GOAL)])
    places[1, 2, 3] += 3.0
    rising = MovingBody(BOX, TimedPoses([4.0, 7.0], places))
    path = found(rising)
    assert_sound(path, rising)
    assert path.trajectory.duration > 4.0
    falling = MovingBody(BOX, TimedPoses([4.0, 7.0], places[::-1]))
    assert found(falling).trajectory.duration < 2.0
    with pytest.raises(PlanningError, match="never free") as error:
        found(falling, stay=8.0, within=10.0)
    assert error.value.reason == "goal"
    assert "box" in str(error.value)


def test_refusals_name_what_is_in_the_way_and_when() -> None:
    def stands(q: Array) -> MovingBody:
        return MovingBody(BOX, ConstantVelocity((0.0, 0.0, 0.0), pose=at(q)))

    with pytest.raises(PlanningError, match=r"start is not free at 2 s: .* touches box") as error:
        found(stands(START), start=2.0)
    assert error.value.reason == "start"
    with pytest.raises(PlanningError, match="goal is never free between 0 s and 60 s") as error:
        found(stands(GOAL))
    assert error.value.reason == "goal"
    places = np.stack([at(GOAL), at(GOAL)])
    places[1, 2, 3] += 3.0
    late = MovingBody(BOX, TimedPoses([4.0, 7.0], places))
    with pytest.raises(PlanningError, match="never free between 0 s and 3 s"):
        found(late, within=3.0)
    crush = MovingBody(aw.Sphere(3.0), ConstantVelocity((-30.0, 0.0, 0.0), pose=far(8.0)), "crush")
    with pytest.raises(PlanningError, match="the goal is free from") as error:
        found(crush, seconds=1.0, within=4.0)
    assert error.value.reason == "not found"
    with pytest.raises(DescriptionError, match="within"):
        found(late, within=0.0)
    with pytest.raises(MotionError, match="one timing"):
        found(late).timed(speed=0.5)


def test_things_without_names_are_gone_round() -> None:
    middle = at((START + GOAL) / 2)
    spin = ConstantVelocity((0.0, 0.0, 0.0), (0.0, 0.0, 8.0), middle)
    balls = [MovingBody(aw.Sphere(0.1, position=(x, 0.0, 0.0)), spin) for x in (0.05, -0.05)]
    path = found(*balls)
    for ball in balls:
        assert_sound(path, ball)


def test_a_far_horizon_is_not_looked_at_before_it_is_needed() -> None:
    # in a day something comes by the goal a hundred and seventy thousand times
    belt = Repeated(ConstantVelocity((0.0, 0.0, 1.0), pose=at((START + GOAL) / 2)), 0.5)
    path = found(MovingBody(aw.Sphere(0.02), belt, "ball"), within=86400.0)
    assert path.checks < 100_000


@pytest.mark.parametrize("start", [1.7e9, 1e15])
def test_a_late_clock_ends_the_search_in_time(start: float) -> None:
    fly = ConstantVelocity((0.0, 0.0, 3e3), pose=at((START + GOAL) / 2), at=start + 0.5)
    if start > 1e14:  # it tells no tenths of a second, so that nothing is certain
        with pytest.raises(PlanningError):
            found(MovingBody(BOX, fly), start=start, seconds=2.0)
    else:
        assert found(MovingBody(BOX, fly), start=start, seconds=2.0).check().free


def far(x: float) -> Array:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_a_body_that_stands_is_gone_round_as_one_that_was_given_as_standing() -> None:
    wall = aw.Box((0.04, 0.6, 0.9), name="wall")
    T = np.eye(4)
    T[:3, 3] = -0.45, 0.0, 0.45
    still = MovingBody(wall, ConstantVelocity((0.0, 0.0, 0.0), pose=T))
    path = found(still)
    assert aw.check(path.trajectory, ur5e(), [wall.moved(T)]).free


def test_parts_of_a_belt_that_come_again_and_again() -> None:
    middle = at((START + GOAL) / 2)
    middle[1, 3] -= 0.8
    belt = Repeated(ConstantVelocity((0.0, 0.8, 0.0), pose=middle), 2.0)
    part = MovingBody(aw.Box((0.2, 0.2, 0.3)), belt, "part")
    path = found(part, start=0.4)
    assert_sound(path, part, 0.4)


def swapped(**options: float) -> MotionsTogether:
    P, Q = (np.deg2rad([turn, -80.0, 110.0, -120.0, -90.0, 0.0]) for turn in (-50.0, 50.0))
    table = aw.Box((2.4, 1.6, 0.04), position=(-0.5, 0.0, -0.06), name="table")
    return find_together([ur5e(), opposite()], [table], [P, P], [Q, Q], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["one after the other", "all at once"])
def test_two_arms_change_sides(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if method == "all at once":
        monkeypatch.setattr(together, "ORDERS", 0)
    plan = swapped(margin=0.005)
    assert plan.method == method
    both = Checker([ur5e(), opposite()], plan.bodies)
    times = np.linspace(0.0, plan.duration, 3000)
    Q = np.hstack([trajectory.sample(times)[0] for trajectory in plan.trajectories])
    assert not both.contacts(Q).any()
    assert np.abs(np.diff(Q, axis=0)).max() < 0.05  # no jumps
    for verdict in plan.check():
        assert verdict.free
        assert verdict.proved
        assert verdict.distance.value > 0.005
    for arm, trajectory in zip(plan.arms, plan.trajectories, strict=True):
        used = trajectory.extremes()
        limits = aw.Limits.of(arm)
        assert (used.velocity <= limits.velocity * (1 + 1e-9)).all()
        assert (used.jerk <= limits.jerk * (1 + 1e-9)).all()
    # driven at once and straight they would meet
    straight = [
        aw.ptp(arm, t.sample(0.0)[0], t.sample(t.duration)[0], "full")
        for arm, t in zip(plan.arms, plan.trajectories, strict=True)
    ]
    Q = np.hstack([trajectory.sample(times)[0] for trajectory in straight])
    assert both.contacts(Q).any()


def test_two_arms_keep_clear_of_what_moves_until_the_last_has_arrived() -> None:
    left, right = (np.deg2rad([turn, -80.0, 110.0, -120.0, -90.0, 0.0]) for turn in (-50, 50))
    place = at((left + right) / 2)
    place[0, 3] = -0.5
    bar = MovingBody(
        aw.Box((0.1, 0.1, 0.4), name="bar"), ConstantVelocity((0, 0, -0.8), pose=place, at=2.4)
    )
    arms = [ur5e(), opposite()]
    both = find_together(
        arms, [], [left, left], [right, right], moving=[bar], start=2.0, margin=0.005
    )
    times = np.linspace(0.0, both.duration, 300)
    for k, arm in enumerate(arms):
        rows = both.trajectories[k].sample(times)[0]
        for time, q in zip(times, rows, strict=True):
            around = [*bar.at(2.0 + float(time)), *both.motions[1 - k].at(2.0 + float(time))]
            assert Checker(arm, around).distance(q, self_too=False).value > 0.005 - 1e-6
    assert all(both.check())
    alone = find_together(arms, [], [left, left], [right, right], margin=0.005)
    assert not all(
        aw.check(trajectory, arm, moving=[bar], start=2.0)
        for arm, trajectory in zip(arms, alone.trajectories, strict=True)
    )


def test_an_arm_that_has_arrived_is_not_run_over() -> None:
    left, right = (np.deg2rad([turn, -80.0, 110.0, -120.0, -90.0, 0.0]) for turn in (-50, 50))
    quick, slow = (aw.ptp(arm, left, right, "full") for arm in (ur5e(), opposite()))
    long = aw.ptp(opposite(), left, right, "full", duration=4.0)
    late = MovingBody(BOX, ConstantVelocity((0, 0, -1.0), pose=at(right), at=3.0))

    def verdicts(second: aw.Trajectory) -> tuple[bool, ...]:
        arms, none = (ur5e(), far_away()), (None, None)
        made = MotionsTogether(
            arms,
            (quick, second),
            "one after the other",
            (0, 1),
            0.0,
            aw.Bodies(),
            none,
            0.0,
            (late,),
        )
        return tuple(bool(one) for one in made.check())

    assert verdicts(slow) == (True, True)  # over before it comes
    assert verdicts(long) == (False, True)  # the first stands at its goal, and is hit there


def far_away() -> aw.Arm:
    base = np.eye(4)
    base[0, 3] = 9.0
    return aw.Arm.from_dh(ur5e().joints, "far", base)


def test_two_arms_are_drawn(tmp_path: Path) -> None:
    file = swapped().plot(tmp_path / "two.png", time=0.4)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_arms_that_cannot_be_planned_together_are_refused() -> None:
    with pytest.raises(DescriptionError, match="two or more serial arms"):
        find_together([ur5e()], [], [START], [GOAL])
    with pytest.raises(DescriptionError, match="one for each of 2 arms"):
        find_together([ur5e(), opposite()], [], [START], [GOAL, GOAL])
    arms, twice = [ur5e(), opposite()], [[START, START], [GOAL, GOAL]]
    for name in ("seconds", "start", "within"):
        with pytest.raises(DescriptionError, match=f"{name}: no time"):
            find_together(arms, [], *twice, **{name: "soon"})  # type: ignore[arg-type]
    ball = aw.Sphere(0.2, at(GOAL)[:3, 3], name="ball")
    with pytest.raises(PlanningError, match="ball"):
        find_together([ur5e(), opposite()], [ball], [START, START], [GOAL, GOAL], seconds=2.0)
