"""The gripper of a robot: opens, closes with a force, holds by friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.mechanism.grip_width import GripTable
from armwerk.physics.robots.drive import GOAL, LIMIT, SET, STILL

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody


REST = 0.05  # [s] a finger has to stand still to count as having done what it could


class GripBody:
    """All fingers of a gripper, which move together.

    Args:
        robot: Whose gripper it is.
        table: How far it is open at which motor value.
    """

    def __init__(self, robot: RobotBody, table: GripTable) -> None:
        self._robot = robot
        self.table = table

    @property
    def width(self) -> float:
        """How far the fingers are open [m], read back."""
        return self.table.width(float(self._robot.values[self._robot.dof]))

    @property
    def max_width(self) -> float:
        """How far the fingers can open [m]."""
        return self.table.max_width

    @property
    def max_force(self) -> float:
        """Largest force of each finger [N]."""
        return self.table.max_force

    @property
    def force(self) -> float:
        """How hard each finger presses on what is between them [N], read back; 0: on nothing."""
        data, model = self._robot.data, self._robot.model
        if not data.ncon:
            return 0.0
        geoms = data.contact.geom
        chosen = np.flatnonzero(np.isin(geoms, self._robot.pad_geoms).any(axis=1))
        total, result = 0.0, np.zeros(6)
        for index in chosen:
            mujoco.mj_contactForce(model, data, int(index), result)
            total += result[0]
        return float(total / (len(self._robot.motors) - self._robot.dof))

    @property
    def moving(self) -> bool:
        """Whether the fingers are on their way; not when something stops them."""
        drive, rows = self._robot.drive, self._rows
        if (drive.motors[rows, SET] == drive.motors[rows, GOAL]).all():
            return False
        return bool((drive.places[rows, STILL] * drive.dt < REST).all())

    @property
    def holds(self) -> bool:
        """Whether something keeps the fingers from reaching their goal."""
        motors = self._robot.drive.motors[self._rows]
        return not self.moving and bool((motors[:, SET] != motors[:, GOAL]).any())

    def open(self) -> None:
        """Open as far as it goes, with full force."""
        self.set(self.max_width)

    def close(self, force: float | None = None) -> None:
        """Close until something is in the way, and press on it.

        Args:
            force: Of each finger [N]; None: as hard as it can. Exact for sliding jaws. Turning
                fingers press with their torque over their mean lever at the grip point: from a
                fifth less to twice as much as asked, according to where on the finger they touch
                (a thing near their roots gets the most). `force` reads back what it is.

        Raises:
            DescriptionError: For a force that is negative or more than it has.
        """
        self._go(self.table.low, self.max_force if force is None else float(force))

    def set(self, width: float, force: float | None = None) -> None:
        """Open or close to a width [m]; ``force`` as in `close`.

        Raises:
            DescriptionError: For a width or a force it does not have.
        """
        if not -1e-9 <= width <= self.max_width + 1e-9:
            raise DescriptionError(
                "the gripper does not open so far",
                element=f"robot {self._robot.plan.number}, width",
                value=width,
                allowed=f"0 to {self.max_width:.4g} m",
            )
        self._go(self.table.values(width), self.max_force if force is None else float(force))

    def go_with(self, motor: int, value: float) -> None:
        """Send all fingers where one of them is sent; with the force they have been given."""
        low, high = self.table.low, self.table.high
        fraction = np.clip((value - low[motor]) / (high[motor] - low[motor]), 0.0, 1.0)
        self._send(low + fraction * (high - low))

    def _go(self, values: Array, force: float) -> None:
        if not 0.0 <= force <= self.max_force * (1 + 1e-9):
            raise DescriptionError(
                "the gripper has no such force",
                element=f"robot {self._robot.plan.number}, force",
                value=force,
                allowed=f"0 to {self.max_force:.4g} N",
            )
        self._robot.drive.motors[self._rows, LIMIT] = force * self.table.lever
        self._send(values)

    def _send(self, values: Array) -> None:
        drive, rows = self._robot.drive, self._rows
        drive.motors[rows, GOAL] = values
        drive.places[rows, STILL] = 0

    @property
    def _rows(self) -> slice:
        """Where the gripper's motors stand among all motors."""
        rows = self._robot.rows
        return slice(rows.start + self._robot.dof, rows.stop)
