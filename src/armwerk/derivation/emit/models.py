"""Everything the generated code of one arm is made of, whatever the language.

The closed inverse kinematics is nested loops, one per root, over its two signs: what depends on no
root stands in front of the loops, what depends on the first root stands inside the first loop, and
so on: the solution tree, written as a program.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from armwerk.derivation.axis_coupling import AxisCoupling
from armwerk.derivation.emit.dynamic_blocks import (
    has_masses,
    inverse_dynamics_block,
    mass_matrix_block,
)
from armwerk.derivation.emit.function_builder import (
    CodeBlock,
    Constant,
    Constants,
    needed,
    resolved,
    without_aliases,
)
from armwerk.derivation.emit.kinematic_blocks import (
    define_parameters,
    direct_block,
    inner_pose_block,
    jacobian_block,
)
from armwerk.derivation.emit.parameters import ArmParameters, arm_parameters, example_arm
from armwerk.derivation.inverse.soundness import lost_postures
from armwerk.derivation.program import Expression, Program
from armwerk.derivation.ring import POSE_NAMES, Angle, Ring
from armwerk.derivation.runtime.flow import Builder, Definition, Kind, add_program, arrange, theta
from armwerk.derivation.runtime.generate import measure
from armwerk.derivation.runtime.kinematics import ArmKinematics, kinematics
from armwerk.derivation.runtime.templates import source
from armwerk.mechanics.chain import Chain, pack
from armwerk.robot import Arm

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

_NAME = re.compile(r"[A-Za-z_]\w*")


MOST = 16
"""Room for solutions where there may be more than the formulas have branches."""

FAR_SAME = 1e-3
"""[rad], [m] within which what Newton's method finds from afar is a solution that is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """The models of one arm.

    Args:
        arm: The description.
        prefix: What the names of its functions and files start with.
        ring: The algebra of its kinematics.
        numbers: Rows, base, tool and limits.
        chain: Masses and weights.
        constants: The named numbers that are used.
        direct, jacobian: Of the kinematics.
        inner_pose: From the tool pose to the pose of the last joint frame.
        branches: Inverse kinematics; None when there is no closed form.
        reason: Why there is none, or why the arm is redundant; else empty.
        inverse_dynamics, mass_matrix: None when the arm has no masses, or symbols.
        parameters: The symbols that the functions take; none for an arm with numbers.
        coupling: What joint angles have to do with axis values; None: they are the same.
    """

    arm: Arm
    prefix: str
    ring: Ring
    numbers: ArmKinematics
    chain: Chain
    constants: tuple[Constant, ...]
    direct: CodeBlock
    jacobian: CodeBlock
    inner_pose: CodeBlock
    branches: BranchLoops | None
    reason: str
    inverse_dynamics: CodeBlock | None
    mass_matrix: CodeBlock | None
    parameters: ArmParameters
    coupling: AxisCoupling | None = None

    @property
    def dof(self) -> int:
        """Number of joint variables."""
        return self.ring.dof

    @property
    def given(self) -> tuple[int, ...]:
        """Joints, from 1, whose value the inverse kinematics takes as an argument."""
        return () if self.branches is None else self.branches.program.given

    @property
    def most(self) -> int:
        """The most solutions of a pose; 0 without closed form."""
        if self.branches is None:
            return 0
        count = self.branches.program.branches
        if self._is_full or not self.needs_search:
            return count  # a single solution of six turns has neighbours that formulas find
        return max(count, min(MOST, 4 * count))

    @property
    def turns(self) -> tuple[Angle, ...]:
        """The angles that may be free at a pose, sums of parallel axes among them."""
        return () if self.branches is None else self.branches.program.turns

    @property
    def needs_search(self) -> bool:
        """Whether a pose may have solutions where formulas fix no joint.

        So it is with slides or few joints, and with six turns if the formulas lose a posture that
        is special but regular.
        """
        if self.branches is None or self.given or not self.branches.has("turn"):
            return False
        return not self._is_full or lost_postures(self.ring, self.branches.program) > 0

    @property
    def _is_full(self) -> bool:
        """Whether six joints turn."""
        return self.dof == 6 and all(row.is_revolute for row in self.numbers.rows)

    def offset(self, joint: int) -> float:
        """Return the constant angle of a joint, from 1 [rad]."""
        row = self.numbers.rows[joint - 1]
        return row.offset if row.is_revolute else 0.0


def models(derivation: Derivation) -> Models:
    """Return the models of a derivation.

    Symbols in the rows become parameters of the functions. Sizes are then measured on an arm of
    usual size; dynamics need numbers.

    Raises:
        UnsupportedError: For symbols where the code cannot take them.
    """
    arm, ring = derivation.arm, derivation.ring
    parameters = arm_parameters(arm, ring)
    inner = example_arm(ring.arm, parameters) if arm.is_symbolic else ring.arm
    numbers, constants = kinematics(inner), Constants()
    chain = pack(inner if arm.is_symbolic else arm)
    define_parameters(ring, constants)
    for name, value in parameters.values().items():
        constants.define(name, value, "parameter")  # a unit of its own: no number takes its name
    inverse = derivation.inverse
    loops = None
    if inverse.program is not None:
        program = inverse.program
        for name, value in program.parameters.items():
            constants.define(name, value, "m" if name in ring.values else "")
        known = program.parameters | parameters.values()
        loops = branches(replace(program, parameters=known), numbers)
    direct = direct_block(ring, numbers, constants)
    jacobian = jacobian_block(ring, numbers, constants)
    pose = inner_pose_block(numbers, constants)
    forces = mass = None
    if has_masses(chain):
        forces = inverse_dynamics_block(chain, constants)
        mass = mass_matrix_block(chain, constants)
    used: set[str] = set() if loops is None else loops.constants() | pose.constants()
    for block in (direct, jacobian, forces, mass):
        used |= set() if block is None else block.constants()
    used -= set(parameters.formulas or ())
    return Models(
        arm, prefix_of(arm.name), ring, numbers, chain, tuple(constants.used(used)),
        direct, jacobian, pose, loops, inverse.reason, forces, mass, parameters,
        derivation.coupling,
    )  # fmt: skip


_IMPORTED = ("math", "numpy")  # a file of that name would be found instead


def prefix_of(name: str) -> str:
    """Return an identifier for an arm: "KR 6-2" -> "KR_6_2"."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    if text[0].isdigit() or text[0] == "_":
        text = f"arm_{text.lstrip('_')}"
    taken = keyword.iskeyword(text) or text in _IMPORTED
    return f"{text}_arm" if taken else text


@dataclass(frozen=True, slots=True)
class BranchLoops:
    """The loops.

    Args:
        program: Where they come from.
        roots: Names of the roots, from the outermost loop inwards.
        sizes: Absolute value of each root: a name, or a number.
        bodies: The statements in front of the loops, then inside each of them.
        joints: Names of the joint values.
        inputs: Entries of the pose and values of given joints that are used.
        names: Every name that is used by something.
    """

    program: Program
    roots: tuple[str, ...]
    sizes: tuple[str | float, ...]
    bodies: tuple[tuple[Definition, ...], ...]
    joints: tuple[str, ...]
    inputs: tuple[str, ...]
    names: frozenset[str]

    def has(self, kind: Kind) -> bool:
        """Whether there is a statement of a kind."""
        return any(one.kind == kind for body in self.bodies for one in body)

    def constants(self) -> set[str]:
        """Return the names of the constants they use."""
        return {name for name in self.names if name.startswith("p_")}


def branches(program: Program, kinematics: ArmKinematics) -> BranchLoops:
    """Return the loops of a program, sub-expressions shared."""
    sizes = measure(program, kinematics)
    builder = Builder(frozenset(f"p_{name}" for name in program.parameters))
    add_program(builder, program, sizes.radicands, sizes.lengths, sizes.divisors, sizes.shares)
    joints = [f"q{joint}" for joint in range(1, program.dof + 1)]
    flow = arrange(builder, joints)
    found, gone = without_aliases([one for level in flow.levels for one in level.statements])
    sizes_now = [_size(flow.sizes[root], gone) for root in flow.roots]
    joint_values, found = _joint_values(program, found, gone)
    texts = [*joint_values, *(str(size) for size in sizes_now)]
    wanted = {name for text in texts for name in _NAME.findall(text)}
    found = needed(found, wanted | set(flow.roots))
    bodies: list[list[Definition]] = [[] for _ in range(len(flow.roots) + 1)]
    used = set(wanted)
    for one in found:
        roots = flow.depends[one.names[0]]
        bodies[max(roots) + 1 if roots else 0].append(one)
        used |= one.uses()
    given = []
    for joint in program.given:
        single = Angle(((joint, 1),))
        given += [single.cos, single.sin, theta(single)] if program.revolute[joint - 1] else []
    return BranchLoops(
        program,
        flow.roots,
        tuple(sizes_now),
        tuple(tuple(body) for body in bodies),
        tuple(joint_values),
        tuple(name for name in (*sorted(POSE_NAMES), *given) if name in used),
        frozenset(used),
    )


def _size(size: str | float, gone: dict[str, Expression]) -> str | float:
    return source(resolved(size, gone)) if isinstance(size, str) else size


def _joint_values(
    program: Program, definitions: list[Definition], gone: dict[str, Expression]
) -> tuple[list[str], list[Definition]]:
    """Return what stands for every joint value; an angle without offset needs no statement."""
    same = {
        one.names[0]: one.terms[0][1]
        for one in definitions
        if one.kind == "joint" and not one.scale and one.terms[0][0] > 0
    }
    values = []
    for joint in range(1, program.dof + 1):
        name = f"q{joint}"
        values.append(same.get(name, source(resolved(name, gone))))
    return values, [one for one in definitions if one.names[0] not in same]
