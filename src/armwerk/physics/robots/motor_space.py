"""The state of an arm with coupled joints as its motors see it.

The drives compute with values of motors; MuJoCo with angles of joints, angles = C values. For such
an arm the drives get copies of MuJoCo's arrays in which the places of its motors hold

    values and rates of the motors,   Cᵀ M C,   Cᵀ h

and the forces F that they give become forces at all joints. An arm that the drives move exactly
gets those of the motion it makes under F as one mechanism,

    tau = M C a + h,   Cᵀ M C a = F - Cᵀ h,

so that rods have nothing to hold but what pushes against the arm; a strong one, whose joints all
have the same inertia, gets C F.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.physics.robots.axes import motor_rows

if TYPE_CHECKING:
    from armwerk.physics.robots.plan import RobotPlan


class MotorSpace:
    """One arm with coupled joints.

    Args:
        plan: What was mounted.
        model: Compiled.

    Attributes:
        matrix: C. Shape (k, n).
    """

    def __init__(self, plan: RobotPlan, model: mujoco.MjModel) -> None:
        robot = plan.robot
        assert robot.axes is not None, "only arms with coupled joints need it"
        self.strong = plan.strong
        self.matrix = robot.axes.matrix
        self._rows = motor_rows(robot)
        joints = [model.joint(plan.joints[index]) for index in robot.axes.members]
        self._angles = np.array([joint.qposadr[0] for joint in joints])
        self.dofs = np.array([joint.dofadr[0] for joint in joints])
        driven = np.array([index in robot.arm_motors for index in robot.axes.members])
        self._positions, self._motor_dofs = self._angles[driven], self.dofs[driven]
        self._entries = _entries(model, self.dofs)
        self._motor_entries = _entries(model, self._motor_dofs)

    def values(self, qpos: Array) -> Array:
        """Return where the motors stand [rad or m]. Shape (n,)."""
        return np.asarray(self._rows @ qpos[self._angles])

    def rates(self, qvel: Array) -> Array:
        """Return how fast the motors move [rad/s or m/s]. Shape (n,)."""
        return np.asarray(self._rows @ qvel[self.dofs])

    def masses(self, sparse: Array) -> Array:
        """Return M of the joints. Shape (k, k)."""
        return np.asarray(sparse[self._entries])

    def put_values(self, qpos: Array, seen: Array) -> None:
        """Write motor values into a copy of qpos."""
        seen[self._positions] = self.values(qpos)

    def put(self, state: Sequence[Array], seen: Sequence[Array]) -> None:
        """Write rates, bias and masses of the motors into copies of qvel, bias and masses."""
        (qvel, bias, masses), (rates, h, M) = state, seen
        C = self.matrix
        rates[self._motor_dofs] = self.rates(qvel)
        h[self._motor_dofs] = C.T @ bias[self.dofs]
        M[self._motor_entries] = C.T @ self.masses(masses) @ C

    def forces(self, motor_forces: Array, bias: Array, masses: Array) -> Array:
        """Return the forces at all joints that forces of motors are [N m or N]. (n,) to (k,)."""
        C = self.matrix
        if self.strong:
            return np.asarray(C @ motor_forces)
        M, h = self.masses(masses), bias[self.dofs]
        a = np.linalg.solve(C.T @ M @ C, motor_forces - C.T @ h)
        return np.asarray(M @ C @ a + h)

    def joint_forces(self, given: Array, bias: Array, masses: Array) -> Array:
        """Return the same of forces in an array by dofs, where those of the motors stand."""
        return self.forces(given[self._motor_dofs], bias, masses)


def _entries(model: mujoco.MjModel, dofs: Integers) -> Integers:
    """Return where the sparse mass matrix holds each pair of dofs of a chain. Shape (k, k)."""
    places = np.zeros((len(dofs), len(dofs)), dtype=np.int64)
    for i, row in enumerate(dofs):
        begin, length = int(model.M_rowadr[row]), int(model.M_rownnz[row])
        columns = model.M_colind[begin : begin + length].tolist()
        for j in range(i + 1):
            places[i, j] = places[j, i] = begin + columns.index(int(dofs[j]))
    return places
