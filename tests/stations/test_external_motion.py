"""External axes along a track, and tracks on work pieces that move: all derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from station_cases import round_seam, station

import armwerk as aw
from armwerk.arrays import Array
from armwerk.geometry import relative
from armwerk.motion.path.blend_tracks import blend_tracks
from armwerk.motion.path.grouping import segment_groups
from armwerk.motion.path.track import Track
from armwerk.stations.external_motion import EvenMotion, spline_motion
from armwerk.stations.moving_track import Carriers, ExternalMotion, MovingTrack, moving_track

PLACES = np.array([0.0, 0.3, 0.4, 1.0])
VALUES = np.array([[0.0, 1.0], [0.6, 1.0], [-0.2, 1.0], [0.1, 2.0]])


def derivatives_agree(rows: Array, step: float, size: float) -> None:
    """Compare each derivative with central differences of the one before."""
    for order in range(3):
        change = (rows[2:, order] - rows[:-2, order]) / (2 * step)
        largest = max(float(np.abs(rows[:, order + 1]).max()), size)
        assert np.abs(change - rows[1:-1, order + 1]).max() < 1e-3 * largest, order


@pytest.mark.parametrize(
    "motion",
    [EvenMotion(PLACES, VALUES), spline_motion(np.linspace(0, 1, 12), np.sin(np.c_[0:12]))],
)
def test_derivatives_are_derivatives(motion: ExternalMotion) -> None:
    s = np.linspace(0.0, 1.0, 20001)
    derivatives_agree(motion.evaluate(s), float(s[1]), 1e-3)


def test_even_motion_keeps_its_ends_and_its_rates() -> None:
    motion = EvenMotion(PLACES, VALUES)
    rows = motion.evaluate(np.array([0.0, 0.1, 1.0]))
    np.testing.assert_allclose(rows[0, 0], VALUES[0], atol=1e-15)
    np.testing.assert_allclose(rows[1, 0], [0.2, 1.0], atol=1e-15)  # far from the next goal
    np.testing.assert_allclose(rows[2, 0], VALUES[-1], atol=1e-14)
    np.testing.assert_allclose(rows[1, 1], [2.0, 0.0], atol=1e-14)
    still = EvenMotion(np.zeros(1), VALUES[:1])
    assert not still.evaluate(PLACES)[:, 1:].any()
    assert not len(still.breaks)


def test_a_sampled_axis_that_stands_stands() -> None:
    rows = spline_motion(np.linspace(0, 1, 9), np.full((9, 1), 0.1)).evaluate(np.linspace(0, 1, 99))
    assert (rows[:, 0] == 0.1).all()
    assert not rows[:, 1:].any()


def a_track(path: aw.Path) -> Track:
    (group,) = segment_groups(station("rail_station").chain, path, None)
    ((track, _),) = blend_tracks(group.built, np.inf)[0]
    return track


def test_a_moving_track_is_the_pose_that_the_arm_sees() -> None:
    model = station("rail_station")
    track = a_track(round_seam(2.0, lean=0.6))
    places = np.linspace(0.0, track.length, 8)
    draw = np.random.default_rng(0)
    motion = spline_motion(places, draw.uniform(-1, 1, (8, 3)))
    assert model.table is not None
    assert model.carrier is not None
    carriers = Carriers(model.table.chain, model.carrier.chain)
    moving = moving_track(track, carriers, motion)
    assert isinstance(moving, MovingTrack)
    s = np.linspace(0.1, track.length - 0.1, 4001)
    poses, twists = moving.evaluate(s)
    for k in (0, 2000, 4000):
        external = motion.evaluate(s[k : k + 1])[0, 0]
        seen = np.eye(4)
        seen[:3] = track.evaluate(s[k : k + 1])[0][0]
        world = model.world(np.concatenate([external, np.zeros(6)]))
        np.testing.assert_allclose(
            poses[k], (relative(world.mount, world.piece) @ seen)[:3], atol=1e-12
        )
    step = float(s[1] - s[0])
    turn = (poses[2:, :, :3] - poses[:-2, :, :3]) / (2 * step) @ poses[1:-1, :, :3].swapaxes(1, 2)
    spin = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
    rows = np.zeros((len(s), 4, 6))
    rows[:, 0, :3], rows[:, 1:] = poses[:, :, 3], twists
    derivatives_agree(rows[:, :, :3], step, 1e-3)
    assert np.abs(spin - twists[1:-1, 0, 3:]).max() < 1e-4 * np.abs(twists[:, 0, 3:]).max()
    spins = twists[:, :, 3:]
    for order in range(2):
        change = (spins[2:, order] - spins[:-2, order]) / (2 * step)
        assert np.abs(change - spins[1:-1, order + 1]).max() < 1e-3 * np.abs(spins).max()
