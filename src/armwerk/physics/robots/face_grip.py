"""The gripper of a robot that holds without fingers: suction cups and magnets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.physics.names import spoken_name
from armwerk.physics.robots.adhesion import GOAL, LEVEL, PULL, Adhesion

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody


class FaceGrip:
    """All cups and magnets of a robot, which are switched together.

    Args:
        robot: Whose they are.
    """

    def __init__(self, robot: RobotBody) -> None:
        self._robot = robot
        self._faces: list[tuple[int, ...]] = [
            tuple(robot.model.geom(name).id for name in face.geoms) for face in robot.plan.faces
        ]
        self._strengths = np.array([face.part.max_force for face in robot.plan.faces])

    def attach(self, adhesion: Adhesion, rows: slice) -> None:
        """Take those rows of all faces as this robot's own."""
        self._adhesion, self._rows = adhesion, rows

    @property
    def width(self) -> float:
        """There are no jaws: 0 [m]."""
        return 0.0

    @property
    def max_width(self) -> float:
        """There are no jaws: 0 [m]."""
        return 0.0

    @property
    def max_force(self) -> float:
        """What all cups and magnets pull with when they are covered and nothing leaks [N]."""
        return float(self._strengths.sum())

    @property
    def force(self) -> float:
        """What they pull with [N], read back; 0: nothing."""
        return float(self._own[:, PULL].sum())

    @property
    def on(self) -> bool:
        """Whether they are switched on."""
        return bool((self._own[:, GOAL] > 0.0).any())

    @property
    def moving(self) -> bool:
        """Whether the vacuum or the field is still rising or falling."""
        return bool((self._own[:, GOAL] != self._own[:, LEVEL]).any())

    @property
    def holds(self) -> bool:
        """Whether something is pulled and lies against a cup or magnet."""
        return bool(self.held)

    @property
    def held(self) -> frozenset[str]:
        """Names of the things that are pulled and lie against a cup or magnet."""
        data, model = self._robot.data, self._robot.model
        pulls = self._adhesion.pulls[self._rows]
        if not data.ncon or not pulls.any():
            return frozenset()
        geoms, away = data.contact.geom, data.contact.dist
        found: set[int] = set()
        for own, row in zip(self._faces, pulls, strict=True):
            for index in np.flatnonzero(np.isin(geoms, own).any(axis=1)).tolist():
                one, two = (int(geom) for geom in geoms[index])
                body = int(model.geom_bodyid[two if one in own else one])
                if 1 <= body <= len(row) and row[body - 1] > 0.0 and away[index] <= 0.0:
                    found.add(body)
        return frozenset(spoken_name(model.body(body).name) for body in found)

    def open(self) -> None:
        """Switch off: let air in, or the field go."""
        self._own[:, GOAL] = 0.0

    def close(self, force: float | None = None) -> None:
        """Switch on.

        Args:
            force: What all of them together are to pull with when covered [N]; None: all they have.

        Raises:
            DescriptionError: For a force that is negative or more than they have.
        """
        force = self.max_force if force is None else float(force)
        if not 0.0 <= force <= self.max_force * (1 + 1e-9):
            raise DescriptionError(
                "the gripper has no such force",
                element=f"robot {self._robot.plan.number}, force",
                value=force,
                allowed=f"0 to {self.max_force:.4g} N",
            )
        self._own[:, GOAL] = min(force / self.max_force, 1.0)

    def set(self, width: float, force: float | None = None) -> None:
        """Cups and magnets have no width.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"the gripper of robot {self._robot.plan.number} has no jaws to set to {width!r:.40} m;"
            " it is switched on by close and off by open"
        )

    @property
    def _own(self) -> Array:
        return self._adhesion.faces[self._rows]
