"""The longest line from the first axis to the last: no configuration stretches it further."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.mechanics.chain import pack
from armwerk.mechanics.inverse.tether import tether

ARMS = ("iiwa7", "gen3", "panda", "kr16_rail", "ur5e", "xarm6", "stanford", "scara", "five_axis")


@pytest.mark.parametrize("name", ARMS)
def test_no_configuration_stretches_it(name: str) -> None:
    model = aw.model(aw.load_arm(name))
    line = tether(model.chain)
    low, high = model.chain.ranges().T
    random = np.random.default_rng(5)
    rows = random.uniform(low, high, (3000, model.dof))
    best = 0.0
    for width in (0.2, 0.05, 0.01, 0.002):
        poses = model.fk(rows)
        away = poses[:, :3, :3] @ line.last + poses[:, :3, 3] - line.first
        far = np.linalg.norm(away, axis=1)
        best = max(best, float(far.max()))
        assert all(line.allows(pose) for pose in poses[::100])
        around = rows[np.argsort(-far)[:50], None] + random.normal(
            0.0, width, (50, 60, model.dof)
        ) * (high - low)
        rows = np.clip(around.reshape(-1, model.dof), low, high)
    assert 0.5 * line.length < best <= line.length + 1e-12


def test_a_stretched_arm_is_as_long_as_its_line() -> None:
    model = aw.model("iiwa7")
    line = tether(model.chain)
    assert line.length == pytest.approx(0.8)  # two links of 0.4 m, by the data sheet
    pose = model.fk(np.zeros(7))
    assert line.allows(pose)
    pose[2, 3] += 1e-5
    assert not line.allows(pose)


def test_slides_without_limits_and_single_joints_are_allowed_all() -> None:
    far = np.eye(4)
    far[:3, 3] = 1e6
    turn, slide = aw.Joint("revolute", a=0.3), aw.Joint("prismatic")
    for joints in ([turn], [turn, slide], [slide, turn]):
        assert tether(pack(aw.Arm.from_dh(joints))).allows(far)
