"""Point to point: the reference problems, random ones, wished durations, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from problems import faults, planned, problem, worst_faults

import armwerk as aw
from armwerk.errors import MotionError, ShapeError, UnknownNameError, UnsupportedError
from armwerk.motion import Limits
from armwerk.motion.laws.families import axis_of
from armwerk.motion.options import PROFILES, SYNCS, Profile, Sync

DATA = json.loads((Path(__file__).parents[1] / "data" / "ptp_reference.json").read_text())
LIMITS = Limits(*(DATA["limits"][name] for name in ("vmax", "amax", "jmax")))
CASES: list[dict[str, Any]] = DATA["cases"]
PUMA = aw.load("puma560")
Q0, Q1 = np.zeros(6), np.array([1.2, -0.5, 0.4, 0.3, -0.6, 0.2])


def answer(case: dict[str, Any], sync: Sync, profile: Profile = "trapezoid") -> aw.Trajectory:
    q0, q1, v0, v1 = (case[key] for key in ("q0", "q1", "v0", "v1"))
    return aw.ptp(None, q0, q1, sync, profile, v0, v1, limits=LIMITS)


def test_synchronous_durations_are_the_best_known() -> None:
    assert sum(case["kind"] == "blocked" for case in CASES) == 15
    for case in CASES:
        assert answer(case, "sync").duration == pytest.approx(case["Time"], rel=1e-9), case["id"]


def test_asynchronous_axes_take_their_own_minimum() -> None:
    for case in CASES:
        motion = answer(case, "async")
        assert motion.duration == pytest.approx(case["No"], rel=1e-9), case["id"]
        assert motion.arrivals == pytest.approx(case["each"], rel=1e-9)
        for axis, time in enumerate(case["each"]):
            q, qd, qdd = motion.sample(time)
            assert [q[axis], qd[axis], qdd[axis]] == pytest.approx(
                [case["q1"][axis], case["v1"][axis], 0.0], abs=1e-9
            )


def test_fully_synchronous_motions_stay_on_the_straight_line() -> None:
    straight = [case for case in CASES if case["full"] is not None]
    assert len(straight) > 50
    for case in straight:
        motion = answer(case, "full")
        assert motion.duration == pytest.approx(case["full"], rel=1e-9), case["id"]
        q = motion.sample(np.linspace(0.0, motion.duration, 50))[0]
        q0, way = np.array(case["q0"]), np.subtract(case["q1"], case["q0"])
        fraction = (q - q0) @ way / (way @ way)
        assert np.abs(q - q0 - fraction[:, None] * way).max() < 1e-12


def test_velocities_off_the_line_are_refused_with_the_axis() -> None:
    case = next(case for case in CASES if case["full"] is None)
    with pytest.raises(MotionError, match=r"joint 'q\d': v[01] = .* leaves the straight line"):
        answer(case, "full")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_random_problems_end_where_asked_within_limits(sync: Sync, profile: Profile) -> None:
    for first in range(0, 350, 50):
        given = [problem(seed) for seed in range(first, first + 50)]
        missed, exceeded = worst_faults(given, sync, profile)
        assert missed < 1e-9, (first, sync, profile)
        assert exceeded < 1e-9, (first, sync, profile)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(100))
def test_a_hundred_thousand_random_problems(block: int) -> None:
    for first in range(1000 * block, 1000 * (block + 1), 50):
        given = [problem(seed) for seed in range(first, first + 50)]
        for sync in SYNCS:
            for profile in PROFILES:
                missed, exceeded = worst_faults(given, sync, profile)
                assert missed < 1e-9, (first, sync, profile)
                assert exceeded < 1e-9, (first, sync, profile)


def test_other_profiles_take_longer_and_synchronisation_costs_time() -> None:
    for seed in range(140):
        given = problem(seed)
        quick = {s: planned(given, s, "trapezoid").duration for s in SYNCS}
        assert quick["async"] <= quick["sync"] * (1 + 1e-9)
        for profile in ("sine", "quintic"):
            for sync in SYNCS:
                slower = planned(given, sync, profile).duration
                assert slower >= quick[sync] * (1 - 1e-9), (seed, sync, profile)


def test_ruckig_is_mended_where_it_misses_its_end() -> None:
    """Some problems make ruckig end up to 1e-8 off; by its own evaluation, not ours."""
    from ruckig import InputParameter, Ruckig, Trajectory

    worst = 0.0
    for seed in range(600):
        given = problem(seed)
        n = len(given.q0)
        asked, found = InputParameter(n), Trajectory(n)
        asked.max_velocity = given.limits.velocity.tolist()
        asked.max_acceleration = given.limits.acceleration.tolist()
        asked.max_jerk = given.limits.jerk.tolist()
        asked.current_position, asked.target_position = given.q0.tolist(), given.q1.tolist()
        asked.current_velocity, asked.target_velocity = given.v0.tolist(), given.v1.tolist()
        Ruckig(n).calculate(asked, found)
        rows = found.profiles[0]
        miss = max(abs(row.p[-1] - goal) for row, goal in zip(rows, given.q1, strict=True))
        worst = max(worst, miss)
        if miss > 1e-10:
            assert faults(given, "sync", "trapezoid")[0] < 1e-10
    assert worst > 1e-10


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_a_wished_duration_is_kept_exactly(sync: Sync, profile: Profile) -> None:
    minimum = aw.ptp(PUMA, Q0, Q1, sync, profile).duration
    motion = aw.ptp(PUMA, Q0, Q1, sync, profile, duration=1.7 * minimum)
    assert motion.duration == pytest.approx(1.7 * minimum, rel=1e-12)
    q, qd, qdd = motion.sample(motion.duration)
    assert np.abs(q - Q1).max() < 1e-9
    assert np.abs(qd).max() < 1e-9
    assert np.abs(qdd).max() < 1e-9
    found = motion.extremes()
    limits = Limits.of(PUMA)
    assert (found.velocity <= limits.velocity * (1 + 1e-9)).all()
    assert (found.jerk <= limits.jerk * (1 + 1e-9)).all()
    with pytest.raises(MotionError, match=r"too short; the shortest possible is \d"):
        aw.ptp(PUMA, Q0, Q1, sync, profile, duration=0.9 * minimum)
    shortest = aw.ptp(PUMA, Q0, Q1, sync, profile, duration=minimum)
    assert shortest.duration == pytest.approx(minimum, rel=1e-9)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_wished_duration_in_a_gap_is_refused_with_the_axis(profile: Profile) -> None:
    limits = Limits([2.0, 2.0], [4.0, 4.0], [40.0, 40.0])
    start, goal, speeds = [0.0, 0.0], [0.3, 0.001], [1.5, 0.0]

    def plan(duration: float | None) -> aw.Trajectory:
        return aw.ptp(
            None, start, goal, "sync", profile, speeds, speeds, duration=duration, limits=limits
        )

    minimum = plan(None).duration
    axis = axis_of(profile, 0.3, 1.5, 1.5, 2.0, 4.0, 40.0)
    times = minimum * np.linspace(1.02, 3.0, 30)
    blocked = [time for time in times if axis.next_duration(time) > time]
    assert blocked
    for time in blocked[:: len(blocked) // 3 or 1]:
        with pytest.raises(MotionError, match=r"cannot take .* or \d") as caught:
            plan(time)
        assert caught.value.axis == "joint 'q1'"
    following = axis.next_duration(blocked[0])
    assert plan(following).sample(following)[0] == pytest.approx(goal, abs=1e-9)


def test_overrides_scale_the_limits() -> None:
    slow = aw.ptp(PUMA, Q0, 2 * Q1 / 3, speed=0.3)
    limits = Limits.of(PUMA)
    assert slow.extremes().velocity.max() / limits.velocity[0] == pytest.approx(0.3, rel=1e-9)
    soft = aw.ptp(PUMA, Q0, Q1, acceleration=0.25).extremes()
    assert (soft.acceleration <= 0.25 * limits.acceleration * (1 + 1e-9)).all()
    assert (soft.jerk <= 0.25 * limits.jerk * (1 + 1e-9)).all()
    assert soft.jerk[0] == pytest.approx(0.25 * limits.jerk[0])
    for wrong in (0.0, 1.1, np.nan):
        with pytest.raises(MotionError, match="above 0 and at most 1"):
            aw.ptp(PUMA, Q0, Q1, speed=wrong)


def test_arm_name_arm_and_model_are_the_same() -> None:
    motions = [aw.ptp(which, Q0, Q1) for which in ("puma560", PUMA, aw.model(PUMA))]
    assert len({motion.duration for motion in motions}) == 1
    assert aw.ptp("puma560", Q0, Q1, "synchronous").duration == motions[0].duration


def test_defaults_come_from_the_description() -> None:
    from dataclasses import replace

    settings = replace(PUMA.motion, joint_motion="fully synchronous", profile="quintic")
    arm = replace(PUMA, motion=settings)
    assert aw.ptp(arm, Q0, Q1).duration == aw.ptp(PUMA, Q0, Q1, "full", "quintic").duration


def test_nothing_to_do_takes_no_time() -> None:
    for sync in SYNCS:
        for profile in PROFILES:
            still = aw.ptp(PUMA, Q1, Q1, sync, profile)
            assert still.duration == 0.0
            assert np.array_equal(still.sample(0.0)[0], Q1)
            assert aw.ptp(PUMA, Q1, Q1, sync, profile, duration=1.0).duration == pytest.approx(1.0)


def test_an_asynchronous_axis_that_cannot_wait_says_so() -> None:
    limits = Limits([1.0, 1.0], [5.0, 5.0], [50.0, 50.0])
    motion = aw.ptp(None, [0.0, 0.0], [2.0, 0.5], "async", v1=[0.0, 0.4], limits=limits)
    assert motion.arrivals is not None
    early = motion.arrivals[1]
    assert early < motion.duration
    q, qd, _ = motion.sample(early)
    assert [q[1], qd[1]] == pytest.approx([0.5, 0.4], abs=1e-9)
    beyond = 0.5 + 0.4 * (motion.duration - early)
    assert motion.sample(motion.duration)[0][1] == pytest.approx(beyond)
    (notice,) = motion.notices
    assert notice.axis == "joint 'q2'"
    assert "beyond it at the end" in notice.text
    together = aw.ptp(None, [0.0, 0.0], [2.0, 0.5], "sync", v1=[0.0, 0.4], limits=limits)
    assert together.notices == ()
    assert together.sample(together.duration)[0] == pytest.approx([2.0, 0.5], abs=1e-9)


def test_threads_do_not_disturb_each_other() -> None:
    goals = np.random.default_rng(5).uniform(-0.7, 0.7, (40, 6))
    expected = [aw.ptp(PUMA, Q0, goal).duration for goal in goals]
    found: dict[int, list[float]] = {}

    def work(which: int) -> None:
        found[which] = [aw.ptp(PUMA, Q0, goal).duration for goal in goals]

    threads = [Thread(target=work, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(times == expected for times in found.values())


def test_earlier_motions_keep_their_shape() -> None:
    """The planner is used again before the first motion is read out."""
    first = aw.ptp(PUMA, Q0, Q1)
    aw.ptp(PUMA, Q1, Q0, v0=np.full(6, 0.1))
    assert first.sample(first.duration)[0] == pytest.approx(Q1, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"q1": [9.0, 0, 0, 0, 0, 0]}, MotionError, r"joint 'waist': q1 = 9 is beyond its stops"),
        ({"q0": [0, 0, 0, 0, 0]}, ShapeError, r"q0 must be numbers of shape \(6,\)"),
        ({"q1": [0, np.nan, 0, 0, 0, 0]}, ShapeError, r"q1 must be finite, got nan for joint 'sho"),
        ({"q1": "here"}, ShapeError, "q1 must be numbers"),
        ({"v0": [0, 9.0, 0, 0, 0, 0]}, MotionError, r"joint 'shoulder': v0 = 9 rad/s is beyond"),
        ({"v1": [0, np.inf, 0, 0, 0, 0]}, ShapeError, "v1 must be finite"),
        ({"sync": "both"}, UnknownNameError, "async, full, sync"),
        ({"profile": "cosine"}, UnknownNameError, "quintic, sine, trapezoid"),
        ({"duration": np.nan}, MotionError, "duration must be finite"),
        ({"duration": "soon"}, MotionError, "duration must be finite"),
        ({"speed": [1.0]}, MotionError, "speed must be above 0"),
        ({"acceleration": None}, MotionError, "acceleration must be above 0"),
        ({"limits": "fast"}, MotionError, "limits must be"),
        ({"sync": ["sync"]}, UnknownNameError, "async, full, sync"),
        ({"profile": ["sine"]}, UnknownNameError, "quintic, sine, trapezoid"),
        ({"q0": [2.79, 0, 0, 0, 0, 0], "v0": [1.4, 0, 0, 0, 0, 0]}, MotionError, "waist.*its stop"),
    ],
)
def test_bad_input_names_axis_and_numbers(change: dict[str, Any], kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        aw.ptp(PUMA, **{"q0": Q0, "q1": Q1, **change})


def test_what_is_no_arm_is_refused() -> None:
    things: tuple[Any, ...] = (None, 5)
    for thing in things:
        with pytest.raises(UnsupportedError, match="an arm or its model"):
            aw.ptp(thing, Q0, Q1)


def test_limits_are_checked() -> None:
    joints = [aw.Joint("revolute", a=1.0, max_velocity=1.0, max_acceleration=2.0, name="hip")]
    arm = aw.Arm.from_dh(joints, name="one")
    assert aw.ptp(arm, [0.0], [1.0], limits=Limits([1.0], [2.0], [9.0])).duration > 1.0
    with pytest.raises(MotionError, match="velocity must be finite and above 0, got 0 rad/s"):
        Limits([0.0], [1.0], [1.0])
    for slip in (1e-300, 1e300):
        with pytest.raises(MotionError, match=r"acceleration must be from 1e-09 to 1e\+20"):
            Limits([1.0], [slip], [1.0])
    with pytest.raises(ShapeError, match="jerk must have 1 values"):
        Limits([1.0], [1.0], [1.0, 2.0])


def test_without_a_limit_of_jerk_the_acceleration_jumps() -> None:
    """One metre at 2 m/s and 5 m/s²: 2/5 s up and down again, the rest at full speed."""
    limits = Limits([2.0], [5.0], [np.inf])
    motion = aw.ptp(None, [0.0], [1.0], limits=limits)
    assert motion.duration == pytest.approx(1 / 2 + 2 / 5, abs=2e-5)
    assert np.abs(motion.sampled(0.001)[3]).max() == pytest.approx(5.0)


def test_limits_that_leave_no_room_are_refused() -> None:
    with pytest.raises(MotionError, match="lowest position 1 rad is above the highest, -1"):
        Limits([1.0], [1.0], [1.0], lowest=[1.0], highest=[-1.0])
