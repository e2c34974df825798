"""Joints to spare, used by weights: away from singularities and bodies, the tool on its line."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.motion import SpareJoints
from armwerk.motion.limits import Limits

WAY = np.array([0.0, 0.12, -0.1])  # [m]


def drawn(name: str) -> tuple[aw.SerialModel, Array]:
    model = aw.model(aw.load_arm(name))
    low, high = np.clip(model.limits.T, -2.5, 2.5)
    return model, low + (high - low) * np.random.default_rng(2).uniform(0.3, 0.7, model.dof)


def driven(
    model: aw.SerialModel,
    q: Array,
    spare: SpareJoints | None,
    bodies: aw.Bodies | None = None,
) -> Array:
    """Return joint values along a line, after looking at the tool and the limits from outside."""
    start = model.fk(q)
    motion = (
        aw.Path(start, speed=0.2).lin(start[:3, 3] + WAY).plan(model, q, spare=spare, bodies=bodies)
    )
    times = np.linspace(0.0, motion.duration, 4001)
    rows = motion.sample(times)[0]
    poses = model.fk(rows)
    along = WAY / np.linalg.norm(WAY)
    off = poses[:, :3, 3] - start[:3, 3]
    assert np.abs(off - np.outer(off @ along, along)).max() < 1e-8
    assert np.abs(poses[:, :3, :3] - start[:3, :3]).max() < 1e-8
    limits = Limits.of(model.arm)
    assert (np.abs(np.diff(rows, axis=0)) / times[1] / limits.velocity).max() < 1.0 + 1e-6
    assert model.arm.keeps_limits(rows).all()
    return rows


def test_the_arm_gains_manipulability() -> None:
    model, q = drawn("panda")
    plain, better = (
        model.manipulability(driven(model, q, spare)[-1])
        for spare in (None, SpareJoints(singular=1.0))
    )
    assert better > 1.3 * plain


@pytest.mark.parametrize("weight", [1.0, 5.0])
def test_the_arm_goes_out_of_the_way(weight: float) -> None:
    model, q = drawn("iiwa7")
    elbow = np.asarray(model.frames(q))[4][:3, 3]
    box = aw.Bodies([aw.Box((0.1, 0.1, 0.1), elbow + np.array([0.0, 0.22, 0.0]), name="box")])
    with pytest.raises(aw.errors.MotionError, match="touches 'box'"):
        driven(model, q, None, box)
    rows = driven(model, q, SpareJoints(bodies=weight), box)
    assert box.clearances(model.arm, rows[::40]).min() > 0.05


def test_clearances_are_those_of_a_checker() -> None:
    model, q = drawn("iiwa7")
    bodies = aw.Bodies([aw.Sphere(0.1, (0.5, 0.3, 0.4), name="ball")])
    rows = np.array([q, 0.5 * q, 0.0 * q])
    checker = Checker(model.arm, bodies, self_check=False)
    assert np.array_equal(bodies.clearances(model.arm, rows), checker.distances(rows))


def test_rows_of_another_arm_are_refused() -> None:
    bodies = aw.Bodies([aw.Sphere(0.1, (0.5, 0.3, 0.4), name="ball")])
    with pytest.raises(aw.errors.ShapeError, match="rows"):
        bodies.clearances(aw.load_arm("iiwa7"), np.zeros((2, 3)))


def test_what_are_no_wishes() -> None:
    model, q = drawn("gen3")
    path = aw.Path(model.fk(q)).lin(model.fk(q)[:3, 3] + WAY)
    with pytest.raises(aw.errors.MotionError, match=r"spare must be SpareJoints\(…\), got 'much'"):
        path.plan(model, q, spare="much")  # type: ignore[arg-type]


def test_weights_of_nothing_change_nothing() -> None:
    model, q = drawn("gen3")
    assert np.array_equal(driven(model, q, None), driven(model, q, SpareJoints()))
    six = aw.model("ur5e")
    start = np.array([0.1, -1.2, 1.4, -0.5, 0.7, 0.2])
    path = aw.Path(six.fk(start)).lin(six.fk(start)[:3, 3] + 0.3 * WAY)
    spare = SpareJoints(singular=3.0)
    assert path.plan(six, start).duration == path.plan(six, start, spare=spare).duration


@pytest.mark.parametrize("value", [-1.0, 1001.0, np.inf, np.nan, "much"])
def test_what_is_no_weight(value: float) -> None:
    with pytest.raises(aw.errors.MotionError, match="singular of joints to spare must be a number"):
        SpareJoints(singular=value)
