"""Arms that press: with what their drives give, and a blocked joint shows its limit."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.robots.motor_table import AT_LIMIT
from armwerk.robot import load
from armwerk.scene.scene import Rectangle, Scene, Step

EXACT = 0.02  # of the force


def pressing(sim: Simulation) -> tuple[float, float]:
    """Return the force at the only contact, and what the drives give there [N].

    Of an arm at rest tau - h + J^T n f = 0; the drives give the f that solves it best.
    """
    model, data = sim.model, sim.data
    (point,) = [one for one in sim.contact_points() if one.force > 0.0]
    (row,) = [one for one in data.contact if data.efc_force[one.efc_address] > 0.0]
    dofs = sim.robots[0].own_dofs
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, row.pos, model.geom_bodyid[row.geom].max())
    lever = (np.array(point.normal) @ jacobian)[dofs]
    tau = (data.qfrc_applied - data.qfrc_bias)[dofs]
    return point.force, float(-tau @ lever / (lever @ lever))


@pytest.mark.parametrize("bend", [0.0, 0.15, 0.3])
@pytest.mark.parametrize("name", ["irb120", "irb140"])
def test_an_arm_presses_with_what_its_drives_give(name: str, bend: float) -> None:
    arm = load(name)
    start = np.zeros(6)
    start[:2] = 0.6, bend
    obstacles = (Step(Rectangle((0.45, 0.0), (0.5, 0.02)), 2.0, "808080"),)
    placement = RobotPlacement(arm, None, np.eye(4), start)
    sim = Simulation(Scene(obstacles=obstacles), [placement], SimulationSettings())
    robot = sim.robots[0]
    goal = start.copy()
    goal[0] -= 1.2
    robot.set_goal(slice(0, 6), goal)
    found: list[tuple[float, float]] = []
    while robot.moving and not robot.blocked and sim.time < 10.0:
        state = sim.capture()
        sim.step()
        still = float(np.abs(robot.qd).max()) < 1e-4
        touching = [one for one in sim.contact_points() if one.force > 0.0]
        if still and len(touching) == 1 and robot.drive.tables[0, AT_LIMIT] and not robot.blocked:
            found.append(pressing(sim))
            full = np.abs(robot.forces[:6]) >= robot.max_forces[:6]
            assert full.any()  # exactly its limit
            assert (np.abs(robot.forces) <= robot.max_forces).all()
    assert robot.blocked
    assert len(found) > 10
    force, given = found[-1]
    assert force == pytest.approx(given, rel=EXACT)
    assert force > 20.0
    assert robot.block is not None
    assert robot.block.by == "step0"
    assert robot.block.limit == robot.max_forces[robot.motors.index(robot.block.joint)]
    again = sim.capture()
    sim.restore(state)
    assert robot.block is None
    sim.restore(again)
    assert robot.blocked
    assert robot.block is None  # it was so in a restored state


def test_closed_chains_say_that_they_have_no_largest_force() -> None:
    placement = RobotPlacement(load("stewart"), None, np.eye(4))
    (told,) = Simulation(Scene(), [placement]).notices
    assert told.startswith("robot 0: 'stewart' has closed chains: its drives have no largest force")
    stiff = SimulationSettings(drives="stiff")
    assert Simulation(Scene(), [placement], stiff).notices == ()
