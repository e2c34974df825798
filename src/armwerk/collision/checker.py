"""Whether an arm touches anything, for one configuration or many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags, Integers
from armwerk.caching import SameObject
from armwerk.collision.arm_shapes import ArmShapes, arm_shapes, load_shapes
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.collision.kernels.layout import CONE, KIND, OWN, OWNER, JointChain, PackedScene
from armwerk.collision.packing import Distance
from armwerk.collision.scene_arrays import (
    joint_chain,
    pack_scene,
    self_pairs,
    shape_tolerances,
)
from armwerk.collision.tight_covers import TOLERANCE, cover_error
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry import Mesh
from armwerk.mechanics.arrays import joint_arrays
from armwerk.robot import load
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel

Described: TypeAlias = Arm | Assembly
Named: TypeAlias = Described | str | Path
Standing: TypeAlias = "tuple[Described | ArmShapes, ArrayLike]"


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """What touches what.

    Args:
        part: Name of the arm's shape.
        body: Name of the body, or of the other shape of the arm.
        point: A point that both have in common, in the world [m]. Shape (3,).
    """

    part: str
    body: str
    point: Array


class Checker:
    """An arm among bodies, packed once; every call then runs compiled.

    Args:
        arm: A description, name or file, or several that move together: their joint values then
            stand side by side in q, and the arms are held against each other too.
        bodies: What stands around. A base that stands still is not held against them.
        shapes: Shapes of the arm, for several arms one each; None: `load_shapes`, those of a
            URDF file or made from the links.
        self_check: Whether the arm is held against itself: all but neighbouring links, and
            pairs of shapes that touch in all of many samples, which are taken for built that way.
        others: Other arms that stand still: pairs of an arm (or its shapes) and its q.
        exact: False: boxes proved to contain a mesh, and to reach little beyond it, stand for
            its triangles, capsules for thin cylinders and cones of the arm. Quicker, and on the
            safe side: a contact is never missed, but one may be reported that has some way to go,
            see `cover_error`.
        tolerance: How far covers may reach beyond what they stand for [m]. None: 0.01 m.

    Raises:
        DescriptionError: When the tolerance is no length, or given with ``exact=True``.
    """

    def __init__(
        self,
        arm: Named | Sequence[Named],
        bodies: Bodies | Iterable[Body] = (),
        shapes: ArmShapes | Sequence[ArmShapes] | None = None,
        self_check: bool = True,
        others: Sequence[Standing] = (),
        exact: bool = True,
        tolerance: float | None = None,
    ) -> None:
        given = _given_arms(arm)
        self.arms = _arms(given)
        self.bodies = as_bodies(bodies)
        self.shapes = _given_shapes(given, self.arms, shapes)
        self.exact = exact
        self.tolerance = _tolerance(tolerance, exact)
        self._around = self.bodies + _standing(others, self.bodies) if others else self.bodies
        self._model: AssemblyModel | None = None
        if isinstance(self.arms[0], Assembly):
            from armwerk.modelling import model

            self._model = model(self.arms[0])
        else:
            self.chain = joint_chain(self.arms)  # type: ignore[arg-type]
        self.dof = sum(one.dof for one in self.arms)
        self._coupling = _coupling(self.arms)
        self.parts = _part_names(self.shapes)
        pairs = np.zeros((0, 2), dtype=np.int64)
        if self_check:
            pairs = _own_pairs(tuple(SameObject(one) for one in self.shapes)).copy()
        self.tolerances: tuple[float, ...] = () if exact else shape_tolerances(self, pairs)
        self.scene: PackedScene = pack_scene(
            self.shapes, self._around, pairs, self.tolerances, self.tolerance
        )

    @property
    def links(self) -> JointChain:
        """The joints, packed; earlier name of `chain`."""
        return self.chain

    @property
    def limits(self) -> Array:
        """Smallest and largest joint values [rad or m]; infinite where free. Shape (n, 2)."""
        return np.concatenate([one.limits for one in self.arms])

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, then those of the shapes of other arms."""
        return self._around.names

    def angles(self, rows: Array) -> Array:
        """Return the joint angles that axis values mean; the same where nothing is coupled.

        Straight lines of the ones are straight lines of the others. Shape (m, n) to (m, k).
        """
        return rows if self._coupling is None else np.ascontiguousarray(rows @ self._coupling.T)

    def spreads(self, radii: Array) -> Array:
        """Return how far joints get when axes get this far, at most. Shape (m, n) to (m, k)."""
        if self._coupling is None:
            return radii
        return np.ascontiguousarray(radii @ np.abs(self._coupling).T)

    def contact(self, q: ArrayLike) -> bool:
        """Whether the arm touches anything in one configuration (n,)."""
        return bool(self._contacts(self._one(q))[0])

    def contacts(self, Q: ArrayLike) -> Flags:
        """Return for m configurations (m, n) whether the arm touches anything. Shape (m,).

        A configuration in which a closed chain of an assembly cannot close counts as contact:
        the arm cannot be there.
        """
        return self._contacts(self._many(Q))

    def closed(self, Q: ArrayLike) -> Flags:
        """Return where an arm can be: all chains close, coupled joints keep their own limits.

        `contacts` says contact where chains of an assembly cannot close, as nobody can move there;
        it knows no limits. A map of the configuration space keeps the two apart, its ``free`` is
        where an arm can be and touches nothing. Shape (m,).

        Args:
            Q: Joint values [rad or m]. Shape (m, n).
        """
        if self._model is not None:
            return self._state(self._many(Q))[1]
        (rows,), _ = joint_arrays(self.dof, Q=Q)
        possible = np.ones(len(rows), dtype=np.bool_)
        first = 0
        for one in self.arms:
            if isinstance(one, Arm) and one.is_coupled:
                possible &= one.keeps_angles(rows[:, first : first + one.dof])
            first += one.dof
        return possible

    def sums(self, Q: ArrayLike) -> tuple[Integers, int]:
        """Return per configuration the sum of body number + 1 over all hits, and all hits.

        Every moving shape is held against every body; the first body counts 1. The arm itself
        does not count. 0 where the arm cannot be, see `closed`, as in a map. Shape (m,).
        """
        from armwerk.collision.kernels import arm

        rows = self._many(Q)
        if self._model is None:
            frames, closed = self._frames(rows), self.closed(Q)
        else:
            frames, closed = self._state(rows)
        some, hits = arm.contact_sums(np.ascontiguousarray(frames[closed]), self.scene)
        cells = np.zeros(len(rows), dtype=some.dtype)
        cells[closed] = some
        return cells, int(hits)

    def first(self, q: ArrayLike) -> Contact | None:
        """Return a contact of one configuration with its names and a point; None: there is none.

        Raises:
            UnsupportedError: When a closed chain of the assembly does not close there.
        """
        from armwerk.collision.kernels import arm
        from armwerk.collision.kernels.pair_distance import common_point, gap_many

        frames = self._closed_frames(self._one(q))
        shape, body = (int(n) for n in arm.first_contacts(frames, self.scene)[0])
        if shape < 0:
            return None
        rows = arm.placed_rows(frames[0], self.scene.shapes)
        other = self.scene.bodies[body] if body >= 0 else rows[OWN - body]
        if max(rows[shape, KIND], other[KIND]) <= CONE:
            return Contact(*self._named(shape, body), common_point(rows[shape], other))
        _, points = gap_many(rows[shape][None], other[None], self.scene.meshes)
        return Contact(*self._named(shape, body), points[0, 0])

    def distance(self, q: ArrayLike, self_too: bool = True) -> Distance:
        """Return the smallest distance of one configuration, with names and points.

        Args:
            q: Shape (n,).
            self_too: Whether the arm's distance to itself counts.

        Raises:
            UnsupportedError: When a closed chain of the assembly does not close there.
        """
        from armwerk.collision.kernels.arm_distance import smallest_distances

        frames = self._closed_frames(self._one(q))
        values, numbers, points = smallest_distances(frames, self.scene, self_too)
        part, body = self._named(int(numbers[0, 0]), int(numbers[0, 1]))
        return Distance(float(values[0]), points[0, 0], points[0, 1], part, body)

    def distances(self, Q: ArrayLike, self_too: bool = True) -> Array:
        """Return the smallest distances of m configurations [m], nan where no chain closes.

        Shape (m,).
        """
        from armwerk.collision.kernels.arm_distance import smallest_distances

        rows = self._many(Q)
        closed = np.ones(len(rows), dtype=np.bool_)
        if self._model is None:
            frames = self._frames(rows)
        else:
            frames, closed = self._state(rows)
        values = smallest_distances(frames, self.scene, self_too)[0]
        values[~closed] = np.nan
        return values

    def frames(self, Q: ArrayLike) -> Array:
        """Return the frames of all links, twelve numbers each. Shape (m, links + 1, 12)."""
        return self._frames(self._many(Q))

    def _contacts(self, rows: Array) -> Flags:
        from armwerk.collision.kernels import arm

        if self._model is None:
            return arm.contacts(self.chain, rows, self.scene)
        frames, closed = self._state(rows)
        hits: Flags = arm.first_contacts(frames, self.scene)[:, 0] >= 0
        return hits | ~closed

    def _frames(self, rows: Array) -> Array:
        from armwerk.collision.kernels import arm

        if self._model is None:
            return arm.frames_of(self.chain, rows)
        return self._state(rows)[0]

    def _state(self, rows: Array) -> tuple[Array, Flags]:
        """Return the frames of an assembly's parts, and where all its chains are closed."""
        assert self._model is not None, "frames of a serial arm are computed by a kernel"
        state = self._model.state(rows)
        names = list(self.arms[0].tree)  # type: ignore[union-attr]
        out = np.zeros((len(rows), len(names) + 1, 12))
        out[:, 0] = np.eye(4)[:3].ravel()
        for k, name in enumerate(names, start=1):
            out[:, k] = np.asarray(state.frames[name])[:, :3].reshape(-1, 12)
        closed = np.asarray(state.closed) & np.isfinite(out).all(axis=(1, 2))
        out[~closed] = 0.0
        return np.ascontiguousarray(out), closed

    def _closed_frames(self, rows: Array) -> Array:
        if self._model is None:
            return self._frames(rows)
        frames, closed = self._state(rows)
        if not closed.all():
            self._model.state(rows[0], strict=True)
        return frames

    def _named(self, shape: int, body: int) -> tuple[str, str]:
        """Return the names behind the numbers that the kernels give."""
        if shape < 0:
            return "", ""
        part = self.parts[shape]
        if body >= 0:
            return part, self.body_names[int(self.scene.bodies[body, OWNER])]
        return part, self.parts[OWN - body]

    def _one(self, q: ArrayLike) -> Array:
        (rows,), single = joint_arrays(self.dof, q=q)
        if not single:
            raise ShapeError(f"q must have shape ({self.dof},) here, got {rows.shape}")
        return self.angles(rows)

    def _many(self, Q: ArrayLike) -> Array:
        (rows,), _ = joint_arrays(self.dof, Q=Q)
        return self.angles(rows)

    @property
    def cover_error(self) -> float:
        """How far covers reach beyond what they stand for, at most [m]; 0 where all is exact.

        A contact that is reported has at most the errors of both sides to go.
        """
        if self.exact:
            return 0.0
        shapes = [shape for given in self.shapes for shape in given]
        own = [cover_error(*pair) for pair in zip(shapes, self.tolerances, strict=True)]
        bodies = [
            cover_error(body, self.tolerance) for body in self._around if isinstance(body, Mesh)
        ]
        return max([*own, *bodies], default=0.0)


@lru_cache(maxsize=32)
def _own_pairs(shapes: tuple[SameObject[ArmShapes], ...]) -> Integers:
    """Return the pairs of shapes that are held against each other, found once for an arm."""
    given = [same.value for same in shapes]
    return self_pairs(Checker([one.arm for one in given], (), given, self_check=False))


def _tolerance(given: float | None, exact: bool) -> float:
    """Return what covers may reach beyond shapes [m]; 0: there are none."""
    if given is None:
        return 0.0 if exact else TOLERANCE
    number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if exact or not number or not given >= 0.0:
        raise DescriptionError(
            "there are no covers that could reach beyond anything" if exact else "no length",
            element="tolerance",
            value=given,
            allowed="with exact=False, a length of 0 m or more, or None",
        )
    return float(given)


def _coupling(arms: tuple[Described, ...]) -> Array | None:
    """Return C of angles = C values of all arms side by side; None: nothing is coupled."""
    if not any(isinstance(one, Arm) and one.is_coupled for one in arms):
        return None
    blocks = [one.coupling_matrix for one in arms if isinstance(one, Arm)]
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0))
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole


def _given_arms(arm: Named | Sequence[Named]) -> tuple[Named, ...]:
    given = (arm,) if isinstance(arm, Arm | Assembly | str | Path) else arm
    if not isinstance(given, Sequence):
        raise DescriptionError("no arm", element="arm", value=arm, allowed="Arm or Assembly")
    return tuple(given)


def _arms(given: tuple[Named, ...]) -> tuple[Described, ...]:
    arms = tuple(load(one) if isinstance(one, str | Path) else one for one in given)
    for one in arms:
        if not isinstance(one, Arm | Assembly):
            raise DescriptionError("no arm", element="arm", value=one, allowed="Arm or Assembly")
    if not arms or (len(arms) > 1 and any(isinstance(one, Assembly) for one in arms)):
        raise DescriptionError(
            "cannot be checked together",
            element="arm",
            value=[one.name for one in arms],
            allowed="one Assembly, or one or more serial arms",
        )
    return arms


def _given_shapes(
    named: tuple[Named, ...],
    arms: tuple[Described, ...],
    shapes: ArmShapes | Sequence[ArmShapes] | None,
) -> tuple[ArmShapes, ...]:
    if shapes is None:
        return tuple(load_shapes(*pair) for pair in zip(named, arms, strict=True))
    given = (shapes,) if isinstance(shapes, ArmShapes) else tuple(shapes)
    if len(given) != len(arms):
        raise DescriptionError(
            "wrong number of shapes",
            element="shapes",
            value=len(given),
            allowed=f"ArmShapes for each of {len(arms)} arms",
        )
    for arm, one in zip(arms, given, strict=True):
        if not isinstance(one, ArmShapes) or one.arm != arm:
            raise DescriptionError(
                "belong to another arm", element="shapes", value=one, allowed=f"of '{arm.name}'"
            )
    return given


def _part_names(shapes: tuple[ArmShapes, ...]) -> tuple[str, ...]:
    if len(shapes) == 1:
        return shapes[0].names
    return tuple(
        f"{given.arm.name}{number}.{name}"
        for number, given in enumerate(shapes, start=1)
        for name in given.names
    )


def _standing(others: Sequence[Standing], bodies: Bodies) -> list[Body]:
    """Return the shapes of arms that stand still, as bodies of their own names."""
    found: list[Body] = []
    for number, other in enumerate(others, start=1):
        if not isinstance(other, Sequence) or len(other) != 2:
            raise DescriptionError(
                "not an arm and its joint values",
                element=f"others, number {number}",
                value=other,
                allowed="(arm or ArmShapes, q)",
            )
        given, q = other
        shapes = given if isinstance(given, ArmShapes) else arm_shapes(given)
        for shape in shapes.at(np.asarray(q, dtype=np.float64)):
            name = f"{shapes.arm.name}.{shape.name}"
            taken = {*bodies.names, *(one.name for one in found)}
            name = f"{shapes.arm.name}{number}.{shape.name}" if name in taken else name
            found.append(replace(shape, name=name))  # type: ignore[type-var]
    return found
