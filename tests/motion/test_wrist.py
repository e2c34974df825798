"""A wrist that passes its singularity straight: point kept, orientation within its tolerance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from singular_paths import limit_use

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_z, separation
from armwerk.motion.limits import Limits

PLACES = {
    "kr6_r900": [0.2, -1.2, 1.4, 0.3, 0.0, 0.1],
    "irb140": [0.2, 0.3, -0.2, 0.4, 0.0, 0.1],
    "puma560": [0.3, 0.5, -0.6, 0.2, 0.0, 0.4],
}
TOLERANCE = 0.02  # [rad]


def line(name: str, beside: float) -> tuple[aw.SerialModel, Array, Array, Array]:
    """Return a model, joint values and both ends of a line past the stretched wrist."""
    model = aw.model(aw.load_arm(name))
    return model, *line_of(model, name, beside)


def line_of(model: aw.SerialModel, name: str, beside: float) -> tuple[Array, Array, Array]:
    """Return joint values at the start of a line past a place of an arm, and both its ends."""
    q = np.array(PLACES[name])
    q[4] = beside
    middle = model.fk(q)
    step = 0.06 * (middle[:3, 1] + 0.2 * middle[:3, 0])
    start, end = middle.copy(), middle.copy()
    start[:3, 3] -= step
    end[:3, 3] += step
    found = model.ik_nearest(start, q)
    assert found is not None
    return found, start, end


def assert_kept(model: aw.SerialModel, motion: aw.Trajectory, start: Array, end: Array) -> None:
    """Check point, orientation and limits by differences of joint values alone."""
    times = np.linspace(0.0, motion.duration, 20_001)
    q = motion.sample(times)[0]
    poses = model.fk(q)
    along = (end - start)[:3, 3] / np.linalg.norm((end - start)[:3, 3])
    off = poses[:, :3, 3] - start[:3, 3]
    assert np.abs(off - np.outer(off @ along, along)).max() < 1e-8
    assert max(separation(pose, start)[1] for pose in poses[::50]) < TOLERANCE
    assert np.abs(poses[-1] - end).max() < 1e-9
    limits, h = Limits.of(model.arm), times[1]
    assert (np.abs(np.diff(q, axis=0)) / h / limits.velocity).max() < 1.0 + 1e-6
    assert (np.abs(np.diff(q, 2, axis=0)) / h**2 / limits.acceleration).max() < 1.0 + 1e-4


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("beside", [1e-2, 1e-3, 1e-6, -1e-4])
def test_a_line_past_the_stretched_wrist(name: str, beside: float) -> None:
    model, q, start, end = line(name, beside)
    motion = aw.Path(start).lin(end).plan(model, q, wrist=TOLERANCE)
    assert_kept(model, motion, start, end)
    assert motion.duration < 0.9
    turned = np.abs(np.diff(motion.sample(np.linspace(0, motion.duration, 999))[0], axis=0))
    assert turned.sum(axis=0).max() < 0.5  # half a turn without it
    assert any("passes its singularity straight" in str(notice) for notice in motion.notices)


def calibrated(name: str, off: float) -> aw.SerialModel:
    """Return an arm whose rows were measured: its wrist's axes do not meet in one point."""
    arm = aw.load_arm(name)
    random = np.random.default_rng(3)
    rows = [
        replace(
            joint,
            a=float(joint.a) + off * random.normal(),
            d=float(joint.d) + off * random.normal(),
            alpha=float(joint.alpha) + off * random.normal(),
        )
        for joint in arm.joints
    ]
    return aw.model(aw.Arm(rows, name="calibrated", base=arm.base, tool=arm.tool), ik="numeric")


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("off", [1e-6, 1e-4])
def test_a_calibrated_arm_passes_where_no_turn_leads_on(name: str, off: float) -> None:
    """Right through the place a wrist that all but meets has a gap: its branch ends there."""
    model = calibrated(name, off)
    q, start, end = line_of(model, name, 0.0)
    motion = aw.Path(start).lin(end).plan(model, q, wrist=TOLERANCE)
    assert_kept(model, motion, start, end)
    assert motion.duration < 1.0
    assert limit_use(motion).max() <= 1.0 + 1e-6


@pytest.mark.parametrize("off", [1e-6, 1e-4])
def test_at_a_gap_the_tolerance_is_advised(off: float) -> None:
    model = calibrated("puma560", off)
    q, start, end = line_of(model, "puma560", 0.0)
    with pytest.raises(MotionError, match=r"a change of configuration.*wrist=0\.02 would do"):
        aw.Path(start).lin(end).plan(model, q)


def test_a_turn_about_a_stretched_wrist_is_left_as_it_is() -> None:
    """The arm does not pass the singularity, it runs within it, and rates there tell nothing."""
    model = aw.model(aw.load_arm("irb120"))
    q = np.deg2rad([0.0, -90.0, 0.0, -60.0, 0.0, -30.0])
    start = model.fk(q)
    turned = start.copy()
    turned[:3, :3] = rotation_z(np.deg2rad(-5.0)) @ start[:3, :3]
    path = aw.Path(start).turn(turned).turn(start)
    motion, exact = (path.plan(model, q, wrist=wrist) for wrist in (TOLERANCE, 0.0))
    assert limit_use(motion).max() <= 1.0 + 1e-6
    assert not any("passes its singularity straight" in str(notice) for notice in motion.notices)
    assert motion.duration < 1.001 * exact.duration
    poses = model.fk(motion.sample(np.linspace(0.0, motion.duration, 2001))[0])
    assert np.abs(poses[:, :3, 2] - start[:3, 2]).max() < 1e-9


def test_what_the_tolerance_does_not_allow_is_turned() -> None:
    model, q, start, end = line("kr6_r900", 1e-2)
    path = aw.Path(start).lin(end)
    strict, narrow = path.plan(model, q), path.plan(model, q, wrist=1e-4)
    assert narrow.duration == strict.duration > 1.2
    assert not any("straight" in str(notice) for notice in narrow.notices)


def test_there_and_back_round_a_blended_corner() -> None:
    model, q, start, end = line("irb140", 1e-3)
    aside = end.copy()
    aside[:3, 3] += 0.05 * start[:3, 2]
    path = aw.Path(start).lin(end, blend=0.01).lin(aside, blend=0.01).lin(start)
    motion = path.plan(model, q, wrist=TOLERANCE)
    poses = model.fk(motion.sample(np.linspace(0.0, motion.duration, 2000))[0])
    assert max(separation(pose, start)[1] for pose in poses) < TOLERANCE
    assert np.abs(poses[-1] - start).max() < 1e-9
    assert motion.duration < 0.7 * path.plan(model, q).duration


@pytest.mark.parametrize("wrist", [-0.1, 0.6, np.nan, "wide"])
def test_what_is_no_tolerance(wrist: float) -> None:
    model, q, start, end = line("irb140", 1e-3)
    with pytest.raises(aw.errors.MotionError, match=r"wrist must be an angle from 0 to 0\.5 rad"):
        aw.Path(start).lin(end).plan(model, q, wrist=wrist)
