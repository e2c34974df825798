"""What a table holds: rows, named help points and settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import transform_from_pose
from armwerk.motion.options import BLEND_SHAPES, BlendShape, Profile
from armwerk.motion.path.goals import Cylindrical, inclined_pose

RowKind: TypeAlias = Literal["start", "linear", "circle", "bezier", "spline", "ptp"]
KINDS: tuple[RowKind, ...] = get_args(RowKind)


@dataclass(frozen=True, slots=True)
class HelpPoint:
    """A named point that a circle, a Bézier curve or a spline needs.

    Args:
        name: Several points may fraction it.
        point: [m]. Three numbers.
        line: Where it stands in its file; 0: nowhere.
    """

    name: str
    point: tuple[float, float, float]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TableRow:
    """One trajectory of the table.

    Args:
        kind: One of `KINDS`; "start" says where the table begins, in the first row only.
        point: Goal x y z [m]; None: the goal is ``joints``.
        inclination: Of the tool's z axis above the horizon [rad]; None: not by inclination.
        roll: About the tool's z axis, with an inclination [rad].
        angles: Orientation a b c, Z-Y'-X'' [rad], for arms that can choose it; None: kept.
        phi: Direction of a goal on the upright axis [rad], where x and y do not tell it.
        points: Wished number of interpolated points; None: as in the settings.
        help: Name of its help points.
        speed: [m/s]; None: as in the settings.
        blend: [m]; None: as in the settings.
        name: Of the goal, for messages.
        joints: Goal of a "ptp" as joint values [rad or m], one for each joint, in place of a point
            and an orientation; None: the goal is a point.
        line: Where it stands in its file; 0: nowhere.
    """

    kind: RowKind
    point: tuple[float, float, float] | None = None
    inclination: float | None = None
    roll: float = 0.0
    angles: tuple[float, float, float] | None = None
    phi: float | None = None
    points: int | None = None
    help: str = ""
    speed: float | None = None
    blend: float | None = None
    name: str = ""
    joints: tuple[float, ...] | None = None
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DescriptionError(
                "unknown kind", element="kind", value=self.kind, allowed=", ".join(KINDS)
            )
        if self.joints is not None:
            self._check_joints(self.joints)
        elif self.point is None:
            raise DescriptionError(
                "missing", element="point", allowed="three lengths [m], or joints of a 'ptp'"
            )
        if self.inclination is not None and self.angles is not None:
            raise DescriptionError(
                "both given", element="inclination and angles", allowed="one of the two"
            )
        if self.points is not None and self.points < 1:
            raise DescriptionError(
                "not positive", element="points", value=self.points, allowed="at least 1"
            )

    def _check_joints(self, joints: tuple[float, ...]) -> None:
        """Raise a `DescriptionError` unless joint values alone are the goal, and of a ptp."""
        if self.kind != "ptp":
            raise DescriptionError(
                "joint values as a goal", element="kind", value=self.kind, allowed="ptp"
            )
        for name in ("point", "inclination", "angles", "phi"):
            if getattr(self, name) is not None:
                raise DescriptionError(
                    "both given", element=f"joints and {name}", allowed="one of the two"
                )
        if not joints or not all(math.isfinite(value) for value in joints):
            raise DescriptionError(
                "no joint values",
                element="joints",
                value=joints,
                allowed="a finite number for each joint [rad or m]",
            )

    @property
    def goal(self) -> Array:
        """The goal: a pose (4, 4), a point (3,) that keeps the orientation, or joint values (n,).

        Only a row with ``joints`` gives the last.
        """
        if self.point is None:
            return np.array(self.joints)
        if self.inclination is not None:
            around = self.phi
            if math.hypot(*self.point[:2]) > 1e-12:
                around = Cylindrical.of(self.point).phi
            return inclined_pose(self.point, self.inclination, self.roll, around)
        if self.angles is not None:
            return transform_from_pose([*self.point, *self.angles])
        return np.array(self.point)


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What rows take over when they do not say it themselves.

    Args:
        speed: [m/s]; None: as the arm's description says, else 0.25.
        blend: [m].
        points: Interpolated points of a trajectory.
        acceleration: [m/s²].
        jerk: [m/s³].
        profile: "trapezoid", "sine" or "quintic"; None: as the arm's description says.
        near: Distance [m] to a body up to which the speed is reduced most; None: the table does not
            say, as for the next three.
        near_speed: Share of the speed there, above 0, at most 1.
        far: Distance [m] from which the speed is that of ``far_speed``.
        far_speed: Share of the speed there, above 0, at most 1.
        shape: Of blends: "smooth", "arc", "quadratic" or "cubic".
    """

    speed: float | None = None
    blend: float = 0.0
    points: int = 20
    acceleration: float = 1.0
    jerk: float = 10.0
    profile: Profile | None = None
    near: float | None = None
    near_speed: float | None = None
    far: float | None = None
    far_speed: float | None = None
    shape: BlendShape = "smooth"

    def __post_init__(self) -> None:
        if self.shape not in BLEND_SHAPES:
            raise DescriptionError(
                "unknown shape", element="shape", value=self.shape, allowed=", ".join(BLEND_SHAPES)
            )
        if self.points < 1:
            raise DescriptionError(
                "not positive", element="points", value=self.points, allowed="at least 1"
            )
        for name in ("near_speed", "far_speed"):
            share = getattr(self, name)
            if share is not None and not 0.0 < share <= 1.0:
                raise DescriptionError(
                    "no share of the speed", element=name, value=share, allowed="above 0, at most 1"
                )
        for name, least in (("near", 0.0), ("far", self.near or 0.0)):
            distance = getattr(self, name)
            if distance is not None and distance < least:
                raise DescriptionError(
                    "too small", element=name, value=distance, allowed=f"at least {least:g} m"
                )


Row: TypeAlias = TableRow
"""Earlier name of `TableRow`."""
Settings: TypeAlias = TableSettings
"""Earlier name of `TableSettings`."""
