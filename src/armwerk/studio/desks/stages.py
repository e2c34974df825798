"""Arms among bodies, as views show them: looked up once, kept while they are used."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.bodies_toml import parse_bodies
from armwerk.collision.body import Body, Region
from armwerk.collision.body_solids import body_colour
from armwerk.collision.checker import Checker
from armwerk.collision.urdf_shapes import urdf_shapes
from armwerk.errors import (
    ArmwerkError,
    DescriptionError,
    MotionError,
    ShapeError,
    UnsupportedError,
)
from armwerk.geometry import Box, pose_from_transform
from armwerk.mechanics.interface import ArmModel
from armwerk.modelling import model
from armwerk.motion.limits import Limits
from armwerk.motion.path.goals import inclination_of
from armwerk.planning.example_problems import problem, problems
from armwerk.protocol.staging import (
    ArmStaged,
    BodiesText,
    PoseStage,
    StageArm,
    StageCommand,
    StagedBody,
    StagedJoint,
    StagePosed,
    StageResult,
)
from armwerk.protocol.viewing import ViewedGeometry
from armwerk.robot import load
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly
from armwerk.studio.arm_sources import ArmSource, arm_source
from armwerk.studio.folder import StudioFolder
from armwerk.wire.arm_meshes import with_meshes
from armwerk.wire.arm_stage import ArmStage
from armwerk.wire.geometry import colour_text

_KEPT = 6  # arms with their bodies
_WIDER = 1.35  # times as far away real links are looked at, which are wider than drawn ones
_MOST_BODIES = 500
_USUAL = {"rad": 1.0, "m": 0.25}  # [rad/s, m/s] where a description has no limit
_RISE = 0.25  # [s] to the greatest velocity or acceleration, likewise


class StagedArm:
    """An arm among bodies, with everything that is asked of it.

    Args:
        source: The arm that was found.
        bodies: Around it.
        version: Of its geometry.

    Attributes:
        source: The words it was loaded by.
        geometry: What is seen: the arm with the links of its file where they can be had.
    """

    def __init__(self, source: ArmSource, bodies: Bodies, version: int) -> None:
        self.source = source.words
        self.arm: Arm | Assembly = load(self.source)
        self.bodies = bodies
        self.stage = ArmStage(self.arm, bodies, version)
        self.geometry = self.stage.geometry
        if source.is_tree and isinstance(self.arm, Arm):
            # a drawn arm serves as well, and what is wrong with a mesh the arm view says
            with contextlib.suppress(ArmwerkError, OSError):
                self.geometry = self._with_links(self.arm, source.root)

    def _with_links(self, arm: Arm, root: Path | None) -> ViewedGeometry:
        shapes = urdf_shapes(self.source, arm, element="visual", below=root).shapes
        if not shapes:
            return self.geometry
        camera = self.geometry.camera
        seen = replace(self.geometry, camera=replace(camera, distance=_WIDER * camera.distance))
        return with_meshes(seen, self.stage, shapes)

    @cached_property
    def model(self) -> ArmModel:
        """Its model."""
        return model(self.arm)

    @cached_property
    def checker(self) -> Checker:
        """What touches what."""
        return Checker(self.source, self.bodies)

    @cached_property
    def lone_checker(self) -> Checker:
        """What touches what, the arm itself left out."""
        return Checker(self.source, self.bodies, self_check=False)

    @cached_property
    def limits(self) -> Limits:
        """Of all joints; what the description leaves out is assumed, see `assumed`."""
        rows = [_rates(one) for one in self.joints]
        velocity, acceleration, jerk = np.array(rows).T
        low, high = np.array(self.arm.limits).T
        names = [one.name for one in self.joints]
        units = [one.unit for one in self.joints]
        return Limits(velocity, acceleration, jerk, low, high, names, units)

    @property
    def assumed(self) -> tuple[str, ...]:
        """A sentence when the description leaves out limits that motions need."""
        missing = [
            what
            for what in ("velocity", "acceleration", "jerk")
            if any(getattr(one, what) is None for one in self.joints)
        ]
        if not missing:
            return ()
        return (f"the description has no limits of {', '.join(missing)}; usual ones are taken",)

    @property
    def joints(self) -> tuple[StagedJoint, ...]:
        """Those that move."""
        return tuple(
            _joint(one, limits)
            for one, limits in zip(self.arm.moving, np.array(self.arm.limits), strict=True)
        )

    def values(self, q: tuple[float, ...], what: str = "q") -> Array:
        """Return joint values within the limits.

        Raises:
            ShapeError: For another number of them.
            DescriptionError: For one beyond its limits.
        """
        joints = self.joints
        if len(q) != len(joints):
            raise ShapeError(f"{what}: {len(joints)} joint values are needed, got {len(q)}")
        values = np.array(q, dtype=np.float64)
        for k, joint in enumerate(joints):
            low = -np.inf if joint.low is None else joint.low
            high = np.inf if joint.high is None else joint.high
            if not low - 1e-6 <= values[k] <= high + 1e-6:
                raise DescriptionError(
                    "beyond its limits",
                    element=f"joint '{joint.name}'",
                    value=f"{values[k]:.6g} {joint.unit}",
                    allowed=f"{low:.6g} to {high:.6g} {joint.unit}",
                )
            values[k] = np.clip(values[k], low, high)
        return values


def _joint(joint: Joint | object, limits: Array) -> StagedJoint:
    low, high = (float(end) if np.isfinite(end) else None for end in limits)

    def rate(name: str) -> float | None:
        value = getattr(joint, name, None)
        return None if value is None else float(value)

    unit = str(getattr(joint, "unit", "rad"))
    name = str(getattr(joint, "name", ""))
    rates = (rate(f"max_{what}") for what in ("velocity", "acceleration", "jerk", "force"))
    return StagedJoint(name, unit, low, high, *rates)


def _rates(joint: StagedJoint) -> tuple[float, float, float]:
    """Return the greatest velocity, acceleration and jerk of a joint, usual ones if not given."""
    velocity = joint.velocity or _USUAL[joint.unit]
    acceleration = joint.acceleration or velocity / _RISE
    return velocity, acceleration, joint.jerk or acceleration / _RISE


class Stages:
    """Staged arms by name or file and text of the bodies; the latest few are kept.

    Args:
        folder: Below which files are.
    """

    def __init__(self, folder: StudioFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, float], StagedArm] = OrderedDict()
        self._made = 0

    def get(self, arm: str, bodies: str) -> StagedArm:
        """Return an arm among bodies.

        Raises:
            DescriptionError: For an arm or bodies that are wrong; says where.
        """
        source = arm_source(arm, self._folder)
        key = (arm, bodies, source.changed)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                self._made += 1
                found = StagedArm(source, self._bodies(bodies), self._made)
                self._kept[key] = found
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return found

    def _bodies(self, text: str) -> Bodies:
        return Bodies(self.bodies(text))

    def bodies(self, text: str) -> list[Body]:
        """Return the bodies of a text.

        Raises:
            DescriptionError: With the line that is wrong.
        """
        if not text.strip():
            return []
        self._check_files(text)
        found = parse_bodies(text, self._folder.root)
        if len(found) > _MOST_BODIES:
            raise DescriptionError(
                "too many bodies", element="bodies", value=len(found), allowed=f"{_MOST_BODIES}"
            )
        return found

    def _check_files(self, text: str) -> None:
        """Refuse mesh files that a link leads out of the folder."""
        import tomllib

        try:
            tables = tomllib.loads(text).get("body", [])
        except (ValueError, RecursionError):
            return  # it is said where it is read
        for table in tables if isinstance(tables, list) else []:
            file = table.get("file") if isinstance(table, dict) else None
            if not isinstance(file, str) or "\x00" in file:
                continue
            path = Path(os.path.realpath(self._folder.root / file))
            if not path.is_relative_to(self._folder.root):
                raise DescriptionError(
                    "not below the folder the studio was started in",
                    element=f"file '{file[:80]}'",
                    allowed="a path from there",
                )


class StageDesk:
    """Shows arms among bodies.

    Args:
        stages: Where they are looked up.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    def obey(self, command: StageCommand) -> StageResult:
        """Carry out a command.

        Raises:
            ArmwerkError: When something asked for is wrong.
        """
        if isinstance(command, StageArm):
            return _staged(self._stages.get(command.arm, command.bodies), command.arm)
        if isinstance(command, PoseStage):
            return _posed(self._stages.get(command.arm, command.bodies), command.q)
        return BodiesText(_suggested(command.arm, self._stages.get(command.arm, "")))


def _staged(staged: StagedArm, name: str) -> ArmStaged:
    bodies = tuple(
        StagedBody(
            body.name,
            type(body.shape if isinstance(body, Region) else body).__name__.lower(),
            isinstance(body, Region),
            colour_text(body_colour(number)),
        )
        for number, body in enumerate(staged.bodies)
    )
    return ArmStaged(
        name,
        staged.joints,
        tuple(float(value) for value in staged.stage.rest),
        bodies,
        staged.geometry,
        isinstance(staged.arm, Arm),
    )


def _posed(staged: StagedArm, q: tuple[float, ...]) -> StagePosed:
    values = staged.values(q)
    poses = staged.stage.packed(values[None])
    T = staged.model.fk(values)
    tool = tuple(float(x) for x in pose_from_transform(T))
    leans = _inclination(T)
    try:
        hit = staged.checker.first(values)
    except UnsupportedError as error:
        return StagePosed(poses, tool, leans, str(error), "", None, None)
    if hit is not None:
        x, y, z = (float(value) for value in hit.point)
        body = hit.body if hit.body in staged.bodies.names else ""
        return StagePosed(
            poses, tool, leans, f"{hit.part} touches {hit.body}", body, (x, y, z), 0.0
        )
    distance = None
    if len(staged.bodies):
        distance = float(staged.checker.distance(values, self_too=False).value)
    return StagePosed(poses, tool, leans, "", "", None, distance)


def _inclination(T: Array) -> tuple[float, float] | None:
    try:
        return inclination_of(T)
    except MotionError:
        return None


def _suggested(arm: str, staged: StagedArm) -> str:
    """Return bodies for an arm: those of the problem that it belongs to, else some of its size."""
    for name in problems():
        found = problem(name)
        if found.arm == arm:
            return bodies_text([body for body in found.bodies if isinstance(body, Box)])
    tool = staged.model.fk(staged.stage.rest)[:3, 3]
    camera = staged.stage.geometry.camera
    size = round(max(0.3, float(np.linalg.norm(tool)), camera.distance / 4), 2)
    wanted = {
        "post": Box((0.2 * size, 0.2 * size, 0.7 * size), (0.6 * size, 0.35 * size, 0.35 * size)),
        "crate": Box(
            (0.3 * size, 0.4 * size, 0.25 * size), (0.55 * size, -0.5 * size, 0.125 * size)
        ),
        "wall": Box((0.1 * size, 0.6 * size, 0.8 * size), (-0.55 * size, 0.0, 0.4 * size)),
    }
    boxes = [_beside(staged, box) for box in wanted.values()]
    return bodies_text(boxes, tuple(wanted))


def _beside(staged: StagedArm, box: Box) -> Box:
    """Return a box where the arm does not touch it at rest, turned about the upright axis."""
    for angle in np.linspace(0.0, 2 * np.pi, 12, endpoint=False):
        x, y = box.position[:2]
        c, s = np.cos(angle), np.sin(angle)
        place = (c * x - s * y, s * x + c * y, box.position[2])
        turned = Box(box.size, np.round(place, 3))
        if not Checker(staged.source, [turned], self_check=False).contact(staged.stage.rest):
            return turned
    return box


def bodies_text(boxes: list[Box], names: tuple[str, ...] = ()) -> str:
    """Return boxes as people write them."""
    lines = ['kind = "bodies"']
    for number, box in enumerate(boxes):
        name = names[number] if names else box.name
        size, place = ([round(float(x), 6) + 0.0 for x in row] for row in (box.size, box.position))
        lines += ["", "[[body]]", 'kind = "box"', f'name = "{name}"']
        lines += [f"size = {size}  # m", f"position = {place}  # m, its middle"]
    return "\n".join(lines) + "\n"
