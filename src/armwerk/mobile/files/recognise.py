"""What the objects of a mesh file are: bodies, groups of them, robots with or without gripper.

By its names: a group that holds something called ``sensor…`` is a robot; within it a group called
``gripper…`` that holds two objects ``hand…`` is its gripper, and ``wheel…`` are its wheels. The
type can also be set by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import DescriptionError
from armwerk.geometry.mesh import Mesh
from armwerk.mobile.files.attributes import ObjectType
from armwerk.mobile.files.group import MeshGroup
from armwerk.mobile.files.reading import begins, holds_sensor
from armwerk.mobile.files.solid import checked_solid

_FLAT = 1e-9  # share of a sensor's size below which its triangles look nowhere


@dataclass(frozen=True, slots=True, eq=False)
class FoundEye:
    """A sensor of a file: where it is and where it looks, in the robot's frame."""

    name: str
    place: Array
    direction: Array


@dataclass(frozen=True, slots=True, eq=False)
class FoundObject:
    """An object of a file, in metres.

    Args:
        name: Its own.
        type: What its names say it is.
        pose: T_world_object, rigid. Shape (4, 4).
        solids: In its frame, without those of the next three.
        volume: Of all its solids [m³].
        eyes: Of a robot: its sensors.
        hands: Of a robot with gripper: the solids of each hand by its name.
        wheels: Of a robot: its wheels.
        is_group: Whether it holds several objects.
        colour: Six hex digits; empty: the file gives none.
        problems: What is doubtful about it.
    """

    name: str
    type: ObjectType
    pose: Array
    solids: tuple[Mesh, ...]
    volume: float
    eyes: tuple[FoundEye, ...] = ()
    hands: tuple[tuple[str, tuple[Mesh, ...]], ...] = ()
    wheels: tuple[Mesh, ...] = ()
    is_group: bool = False
    colour: str = ""
    problems: tuple[str, ...] = ()


def found_object(
    group: MeshGroup, name: str, to_world: Array, asked: ObjectType | None
) -> FoundObject:
    """Return what an object of a file is.

    Args:
        group: From the file.
        name: What it is called in the scene.
        to_world: From the file's coordinates to metres with z up. Shape (4, 4).
        asked: The type set by hand; None: by its names.

    Raises:
        DescriptionError: When it cannot be used at all.
    """
    kind = asked or _type_by_names(group)
    matrix = to_world @ group.matrix
    if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:3, :3])) < 1e-18:
        raise DescriptionError("its matrix flattens it", element=f"object '{name}'")
    maker = _Maker(group, name, to_world)
    robot = kind in {"robot", "robot with gripper"}
    pose = maker.robot_frame() if robot else _rigid(matrix)
    maker.inverse = np.asarray(np.linalg.inv(pose), dtype=np.float64)
    if robot:
        maker.robot(kind == "robot with gripper" or asked is None)
        if kind == "robot with gripper" and not maker.hands:
            kind = "robot"
    else:
        maker.take(group, to_world @ group.matrix)
    meshes = sum(part.mesh is not None for part, _ in group.walk())
    if not maker.solids:
        raise DescriptionError(
            "has no triangles of its own",
            element=f"object '{name}'",
            allowed="a hull" if robot else "at least one triangle with an area",
        )
    return FoundObject(
        name,
        kind,
        pose,
        tuple(maker.solids),
        maker.volume,
        tuple(maker.eyes),
        tuple(maker.hands),
        tuple(maker.wheels),
        meshes > 1 and not robot,
        _first_colour(group),
        tuple(maker.problems),
    )


def _type_by_names(group: MeshGroup) -> ObjectType:
    if not holds_sensor(group):
        return "immovable"
    grippers = [child for child in group.children if begins(child.name, "gripper")]
    return "robot with gripper" if grippers else "robot"


@dataclass(slots=True, eq=False)
class _Maker:
    """Collects the parts of one object."""

    group: MeshGroup
    name: str
    to_world: Array
    inverse: Array = field(default_factory=lambda: np.eye(4))
    solids: list[Mesh] = field(default_factory=list)
    volume: float = 0.0
    eyes: list[FoundEye] = field(default_factory=list)
    hands: list[tuple[str, tuple[Mesh, ...]]] = field(default_factory=list)
    wheels: list[Mesh] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def robot_frame(self) -> Array:
        """Return the frame of a robot: upright, on the ground below it, x forwards.

        The group's own origin counts where it lies below the hull; a file whose groups have no
        frames of their own, as OBJ, has the middle of the hull instead.
        """
        matrix = self.to_world @ self.group.matrix
        frame = _rigid(matrix)
        heading = float(np.arctan2(frame[1, 0], frame[0, 0]))
        if frame[2, 2] < 0.999:
            # the file may have its own idea of up inside the group; only the heading is taken
            self.problems.append(
                f"robot '{self.name}' does not stand upright in the file; it is set upright"
                if frame[2, 2] < 0.5
                else f"robot '{self.name}' leans in the file; it is set upright"
            )
        points = [
            part.triangles(at)[0]
            for part, at in self.group.walk(self.to_world)
            if part.mesh is not None and not begins(part.name, "sensor")
        ]
        if not points:
            raise DescriptionError(
                "is a robot without a hull",
                element=f"object '{self.name}'",
                allowed="triangles beside its sensors",
            )
        cloud = np.vstack(points)
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        origin = matrix[:3, 3]
        inside = bool((low[:2] <= origin[:2]).all() and (origin[:2] <= high[:2]).all())
        size = float((high - low).max())
        below = inside and low[2] - size <= origin[2] <= high[2]
        place = origin if below else np.array([*(low + high)[:2] / 2, low[2]])
        c, s = np.cos(heading), np.sin(heading)
        upright = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        upright[:3, 3] = place
        return upright

    def robot(self, with_gripper: bool) -> None:
        """Take a robot apart."""
        matrix = self.to_world @ self.group.matrix
        if self.group.mesh is not None:
            self._solid(self.group, matrix, self.name)
        for child in self.group.children:
            at = matrix @ child.matrix
            if begins(child.name, "sensor"):
                self._eye(child, matrix)
            elif begins(child.name, "wheel") and child.mesh is not None:
                self.wheels += self._made(child, at, child.name)
            elif begins(child.name, "gripper") and with_gripper:
                self._gripper(child, at)
            else:
                self.take(child, at)
        if not self.eyes:
            self.problems.append(f"robot '{self.name}' has no sensors")

    def take(self, group: MeshGroup, matrix: Array) -> None:
        """Take all solids of a group; ``matrix`` is its own."""
        unmoved = MeshGroup("", np.eye(4), group.mesh, group.children)
        for part, at in unmoved.walk(matrix):
            if begins(part.name, "sensor") and holds_sensor(self.group):
                continue  # a robot set up as a body: what it looked with is no solid
            if part.mesh is not None:
                label = f"{self.name}/{part.name}" if part.name else self.name
                self._solid(part, at, label)

    def _solid(self, part: MeshGroup, matrix: Array, label: str) -> None:
        self.solids += self._made(part, matrix, label)

    def _made(self, part: MeshGroup, matrix: Array, label: str) -> list[Mesh]:
        vertices, faces = part.triangles(self.inverse @ matrix)
        solid = checked_solid(vertices, faces, label)
        self.volume += solid.volume
        self.problems += solid.problems
        return [solid.mesh]

    def _eye(self, group: MeshGroup, matrix: Array) -> None:
        corners = _corners(group, self.inverse @ matrix)
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(across, axis=1)
        direction = across.sum(axis=0)
        length = float(np.linalg.norm(direction))
        if length <= _FLAT * max(float(areas.sum()), 1e-30) or not np.isfinite(length):
            self.problems.append(
                f"sensor '{group.name}' of robot '{self.name}' looks nowhere: "
                "its triangles have no common normal; it is left out"
            )
            return
        place = (corners.mean(axis=1) * areas[:, None]).sum(axis=0) / areas.sum()
        taken = {eye.name for eye in self.eyes}
        label = unique(group.name, taken)
        if label != group.name:
            self.problems.append(
                f"robot '{self.name}' has several sensors '{group.name}'; one is called '{label}'"
            )
        self.eyes.append(FoundEye(label, place, direction / length))

    def _gripper(self, group: MeshGroup, matrix: Array) -> None:
        held: list[tuple[str, tuple[Mesh, ...]]] = []
        for child in group.children:
            at = matrix @ child.matrix
            if begins(child.name, "hand"):
                before = len(self.solids)
                self.take(child, at)
                label = unique(child.name, {name for name, _ in held})
                held.append((label, tuple(self.solids[before:])))
                del self.solids[before:]
            else:
                self.take(child, at)
        if group.mesh is not None:
            self._solid(group, matrix, group.name)
        held = [(name, solids) for name, solids in held if solids]
        if len(held) != 2:
            count = "one hand" if len(held) == 1 else f"{len(held)} hands"
            self.problems.append(
                f"gripper '{group.name}' of robot '{self.name}' has {count} instead of two; "
                "the robot is one without gripper"
            )
            self.solids += [solid for _, solids in held for solid in solids]
            return
        if self.hands:
            self.problems.append(
                f"robot '{self.name}' has several grippers; '{group.name}' does not count"
            )
            self.solids += [solid for _, solids in held for solid in solids]
            return
        held.sort(key=lambda one: -float(np.mean([mesh.bounds[:, 1].mean() for mesh in one[1]])))
        self.hands = held


def unique(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number behind it if need be."""
    if name not in taken:
        return name
    return next(f"{name}_{n}" for n in range(2, len(taken) + 3) if f"{name}_{n}" not in taken)


def _corners(group: MeshGroup, matrix: Array) -> Array:
    parts: list[Array] = [np.zeros((0, 3, 3))]
    for part, at in group.walk(matrix):
        vertices, faces = part.triangles(at)
        usable: Integers = faces[(faces >= 0).all(axis=1) & (faces < len(vertices)).all(axis=1)]
        parts.append(vertices[usable])
    return np.concatenate(parts)


def _rigid(matrix: Array) -> Array:
    """Return the rigid motion nearest to a matrix. Shape (4, 4)."""
    left, _, right = np.linalg.svd(matrix[:3, :3])
    turn = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, matrix[:3, 3]
    return pose


def _first_colour(group: MeshGroup) -> str:
    parts: Sequence[MeshGroup] = [part for part, _ in group.walk() if part.mesh is not None]
    for part in parts:
        if part.mesh is not None and part.mesh.colour is not None:
            return "".join(f"{round(255 * share):02X}" for share in part.mesh.colour)
    return ""
