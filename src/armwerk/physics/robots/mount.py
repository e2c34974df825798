"""Robots put into a specification: their bodies, and the forces of their motors.

Members of arms have the masses of their descriptions, and their motors the forces; where none are
named, they follow from masses and accelerations.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.physics.drives.strength import MARGIN, PAYLOAD, SWING, needed_forces
from armwerk.physics.mechanism.assemble import mechanism
from armwerk.physics.mechanism.members import Mechanism, Member, motor_values
from armwerk.physics.robots.builder import RobotBuilder
from armwerk.physics.robots.plan import RobotPlan
from armwerk.physics.settings import RobotPlacement, SimulationSettings

TOLERANCE = 1e-20  # of the solver, whose measure counts the strong joints: 1e-4 m/s² of 1 mg
LEAST_FORCE = {"rad": 1.0, "m": 20.0}  # [N m, N] of a motor that next to nothing is asked of
ENOUGH = 1.05  # times the named force: less than that is beyond what masses are known to


def add_robot(
    spec: mujoco.MjSpec, placement: RobotPlacement, number: int, settings: SimulationSettings
) -> RobotPlan:
    """Add the bodies of a robot to a specification.

    Args:
        spec: Grows; its time step must be set.
        placement: The robot and where it stands.
        number: Its number, the prefix of all names.
        settings: Friction of the pads.

    Raises:
        DescriptionError: For what is no arm, no gripper, or start values beyond limits.
        UnsupportedError: When a closed chain cannot close at the start.
    """
    spec.compiler.degree = False
    robot = mechanism(placement.arm, placement.gripper)
    values = motor_values(robot, placement.q)
    base = np.array(placement.base, dtype=np.float64)
    builder = RobotBuilder(spec, robot, number, settings)
    plan = builder.run(values, base, placement.carrier)
    # the solver measures what is left undone against all inertia, of which there is plenty now
    spec.option.tolerance = min(spec.option.tolerance, TOLERANCE)
    if plan.strong:
        if settings.drives == "stiff":
            return plan
        said = (
            f"robot {number}: '{robot.name}' has closed chains: its drives have no largest force, "
            "and it passes through all that stands fast"
        )
        return replace(plan, notices=(said,))
    forces, assumed = _forces(robot, values, settings)
    notices = tuple(f"robot {number}: {text}" for text in (*robot.notices, *assumed))
    return replace(plan, max_forces=forces, notices=notices, controller=placement.controller)


def _forces(
    robot: Mechanism, values: Array, settings: SimulationSettings
) -> tuple[Array, tuple[str, ...]]:
    """Return the largest forces of the arm's motors, and what was assumed or found of them."""
    members = [robot.members[index] for index in robot.arm_motors]
    forces = np.array([member.max_force for member in members])
    open_ = np.flatnonzero(~np.isfinite(forces))
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = (0.0, 0.0, -settings.gravity)
    plan = RobotBuilder(spec, robot, 0, settings).run(values, np.eye(4))
    model = spec.compile()
    joints = robot.arm_motors if robot.axes is None else robot.axes.members
    matrix = None if robot.axes is None else robot.axes.matrix
    dofs = np.array([model.joint(plan.joints[index]).dofadr[0] for index in joints])
    ranges = np.clip([member.limits for member in members], -np.pi, np.pi)
    swings = np.array(
        [
            member.max_acceleration if np.isfinite(member.max_acceleration) else SWING[member.unit]
            for member in members
        ]
    )
    hand = model.site(plan.hand).id
    if not len(open_):
        needed = needed_forces(model, dofs, ranges, swings, hand, 0.0, matrix)
        lacking = np.flatnonzero(needed > ENOUGH * forces)
        return forces, tuple(
            f"'{robot.name}' names {_force(members[k], forces[k])} for {members[k].name}: where "
            f"all motors accelerate fully it may need {_force(members[k], needed[k])}, and lags"
            for k in lacking
        )
    payload = PAYLOAD * float(model.body_subtreemass[0])
    needed = needed_forces(model, dofs, ranges, swings, hand, payload, matrix)
    forces[open_] = np.maximum(MARGIN * needed, [LEAST_FORCE[one.unit] for one in members])[open_]
    listed = ", ".join(f"{members[k].name} {_force(members[k], forces[k])}" for k in open_)
    said = (
        f"'{robot.name}' names no forces for {listed}: {MARGIN:g} times what full acceleration "
        f"with {payload:.3g} kg needs"
    )
    return forces, (said,)


def _force(member: Member, force: float) -> str:
    """Return a force or torque with its unit."""
    return f"{force:.3g} {'N' if member.unit == 'm' else 'N m'}"
