"""A thing that lies on a single touch part moves with it, by friction that does not creep."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.robot import Assembly, TConnector, TerminationPoint, TouchSegment
from armwerk.robot.parts import Body, at
from armwerk.scene.scene import Cuboid
from grip_cell import RED, GripCell, ball

PLACE = (0.5, 0.0, 0.42)


def blade() -> Assembly:
    """Return a gripper without motors: a plate of 10 x 12 cm, with the grip point on top of it."""
    plate = TouchSegment("blade", tail=at(TerminationPoint("end"), z=0.12), radius=0.004, width=0.1)
    grip = at(TerminationPoint("grip"), x=0.004, z=0.09)
    return Assembly("fork", Body(tails=[TConnector("palm", [at(plate, z=0.03), grip])]), tip="grip")


def level(tilt: float = 0.0) -> Array:
    """Return a hand whose blade looks up, turned about y by an angle [rad]."""
    c, s = np.cos(tilt), np.sin(tilt)
    pose = np.eye(4)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    pose[:3, :3] = turn @ np.column_stack(([0, 0, 1], [0, -1, 0], [1, 0, 0]))
    pose[:3, 3] = (0.5, 0.0, 0.4)
    return pose


def laid(tilt: float = 0.0, friction: float = 1.0) -> GripCell:
    """Return a cell with a cuboid on the blade, at rest but for its sliding."""
    pose = level(tilt)
    thing = Cuboid(PLACE, (0.04, 0.04, 0.04), RED)
    cell = GripCell(thing, blade(), at=pose, pad_friction=friction)
    up = pose[:3, 0]
    turn = np.column_stack((pose[:3, 2], -pose[:3, 1], up))
    cell.world.place(0, pose[:3, 3] + 0.01999 * up, turn)
    cell.world.run(0.1)
    return cell


def test_what_lies_on_one_part_moves_with_it() -> None:
    cell = laid()
    assert cell.robot.carried == {"cuboid0"}
    place, _ = cell.held()
    start, limits = cell.robot.q.copy(), cell.robot.limits[: cell.dof]
    rng, worst = np.random.default_rng(0), 0.0
    travelled, end = 0.0, cell.world.time + 5.0
    before = cell.world.positions[0]
    while cell.world.time < end:
        if not cell.robot.moving:
            change = rng.uniform(-0.15, 0.15, cell.dof) * (1.0, 0.3, 0.3, 0.3, 0.3, 0.3)
            goal = np.clip(start + change, *limits.T)
            cell.robot.set_goal(slice(0, cell.dof), goal)
        cell.world.run(0.02)
        travelled += float(np.linalg.norm(cell.world.positions[0] - before))
        before = cell.world.positions[0]
        worst = max(worst, float(np.linalg.norm(cell.held()[0] - place)))
    assert travelled > 0.3
    assert worst < 1e-4
    assert cell.robot.carried == {"cuboid0"}


@pytest.mark.parametrize("friction", [0.3, 1.0])
def test_on_a_tilted_blade_it_stays_up_to_the_angle_of_friction(friction: float) -> None:
    angle = np.degrees(np.arctan(friction))
    for degrees, stays in ((angle - 1.0, True), (angle + 1.0, False)):
        cell = laid(radians(degrees), friction)
        place, _ = cell.held()
        cell.world.run(0.3)
        cell.world.run(0.3)
        slid = float(np.linalg.norm(cell.held()[0] - place))
        assert (slid < 2e-5) == stays, f"{slid:.3g} m at {degrees:.1f} deg"


def test_things_elsewhere_and_in_the_hand_are_not_carried() -> None:
    cell = laid()
    cell.world.place(0, (0.7, 0.3, 0.02))
    cell.world.run(0.2)
    assert cell.robot.carried == frozenset()
    held = GripCell(ball())
    held.pick()
    assert held.grip.held == {"ball0"}
    assert held.robot.carried == frozenset()
