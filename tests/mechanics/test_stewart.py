"""The Stewart platform both ways."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import armwerk
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.assembly.stewart import (
    condition,
    leg_jacobian,
    leg_lengths,
    platform_pose,
    start_pose,
)
from armwerk.robot.loops import Platform
from armwerk.robot.part import RotoTranslation
from armwerk.robot.parts import (
    Assembly,
    Body,
    LinearMotor,
    Passive,
    Segment,
    TerminationPoint,
    at,
    chain,
)

Array = NDArray[np.float64]

_BASE = np.radians([-12, 12, 108, 132, 228, 252])
_PLATE = np.radians([-48, 48, 72, 168, 192, 288])
FEET = 0.5 * np.stack([np.cos(_BASE), np.sin(_BASE), 0 * _BASE], axis=1)
ANCHORS = 0.3 * np.stack([np.cos(_PLATE), np.sin(_PLATE), 0 * _PLATE], axis=1)
HOME = np.eye(4)
HOME[2, 3] = 0.6


def poses(count: int, seed: int = 1) -> Array:
    """Return poses in the workspace: 8 cm and 20 degrees around home."""
    rng = np.random.default_rng(seed)
    result = np.tile(HOME, (count, 1, 1))
    result[:, :3, 3] += rng.uniform(-0.08, 0.08, (count, 3))
    turns = rng.uniform(-np.radians(20), np.radians(20), (count, 3))
    result[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix()
    return result


def test_leg_lengths_are_distances() -> None:
    some = poses(20)
    lengths = leg_lengths(FEET, ANCHORS, some)
    for pose, row in zip(some, lengths, strict=True):
        for foot, anchor, length in zip(FEET, ANCHORS, row, strict=True):
            end = pose @ [*anchor, 1.0]
            expected = sum((end[i] - foot[i]) ** 2 for i in range(3)) ** 0.5
            assert length == pytest.approx(expected, abs=1e-15)


def test_direct_problem_inverts_the_inverse_one() -> None:
    some = poses(1000)
    lengths = leg_lengths(FEET, ANCHORS, some)
    for start in (HOME, start_pose(FEET, ANCHORS, lengths)):
        result = platform_pose(FEET, ANCHORS, lengths, start)
        assert result.found.all()
        assert result.residual.max() < 1e-12
        assert np.abs(result.pose - some).max() < 1e-10
        assert result.steps.max() < 15
    rotation = result.pose[:, :3, :3]
    assert np.abs(rotation @ np.swapaxes(rotation, 1, 2) - np.eye(3)).max() < 1e-14


def test_one_alone_gives_the_same_as_one_among_many() -> None:
    lengths = leg_lengths(FEET, ANCHORS, poses(40))
    lengths[::7] *= 3.0  # some that cannot be reached
    together = platform_pose(FEET, ANCHORS, lengths, HOME).pose
    for k, row in enumerate(lengths):
        alone = platform_pose(FEET, ANCHORS, row[None], HOME).pose[0]
        assert np.allclose(alone, together[k], rtol=0, atol=1e-13, equal_nan=True)


def test_impossible_lengths_are_reported_not_guessed() -> None:
    lengths = np.array([[0.6, 0.6, 0.6, 0.6, 0.6, 3.0], [0.01] * 6, [0.62] * 6])
    result = platform_pose(FEET, ANCHORS, lengths, HOME)
    assert result.found.tolist() == [False, False, True]
    assert np.isnan(result.pose[:2]).all()
    assert (result.residual[:2] > 1e-3).all()


def test_below_is_the_mirror_image_of_above() -> None:
    lengths = np.full((1, 6), 0.65)
    above = platform_pose(FEET, ANCHORS, lengths, start_pose(FEET, ANCHORS, lengths, 1)).pose[0]
    below = platform_pose(FEET, ANCHORS, lengths, start_pose(FEET, ANCHORS, lengths, -1)).pose[0]
    assert np.allclose(above[:3, 3], -below[:3, 3], atol=1e-12)
    assert above[2, 3] > 0.5


def test_jacobian_against_differences() -> None:
    h = 1e-6
    for pose in poses(5, seed=3):
        jacobian = leg_jacobian(FEET, ANCHORS, pose)
        for k in range(6):
            twist = np.zeros(6)
            twist[k] = h
            moved = []
            for sign in (1, -1):
                near = pose.copy()
                near[:3, 3] += sign * twist[:3]
                near[:3, :3] = Rotation.from_rotvec(sign * twist[3:]).as_matrix() @ pose[:3, :3]
                moved.append(leg_lengths(FEET, ANCHORS, near))
            assert np.allclose((moved[0] - moved[1]) / (2 * h), jacobian[:, k], atol=1e-9)


def test_condition_warns_of_singular_poses() -> None:
    assert condition(FEET, ANCHORS, HOME) < 20
    # turned by a quarter about its axis a symmetric platform loses its stiffness about z
    quarter = HOME.copy()
    quarter[:3, :3] = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    assert condition(FEET, ANCHORS, quarter) > 1e6
    scaled = HOME.copy()
    scaled[2, 3] *= 1000
    assert condition(1000 * FEET, 1000 * ANCHORS, scaled) == pytest.approx(
        float(condition(FEET, ANCHORS, HOME))
    )


def test_the_library_platform_both_ways() -> None:
    model = AssemblyModel(armwerk.load("stewart"))
    some = poses(200)
    some[:, :3, 3] += 0.05 * some[:, :3, 2]  # the hand stands on a post of 5 cm
    legs, counts = model.ik_batch(some)
    assert (counts == 1).all()
    assert np.abs(legs[:, 0] - leg_lengths(FEET, ANCHORS, poses(200))).max() < 1e-12
    assert np.abs(model.fk(legs[:, 0]) - some).max() < 1e-10
    assert model.loop_gap(legs[:, 0]).max() < 1e-9
    inside = model.ik_nearest(model.fk(model.middle), model.middle)
    assert inside is not None
    assert np.abs(inside - model.middle).max() < 1e-12
    far = np.eye(4)
    far[2, 3] = 1.5
    assert model.ik(far).shape == (1, 6)
    assert model.ik_nearest(far, model.middle) is None


def test_the_nearer_pose_is_taken() -> None:
    model = AssemblyModel(armwerk.load("stewart"))
    before = model.state(model.middle)
    path = model.middle + 0.1 * np.linspace(0, 1, 20)[:, None] * [1, -1, 1, -1, 1, -1]
    for q in path:
        state = model.state(q, near=before)
        assert bool(state.closed)
        step = state.frames["plate"] - before.frames["plate"]
        assert np.abs(step).max() < 0.1
        before = state


def platform(**more: object) -> AssemblyModel:
    """Return a platform whose legs are a bar of 0.35 m and a linear motor."""
    legs = [
        chain(
            at(Passive(f"foot{k}"), *foot, b=np.pi / 2),
            Segment(f"bar{k}", 0.35),
            LinearMotor(f"leg{k}", limits=(0.1, 0.6)),
            TerminationPoint(f"end{k}"),
        )
        for k, foot in enumerate(FEET.tolist())
    ]
    ends = tuple((f"end{k}", tuple(anchor)) for k, anchor in enumerate(ANCHORS.tolist()))
    plate = Platform("plate", ends, **more)  # type: ignore[arg-type]
    return AssemblyModel(Assembly("platform", Body(tails=legs), [plate], tip="plate"))


def test_the_start_pose_of_a_platform_decides_where_it_is_looked_for() -> None:
    above = platform()
    q = above.ik(HOME)[0]
    assert above.fk(q)[2, 3] == pytest.approx(0.6)
    for below in (platform(start=RotoTranslation(z=-0.5)), platform(branch=-1)):
        assert below.fk(q)[2, 3] == pytest.approx(-0.6)


def test_a_leg_cannot_be_shorter_than_its_rigid_part() -> None:
    model = platform()
    near = np.eye(4)
    near[2, 3] = 0.2
    assert leg_lengths(FEET, ANCHORS, near).min() > 0.35
    assert model.ik(near).shape == (1, 6)
    near[2, 3] = 0.02
    assert leg_lengths(FEET, ANCHORS, near).max() < 0.35
    assert model.ik(near).shape == (0, 6)
