"""A robot of a cell as coloured solids: its arm and gripper for given motor values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.pictures.cell_solids import Solid, bar, globe, plate, rod, slab
from armwerk.pictures.palette import (
    BASE,
    LINK,
    PASSIVE,
    PRISMATIC,
    REVOLUTE,
    WHITE,
    Colour,
    colour,
    mixed,
)
from armwerk.pictures.skeleton import FOOT, Bar, JointMark, Skeleton, arm_skeleton, joint_length
from armwerk.robot.arm import Arm
from armwerk.robot.holding import HoldingFace, SuctionCup
from armwerk.robot.joint import Joint
from armwerk.robot.part import TouchSegment
from armwerk.robot.parts import Assembly, Motor

MOVING, FAST = colour("#f2b01e"), colour("#d6336c")
_BAR = 0.021  # radius of a link in units of the arm's size
FINGER, PAD = colour("#59646f"), colour("#3a424b")
CUP, MAGNET, POLE = colour("#2b6cb0"), colour("#c0392b"), colour("#d5d9de")


@dataclass(frozen=True)
class DrawnRobot:
    """A robot to be drawn.

    Args:
        arm: An `Arm` or an `Assembly`.
        gripper: An `Assembly`; None: none, or part of the arm.
        base: T_world_base. Shape (4, 4).
        tint: Colour of its turning joints, to tell several robots apart.
        index: Its place among the motors of a moment.
    """

    arm: Arm | Assembly
    gripper: Assembly | None = None
    base: Array = field(default_factory=lambda: np.eye(4))
    tint: Colour = REVOLUTE
    index: int = 0
    kept_hand: tuple[object, list[Solid]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @cached_property
    def _model(self) -> AssemblyModel | None:
        from armwerk.modelling import model

        return None if isinstance(self.arm, Arm) else model(self.arm)

    @cached_property
    def _hand(self) -> AssemblyModel | None:
        from armwerk.modelling import model

        return None if self.gripper is None else model(self.gripper)

    @cached_property
    def _sizes(self) -> tuple[float, float]:
        from armwerk.pictures.assembly import assembly_size
        from armwerk.pictures.skeleton import arm_size

        if isinstance(self.arm, Arm):
            size = arm_size(self.arm)
        else:
            assert self._model is not None
            size = assembly_size(self._model)
        return size, 0.0 if self._hand is None else assembly_size(self._hand)

    def skeletons(self, values: Mapping[str, float]) -> list[Skeleton]:
        """Return the skeletons of arm and gripper in the world.

        Args:
            values: Of the motors by name [rad or m]; one that is missing stands in its middle.
        """
        arm = self.arm_skeleton(values)
        if self._hand is None:
            return [arm]
        return [arm, placed(self.hand_skeleton(values), arm.tools[0])]

    def hand_skeleton(self, values: Mapping[str, float]) -> Skeleton:
        """Return the skeleton of the gripper in its own frame."""
        assert self._hand is not None
        return _assembly(self._hand, self.grip(values), self._sizes[1])

    def pads(self, values: Mapping[str, float], hand: Array) -> list[Solid]:
        """Return the parts of the gripper that touch, as thick as they are.

        Args:
            values: Of the motors by name.
            hand: T_world_hand. Shape (4, 4).
        """
        model = self._hand if self._hand is not None else self._model
        if model is None:
            return []
        q = self.grip(values) if model is self._hand else self._arm_values(values)
        frames = model.state(q).frames
        solids: list[Solid] = []
        for name, place in model.assembly.tree.items():
            if isinstance(place.part, HoldingFace):
                solids += _face(place.part, np.asarray(hand @ frames[name]))
            carrier = None if place.fix is None else model.assembly.tree[place.fix].part
            radius = getattr(carrier, "radius", None)
            if not isinstance(carrier, TouchSegment) or not radius or place.fix is None:
                continue
            start, end = (np.asarray(hand @ frames[part])[:3, 3] for part in (place.fix, name))
            if not np.isfinite([start, end]).all():
                continue
            if carrier.width:
                side = (hand @ frames[place.fix])[:3, 0]
                solids += plate(start, end, (2.0 * radius, carrier.width), PAD, side)
            else:
                solids += rod(start, end, radius, PAD)
                solids += [globe(start, radius, PAD), globe(end, radius, PAD)]
        return solids

    def grip(self, values: Mapping[str, float]) -> Array:
        """Return the gripper's motor values; its names are longer where the arm has the same."""
        hand = self._hand
        assert hand is not None
        arm = {motor.name for motor in self.arm.moving}
        own: dict[str, float] = {}
        for motor in hand.assembly.moving:
            name = motor.name
            while name in arm:
                name = f"gripper_{name}"
            if name in values:
                own[motor.name] = values[name]
        return _values(hand.assembly.moving, own, hand.middle)

    def _arm_values(self, values: Mapping[str, float]) -> Array:
        middle = np.zeros(self.arm.dof) if self._model is None else self._model.middle
        return _values(self.arm.moving, values, middle)

    def arm_skeleton(self, values: Mapping[str, float]) -> Skeleton:
        """Return the skeleton of the arm in the world."""
        q = self._arm_values(values)
        if isinstance(self.arm, Arm):
            return placed(arm_skeleton(self.arm, q), self.base)
        assert self._model is not None
        return placed(_assembly(self._model, q, self._sizes[0]), self.base)


def _face(part: HoldingFace, pose: Array) -> list[Solid]:
    """Return a cup, as discs that grow towards its lip, or a magnet with its bright pole."""
    middle, axis, radius = pose[:3, 3], pose[:3, 2], part.radius

    def disc(near: float, far: float, size: float, shown: Colour) -> list[Solid]:
        ends = middle - near * radius * axis, middle - far * radius * axis
        return rod(*ends, size * radius, shown)

    if isinstance(part, SuctionCup):
        return [
            *disc(0.0, 0.12, 1.0, CUP),
            *disc(0.12, 0.3, 0.8, CUP),
            *disc(0.3, 0.6, 0.6, CUP),
            *disc(0.6, 1.6, 0.4, POLE),
            *disc(1.6, 4.0, 0.3, FINGER),
        ]
    return [
        *disc(0.0, 0.25, 1.0, POLE),
        *disc(0.25, 1.4, 1.0, MAGNET),
        *disc(1.4, 4.0, 0.35, FINGER),
    ]


def _assembly(model: AssemblyModel, q: Array, size: float) -> Skeleton:
    """Return the skeleton of an assembly; its middle where a chain does not close."""
    from armwerk.pictures.assembly import assembly_skeleton

    try:
        return assembly_skeleton(model, q, size)
    except UnsupportedError:
        return assembly_skeleton(model, model.middle, size)


def _values(
    motors: Sequence[Joint | Motor], values: Mapping[str, float], otherwise: Array
) -> Array:
    return np.array(
        [
            values.get(motor.name, float(other))
            for motor, other in zip(motors, otherwise, strict=True)
        ]
    )


def placed(skeleton: Skeleton, T: Array) -> Skeleton:
    """Return a skeleton moved by T (4, 4)."""
    turn, shift = T[:3, :3], T[:3, 3]
    return Skeleton(
        tuple(replace(b, points=b.points @ turn.T + shift) for b in skeleton.bars),
        tuple(
            JointMark(
                j.kind,
                turn @ j.centre + shift,
                turn @ j.axis,
                turn @ j.side,
                j.name,
                j.weight,
                j.passive,
            )
            for j in skeleton.joints
        ),
        T @ skeleton.base,
        tuple(T @ tool for tool in skeleton.tools),
        skeleton.size,
        tuple(outline @ turn.T + shift for outline in skeleton.plates),
        skeleton.footed,
    )


def robot_solids(
    robot: DrawnRobot,
    values: Mapping[str, float],
    marks: Mapping[str, Colour] | None = None,
    rods: bool = True,
) -> list[Solid]:
    """Return a robot's solids.

    Args:
        robot: Who.
        values: Of its motors by name [rad or m].
        marks: Colours of the joints that are to stand out, by name.
        rods: Whether those of parallelograms are among them, which keep to no single link.
    """
    marks = marks or {}
    arm = robot.arm_skeleton(values)
    if not rods:
        arm = replace(arm, bars=tuple(bar for bar in arm.bars if not bar.is_rod))
    solids = _foot(arm) + _solids(arm, 1.0, LINK, robot.tint, marks)
    if robot.gripper is None:
        return solids + robot.pads(values, robot.base)
    return solids + _moved(_hand_solids(robot, values, marks), arm.tools[0])


def _hand_solids(
    robot: DrawnRobot, values: Mapping[str, float], marks: Mapping[str, Colour]
) -> list[Solid]:
    """Return a gripper's solids in its own frame; they are kept while its fingers stand still."""
    key = (robot.grip(values).tobytes(), tuple(marks.items()))
    if robot.kept_hand is None or robot.kept_hand[0] != key:
        hand = robot.hand_skeleton(values)
        # a gripper is small: its bars are stouter for its size than an arm's
        solids = _solids(_without_stick(hand), 1.4, FINGER, robot.tint, marks)
        solids += _palm(hand) + robot.pads(values, np.eye(4))
        object.__setattr__(robot, "kept_hand", (key, solids))
    assert robot.kept_hand is not None
    return robot.kept_hand[1]


def _moved(solids: list[Solid], T: Array) -> list[Solid]:
    """Return solids moved by T (4, 4)."""
    poses = T @ np.array([solid.pose for solid in solids]).reshape(-1, 4, 4)
    moved = []
    for solid, pose in zip(solids, poses, strict=True):
        mesh = None if solid.mesh is None else solid.mesh @ T[:3, :3].T + T[:3, 3]
        moved.append(Solid(solid.kind, pose, solid.size, solid.colour, solid.alpha, mesh))
    return moved


def _without_stick(hand: Skeleton) -> Skeleton:
    """Return a gripper without the bar that ends in the empty point where it grips."""
    tip = hand.tools[0][:3, 3]
    bars = [bar for bar in hand.bars if np.linalg.norm(bar.points[-1] - tip) > 1e-6]
    return replace(hand, bars=tuple(bars))


def _palm(hand: Skeleton) -> list[Solid]:
    """Return the body of a gripper: from where it is mounted to its first motors."""
    if not hand.joints:
        return []
    axis, origin = hand.base[:3, 2], hand.base[:3, 3]
    depth = float(np.median([(joint.centre - origin) @ axis for joint in hand.joints]))
    return rod(origin, origin + depth * axis, 0.13 * hand.size, FINGER) if depth > 0 else []


def _solids(
    skeleton: Skeleton, stout: float, link: Colour, tint: Colour, marks: Mapping[str, Colour]
) -> list[Solid]:
    unit = _BAR * skeleton.size * stout
    solids: list[Solid] = []
    for piece in skeleton.bars:
        solids += _bar(piece, unit, link)
    for joint in skeleton.joints:
        solids += _joint(joint, unit, skeleton.size, tint, marks.get(joint.name))
    solids += [slab(outline, 0.5 * unit, link) for outline in skeleton.plates]
    return solids


def _bar(piece: Bar, unit: float, link: Colour) -> list[Solid]:
    radius = unit * piece.weight
    solids: list[Solid] = []
    for start, end in pairwise(piece.points):
        if piece.square:
            solids += bar(start, end, 1.7 * radius, link)
        else:
            solids += rod(start, end, radius, link)
    if not piece.square:
        solids += [globe(point, radius, link) for point in piece.points]
    return solids


def _joint(
    joint: JointMark, unit: float, size: float, tint: Colour, mark: Colour | None
) -> list[Solid]:
    radius = 1.7 * unit * joint.weight
    half = joint_length(size, joint.weight) / 2 * joint.axis
    start, end = joint.centre - half, joint.centre + half
    if joint.kind == "ball":
        return [globe(joint.centre, radius, mark or PASSIVE)]
    if joint.kind == "prismatic":
        shown = mark or (PASSIVE if joint.passive else PRISMATIC)
        return bar(start, end, 2 * radius, shown, joint.side)
    shown = mark or (PASSIVE if joint.passive else tint)
    hub = mixed(shown, WHITE, 0.45)
    return rod(start, end, radius, shown) + rod(
        joint.centre - 1.07 * half, joint.centre + 1.07 * half, 0.55 * radius, hub
    )


def _foot(skeleton: Skeleton) -> list[Solid]:
    """Return the plate an arm is bolted to, with a column below it when it stands high."""
    if not skeleton.footed:
        return []
    normal, origin = skeleton.base[:3, 2], skeleton.base[:3, 3]
    thick, radius = FOOT * skeleton.size, 0.085 * skeleton.size
    if normal[2] < -0.99 and origin[2] < thick:
        normal = -normal  # its first axis points down, but it stands on the floor
    solids = rod(origin, origin + thick * normal, radius, BASE)
    if normal[2] > 0.99 and origin[2] > 2 * thick:
        floor = np.array([origin[0], origin[1], 0.0])
        solids += rod(floor, origin, 0.5 * radius, mixed(BASE, WHITE, 0.25))
        solids += rod(floor, floor + thick * normal, radius, BASE)
    return solids
