"""Inverse dynamics and mass matrix as blocks: the recursions unrolled, terms with zero gone.

Frames are those right behind each joint's own motion, T = C_0 M_1(q_1) C_1 M_2(q_2) … C_n, so
that every joint turns about or slides along its own z. With U = [w'×] + [w×][w×] of a link,

    a_i = Rᵀ (a + U p),    f_i = m a + U h,    n_i = J w' + w × J w + h × a

where p is the way to the frame, h = m r the first moment and J the inertia about its origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import symengine

from armwerk.derivation.emit.function_builder import (
    NOTHING,
    ZERO,
    CodeBlock,
    Constants,
    FunctionBuilder,
    Vector,
)
from armwerk.derivation.emit.kinematic_blocks import cross
from armwerk.derivation.program import Expression
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.kernels.layout import ARMATURE, GRAVITY, INERTIA, MASS, MOMENT

Square = list[list[Expression]]
_INERTIA = ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")


@dataclass(frozen=True, slots=True, eq=False)
class InertiaSymbols:
    """Mass, first moment and inertia about the origin of a frame; symbols or values."""

    mass: Expression
    moment: Vector
    inertia: Square


@dataclass(frozen=True, slots=True, eq=False)
class DynamicJoint:
    """One joint: the constant way to it, its own motion, what it carries.

    Args:
        number: From 1.
        is_revolute: Whether it turns.
        turn, shift: Rotation and translation C of the joint in front.
        body: In the frame behind its motion.
        armature: Inertia of the motor.
    """

    number: int
    is_revolute: bool
    turn: Square
    shift: Vector
    body: InertiaSymbols
    armature: Expression

    @property
    def cosine(self) -> Expression:
        """Cosine of its joint value."""
        return symengine.Symbol(f"c{self.number}")

    @property
    def sine(self) -> Expression:
        """Sine of its joint value."""
        return symengine.Symbol(f"s{self.number}")

    def lever(self) -> Vector:
        """Return the way from the frame in front to its own, in that frame's axes."""
        if self.is_revolute:
            return self.shift
        x, y, z = (
            p + line[2] * symengine.Symbol(f"q{self.number}")
            for p, line in zip(self.shift, self.turn, strict=True)
        )
        return x, y, z


def has_masses(chain: Chain) -> bool:
    """Whether there is anything to accelerate."""
    return bool(np.any(chain.bodies[:-1, [MASS, *range(INERTIA, ARMATURE + 1)]]))


def links(chain: Chain, constants: Constants) -> list[DynamicJoint]:
    """Return the links with their numbers as constants."""
    found = []
    for i in range(chain.dof):
        number, row, place = i + 1, chain.bodies[i], chain.constants[i]
        turn = [
            [constants.symbol(float(place[r, c]), f"turn{number}_{r + 1}{c + 1}") for c in range(3)]
            for r in range(3)
        ]
        shift = _three(
            [constants.symbol(float(place[r, 3]), f"way{number}_{'xyz'[r]}", "m") for r in range(3)]
        )
        found.append(
            DynamicJoint(
                number,
                bool(chain.revolute[i]),
                turn,
                shift,
                _body(number, row, constants),
                constants.symbol(float(row[ARMATURE]), f"motor{number}", "kg m2", 0.0),
            )
        )
    return found


def inverse_dynamics_block(chain: Chain, constants: Constants) -> CodeBlock:
    """Return the joint forces: inputs c, s, q, qd, qdd of the joints, places 0 ... n - 1."""
    chained = links(chain, constants)
    gravity = chain.bodies[-1, GRAVITY : GRAVITY + 3]
    function = FunctionBuilder(constants, [*_joint_names(chain), *_rates(chain)])
    w, turn = NOTHING, NOTHING
    pull = _three([constants.symbol(-float(gravity[k]), f"g{'xyz'[k]}", "m/s2") for k in range(3)])
    loads: list[tuple[Vector, Vector]] = []
    for link in chained:
        w, turn, pull, bend = _outwards(function, link, w, turn, pull)
        loads.append(_load(function, link, w, turn, pull, bend))
    force, moment = NOTHING, NOTHING
    for link, (own_force, own_moment) in zip(reversed(chained), reversed(loads), strict=True):
        i = link.number
        force = function.vector(f"f{i}", _added(force, own_force))
        moment = function.vector(f"n{i}", _added(moment, own_moment))
        own = moment[2] if link.is_revolute else force[2]
        function.put(str(i - 1), own + link.armature * symengine.Symbol(f"qdd{i}"))
        force = _to_front(function, link, force, f"ff{i}")
        moment = _added(_to_front(function, link, moment, f"nn{i}"), cross(link.lever(), force))
    return function.block()


def mass_matrix_block(chain: Chain, constants: Constants) -> CodeBlock:
    """Return the mass matrix: inputs c, s, q of the joints, places row n + column, lower half."""
    chained = links(chain, constants)
    n = chain.dof
    function = FunctionBuilder(constants, _joint_names(chain))
    carried: InertiaSymbols | None = None
    entries: dict[tuple[int, int], Expression] = {}
    for link in reversed(chained):
        i = link.number
        whole = link.body if carried is None else _joined(link.body, carried)
        whole = _named(function, f"all{i}", whole)
        force, moment = _unit_motion(link, whole)
        for other in reversed(chained[:i]):
            j = other.number
            entries[i, j] = moment[2] if other.is_revolute else force[2]
            if j > 1:
                force = _to_front(function, other, force, f"f{i}_{j}")
                turned = _to_front(function, other, moment, f"n{i}_{j}")
                moment = function.vector(f"m{i}_{j}", _added(turned, cross(other.lever(), force)))
        entries[i, i] += link.armature
        carried = _seen_from_front(function, link, whole) if i > 1 else None
    for (i, j), value in sorted(entries.items()):
        function.put(str((i - 1) * n + j - 1), value)
    return function.block()


# -- the recursion outwards -----------------------------------------------------------------


def _outwards(
    function: FunctionBuilder, link: DynamicJoint, w: Vector, turn: Vector, pull: Vector
) -> tuple[Vector, Vector, Vector, Square]:
    """Return w, w', a of a link and its U from those of the link in front."""
    i = link.number
    speed, rise = symengine.Symbol(f"qd{i}"), symengine.Symbol(f"qdd{i}")
    bend = _bend(function, f"u{i}", w, turn)
    pull = function.vector(f"p{i}", _added(pull, _times(bend, link.lever())))
    w, turn = _to_back(function, link, w, f"w{i}"), _to_back(function, link, turn, f"e{i}")
    pull = _to_back(function, link, pull, f"a{i}")
    swing: Vector = (w[1] * speed, -w[0] * speed, ZERO)  # w × z q'
    if link.is_revolute:
        turn = function.vector(f"et{i}", (turn[0] + swing[0], turn[1] + swing[1], turn[2] + rise))
        w = (w[0], w[1], function.let(f"wt{i}", w[2] + speed))
    else:
        more = (2 * swing[0], 2 * swing[1], rise)
        pull = function.vector(f"at{i}", _added(pull, more))
    return w, turn, pull, _bend(function, f"v{i}", w, turn)


def _load(
    function: FunctionBuilder,
    link: DynamicJoint,
    w: Vector,
    turn: Vector,
    pull: Vector,
    bend: Square,
) -> tuple[Vector, Vector]:
    body = link.body
    force = _added(_scaled(body.mass, pull), _times(bend, body.moment))
    spin = function.vector(f"l{link.number}", _times(body.inertia, w))
    moment = _added(_times(body.inertia, turn), cross(w, spin), cross(body.moment, pull))
    return force, moment


def _bend(function: FunctionBuilder, name: str, w: Vector, turn: Vector) -> Square:
    """Return [w'×] + [w×][w×]; an entry has a name only where something uses it."""
    x, y, z = w
    xx, yy, zz = (
        function.let(f"{name}_{axis}2", u * u) for axis, u in zip("xyz", (x, y, z), strict=True)
    )
    entries = [
        [-(yy + zz), x * y - turn[2], x * z + turn[1]],
        [x * y + turn[2], -(xx + zz), y * z - turn[0]],
        [x * z - turn[1], y * z + turn[0], -(xx + yy)],
    ]
    return [
        [function.let(f"{name}_{r + 1}{c + 1}", entry) for c, entry in enumerate(line)]
        for r, line in enumerate(entries)
    ]


# -- bodies ---------------------------------------------------------------------------------


def _body(number: int, row: np.ndarray, constants: Constants) -> InertiaSymbols:
    moment, inertia = row[MOMENT : MOMENT + 3], row[INERTIA : INERTIA + 6]
    reach, size = float(np.abs(moment).max()), float(np.abs(inertia).max())
    mass = constants.symbol(float(row[MASS]), f"m{number}", "kg", 0.0)
    h = [
        constants.symbol(float(moment[k]), f"m{'xyz'[k]}{number}", "kg m", reach) for k in range(3)
    ]
    xx, yy, zz, xy, xz, yz = (
        constants.symbol(float(value), f"{name}{number}", "kg m2", size)
        for name, value in zip(_INERTIA, inertia, strict=True)
    )
    return InertiaSymbols(mass, _three(h), [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _joined(one: InertiaSymbols, two: InertiaSymbols) -> InertiaSymbols:
    inertia = [
        [a + b for a, b in zip(mine, theirs, strict=True)]
        for mine, theirs in zip(one.inertia, two.inertia, strict=True)
    ]
    return InertiaSymbols(one.mass + two.mass, _added(one.moment, two.moment), inertia)


def _named(function: FunctionBuilder, name: str, body: InertiaSymbols) -> InertiaSymbols:
    upper = {
        (r, c): function.let(f"{name}_J{r + 1}{c + 1}", body.inertia[r][c])
        for r in range(3)
        for c in range(r, 3)
    }
    return InertiaSymbols(
        function.let(f"{name}_m", body.mass),
        function.vector(f"{name}_h", body.moment),
        [[upper[min(r, c), max(r, c)] for c in range(3)] for r in range(3)],
    )


def _seen_from_front(
    function: FunctionBuilder, link: DynamicJoint, body: InertiaSymbols
) -> InertiaSymbols:
    """Return a body in the frame of the joint in front: turned, then moved by the lever."""
    i = link.number
    moment = _to_front(function, link, body.moment, f"ch{i}")
    half = [
        _to_front(function, link, _three(line), f"ci{i}{r + 1}")
        for r, line in enumerate(body.inertia)
    ]
    columns = [
        _to_front(function, link, _three([half[r][c] for r in range(3)]), f"cj{i}{c + 1}")
        for c in range(3)
    ]
    p = link.lever()
    total = function.vector(f"ct{i}", _added(moment, _scaled(body.mass, p)))
    square = function.vector(f"cr{i}", _three([p[k] * (moment[k] + total[k]) for k in range(3)]))
    inertia = [
        [
            columns[max(a, b)][min(a, b)]
            + (_others(square, a) if a == b else -moment[a] * p[b] - p[a] * total[b])
            for b in range(3)
        ]
        for a in range(3)
    ]
    return InertiaSymbols(body.mass, total, inertia)


def _unit_motion(link: DynamicJoint, body: InertiaSymbols) -> tuple[Vector, Vector]:
    """Return what one unit of acceleration takes: force, moment about the frame's origin."""
    x, y, _ = body.moment
    if link.is_revolute:
        return (-y, x, ZERO), _three([line[2] for line in body.inertia])
    return (ZERO, ZERO, body.mass), (y, -x, ZERO)


# -- vectors --------------------------------------------------------------------------------


def _to_back(function: FunctionBuilder, link: DynamicJoint, vector: Vector, name: str) -> Vector:
    """Return a vector of the frame in front in the link's own frame: Rot(z, -q) Cᵀ u."""
    columns = [[line[k] for line in link.turn] for k in range(3)]
    x, y, z = function.vector(f"{name}_", [_dot(column, vector) for column in columns])
    if not link.is_revolute:
        return x, y, z
    c, s = link.cosine, link.sine
    return function.vector(name, (c * x + s * y, c * y - s * x, z))


def _to_front(function: FunctionBuilder, link: DynamicJoint, vector: Vector, name: str) -> Vector:
    """Return a vector of the link's frame in the frame in front: C Rot(z, q) u."""
    x, y, z = vector
    if link.is_revolute:
        c, s = link.cosine, link.sine
        x, y, z = function.vector(f"{name}_", (c * x - s * y, s * x + c * y, z))
    return function.vector(name, [_dot(line, (x, y, z)) for line in link.turn])


def _times(matrix: Square, vector: Vector) -> Vector:
    return _three([_dot(line, vector) for line in matrix])


def _dot(one: Sequence[Expression], two: Sequence[Expression]) -> Expression:
    total = ZERO
    for u, v in zip(one, two, strict=True):
        total += u * v
    return total


def _added(one: Vector, *more: Vector) -> Vector:
    x, y, z = one
    for other in more:
        x, y, z = x + other[0], y + other[1], z + other[2]
    return x, y, z


def _others(vector: Vector, axis: int) -> Expression:
    return vector[axis - 2] + vector[axis - 1]


def _scaled(factor: Expression, vector: Vector) -> Vector:
    return factor * vector[0], factor * vector[1], factor * vector[2]


def _three(values: Sequence[Expression]) -> Vector:
    x, y, z = values
    return x, y, z


def _joint_names(chain: Chain) -> list[str]:
    found = []
    for i in range(1, chain.dof + 1):
        found += [f"c{i}", f"s{i}"] if chain.revolute[i - 1] else [f"q{i}"]
    return found


def _rates(chain: Chain) -> list[str]:
    return [f"{rate}{i}" for rate in ("qd", "qdd") for i in range(1, chain.dof + 1)]
