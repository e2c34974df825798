"""The geometry of a cell or an arm: the solids that pictures draw, each with what carries it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.physics.mechanism.members import ROOT, Mechanism
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell import camera_of
from armwerk.pictures.cell_robot import DrawnRobot, robot_solids
from armwerk.pictures.cell_scene import (
    BELT_MARK,
    Floor,
    belt_mark,
    belt_pitch,
    belt_span,
    border_solids,
    floor_of,
    obstacle_solids,
    thing_solid,
    watch_solids,
)
from armwerk.pictures.cell_solids import Solid
from armwerk.pictures.palette import Colour
from armwerk.protocol.contacts import Vector
from armwerk.protocol.viewing import (
    FIXED,
    Quaternion,
    SolidRole,
    ViewedBelt,
    ViewedBody,
    ViewedCamera,
    ViewedFloor,
    ViewedGeometry,
    ViewedMotor,
    ViewedSolid,
    ViewedStretch,
)
from armwerk.scene.scene import Conveyor, Scene, Zone
from armwerk.wire.binding import BoundRobot, bound

_DIGITS = 6  # micrometres
_MOST_DOTS = 1024  # along a side of the floor's picture


@dataclass(frozen=True, slots=True, eq=False)
class MountedRobot:
    """A robot that stands somewhere.

    Args:
        name: Such as "robot 0".
        drawn: As pictures draw it, base included.
        mechanism: The same as a tree of members.
        key: Equal for robots of the same make, which are bound only once.
    """

    name: str
    drawn: DrawnRobot
    mechanism: Mechanism
    key: tuple[object, ...]


@dataclass(eq=False)
class GeometryBuilder:
    """Collects what is seen; bodies get their numbers in the order in which they come.

    Attributes:
        bodies: What moves.
        solids: What is seen.
        motors: What moves it.
        belts: Whose marks run.
    """

    bodies: list[ViewedBody] = field(default_factory=list)
    solids: list[ViewedSolid] = field(default_factory=list)
    motors: list[ViewedMotor] = field(default_factory=list)
    belts: list[ViewedBelt] = field(default_factory=list)
    _known: dict[tuple[object, ...], BoundRobot] = field(default_factory=dict)

    def add_scene(self, scene: Scene) -> None:
        """Add things, fixed bodies, belts, zones; the things' bodies come in the scene's order."""
        for name, thing in zip(scene.names(), scene.things, strict=True):
            body = len(self.bodies)
            self.bodies.append(ViewedBody(name, name, FIXED))
            solid = thing_solid(thing, (0.0, 0.0, 0.0), None)
            self.solids.append(viewed_solid(solid, "thing", name, body))
        for name, obstacle in scene.obstacle_names().items():
            role: SolidRole = "belt" if isinstance(obstacle, Conveyor) else "obstacle"
            self.add_still(obstacle_solids(obstacle), role, name)
            if isinstance(obstacle, Conveyor):
                self.belts.append(_belt(name, obstacle))
        if scene.border is not None:
            self.add_still(border_solids(scene.border), "border", "border")
        for number, watch in enumerate(scene.watches):
            kind: SolidRole = "zone" if isinstance(watch, Zone) else "barrier"
            self.add_still(watch_solids(watch), kind, f"{kind} {number}")

    def add_still(self, solids: Sequence[Solid], role: SolidRole, name: str) -> None:
        """Add what never moves."""
        self.solids += [viewed_solid(solid, role, name, FIXED) for solid in solids]

    def add_robot(self, robot: MountedRobot) -> None:
        """Add a robot: a body for each of its members, and its motors."""
        if robot.key not in self._known:
            self._known[robot.key] = bound(robot.drawn, robot.mechanism)
        first_body, first_motor = len(self.bodies), len(self.motors)
        mechanism = robot.mechanism
        for member in mechanism.members:
            parent = FIXED if member.parent == ROOT else first_body + member.parent
            self.bodies.append(ViewedBody(member.name, robot.name, parent))
        for index in mechanism.motors:
            member = mechanism.members[index]
            low, high = (None if np.isinf(end) else float(end) for end in member.limits)
            self.motors.append(ViewedMotor(member.name, robot.name, member.unit, low, high))
        one = self._known[robot.key]
        self.solids += _robot_solids(one, robot, first_body, first_motor)

    def build(
        self,
        version: int,
        title: str,
        floor: Floor | None,
        camera: Camera,
        missing: Sequence[str] = (),
    ) -> ViewedGeometry:
        """Return the whole."""
        return ViewedGeometry(
            version,
            title,
            tuple(self.bodies),
            tuple(self.solids),
            tuple(self.motors),
            tuple(self.belts),
            None if floor is None else _floor(floor),
            ViewedCamera(
                _vector(camera.target),
                round(camera.distance, _DIGITS),
                float(camera.azimuth),
                float(camera.elevation),
            ),
            tuple(missing),
        )


def cell_geometry(
    version: int, scene: Scene, robots: Sequence[MountedRobot], missing: Sequence[str] = ()
) -> ViewedGeometry:
    """Return the geometry of a cell: things first, then robots in the order given.

    Args:
        version: Of the geometry.
        scene: The cell.
        robots: Its robots.
        missing: A sentence for each robot that cannot be shown.
    """
    builder = GeometryBuilder()
    builder.add_scene(scene)
    for robot in robots:
        builder.add_robot(robot)
    camera = camera_of(scene, [robot.drawn for robot in robots])
    title = "" if scene.file is None else Path(scene.file).stem
    return builder.build(version, title, floor_of(scene), camera, missing)


def _robot_solids(
    one: BoundRobot, robot: MountedRobot, first_body: int, first_motor: int
) -> Iterator[ViewedSolid]:
    base = robot.drawn.base
    tints = _tints(one, robot)
    for solid, binding, tint in zip(one.solids, one.bindings, tints, strict=True):
        fixed = binding.member == ROOT
        before = base if fixed else np.eye(4)
        mesh = solid.mesh
        if mesh is not None:
            inner = np.eye(4) if fixed else np.linalg.inv(one.poses[binding.member])
            mesh = mesh @ (before @ inner)[:3, :3].T + (before @ inner)[:3, 3]
        stretch = None
        if binding.end is not None:
            assert binding.start_point is not None
            assert binding.end_point is not None
            ended = binding.end == ROOT
            after = base if ended else np.eye(4)
            stretch = ViewedStretch(
                FIXED if ended else first_body + binding.end,
                _vector(before[:3, :3] @ binding.start_point + before[:3, 3]),
                _vector(after[:3, :3] @ binding.end_point + after[:3, 3]),
            )
        placed = Solid(solid.kind, before @ binding.pose, solid.size, tint, solid.alpha, mesh)
        yield viewed_solid(
            placed,
            "robot",
            robot.name,
            FIXED if fixed else first_body + binding.member,
            FIXED if binding.motor == ROOT else first_motor + binding.motor,
            stretch,
        )


def _tints(one: BoundRobot, robot: MountedRobot) -> list[Colour]:
    """Return the colours of a robot's solids: those of its make may have another tint."""
    mechanism = robot.mechanism
    names = [mechanism.members[index].name for index in mechanism.motors]
    drawn = DrawnRobot(robot.drawn.arm, robot.drawn.gripper, np.eye(4), robot.drawn.tint)
    values = dict(zip(names, one.values.tolist(), strict=True))
    solids = robot_solids(drawn, values, rods=False)
    return [solid.colour for solid in solids]


def viewed_solid(
    solid: Solid,
    role: SolidRole,
    name: str,
    body: int,
    motor: int = FIXED,
    stretch: ViewedStretch | None = None,
) -> ViewedSolid:
    """Return a solid as viewers are sent it, in the frame of the body that carries it."""
    mesh = solid.mesh
    pose = np.eye(4) if mesh is not None else solid.pose
    triangles = () if mesh is None else _numbers(mesh)
    return ViewedSolid(
        solid.kind,
        role,
        name,
        body,
        _vector(pose[:3, 3]),
        _quaternion(pose[:3, :3]),
        _vector(np.array(solid.size)),
        colour_text(solid.colour),
        round(float(solid.alpha), 3),
        motor,
        triangles,
        stretch,
    )


def _belt(name: str, belt: Conveyor) -> ViewedBelt:
    span = belt_span(belt)
    mark = belt_mark(belt, span / 2)
    assert mark.mesh is not None
    low, high = belt.heights
    way = (1.0, 0.0) if belt.direction == "x" else (0.0, 1.0)
    return ViewedBelt(
        name,
        _numbers(mark.mesh),
        colour_text(mark.colour),
        middle=round(span / 2, _DIGITS),
        half=BELT_MARK / 2,
        pitch=round(belt_pitch(belt), _DIGITS),
        way=_vector(np.array([*way, (high - low) / span])),
    )


def _floor(floor: Floor) -> ViewedFloor:
    from PIL import Image

    x0, y0, x1, y1 = (round(float(value), _DIGITS) for value in floor.bounds)
    pixels = np.rint(np.clip(floor.picture[::-1], 0.0, 1.0) * 255).astype(np.uint8)
    image = Image.fromarray(pixels)
    image.thumbnail((_MOST_DOTS, _MOST_DOTS))
    file = io.BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(file, "PNG")
    return ViewedFloor((x0, y0), (x1, y1), base64.b64encode(file.getvalue()).decode())


def colour_text(colour: Colour) -> str:
    """Return a colour as "#rrggbb"."""
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in colour)


def _vector(values: Array) -> Vector:
    x, y, z = (round(float(value), _DIGITS) + 0.0 for value in values)
    return x, y, z


def _numbers(mesh: Array) -> tuple[float, ...]:
    return tuple((np.round(mesh.reshape(-1), _DIGITS) + 0.0).tolist())


def _quaternion(rotation: Array) -> Quaternion:
    w, x, y, z = (round(float(value), 7) + 0.0 for value in quaternion_from_rotation(rotation))
    return w, x, y, z
