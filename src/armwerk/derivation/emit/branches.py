"""The closed inverse kinematics as nested loops: one loop per root, over its two signs.

What depends on no root stands in front of the loops, what depends on the first root stands
inside the first loop, and so on: the solution tree, written as a program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from armwerk.derivation.emit.aliases import needed, resolved, without_aliases
from armwerk.derivation.program import Expression, Program
from armwerk.derivation.ring import POSE_NAMES, Angle
from armwerk.derivation.runtime.flow import Builder, Definition, add_program, arrange, theta
from armwerk.derivation.runtime.generate import measure
from armwerk.derivation.runtime.kinematics import ArmKinematics
from armwerk.derivation.runtime.printing import source

_NAME = re.compile(r"[A-Za-z_]\w*")


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

    def constants(self) -> set[str]:
        """Return the names of the constants they use."""
        return {name for name in self.names if name.startswith("p_")}


def branches(program: Program, kinematics: ArmKinematics) -> BranchLoops:
    """Return the loops of a program, sub-expressions shared."""
    sizes = measure(program, kinematics)
    builder = Builder(frozenset(f"p_{name}" for name in program.parameters))
    add_program(builder, program, sizes.radicands, sizes.lengths)
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
