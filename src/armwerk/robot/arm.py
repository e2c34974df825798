"""An arm: a chain of joints between a base and a tool."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.robot.axes import Axis, joints_from_axes
from armwerk.robot.coupling import angle_ranges, check_couplings, coupling_matrix
from armwerk.robot.dimension import evaluate, symbols
from armwerk.robot.formats.saving import save_arm
from armwerk.robot.formats.toml_writer import arm_to_toml
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly
from armwerk.robot.parts_chain import axes_of_chain
from armwerk.robot.settings import STANDARD_GRAVITY, MotionSettings

MOST_JOINTS = 64
_ORTHONORMAL = 1e-9  # how far a given rotation matrix may be from orthonormal
_COINCIDE = 1e-9  # [m], [rad] within which two axes count as one line


class ArmDetails(TypedDict, total=False):
    """Fields of an `Arm` beyond its joints, name, base and tool; all may be left out."""

    gravity: ArrayLike
    title: str
    source: str
    assumed: Iterable[str]
    tasks: Iterable[str]
    motion: MotionSettings
    file: str
    srdf: str


_PLACES = ("file", "srdf")  # where an arm is from, which makes it no other arm


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Arm:
    """A serial arm as it is described: nothing in it is computed, nothing can be changed.

    Args:
        joints: From the base outwards.
        name: Short name, as used on the command line and for files.
        base: World from arm base, T_world_base [m]. Shape (4, 4). None: identity.
        tool: Last joint frame from tool, T_flange_tool [m]. Shape (4, 4). None: identity.
        gravity: Acceleration of free fall in world coordinates [m/s²]. Shape (3,).
        title: Name for people ("Unimation Puma 560").
        source: Where the numbers are from.
        assumed: Which of the numbers are sensible guesses rather than published.
        tasks: What the arm is used for.
        motion: How it is to be moved.
        file: What it was read from, with the links between which it lies, where shapes of its links
            can be found; empty: no such file. Two arms that differ in it alone are equal.
        srdf: File that says which of these links may touch; empty: the one beside ``file``. Arms
            are equal without it likewise.
    """

    joints: tuple[Joint, ...]
    name: str
    base: Array
    tool: Array
    gravity: Array
    title: str
    source: str
    assumed: tuple[str, ...]
    tasks: tuple[str, ...]
    motion: MotionSettings
    file: str
    srdf: str

    def __init__(
        self,
        joints: Iterable[Joint],
        name: str = "arm",
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        gravity: ArrayLike = STANDARD_GRAVITY,
        title: str = "",
        source: str = "",
        assumed: Iterable[str] = (),
        tasks: Iterable[str] = (),
        motion: MotionSettings | None = None,
        file: str = "",
        srdf: str = "",
    ) -> None:
        put = object.__setattr__
        for element, text in (
            ("name", name),
            ("title", title),
            ("source", source),
            ("file", file),
            ("srdf", srdf),
        ):
            if not isinstance(text, str):
                raise DescriptionError("not a text", element=element, value=text)
            put(self, element, text)
        if not name:
            raise DescriptionError("missing", element="name", allowed="a short name")
        put(self, "joints", _named(joints))
        put(self, "base", _pose(base, "base"))
        put(self, "tool", _pose(tool, "tool"))
        put(self, "gravity", _array(gravity, (3,), "gravity"))
        put(self, "assumed", tuple(assumed))
        put(self, "tasks", tuple(tasks))
        put(self, "motion", MotionSettings() if motion is None else motion)
        check_couplings(self.joints)
        _refuse_coinciding_axes(self.joints)

    @classmethod
    def from_dh(
        cls,
        joints: Iterable[Joint],
        name: str = "arm",
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        **more: Unpack[ArmDetails],
    ) -> Arm:
        """Return the arm of the given Denavit-Hartenberg rows.

        Args:
            joints: From the base outwards.
            name: Short name.
            base: T_world_base [m]. Shape (4, 4). None: identity.
            tool: T_flange_tool [m]. Shape (4, 4). None: identity.
            **more: Further fields of `Arm`.

        Raises:
            DescriptionError: For what is wrong with a joint, a pose or a name.
        """
        return cls(joints, name, base, tool, **more)

    @classmethod
    def from_axes(
        cls,
        axes: Sequence[Axis],
        name: str = "arm",
        end: ArrayLike | None = None,
        base: ArrayLike | None = None,
        **more: Unpack[ArmDetails],
    ) -> Arm:
        """Return the arm whose joint axes are given by direction and displacement.

        See `armwerk.robot.axes` for the rules that place the frames.

        Args:
            axes: From the base outwards.
            name: Short name.
            end: Where the chain ends at zero pose, in base coordinates [m]: a pose, shape
                (4, 4), or a point, shape (3,), whose frame then continues the last axis. None:
                the reference point of the last axis.
            base: T_world_base, the coordinates in which the axes are given. None: world.
            **more: Further fields of `Arm`.

        Raises:
            DescriptionError: For directions of length 0, coinciding revolute axes, wrong shapes.
        """
        first, joints, last = joints_from_axes(axes, end)
        outer = np.eye(4) if base is None else np.asarray(base, dtype=np.float64)
        return cls(joints, name, outer @ first, last, **more)

    @classmethod
    def from_parts(
        cls,
        assembly: Assembly,
        tip: str | None = None,
        *,
        name: str | None = None,
        base: ArrayLike | None = None,
        **more: Unpack[ArmDetails],
    ) -> Arm:
        """Return the open chain of an assembly from its body to a part as an arm.

        Motors that are not on the chain stand still at zero: the fingers of a gripper become
        part of the last link.

        Args:
            assembly: Where the chain is.
            tip: Name of the part at its end; None: the hand of the assembly.
            name: Short name; None: the assembly's, as are title, source and assumed.
            base: T_world_body [m]. Shape (4, 4). None: identity.
            **more: Further fields of `Arm`.

        Raises:
            DescriptionError: When the chain has a passive element, stands on a platform, or has
                no motor.
        """
        axes, end = axes_of_chain(assembly, tip)
        details: ArmDetails = {
            "title": assembly.title,
            "source": assembly.source,
            "assumed": assembly.assumed,
        }
        details.update(more)
        called = assembly.name if name is None else name
        return cls.from_axes(axes, called, end, base, **details)

    @property
    def dof(self) -> int:
        """Number of joint variables."""
        return len(self.moving)

    @property
    def moving(self) -> tuple[Joint, ...]:
        """The joints that have a variable, in order."""
        return tuple(joint for joint in self.joints if joint.is_moving)

    @property
    def structure(self) -> str:
        """Kinds of the moving joints, R or T, as in "RRTRRR"."""
        return "".join("R" if joint.kind == "revolute" else "T" for joint in self.moving)

    @property
    def limits(self) -> Array:
        """Smallest and largest joint values [rad or m]; infinite where free. Shape (n, 2)."""
        free = (-np.inf, np.inf)
        rows = [free if joint.limits is None else joint.limits for joint in self.moving]
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    @property
    def is_coupled(self) -> bool:
        """Whether some joint follows the drives of other axes, see `armwerk.robot.coupling`."""
        return any(joint.coupling is not None for joint in self.joints)

    @property
    def coupling_matrix(self) -> Array:
        """C of angles = C values; the identity where nothing is coupled. Shape (k, n)."""
        return coupling_matrix(self.joints)

    @property
    def free_chain(self) -> Arm:
        """The same links with every joint free; the arm itself where nothing is coupled.

        Its joint values are the angles of `angles`. Limits are what the drives leave of them;
        what belongs to drives (speeds, forces, armature, friction) it does not have.
        """
        return _free_chain(self) if self.is_coupled else self

    def angles(self, values: ArrayLike) -> Array:
        """Return the joint angles that axis values mean [rad or m]. Shape (k,) or (m, k).

        Args:
            values: As a controller shows them, one for each drive. Shape (n,) or (m, n).
        """
        rows = np.asarray(values, dtype=np.float64)
        return np.asarray(rows @ self.coupling_matrix.T) if self.is_coupled else rows

    def keeps_limits(self, values: ArrayLike, slack: float = 1e-9) -> Flags:
        """Return whether axis values keep the limits of drives and of coupled joints.

        Args:
            values: [rad or m]. Shape (n,) or (m, n).
            slack: By how much a limit may be passed [rad or m].

        Returns:
            Shape () or (m,).
        """
        rows = np.asarray(values, dtype=np.float64)
        inside = _between(rows, self.limits, slack)
        if self.is_coupled:
            inside = inside & _between(self.angles(rows), angle_ranges(self.joints), slack)
        return inside

    def keeps_angles(self, values: ArrayLike, slack: float = 1e-9) -> Flags:
        """Return whether coupled joints keep their own limits; those of drives do not count.

        Args:
            values: Axis values [rad or m]. Shape (n,) or (m, n).
            slack: By how much a limit may be passed [rad or m].

        Returns:
            Shape () or (m,).
        """
        turning = [joint for joint in self.joints if joint.kind != "fixed"]
        own = [None if joint.coupling is None else joint.coupling.limits for joint in turning]
        ranges = np.array([(-np.inf, np.inf) if limits is None else limits for limits in own])
        return _between(self.angles(values), ranges.reshape(-1, 2), slack)

    def angle_breach(self, values: ArrayLike, slack: float = 1e-9) -> str:
        """Return which coupled joint is beyond its own limits, in words; empty: none.

        Args:
            values: Axis values [rad or m]. Shape (n,) or (m, n).
            slack: By how much a limit may be passed [rad or m].
        """
        if not self.is_coupled:
            return ""
        turning = [joint for joint in self.joints if joint.kind != "fixed"]
        rows = np.atleast_2d(self.angles(values))
        for column, joint in enumerate(turning):
            if joint.coupling is None or joint.coupling.limits is None:
                continue
            low, high = joint.coupling.limits
            beyond = np.maximum(low - rows[:, column], rows[:, column] - high)
            worst = int(np.argmax(beyond))
            if beyond[worst] > slack:
                return (
                    f"the angle of joint '{joint.name}', which follows other axes, is "
                    f"{rows[worst, column]:.6g} {joint.unit}, beyond its limits {low:.6g} to "
                    f"{high:.6g} {joint.unit}"
                )
        return ""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of all symbols in the description, sorted."""
        found: set[str] = set()
        for joint in self.joints:
            for value in joint.dimensions():
                found |= symbols(value)
        return tuple(sorted(found))

    @property
    def is_symbolic(self) -> bool:
        """Whether some dimension is still a symbol; only the derivation can use such an arm."""
        return any(joint.is_symbolic for joint in self.joints)

    def with_values(self, values: Mapping[str, float] | None = None, **more: float) -> Arm:
        """Return the arm with numbers in place of symbols.

        Raises:
            UnknownNameError: For a name that is no symbol of this arm.
        """
        given = {**(values or {}), **more}
        for name in given:
            if name not in self.symbols:
                raise UnknownNameError(f"symbol of arm '{self.name}'", name, self.symbols)
        return replace(
            self, joints=tuple(joint.map(lambda d: evaluate(d, given)) for joint in self.joints)
        )

    def with_tool(self, tool: ArrayLike) -> Arm:
        """Return the arm with another tool."""
        return replace(self, tool=_pose(tool, "tool"))

    def save(self, path: str | Path) -> None:
        """Write the arm to ``path``; the ending (.xml, .toml, .urdf) names the format.

        Raises:
            DescriptionError: For another ending, or a file that cannot be written.
            UnsupportedError: For an arm with symbols as URDF.
        """
        save_arm(self, path)

    def fingerprint(self) -> str:
        """Return a digest of everything in the description, for caches and for hashing."""
        return hashlib.sha256(arm_to_toml(self).encode()).hexdigest()

    def is_close(self, other: Arm, tolerance: float = 1e-12) -> bool:
        """Whether both describe the same arm, numbers compared within ``tolerance``."""
        return _same(self, other, tolerance)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arm) and _same(self, other, 0.0)

    def __hash__(self) -> int:
        return hash((self.name, self.joints, self.base.tobytes(), self.tool.tobytes()))

    def __repr__(self) -> str:
        return f"<Arm '{self.name}' {self.structure}>"


def _between(rows: Array, limits: Array, slack: float) -> Flags:
    low, high = limits.T
    inside: Flags = ((rows >= low - slack) & (rows <= high + slack)).all(axis=-1)
    return np.asarray(inside)


@lru_cache(maxsize=32)
def _free_chain(arm: Arm) -> Arm:
    ranges = iter(angle_ranges(arm.joints).tolist())
    joints = []
    for joint in arm.joints:
        if joint.kind != "fixed":
            low, high = next(ranges)
            limits = (low, high) if np.isfinite([low, high]).any() else None
            row = (joint.kind, joint.d, joint.a, joint.alpha, joint.offset)
            joints.append(Joint(*row, limits=limits, name=joint.name, link=joint.link))
        else:
            joints.append(joint)
    return replace(arm, joints=tuple(joints))


def _named(joints: Iterable[Joint]) -> tuple[Joint, ...]:
    joints = tuple(joints)
    if not 1 <= len(joints) <= MOST_JOINTS:
        raise DescriptionError(
            "wrong number of joints",
            element="joints",
            value=len(joints),
            allowed=f"1 to {MOST_JOINTS}",
        )
    named: list[Joint] = []
    count = 0
    for position, joint in enumerate(joints, start=1):
        if not isinstance(joint, Joint):
            raise DescriptionError("not a Joint", element=f"joint {position}", value=joint)
        count += joint.is_moving
        default = f"q{count}" if joint.is_moving else f"f{position}"
        named.append(joint if joint.name else replace(joint, name=default))
    names = [joint.name for joint in named]
    for name in names:
        if names.count(name) > 1:
            raise DescriptionError(
                "name used twice",
                element=f"joint '{name}'",
                value=name,
                allowed="a name of its own for each joint",
            )
    if count == 0:
        raise DescriptionError(
            "no joint can move",
            element="joints",
            value=len(joints),
            allowed="at least one revolute or prismatic joint",
        )
    return tuple(named)


def _array(values: object, shape: tuple[int, ...], element: str) -> Array:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != shape:
        raise DescriptionError(
            "wrong shape", element=element, value=values, allowed=f"numbers of shape {shape}"
        )
    if not np.isfinite(array).all():
        raise DescriptionError(
            "not finite", element=element, value=values, allowed="finite numbers"
        )
    array.setflags(write=False)
    return array


def _pose(values: object, element: str) -> Array:
    pose = _array(np.eye(4) if values is None else values, (4, 4), element)
    rotation = pose[:3, :3]
    straight = np.abs(rotation @ rotation.T - np.eye(3)).max() <= _ORTHONORMAL
    if not straight or np.linalg.det(rotation) < 0 or not np.array_equal(pose[3], (0, 0, 0, 1)):
        raise DescriptionError(
            "not a rigid transform",
            element=element,
            value=pose.tolist(),
            allowed="an orthonormal right-handed rotation, a translation, last row 0 0 0 1",
        )
    return pose


def _refuse_coinciding_axes(joints: tuple[Joint, ...]) -> None:
    """Two neighbouring revolute axes on one line make the arm redundant for nothing."""
    before: Joint | None = None
    between = np.eye(4)
    for joint in joints:
        if joint.kind != "fixed":
            if before is not None and before.kind == joint.kind == "revolute":
                leans = np.hypot(between[0, 2], between[1, 2])
                apart = np.hypot(between[0, 3], between[1, 3])
                if leans < _COINCIDE and apart < _COINCIDE:
                    raise DescriptionError(
                        f"axes of '{before.name}' and '{joint.name}' coincide",
                        element=f"joint '{joint.name}'",
                        allowed="neighbouring revolute axes on different lines",
                    )
            before, between = joint, np.eye(4)
        row = (joint.offset, joint.d, joint.a, joint.alpha)
        if any(isinstance(value, str) for value in row):
            between = np.full((4, 4), np.nan)  # unknown until the symbols have numbers
        else:
            angle = float(joint.offset) if joint.kind == "fixed" else 0.0
            numbers = (float(value) for value in row[1:])
            between = between @ row_matrix(angle, *numbers)


def row_matrix(theta: float, d: float, a: float, alpha: float) -> Array:
    """Return Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha). Shape (4, 4)."""
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [ct, -ca * st, sa * st, a * ct],
            [st, ca * ct, -sa * ct, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _same(one: object, two: object, tolerance: float) -> bool:
    """Compare nested descriptions field by field, numbers within ``tolerance``."""
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) <= tolerance
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return one.shape == two.shape and bool((np.abs(one - two) <= tolerance).all())
    if isinstance(one, tuple) and isinstance(two, tuple):
        pairs = zip(one, two, strict=False)
        return len(one) == len(two) and all(_same(a, b, tolerance) for a, b in pairs)
    if type(one) is not type(two):
        return False
    if is_dataclass(one):
        names = (f.name for f in fields(one) if f.name not in _PLACES)
        return all(_same(getattr(one, n), getattr(two, n), tolerance) for n in names)
    return one == two


def arm_from_axes(
    axes: Sequence[Axis],
    name: str = "arm",
    end: ArrayLike | None = None,
    base: ArrayLike | None = None,
    **more: Unpack[ArmDetails],
) -> Arm:
    """Return the arm whose joints are given by their axes; the same as `Arm.from_axes`."""
    return Arm.from_axes(axes, name, end, base, **more)
