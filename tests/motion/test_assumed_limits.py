"""Motions of arms whose description leaves rates open: assumed, said once, silenced, overridden."""

from __future__ import annotations

import warnings
from math import pi

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import AssumedLimitsWarning, MotionError, ShapeError
from armwerk.motion import Limits
from armwerk.motion.assumed import JERK, RAMP, SILENCING, SPEEDS

SPEED = 2.0  # [rad/s] of the first joint


def arm(name: str = "bare") -> aw.Arm:
    turning = aw.Joint("revolute", a=0.4, max_velocity=SPEED, limits=(-3.0, 3.0), name="turn")
    free = aw.Joint("revolute", a=0.3, limits=(-3.0, 3.0), name="free")
    return aw.Arm.from_dh([turning, free], name=name)


def test_what_is_missing_follows_from_the_speed_and_is_said() -> None:
    with pytest.warns(
        AssumedLimitsWarning, match=r"acceleration 8 rad/s² \(turn\), 12.6 rad"
    ) as told:
        limits = Limits.of(arm())
    assert len(told) == 1
    np.testing.assert_allclose(limits.velocity, [SPEED, SPEEDS["rad"]])
    np.testing.assert_allclose(limits.acceleration, RAMP * limits.velocity)
    np.testing.assert_allclose(limits.jerk, JERK * limits.acceleration)
    np.testing.assert_array_equal(limits.lowest, [-3.0, -3.0])
    assert "velocity 3.14 rad/s (free)" in limits.assumed


def test_it_is_said_once_for_an_arm_and_stands_in_every_trajectory() -> None:
    one = arm()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        first = aw.ptp(one, [0.0, 0.0], [1.0, 1.0])
        second = aw.ptp(one, [1.0, 1.0], [0.0, 1.0])
    assert [w.category for w in told] == [AssumedLimitsWarning]
    assert first.notices == second.notices
    assert "does not describe all limits" in first.notices[0].text
    both = first + second
    assert len([n for n in both.notices if n == first.notices[0]]) == 1
    assert both.notices == first.notices  # nothing said twice of the motion as a whole
    peaks = first.extremes()
    assert (peaks.acceleration <= first.limits.acceleration * (1 + 1e-9)).all()  # type: ignore[union-attr]


def test_paths_and_free_paths_assume_too() -> None:
    one = arm()
    with pytest.warns(AssumedLimitsWarning):
        path = aw.Path().ptp([0.5, 0.5]).plan(one, [0.0, 0.1])
    assert "assumed" in path.notices[0].text
    limits = Limits.of(one, velocity=1.0, acceleration=0.5, jerk=5.0)
    assert limits.assumed == ""
    found = aw.find_path(one, aw.Bodies(), [0.0, 0.1], [1.0, 1.0], limits=limits)
    assert found.trajectory.notices == ()
    assert found.trajectory.extremes().acceleration.max() <= 0.5 * (1 + 1e-9)
    assert found.trajectory.duration > 2.0  # the assumed rates would take less


def test_words_can_be_silenced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SILENCING, "no")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = aw.ptp(arm(), [0.0, 0.0], [1.0, 1.0])
    assert motion.notices == ()


def test_an_arm_that_says_everything_assumes_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in aw.library():
            loaded = aw.load(name)
            whole = isinstance(loaded, aw.Arm) and all(
                joint.max_velocity and joint.max_acceleration and joint.max_jerk
                for joint in loaded.moving
            )
            if whole:
                assert Limits.of(loaded).assumed == ""


def test_given_rates_take_the_place_of_described_ones() -> None:
    puma = Limits.of("puma560")
    ours = Limits.of("puma560", acceleration=1.5)
    np.testing.assert_array_equal(ours.velocity, puma.velocity)
    np.testing.assert_array_equal(ours.acceleration, np.full(6, 1.5))
    np.testing.assert_array_equal(ours.highest, puma.highest)
    rows = Limits.of("scara", velocity=[1.0, 1.0, 0.2, 1.0])
    assert rows.velocity[2] == 0.2
    with pytest.raises(MotionError, match=r"turn \[rad\] and joints that slide \[m\]; give 4 num"):
        Limits.of("scara", velocity=1.0)
    free = Limits.of("scara", jerk=np.inf)  # in any unit
    ends = np.zeros(4), np.full(4, 0.1)
    assert aw.ptp("scara", *ends, limits=free).duration < aw.ptp("scara", *ends).duration
    with pytest.raises(ShapeError, match="one number, or 6 numbers"):
        Limits.of("puma560", jerk=[1.0, 2.0])
    with pytest.raises(MotionError, match="must be finite and above 0, got -1"):
        Limits.of("puma560", jerk=-1.0)


def test_sliding_joints_are_assumed_in_metres() -> None:
    rail = aw.Arm.from_dh([aw.Joint("prismatic", alpha=pi / 2, name="rail")], name="rail")
    with pytest.warns(
        AssumedLimitsWarning, match=r"velocity 0.5 m/s; acceleration 2 m/s²; jerk 20 m"
    ):
        Limits.of(rail)
