"""The tool's motion by our own walk, against the models and against differences."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.geometry import transform_from_pose
from armwerk.mechanics.tool_motion import tool_motion
from armwerk.robot import Arm


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "planar_rr", "cartesian"])
def test_poses_and_velocities_are_those_of_the_model(name: str) -> None:
    arm = aw.load_arm(name)
    model = aw.model(arm)
    random = np.random.default_rng(4)
    q, qd = random.uniform(-1.5, 1.5, (2, 50, arm.dof))
    found = tool_motion(arm, q, qd)
    assert np.abs(found.pose - model.fk(q)).max() < 1e-12
    twist = np.einsum("mij,mj->mi", model.jacobian(q), qd)
    assert np.abs(np.hstack([found.velocity, found.rotation]) - twist).max() < 1e-12
    for pose, angles in zip(found.pose, found.angles, strict=True):
        assert np.abs(transform_from_pose([*pose[:3, 3], *angles]) - pose).max() < 1e-9


def test_angles_do_not_jump_by_whole_turns_and_stand_upright() -> None:
    arm = Arm.from_dh([aw.Joint("revolute", a=0.3)], name="one")
    q = np.linspace(0.0, 4 * np.pi, 200)[:, None]
    angles = tool_motion(arm, q, np.ones_like(q)).angles
    assert angles[:, 0] == pytest.approx(q[:, 0], abs=1e-9)
    up = Arm.from_dh([aw.Joint("revolute", a=0.3, alpha=np.pi / 2)], name="up", tool=None)
    turned = tool_motion(up, q, np.ones_like(q))
    assert np.isfinite(turned.angles).all()
    assert turned.speed == pytest.approx(0.3)
    assert turned.rotation_speed == pytest.approx(1.0)
