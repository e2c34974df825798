"""Tables of trajectories and help points, as they are edited by hand, and the path they make.

A row says kind, goal, inclination of the tool, number of points, name of its help points, speed and
blend radius. What a row leaves out comes from the settings. Help points are named; several of one
name belong together, in their order (two for a cubic Bézier). Files are read and written by
`armwerk.motion.table.file`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.options import OrientationKind, SegmentOptions
from armwerk.motion.path.goals import Cylindrical
from armwerk.motion.path.path import Path
from armwerk.motion.path.segments import segment_number
from armwerk.motion.table import file
from armwerk.motion.table.rows import HelpPoint, TableRow, TableSettings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NEEDS = {"circle": "one help point", "bezier": "at least one help point"}


@dataclass(frozen=True, slots=True)
class Table:
    """Trajectories, help points and settings.

    Args:
        rows: In the order they are driven.
        help_points: Named points.
        settings: Defaults.
        file: Where it is from; None: nowhere.
    """

    rows: tuple[TableRow, ...]
    help_points: tuple[HelpPoint, ...] = ()
    settings: TableSettings = field(default_factory=TableSettings)
    file: str | None = field(default=None, compare=False)

    @classmethod
    def load(cls, path: str | FilePath) -> Table:
        """Return the table in a .toml or .csv file; errors name file and line."""
        return cls(*file.load(path))

    def save(self, path: str | FilePath) -> FilePath:
        """Write the table to a .toml or .csv file and return its path."""
        return file.save(path, self.rows, self.help_points, self.settings)

    def path(
        self, start: ArrayLike | None = None, orientation: OrientationKind | None = None
    ) -> Path:
        """Return the path of all rows.

        Args:
            start: Where it begins; None: at the row "start", else where the arm stands.
            orientation: Of all rows along which the tool is led, see `armwerk.Path`; None: that
                of their inclination or angles.

        Raises:
            MotionError: For a row that makes no segment, such as one whose help point is missing.
        """
        with self.naming_lines():
            return self._path(start, orientation)

    @contextmanager
    def naming_lines(self) -> Iterator[None]:
        """Let errors of segments, as they are planned within, name file and line of their row."""
        try:
            yield
        except MotionError as error:
            number = segment_number(error.segment)
            driven = [row for row in self.rows if row.kind != "start"]
            if self.file is None or number is None or not driven[number - 1].line:
                raise
            raise type(error)(
                error.problem,
                segment=f"{self.file}:{driven[number - 1].line}: {error.segment}",
                place=error.place,
                axis=error.axis,
            ) from None

    def _path(self, start: ArrayLike | None, orientation: OrientationKind | None) -> Path:
        if not any(row.kind != "start" for row in self.rows):
            raise MotionError("the table has no trajectories")
        settings = self.settings
        first = self.rows[0]
        if first.kind == "start" and start is None:
            start = first.goal
            if start.shape == (3,):
                raise MotionError("the row 'start' needs an inclination or angles")
        path = Path(
            start,
            speed=settings.speed,
            acceleration=settings.acceleration,
            jerk=settings.jerk,
            blend=settings.blend,
            profile=settings.profile,
            shape=settings.shape,
        )
        phi = 0.0 if path.end is None else Cylindrical.of(path.end).phi
        named: dict[str, list[Array]] = {}
        for point in self.help_points:
            named.setdefault(point.name, []).append(np.array(point.point))
        for number, given in enumerate(self.rows):
            row = given
            if row.point is not None:
                # on the upright axis, where a row does not say its direction, that before it holds
                phi = Cylindrical.of(row.point, phi if row.phi is None else row.phi).phi
                row = replace(row, phi=phi)
            if row.kind == "start":
                if number:
                    raise MotionError(
                        "only the first row may be a 'start'", segment=self._at(given)
                    )
                continue
            own: OrientationKind = "variable" if row.inclination is None else "inclination"
            path = _driven(path, row, own if orientation is None else orientation, named)
        return path

    def _at(self, row: TableRow) -> str:
        return f"row {self.rows.index(row) + 1} '{row.kind}'"

    def with_row(self, row: TableRow) -> Table:
        """Return the table with a row more at its end."""
        return replace(self, rows=(*self.rows, row))

    def without_row(self, index: int) -> Table:
        """Return the table without the row at an index from 0."""
        return replace(self, rows=_without(self.rows, index))

    def with_help_point(self, point: HelpPoint) -> Table:
        """Return the table with a help point more."""
        return replace(self, help_points=(*self.help_points, point))


def _without(rows: Sequence[TableRow], index: int) -> tuple[TableRow, ...]:
    if not 0 <= index < len(rows):
        raise MotionError(f"the table has no row {index} (allowed: 0 to {len(rows) - 1})")
    return (*rows[:index], *rows[index + 1 :])


def _driven(
    path: Path, row: TableRow, turning: OrientationKind, named: Mapping[str, list[Array]]
) -> Path:
    """Return a path with a row of a table more."""
    number = len(path.segments) + 1
    options: SegmentOptions = {"speed": row.speed, "blend": row.blend, "name": row.name}
    label = f"segment {number} '{row.kind}'"
    if row.kind == "ptp":
        if row.joints is None and row.goal.ndim == 1:
            raise MotionError("ptp needs an inclination or angles", segment=label)
        return path.ptp(row.goal, **options)
    help_points = _help(row, label, named)
    if row.kind == "linear":
        return path.lin(row.goal, orientation=turning, **options)
    if row.kind == "circle":
        if len(help_points) != 1:
            raise MotionError(
                f"a circle needs one help point, '{row.help}' names {len(help_points)}",
                segment=label,
            )
        return path.circ(help_points[0], row.goal, orientation=turning, **options)
    if row.kind == "bezier":
        return path.bezier(*help_points, end=row.goal, orientation=turning, **options)
    return path.spline([*help_points, row.goal], orientation=turning, **options)


def _help(row: TableRow, label: str, named: Mapping[str, list[Array]]) -> list[Array]:
    """Return the help points of a row.

    Raises:
        MotionError: When it needs some and names none, or names one that is missing.
    """
    if not row.help:
        if row.kind in NEEDS:
            raise MotionError(f"{NEEDS[row.kind]} is needed, and none is named", segment=label)
        return []
    if row.help not in named:
        known = ", ".join(sorted(named)) or "none"
        raise MotionError(
            f"help point '{row.help}' is missing (known: {known})",
            segment=label,
        )
    return named[row.help]
