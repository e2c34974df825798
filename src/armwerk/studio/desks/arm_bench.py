"""An arm on the bench: the numbers and the figure of one description, worked out when asked for."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.urdf_shapes import urdf_shapes
from armwerk.errors import ArmwerkError, UnsupportedError
from armwerk.geometry.quaternion import quaternion_from_rotation, rotation_from_quaternion
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.mechanics.choice import distance
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model
from armwerk.pictures.assembly import assembly_size
from armwerk.pictures.skeleton import arm_size
from armwerk.protocol.configuring import ArmMotor, ArmSolution, PosedArm
from armwerk.protocol.viewing import ViewedCamera, ViewedGeometry
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.wire.arm_meshes import with_meshes
from armwerk.wire.arm_stage import ArmStage, packed_numbers

_SAMPLES = 11  # of the self-motion of an arm with a joint to spare
_MOST = 24  # solutions that are shown
_TRIES = 400  # configurations among which the first one is chosen
_SAME = 1e-6  # [rad or m] by which a value may be beyond a limit
_AZIMUTH, _ELEVATION = np.deg2rad(-52.0), np.deg2rad(20.0)
_AWAY = 2.2  # sizes of the arm from the eye to its middle

ArmNumbers: TypeAlias = SerialModel | AssemblyModel

_deriving = threading.Lock()  # closed forms are derived one after the other


class ArmBench:
    """One description, ready to be moved.

    Args:
        arm: Without symbols.

    Attributes:
        arm: The description.
        geometry: What is seen of it.
        size: About how large it is [m].
    """

    def __init__(self, arm: Arm | Assembly) -> None:
        self.arm = arm
        self._stage = ArmStage(arm)
        if isinstance(arm, Arm):
            self._numeric: ArmNumbers = model(arm, ik="numeric")
            size, base = arm_size(arm), arm.base[:3, 3]
        else:
            self._numeric = model(arm)
            size, base = assembly_size(self._numeric), np.zeros(3)
        self.size = max(float(size), 1e-3)
        x, y, z = (float(value) for value in base + np.array([0.0, 0.0, 0.3 * self.size]))
        camera = ViewedCamera((x, y, z), _AWAY * self.size, float(_AZIMUTH), float(_ELEVATION))
        self.geometry: ViewedGeometry = replace(self._stage.geometry, camera=camera)
        self._closed: SerialModel | None = None
        self._state = "new" if isinstance(arm, Arm) else "none"  # of the closed form
        self._starting = threading.Lock()
        self._reason = ""
        self._meshed: ViewedGeometry | None = None
        self._wanted = True

    def forget(self) -> None:
        """Say that nobody looks at it: a derivation that has not begun is not begun."""
        self._wanted = False

    def with_links(self, source: str, root: Path | None) -> ViewedGeometry:
        """Return what is seen of it, with the visual elements of its file for links.

        Args:
            source: The file, URDF, xacro or MJCF, with "#tip" as for `armwerk.load`.
            root: Folder that the files of its meshes must be in; None: anywhere.

        Raises:
            DescriptionError: When it is another arm, or a mesh cannot be read.
        """
        if not isinstance(self.arm, Arm):
            return self.geometry
        if self._meshed is None:
            shapes = urdf_shapes(source, self.arm, element="visual", below=root).shapes
            if not shapes:
                return self.geometry
            self._meshed = with_meshes(self.geometry, self._stage, shapes)
        return self._meshed

    # the closed form ----------------------------------------------------------------------------

    @property
    def numbers(self) -> ArmNumbers:
        """The model in use: with the closed form as soon as there is one."""
        return self._closed or self._numeric

    def prepare(self) -> bool:
        """Have the closed form derived in a thread of its own; say whether that is under way."""
        with self._starting:
            if self._state in {"new", "dropped"}:
                self._state, self._wanted = "under way", True
                threading.Thread(target=self._derive, name="closed form", daemon=True).start()
            return self._state == "under way"

    def _derive(self) -> None:
        assert isinstance(self.arm, Arm)
        with _deriving:
            if not self._wanted:
                self._state = "dropped"
                return
            try:
                found = model(self.arm, ik="closed")
                q = self.start()
                found.ik(found.fk(q))  # loads what it needs
                _names(found, q[None, :])
                self._closed = found
            except ArmwerkError as error:
                self._reason = str(error)
            except Exception as error:  # numbers serve; the reason is told
                self._reason = f"{type(error).__name__}: {error}"
            self._state = "none" if self._closed is None else "ready"

    # configurations -----------------------------------------------------------------------------

    def start(self) -> Array:
        """Return a configuration in which one sees what the arm is. Shape (n,)."""
        rest = self._stage.rest
        if not isinstance(self._numeric, SerialModel):
            return rest
        limits = self._numeric.limits
        chain = self._numeric.chain
        reach = np.where(chain.revolute, np.deg2rad(110.0), 0.4 * self.size)
        low, high = np.maximum(limits[:, 0], -reach), np.minimum(limits[:, 1], reach)
        wrong = low >= high
        low, high = np.where(wrong, rest, low), np.where(wrong, rest, high)
        inner = 0.12 * (high - low)
        draw = np.random.default_rng(3).uniform(low + inner, high - inner, (_TRIES, len(rest)))
        frames = self._numeric.frames(draw)
        values = np.linalg.svd(self._numeric.jacobian(draw), compute_uv=False)
        able = values[:, min(5, values.shape[1] - 1)] / np.maximum(values[:, 0], 1e-12)
        base = frames[:, 0, 2, 3]
        height = frames[:, 2:, 2, 3].min(axis=1) - base
        tool = frames[:, -1, 2, 3] - base
        towards = frames[:, -1, 0, 3] - frames[:, 0, 0, 3]
        above = np.minimum(height, 0.1 * self.size) / self.size
        score = able + 3.0 * above + 0.3 * np.minimum(tool, towards) / self.size
        return np.asarray(np.round(draw[int(np.argmax(score))], 3))

    def motors(self) -> tuple[ArmMotor, ...]:
        """Return the joint variables."""
        rows = zip(self.arm.moving, self._numeric.limits, self.start(), strict=True)
        return tuple(
            ArmMotor(joint.name, joint.unit, _finite(low), _finite(high), float(value))
            for joint, (low, high), value in rows
        )

    def joint_values(self, values: tuple[float, ...]) -> Array:
        """Return joint values that came from outside; such of another number are not taken."""
        q = np.array(values, dtype=np.float64)
        return q if len(q) == len(self._stage.rest) else self.start()

    # poses --------------------------------------------------------------------------------------

    def posed(self, q: Array, goal: Array | None, solutions: bool) -> PosedArm:
        """Return where the arm is, having gone to a goal if there is one.

        Args:
            q: Where the joints are. Shape (n,).
            goal: Pose that the tool is to have; None: as it is. Shape (4, 4).
            solutions: Whether all ways to reach it are wanted.
        """
        preparing = solutions and self.prepare()
        numbers = self.numbers
        note = ""
        if not self._closes(q):
            q, goal = self.start(), None
            note = "these values cannot be: a closed chain would be torn"
        T = numbers.fk(q)
        wanted = T if goal is None else goal
        reached, found = True, np.empty((0, len(q)))
        if goal is not None or solutions:
            wanted, found, reason = self._solved(wanted, q, exact=goal is None)
            note = note or reason
        shifted, inside = self._fitted(found, q)
        if goal is not None:
            reached = bool(inside.any())
            if reached:
                able = shifted[inside]
                q = able[int(np.argmin(self._distances(able, q)))]
                T = numbers.fk(q)
        listed = self._listed(shifted, inside, q) if solutions else ()
        poses = self._stage.poses(np.array([q, *(one.joints for one in listed)]))
        return PosedArm(
            tuple(q.tolist()),
            _place(T),
            packed_numbers(poses[:1]),
            packed_numbers([_place(frame) for frame in self._frames(q)]),
            reached,
            note,
            listed,
            packed_numbers(poses[1:]),
            self._method(),
            preparing,
            self._dexterity(q),
        )

    def _closes(self, q: Array) -> bool:
        """Say whether all closed chains close; those of a serial arm always do."""
        if isinstance(self.arm, Arm):
            return True
        try:
            self._stage.poses(q[None, :])
        except UnsupportedError:
            return False
        return bool(np.isfinite(self._numeric.fk(q)).all())

    def _solved(self, T: Array, q: Array, exact: bool) -> tuple[Array, Array, str]:
        """Return the pose that was solved, its solutions, and what is worth knowing."""
        numbers = self.numbers
        try:
            found = self._all(T, q)
        except ArmwerkError as error:
            found, reason = np.empty((0, len(q))), str(error)
        else:
            reason = "" if len(found) else "out of reach"
        if len(found):
            return T, found, self._remark(T, found)
        if not exact and len(q) != 6:
            # an arm with few joints: the tool goes to the point and turns as it must
            try:
                near = numbers.ik_position(T[:3, 3], q)
            except ArmwerkError:
                near = None
            if near is not None:
                pose = numbers.fk(near)
                own = self._all(pose, near)
                return pose, own if len(own) else near[None, :], "the tool turns as it must"
        return T, q[None, :] if exact else found, "" if exact else reason

    def _all(self, T: Array, q: Array) -> Array:
        numbers = self.numbers
        found = np.asarray(numbers.ik(T)).reshape(-1, len(q))
        free = self._free_joints()
        if isinstance(numbers, SerialModel) and free and len(found):
            rows = [
                _nearest_row(numbers, self._with_free(T, value), q) for value in self._samples()
            ]
            found = np.array([row for row in rows if row is not None]).reshape(-1, len(q))
            own = numbers.ik_nearest(T, q)
            found = found if own is None else np.vstack([own[None, :], found])
        return found[:_MOST]

    def _free_joints(self) -> tuple[int, ...]:
        """Return the joints, counted from 1, whose values are free for any pose."""
        from armwerk.derivation.runtime.closed import ClosedInverse

        solver = None if self._closed is None else self._closed.inverse
        return solver.closed.given if isinstance(solver, ClosedInverse) else ()

    def _samples(self) -> Array:
        """Return values of the first free joint, evenly over its limits."""
        low, high = self._numeric.limits[self._free_joints()[0] - 1]
        low, high = max(low, -np.pi), min(high, np.pi)
        return np.linspace(low, high, _SAMPLES + 2)[1:-1]

    def _with_free(self, T: Array, value: float) -> Array:
        from armwerk.derivation.runtime.closed import ClosedInverse

        assert self._closed is not None
        solver = self._closed.inverse
        assert isinstance(solver, ClosedInverse)
        return solver.closed.all(T, np.full(len(solver.closed.given), value))

    def _fitted(self, found: Array, q: Array) -> tuple[Array, Flags]:
        if isinstance(self._numeric, SerialModel) and len(found):
            return self._numeric.fitted(found, q)
        low, high = self._numeric.limits.T
        inside = ((found >= low - _SAME) & (found <= high + _SAME)).all(axis=1)
        return found, np.asarray(inside, dtype=bool)

    def _distances(self, rows: Array, q: Array) -> Array:
        if isinstance(self._numeric, SerialModel):
            return distance(self._numeric.chain, rows, q)
        return np.asarray(np.linalg.norm(rows - q, axis=1))

    def _listed(self, rows: Array, inside: Flags, q: Array) -> tuple[ArmSolution, ...]:
        names = self._named(rows)
        low, high = self._numeric.limits.T
        result = []
        for name, row, kept in zip(names, rows, inside, strict=True):
            if not self._closes(row):
                continue
            beyond = np.flatnonzero((row < low - 1e-9) | (row > high + 1e-9))
            outside = () if kept else tuple(beyond.tolist())
            current = bool(np.abs(row - q).max() < 1e-4)
            result.append(ArmSolution(name, tuple(row.tolist()), outside, current))
        return tuple(result)

    def _named(self, rows: Array) -> list[str]:
        free = self._free_joints()
        if free:
            joint = self.arm.moving[free[0] - 1]
            return [
                f"{joint.name} {np.rad2deg(row[free[0] - 1]):.0f}°"
                if joint.unit == "rad"
                else f"{joint.name} {row[free[0] - 1]:.3f} m"
                for row in rows
            ]
        names = [] if self._closed is None else _names(self._closed, rows)
        return names or [f"solution {number}" for number in range(1, len(rows) + 1)]

    def _remark(self, T: Array, found: Array) -> str:
        if self._closed is None or self._free_joints() or self._closed.dof > 6:
            return ""
        from armwerk.mechanics.inverse.interface import ClosedForm

        solver = self._closed.inverse
        family = solver.solution_set(T).family if isinstance(solver, ClosedForm) else ()
        if not family:
            return ""
        joints = " and ".join(self.arm.moving[joint - 1].name for joint in family)
        return f"singular: {joints} can turn together, there are infinitely many solutions"

    def _method(self) -> str:
        if self._closed is not None:
            return "closed"
        return "numeric"

    @property
    def reason(self) -> str:
        """Why there is no closed form; empty: there is one, or it is not known yet."""
        return self._reason

    def _frames(self, q: Array) -> Array:
        frames = self._numeric.frames(q)
        if isinstance(frames, dict):
            return np.stack([np.eye(4), self._numeric.fk(q)])
        return frames

    def _dexterity(self, q: Array) -> float:
        """Return smallest by largest singular value; lengths count in sizes of the arm."""
        J = np.array(self._numeric.jacobian(q))
        if not np.isfinite(J).all():
            return 0.0
        J[:3] /= self.size
        values = np.linalg.svd(J, compute_uv=False)
        return float(values[-1] / values[0]) if values[0] > 0 else 0.0


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _names(numbers: SerialModel, rows: Array) -> list[str]:
    """Return the engine's names of solutions; none where it has none."""
    if not len(rows):
        return []
    try:
        names = numbers.configurations(rows)
    except UnsupportedError:
        return []
    return names if all(names) else []


def _nearest_row(numbers: SerialModel, rows: Array, q: Array) -> Array | None:
    """Return the solution nearest to q, rather one within the limits; None: there is none."""
    if not len(rows):
        return None
    shifted, inside = numbers.fitted(rows, q)
    away = distance(numbers.chain, shifted, q) + np.where(inside, 0.0, 100.0)
    return np.asarray(shifted[int(np.argmin(away))])


def pose_of(place: tuple[float, ...]) -> Array:
    """Return the pose of a place x, y, z, w, x, y, z. Shape (4, 4)."""
    T = np.eye(4)
    T[:3, 3] = place[:3]
    turn = np.array(place[3:7], dtype=np.float64)
    T[:3, :3] = rotation_from_quaternion(turn / np.linalg.norm(turn))
    return T


def _place(T: Array) -> tuple[float, ...]:
    """Return a pose as x, y, z, w, x, y, z with all digits: few joints need an exact goal."""
    return (*T[:3, 3].tolist(), *quaternion_from_rotation(T[:3, :3]).tolist())
