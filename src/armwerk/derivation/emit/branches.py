"""The closed inverse kinematics as nested loops: one loop per root, over its two signs.

What depends on no root stands in front of the loops, what depends on the first root stands
inside the first loop, and so on: the solution tree, written as a programme.
"""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.derivation.program import Program
from armwerk.derivation.ring import POSE_NAMES, Angle
from armwerk.derivation.runtime.flow import Builder, Definition, add_program, arrange, theta
from armwerk.derivation.runtime.generate import measure
from armwerk.derivation.runtime.kinematics import Kinematics


@dataclass(frozen=True, slots=True)
class Branches:
    """The loops.

    Args:
        program: Where they come from.
        roots: Names of the roots, from the outermost loop inwards.
        sizes: Absolute value of each root: a name, or a number.
        bodies: The statements in front of the loops, then inside each of them.
        inputs: Entries of the pose and values of given joints that are used.
        names: Every name that is used by something.
    """

    program: Program
    roots: tuple[str, ...]
    sizes: tuple[str | float, ...]
    bodies: tuple[tuple[Definition, ...], ...]
    inputs: tuple[str, ...]
    names: frozenset[str]

    def constants(self) -> set[str]:
        """Return the names of the constants they use."""
        return {name for name in self.names if name.startswith("p_")}


def branches(program: Program, kinematics: Kinematics) -> Branches:
    """Return the loops of a program, sub-expressions shared."""
    sizes = measure(program, kinematics)
    builder = Builder(frozenset(f"p_{name}" for name in program.parameters))
    add_program(builder, program, sizes.radicands, sizes.lengths)
    joints = [f"q{joint}" for joint in range(1, program.dof + 1)]
    flow = arrange(builder, joints)
    bodies: list[list[Definition]] = [[] for _ in range(len(flow.roots) + 1)]
    used = {*joints, *(str(size) for size in flow.sizes.values())}
    for level in flow.levels:
        bodies[max(level.roots) + 1 if level.roots else 0] += level.statements
        used |= {name for one in level.statements for name in one.uses()}
    given = []
    for joint in program.given:
        single = Angle(((joint, 1),))
        given += [single.cos, single.sin, theta(single)] if program.revolute[joint - 1] else []
    return Branches(
        program,
        flow.roots,
        tuple(flow.sizes[root] for root in flow.roots),
        tuple(tuple(body) for body in bodies),
        tuple(name for name in (*sorted(POSE_NAMES), *given) if name in used),
        frozenset(used),
    )
