"""The result of a derivation of the dynamics: matrices of polynomials, shown when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.derivation.dynamics.algebra import DynamicRing
from armwerk.derivation.operations import count_operations
from armwerk.derivation.ring import Angle, Poly
from armwerk.derivation.show import Expr, symengine_list, sympy_dimension, sympy_matrix
from armwerk.derivation.sums import collect_matrix
from armwerk.errors import ShapeError, UnsupportedError

PolyMatrix = list[list[Poly]]


@dataclass(frozen=True, slots=True, eq=False)
class Matrices:
    """M, CO, CF and G as polynomials in single angles, in normal form: equal means same.

    Args:
        mass: Shape n by n.
        coriolis: For the products q1'q2', q1'q3', ..., q(n-1)'qn'. Shape n by n (n - 1) / 2.
        centrifugal: For the squares q1'² ... qn'². Shape n by n.
        gravity: Shape n.
    """

    mass: PolyMatrix
    coriolis: PolyMatrix
    centrifugal: PolyMatrix
    gravity: list[Poly]

    def equals(self, other: Matrices) -> bool:
        """Whether both are the same, exactly; both must be of the same ring."""
        return self.parts() == other.parts()

    def parts(self) -> tuple[PolyMatrix, PolyMatrix, PolyMatrix, PolyMatrix]:
        """Return the four, gravity as a column."""
        return self.mass, self.coriolis, self.centrifugal, [[entry] for entry in self.gravity]


def pairs(dof: int) -> list[tuple[int, int]]:
    """Return the joints of each Coriolis column, from 0: (0, 1), (0, 2), ..., (n-2, n-1)."""
    return [(k, m) for k in range(dof) for m in range(k + 1, dof)]


class Dynamics:
    """tau = M(q) q'' + CO(q) [q' q'] + CF(q) [q'²] + G(q) + friction.

    Attributes:
        method: "lagrange", "newton-euler" or "kane".
        ring: Where the polynomials live.
        polynomials: The matrices as polynomials in single angles.
    """

    def __init__(self, method: str, ring: DynamicRing, polynomials: Matrices) -> None:
        self.method = method
        self.ring = ring
        self.polynomials = polynomials

    @cached_property
    def collected(self) -> Matrices:
        """The same polynomials with the angles of parallel axes put together, for showing."""
        mass, coriolis, centrifugal, gravity = (
            collect_matrix(self.ring, part) for part in self.polynomials.parts()
        )
        return Matrices(mass, coriolis, centrifugal, [line[0] for line in gravity])

    @cached_property
    def mass(self) -> Expr:
        """M as a SymPy matrix. Shape (n, n)."""
        return sympy_matrix(self.ring, self.collected.mass)

    @cached_property
    def coriolis(self) -> Expr:
        """CO as a SymPy matrix, one column for each of `products`. Shape (n, n (n - 1) / 2)."""
        from sympy import Matrix

        if self.ring.dof == 1:
            return Matrix(1, 0, [])
        return sympy_matrix(self.ring, self.collected.coriolis)

    @cached_property
    def centrifugal(self) -> Expr:
        """CF as a SymPy matrix. Shape (n, n)."""
        return sympy_matrix(self.ring, self.collected.centrifugal)

    @cached_property
    def gravity(self) -> Expr:
        """G as a SymPy column. Shape (n, 1)."""
        return sympy_matrix(self.ring, self.collected.parts()[3])

    @cached_property
    def friction(self) -> Expr:
        """Viscous and dry friction as a SymPy column in the speeds qd1 ... Shape (n, 1).

        b q' plus the dry friction of the direction of motion; zero where the arm has none.
        """
        from sympy import Matrix, Piecewise, Symbol

        column = []
        for i, joint in enumerate(self.ring.kinematics.arm.moving, 1):
            speed = Symbol(f"qd{i}")
            forward, backward = (sympy_dimension(value) for value in joint.coulomb_friction)
            dry = Piecewise((forward, speed > 0), (-backward, speed < 0), (0, True))
            column.append([sympy_dimension(joint.viscous_friction) * speed + dry])
        return Matrix(column)

    @cached_property
    def products(self) -> Expr:
        """The products of speeds that belong to the Coriolis columns. Shape (n (n - 1) / 2, 1)."""
        from sympy import Matrix, Symbol

        speeds = [Symbol(f"qd{i}") for i in range(1, self.ring.dof + 1)]
        rows = [speeds[k] * speeds[m] for k, m in pairs(self.ring.dof)]
        return Matrix(len(rows), 1, rows)

    def forces(self, *, with_friction: bool = False) -> Expr:
        """Return tau as a SymPy column in q, qd and qdd. Shape (n, 1)."""
        from sympy import Matrix, Symbol

        n = self.ring.dof
        accelerations = Matrix([Symbol(f"qdd{i}") for i in range(1, n + 1)])
        squares = Matrix([Symbol(f"qd{i}") ** 2 for i in range(1, n + 1)])
        tau = self.mass * accelerations + self.centrifugal * squares + self.gravity
        if n > 1:
            tau += self.coriolis * self.products
        return tau + self.friction if with_friction else tau

    def operations(self, *, share: bool = False) -> dict[str, dict[str, int]]:
        """Return the operation counts of each matrix, by matrix and operator.

        The mass matrix is symmetric: its upper triangle is counted.

        Args:
            share: Whether sub-expressions within a matrix are shared.
        """
        names = ("mass", "coriolis", "centrifugal", "gravity")
        found = {}
        for name, part in zip(names, self.collected.parts(), strict=True):
            lines = [line[i:] if name == "mass" else line for i, line in enumerate(part)]
            entries = [entry for line in lines for entry in line if entry]
            listed = symengine_list(self.ring, entries)
            found[name] = count_operations(listed, self.ring, share=share)
        return found

    def evaluate(
        self, q: ArrayLike, values: Mapping[str, float] | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """Return M, CO, CF and G as numbers, for checking; use the compiled model for speed.

        Args:
            q: Joint values [rad or m]. Shape (n,).
            values: Numbers of parameters that the description leaves open.
        """
        numbers = self._numbers(np.asarray(q, dtype=np.float64), values or {})
        mass, coriolis, centrifugal, gravity = (
            np.array([[_value(entry, numbers) for entry in line] for line in part])
            for part in self.polynomials.parts()
        )
        return mass, coriolis.reshape(self.ring.dof, -1), centrifugal, gravity[:, 0]

    def _numbers(self, q: Array, values: Mapping[str, float]) -> Array:
        ring = self.ring
        if q.shape != (ring.dof,):
            raise ShapeError(f"q must have shape ({ring.dof},), got {q.shape}")
        known = {**ring.values, **values}
        for i, joint in enumerate(ring.kinematics.arm.moving, 1):
            if i in ring.slides:
                known[ring.slides[i]] = float(q[i - 1])
            elif isinstance(joint.offset, str):
                raise UnsupportedError(f"joint '{joint.name}' has a symbolic offset {joint.offset}")
            else:
                theta = float(q[i - 1]) + joint.offset
                angle = Angle(((i, 1),))
                known[angle.cos], known[angle.sin] = float(np.cos(theta)), float(np.sin(theta))
        return np.array([known.get(name, np.nan) for name in ring.names])


def _value(poly: Poly, numbers: Array) -> float:
    if not poly:
        return 0.0
    powers = np.array(poly.monoms(), dtype=np.int64)
    terms = np.array(poly.coeffs(), dtype=np.float64)
    for k in np.flatnonzero(powers.any(axis=0)):
        column = powers[:, k]
        terms *= (numbers[k] ** np.arange(column.max() + 1))[column]
    return float(terms.sum())
