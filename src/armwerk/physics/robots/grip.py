"""The gripper of a robot: opens, closes with a force, holds by friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.mechanism.grip_width import GripTable
from armwerk.physics.names import spoken_name
from armwerk.physics.robots.motor_table import GOAL, LIMIT, SET, STILL

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody


REST = 0.05  # [s] a finger has to stand still to count as having done what it could


MIN_PRESS = 1e-5  # [N] below which a finger only touches
OPPOSED = -0.1  # cosine between the pushes of two fingers below which they oppose each other


def is_thing(model: mujoco.MjModel, body: int) -> bool:
    """Whether a body moves freely and touches."""
    joint = model.body_jntadr[body]
    free = int(mujoco.mjtJoint.mjJNT_FREE)
    return bool(body > 0 and joint >= 0 and model.jnt_type[joint] == free)


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
        # programs ask in every step; of two numbers lists are quicker than arrays
        motors = drive.motors[rows]
        if motors[:, SET].tolist() == motors[:, GOAL].tolist():
            return False
        return bool(max(drive.places[rows, STILL].tolist()) * drive.dt < REST)

    @property
    def holds(self) -> bool:
        """Whether things are pressed between fingers: by contact forces that oppose each other.

        Things in a row are held together, when each end of the row lies at a finger.
        """
        return bool(self.held)

    @property
    def held(self) -> frozenset[str]:
        """Names of the things that the fingers hold, those in the middle of a row included."""
        pressed = self._pressed()
        found: set[int] = set()
        for k, (thing, finger, push) in enumerate(pressed):
            for other, second, back in pressed[:k]:
                if finger != second and float(push @ back) < OPPOSED:
                    found |= self._between(thing, other)
        model = self._robot.model
        return frozenset(spoken_name(model.body(body).name) for body in found)

    def _pressed(self) -> list[tuple[int, int, Array]]:
        """Return thing, finger (both as bodies) and direction of every push of a finger."""
        data, model = self._robot.data, self._robot.model
        pads = self._robot.pad_geoms
        if not data.ncon or not pads:
            return []
        geoms = data.contact.geom
        pushes, result = [], np.zeros(6)
        for index in np.flatnonzero(np.isin(geoms, pads).any(axis=1)).tolist():
            one, two = (int(geom) for geom in geoms[index])
            sign = 1.0 if one in pads else -1.0
            pad, other = (one, two) if one in pads else (two, one)
            body = int(model.geom_bodyid[other])
            if other in pads or not is_thing(model, body):
                continue
            mujoco.mj_contactForce(model, data, index, result)
            if result[0] > MIN_PRESS:
                normal = sign * np.array(data.contact.frame[index, :3])
                pushes.append((body, int(model.geom_bodyid[pad]), normal))
        return pushes

    def _between(self, first: int, last: int) -> set[int]:
        """Return the things of the shortest row from one body to another; empty: there is none."""
        if first == last:
            return {first}
        data, model = self._robot.data, self._robot.model
        bodies = model.geom_bodyid[data.contact.geom]
        reached, row = {first: first}, [first]
        for body in row:
            for one, two in bodies[(bodies == body).any(axis=1)].tolist():
                other = two if one == body else one
                if other in reached or not is_thing(model, other):
                    continue
                reached[other] = body
                row.append(other)
                if other == last:
                    found = {last}
                    while last != first:
                        last = reached[last]
                        found.add(last)
                    return found
        return set()

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
