"""Teach-in: jog an arm, store where it stands, get a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import pose_from_transform
from armwerk.motion.table.rows import RowKind, TableRow, TableSettings
from armwerk.motion.table.table import Table
from armwerk.operation.operation import Operation


@dataclass(slots=True, eq=False)
class Teaching:
    """Stores the places an arm is led to.

    Args:
        operation: The arm.
        settings: Of the table that comes out.
    """

    operation: Operation
    settings: TableSettings = field(default_factory=TableSettings)
    _rows: list[TableRow] = field(init=False, default_factory=list)
    _joints: list[Array] = field(init=False, default_factory=list)

    def jog(self, module: int, by: float) -> None:
        """Move one module by an amount [rad or m], and wait until it stands.

        Raises:
            ArmwerkError: When it would leave its range; nothing moves.
        """
        operation = self.operation
        operation.one_motion(operation.motors.status(module).position + by, module)
        operation.wait()

    def move_tool(self, by: ArrayLike) -> None:
        """Move the tool straight by an amount [m], shape (3,), and wait until it stands.

        Raises:
            MotionError: When it cannot; nothing moves.
        """
        operation = self.operation
        if operation.queue:
            raise MotionError("something waits in the queue; clear() comes first")
        model = operation.desk.model
        T = model.fk(operation.player.q)
        T[:3, 3] += np.asarray(by, dtype=np.float64)
        pose = pose_from_transform(T)
        row = TableRow("linear", _three(pose[:3]), angles=_three(pose[3:]))
        motion = operation.desk.plan(row, operation.player.q)
        operation.accept(motion)
        operation.start()
        operation.wait()

    def store(
        self,
        name: str = "",
        kind: RowKind = "ptp",
        speed: float | None = None,
        *,
        joints: bool = False,
    ) -> TableRow:
        """Store where the tool is as the next row.

        Args:
            name: Of the place.
            kind: How to go there later, "ptp" or "linear".
            speed: Of the tool [m/s]; None: as in the settings.
            joints: Whether the row keeps the joint values themselves, so that the arm comes back in
                this very configuration, rather than the pose of the tool. For "ptp" only.
        """
        if joints and kind != "ptp":
            raise MotionError(f"joint values are stored as 'ptp', got '{kind}'")
        if kind not in {"ptp", "linear"}:
            raise MotionError(f"a place is stored as 'ptp' or 'linear', got '{kind}'")
        q = self.operation.player.q
        pose = pose_from_transform(self.operation.desk.model.fk(q))
        row = TableRow(
            kind,
            None if joints else _three(pose[:3]),
            angles=None if joints else _three(pose[3:]),
            speed=speed,
            name=name or f"P{len(self._rows) + 1}",
            joints=tuple(float(value) for value in q) if joints else None,
        )
        self._rows.append(row)
        self._joints.append(q)
        return row

    def forget(self) -> None:
        """Forget the place stored last.

        Raises:
            MotionError: When there is none.
        """
        if not self._rows:
            raise MotionError("no place is stored")
        del self._rows[-1], self._joints[-1]

    @property
    def joints(self) -> Array:
        """Joint values of the places [rad or m]. Shape (m, n)."""
        return np.array(self._joints).reshape(-1, self.operation.desk.model.dof)

    def table(self) -> Table:
        """Return the places as a table."""
        return Table(tuple(self._rows), settings=self.settings)

    def save(self, path: str | FilePath) -> FilePath:
        """Write the table to a .toml or .csv file and return its path."""
        return self.table().save(path)


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
