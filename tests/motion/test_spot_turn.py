"""A path that starts with the wrist exactly stretched: the wrist turns first, the tool stands."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.geometry import separation
from armwerk.motion.limits import Limits

STRETCHED = {
    "kr6_r900": [0.2, -1.2, 1.4, 0.3, 0.0, 0.1],
    "irb140": [0.2, 0.3, -0.2, 0.4, 0.0, 0.1],
    "irb120": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("name", STRETCHED)
@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 1, 0), (0, 0, -1), (0.6, 0.7, -0.3)])
def test_a_line_from_a_stretched_wrist(name: str, direction: tuple[float, ...]) -> None:
    model, q = aw.model(aw.load_arm(name)), np.array(STRETCHED[name])
    start = model.fk(q)
    way = -0.06 * np.array(direction)
    motion = aw.Path(start, speed=0.2).lin(start[:3, 3] + way).plan(model, q)
    times = np.linspace(0.0, motion.duration, 8001)
    rows = motion.sample(times)[0]
    poses = model.fk(rows)
    assert np.abs(rows[0] - q).max() < 1e-9
    along = way / np.linalg.norm(way)
    off = poses[:, :3, 3] - start[:3, 3]
    assert np.abs(off - np.outer(off @ along, along)).max() < 1e-7
    assert separation(poses, np.broadcast_to(start, poses.shape))[1].max() < 1e-7
    assert np.abs(off[-1] - way).max() < 1e-9
    limits, h = Limits.of(model.arm), times[1]
    assert (np.abs(np.diff(rows, axis=0)) / h / limits.velocity).max() < 1.0 + 1e-6
    assert (np.abs(np.diff(rows, 2, axis=0)) / h**2 / limits.acceleration).max() < 1.0 + 1e-3
    turned = [notice for notice in motion.notices if "while the tool stands" in str(notice)]
    for notice in turned:
        assert notice.span is not None
        standing = times <= notice.span[1]
        assert np.abs(off[standing]).max() < 1e-7


def test_the_turn_is_told_and_goes_the_short_way() -> None:
    model, q = aw.model("irb140"), np.array(STRETCHED["irb140"])
    start = model.fk(q)
    motion = aw.Path(start).lin(start[:3, 3] + np.array([0.0, 0.08, 0.0])).plan(model, q)
    assert "turned by" in str(motion.notices[0])
    moved = np.abs(np.diff(motion.sample(np.linspace(0.0, motion.duration, 500))[0], axis=0))
    assert moved.sum(axis=0).max() < 2.0


def test_what_cannot_stand_is_refused() -> None:
    model, q = aw.model("ur5e"), np.array([0.1, -1.2, 1.4, -0.5, 0.0, 0.2])
    start = model.fk(q)
    with pytest.raises(aw.errors.MotionError, match="a change of configuration is forced"):
        aw.Path(start).lin(start[:3, 3] + np.array([0.0, 0.08, 0.0])).plan(model, q)
