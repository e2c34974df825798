"""Joint values at a limit that were kept in single precision are taken for the limit."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import ArmwerkError, PlanningError
from armwerk.robot.single_precision import at_limits

ARMS = ["irb120", "lrmate200id", "puma560", "scara"]


def test_only_rounding_is_taken_back() -> None:
    limits = np.array([[-2.0, 3.0], [-np.inf, np.inf], [0.0, 0.52], [-np.inf, 1.0]])
    low, high = limits.T
    assert np.array_equal(at_limits(low - 1e-7 * np.abs(low), limits), low)
    assert np.array_equal(at_limits(high + 1e-7 * high, limits), high)
    inside = np.array([3.0 + 1e-10, 7.0, 0.1, -5.0])
    assert np.array_equal(at_limits(inside, limits), inside)
    beyond = np.array([3.0 + 1e-6, np.inf, -1e-12, 1.0 + 1e-6])
    assert np.array_equal(at_limits(beyond, limits), beyond)
    assert np.isnan(at_limits(np.full(4, np.nan), limits)).all()


def test_limits_in_single_precision_are_limits() -> None:
    for name in aw.library():
        arm = aw.load(name)
        low, high = arm.limits.T
        for end in (low, high):
            row = at_limits(end.astype(np.float32).astype(float), arm.limits)
            assert ((row >= low - 1e-9) & (row <= high + 1e-9)).all()
            assert np.allclose(row, end, rtol=1e-7, atol=0.0)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("end", [0, 1])
def test_motions_to_limits_in_single_precision_keep_within(name: str, end: int) -> None:
    model = aw.model(name)
    limits = model.arm.limits
    q = limits[:, end]
    given = q.astype(np.float32)
    outwards = np.nextafter(given, np.float32([-np.inf, np.inf][end]))
    given = np.where((given > q) if end else (given < q), given, outwards)
    assert ((given < limits[:, 0]) | (given > limits[:, 1])).all()
    rest = limits.mean(axis=1)
    there = aw.ptp(model, rest, given)
    back = aw.ptp(model, given, rest)
    along = aw.Path(model.fk(q)).ptp(rest).plan(model, given)
    onto = aw.Path(model.fk(rest)).ptp(given).plan(model, rest)
    for motion in (there, back, along, onto):
        row = motion.sampled(0.02)[1]
        assert (row >= limits[:, 0] - 1e-9).all()
        assert (row <= limits[:, 1] + 1e-9).all()
    assert np.abs(there.sample(there.duration)[0] - q).max() < 1e-9
    with suppress(PlanningError):  # some touch themselves there
        aw.find_path(model, [], given, given)
    aw.check(there, model)


@pytest.mark.parametrize("name", ARMS)
def test_what_is_further_beyond_is_refused(name: str) -> None:
    model = aw.model(name)
    q = model.arm.limits[:, 1] + 1e-5
    rest = model.arm.limits.mean(axis=1)
    with pytest.raises(ArmwerkError, match="beyond its stops"):
        aw.ptp(model, rest, q)
    with pytest.raises(ArmwerkError, match="beyond its limits"):
        aw.find_path(model, [], rest, q)
    with pytest.raises(ArmwerkError, match="out of the range"):
        aw.Path(model.fk(rest)).ptp(q).plan(model, rest)
    with pytest.raises(ArmwerkError, match="out of the joint's range"):
        aw.Path(model.fk(q)).ptp(rest).plan(model, q)
