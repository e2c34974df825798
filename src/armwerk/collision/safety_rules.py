"""What a cell demands of every motion, in a file: safe areas, joint areas, distances to slow down.

    kind = "safety"
    margin = "10 mm"                  # kept from everything; 0 without it

    [slowing]                         # between two distances the share runs evenly
    distances = ["20 mm", "100 mm"]
    shares = [0.2, 1.0]               # of the speed

    [[joint_area]]
    name = "to the front"
    allowed = true                    # false: not all of these at once
    ranges = { shoulder_pan = ["-120 deg", "120 deg"] }

    [[area]]
    kind = "plane"
    name = "ceiling"
    points = [[0, 0, 1.8], [1, 0, 1.8], [0, 1, 1.8]]
    safe = "origin"                   # the side of the origin, or a point on the safe side

    [[area]]
    kind = "cylinder"                 # or cone, with top_radius at the second centre
    name = "fence"
    centres = [[0, 0, -1], [0, 0, 2]]
    radius = "1.2 m"
    safe = "inside"                   # or outside
    of = "tool"                       # the tool point alone; without it the whole arm

Other kinds of areas are those of bodies (`armwerk.collision.bodies_toml`): box, sphere, capsule,
mesh. Numbers are SI; texts carry a unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.bodies_toml import read_shape
from armwerk.collision.body import Body, Region
from armwerk.collision.motion_check import CheckedArm, Verdict, check
from armwerk.collision.moving_body import Moving
from armwerk.collision.safety import NEAR, JointArea, SafetySettings
from armwerk.collision.slowing import slowed
from armwerk.errors import DescriptionError
from armwerk.geometry import Cone, Cylinder, HalfSpace, Shape
from armwerk.motion.trajectory import Trajectory
from armwerk.robot.arm import Arm
from armwerk.robot.dimension import UNITS, number_in
from armwerk.robot.reading import Fields, TomlDocument, read_toml

Placed: TypeAlias = tuple[Shape, str]
"""A shape, and which side of it is safe: "inside" or "outside"."""
_KEYS = ("kind", "title", "margin", "slowing", "joint_area", "area")
_ROUND = {"cylinder": ("radius",), "cone": ("radius", "top_radius")}
_FLAT = 1e-9  # share of the product of two edges below which three points are on one line


@dataclass(frozen=True, slots=True, eq=False)
class SafetyRules:
    """What a cell demands of every motion.

    Args:
        settings: Margins, speeds by distance, joint areas, the region of the tool.
        bodies: Areas of the whole arm: what it must not enter, and regions it must not leave.
    """

    settings: SafetySettings
    bodies: Bodies

    @classmethod
    def load(cls, path: str | Path) -> SafetyRules:
        """Return the rules of a TOML file, see `armwerk.collision.safety_rules`.

        Raises:
            DescriptionError: With file, line, area, value and what is allowed.
        """
        document = read_toml(path)
        kind = document.table.get("kind")
        if kind != "safety":
            raise document.error("wrong kind of file", ("kind",), "kind", kind, '"safety"')
        document.only((), document.table, _KEYS)
        bodies, tool = _areas(document, Path(path).parent)
        try:
            margin = number_in(document.table.get("margin", 0.0), "length", "margin")
            settings = SafetySettings(margin, _speeds(document), _joint_areas(document), tool)
        except DescriptionError as error:
            raise error if error.line else document.place(error, ()) from None
        return cls(settings, Bodies(bodies))

    def with_bodies(self, bodies: Bodies | Iterable[Body] | None) -> Bodies:
        """Return areas and other bodies together."""
        return Bodies([*(bodies or ()), *self.bodies])

    def within(self, arm: Arm) -> Arm:
        """Return an arm whose joints keep to the allowed joint areas, so that planners do too.

        Raises:
            UnknownNameError: For a joint that the arm does not have.
            DescriptionError: When an area leaves a joint no way.
        """
        names = [joint.name for joint in arm.moving]
        limits = arm.limits.copy()
        for area in self.settings.areas:
            columns, low, high = area.columns(names)
            if area.allowed:
                limits[columns, 0] = np.maximum(limits[columns, 0], low)
                limits[columns, 1] = np.minimum(limits[columns, 1], high)
        spans = dict(zip(names, limits.tolist(), strict=True))
        joints = []
        for joint in arm.joints:
            low_, high_ = spans.get(joint.name, (-np.inf, np.inf))
            narrowed = joint.is_moving and np.isfinite([low_, high_]).any()
            changed = narrowed and (low_, high_) != joint.limits
            joints.append(replace(joint, limits=(low_, high_)) if changed else joint)
        return replace(arm, joints=tuple(joints))

    def check(
        self,
        trajectory: Trajectory,
        arm: CheckedArm,
        bodies: Bodies | Iterable[Body] | None = None,
        *,
        shapes: ArmShapes | None = None,
        moving: Iterable[Moving] = (),
        start: float = 0.0,
    ) -> Verdict:
        """Return whether a motion keeps to the rules; see `armwerk.check`."""
        return check(
            trajectory,
            arm,
            self.with_bodies(bodies),
            self.settings,
            shapes=shapes,
            moving=moving,
            start=start,
        )

    def slowed(
        self,
        trajectory: Trajectory,
        arm: CheckedArm,
        bodies: Bodies | Iterable[Body] | None = None,
        *,
        shapes: ArmShapes | None = None,
        moving: Iterable[Moving] = (),
        start: float = 0.0,
    ) -> Trajectory:
        """Return the motion slowed down near bodies and areas; see `armwerk.slowed`.

        Raises:
            MotionError: When the motion breaks a rule; names segment, part and area.
        """
        return slowed(
            trajectory,
            arm,
            self.with_bodies(bodies),
            self.settings,
            shapes=shapes,
            moving=moving,
            start=start,
        )


def _tables(document: TomlDocument, key: str) -> list[Fields]:
    tables = document.table.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise document.error("wrong type", (key,), key, tables, f"[[{key}]] tables")
    return tables


def _speeds(document: TomlDocument) -> tuple[tuple[float, float], ...]:
    table = document.table.get("slowing")
    if table is None:
        return NEAR
    document.only(("slowing",), table, ("distances", "shares"), "slowing")
    distances, shares = table.get("distances", []), table.get("shares", [])
    sound = isinstance(distances, list) and isinstance(shares, list)
    if not sound or len(distances) != len(shares) or not distances:
        raise document.error(
            "not as many distances as shares",
            ("slowing",),
            "slowing",
            [distances, shares],
            "distances [m] and as many shares of the speed",
        )
    return tuple(
        (
            number_in(one, "length", "slowing, distances"),
            number_in(two, "number", "slowing, shares"),
        )
        for one, two in zip(distances, shares, strict=True)
    )


def _joint_areas(document: TomlDocument) -> tuple[JointArea, ...]:
    found = []
    for number, table in enumerate(_tables(document, "joint_area")):
        place = ("joint_area", number)
        within = f"joint_area {number + 1}"
        document.only(place, table, ("name", "allowed", "ranges"), within)
        ranges = table.get("ranges")
        try:
            if not isinstance(ranges, Mapping):
                raise DescriptionError(
                    "missing", element="ranges", value=ranges, allowed="{ joint = [low, high] }"
                )
            spans = {joint: [_value(one, joint) for one in span] for joint, span in ranges.items()}
            found.append(JointArea(spans, table.get("allowed", True), table.get("name", "")))
        except TypeError:
            raise document.error(
                "not a range", place, f"{within}, ranges", ranges, "[low, high] for each joint"
            ) from None
        except DescriptionError as error:
            raise document.place(error, place, within=within) from None
    return tuple(found)


def _value(value: object, joint: str) -> float:
    """Return a joint value [rad or m]; a text says by its unit which."""
    turning = isinstance(value, str) and value.split()[-1] in UNITS["angle"]
    return number_in(value, "angle" if turning else "length", f"joint '{joint}'")


def _areas(document: TomlDocument, folder: Path) -> tuple[list[Body], Region | None]:
    """Return areas of the whole arm as bodies, and the region of the tool."""
    bodies: list[Body] = []
    tool: Region | None = None
    for number, table in enumerate(_tables(document, "area")):
        place = ("area", number)
        within = f"area '{table['name']}'" if table.get("name") else f"area {number + 1}"
        try:
            shape, side = _area(document, number, table, folder)
            of = table.get("of", "arm")
            if of not in ("arm", "tool"):
                raise DescriptionError("unknown", element="of", value=of, allowed="arm, tool")
            if of == "arm":
                bodies.append(Region(shape) if side == "inside" else shape)
                continue
            if isinstance(shape, HalfSpace):  # its own side is the forbidden one
                shape, side = HalfSpace(-shape.normal, shape.position, shape.name), "inside"
            if side != "inside" or tool is not None:
                raise DescriptionError(
                    "cannot hold for the tool",
                    element="of",
                    value=of,
                    allowed='one area of the tool in a file, with safe = "inside"',
                )
            tool = Region(shape)
        except DescriptionError as error:
            if error.file is not None:  # a mesh file's own, or placed already
                raise
            raise document.place(error, place, within=within) from None
    return bodies, tool


def _area(document: TomlDocument, number: int, table: Fields, folder: Path) -> Placed:
    kind, place = table.get("kind"), ("area", number)
    if kind == "plane":
        document.only(place, table, ("kind", "name", "points", "safe", "of"), "area")
        return _plane(table), "outside"
    side = table.get("safe", None)
    if side not in ("inside", "outside"):
        raise DescriptionError(
            "missing" if side is None else "unknown side",
            element="safe",
            value=side,
            allowed='"inside" or "outside"',
        )
    if kind in _ROUND and "centres" in table:
        keys = ("kind", "name", "centres", "safe", "of", *_ROUND[kind])
        document.only(place, table, keys, "area")
        start, end = _points(table["centres"], "centres", 2)
        radius = number_in(table.get("radius"), "length", "radius")
        name = str(table.get("name", ""))
        if kind == "cylinder":
            return Cylinder.between(start, end, radius, name), str(side)
        top = number_in(table.get("top_radius", 0.0), "length", "top_radius")
        return Cone.between(start, end, radius, top, name), str(side)
    return read_shape(document, place, table, folder, ("safe", "of")), str(side)


def _plane(table: Fields) -> HalfSpace:
    """Return what is behind a plane of three points: the side that is not safe."""
    a, b, c = np.array(_points(table.get("points"), "points", 3))
    normal = np.cross(b - a, c - a)
    if np.linalg.norm(normal) <= _FLAT * np.linalg.norm(b - a) * np.linalg.norm(c - a):
        raise DescriptionError(
            "lie on one line", element="points", value=table["points"], allowed="three corners"
        )
    normal = normal / np.linalg.norm(normal)
    safe = table.get("safe")
    if safe is None:
        raise DescriptionError("missing", element="safe", allowed='"origin", or a point [m]')
    point = np.zeros(3) if safe == "origin" else np.array(_points([safe], "safe", 1)[0])
    height = float(normal @ (point - a))
    if abs(height) <= _FLAT * (1.0 + float(np.abs(point - a).max())):
        raise DescriptionError(
            "lies in the plane itself", element="safe", value=safe, allowed="a point beside it"
        )
    return HalfSpace(normal if height > 0 else -normal, a, str(table.get("name", "")))


def _points(value: object, element: str, count: int) -> list[list[float]]:
    rows = value if isinstance(value, list) else []
    if len(rows) != count or not all(isinstance(row, list) and len(row) == 3 for row in rows):
        raise DescriptionError(
            "not points", element=element, value=value, allowed=f"{count} of [x, y, z] [m]"
        )
    return [[number_in(one, "length", element) for one in row] for row in rows]
