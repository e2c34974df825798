"""An assembly of parts as a tree, with the ties that close its chains."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from rich.tree import Tree

from armwerk.cli.units import Units, short
from armwerk.robot.parts import Assembly


def parts_tree(assembly: Assembly, units: Units) -> Tree:
    """Return the tree of parts as a picture of text, unions and platforms below it."""
    root = Tree(Text(f"{assembly.name}: {len(assembly.tree)} parts"), guide_style="dim")
    branches: dict[str, Tree] = {}
    for name, place in assembly.tree.items():
        stem = root if place.fix is None else branches[place.fix]
        branches[name] = stem.add(Text(_words(place, units)))
    if assembly.loops:
        ties = root.add(Text("closed chains"))
        for loop in assembly.loops:
            points = ", ".join(loop.tie.points)
            passive = ", ".join(loop.passives) or "none"
            ties.add(Text(f"{loop.tie.label}: {loop.pattern} of {points} (passive: {passive})"))
    return root


def _words(place: Any, units: Units) -> str:
    part, facts = place.part, []
    if getattr(part, "length", None):
        facts.append(f"{units.text(part.length, 'prismatic')} {units.length} long")
    if getattr(part, "freedom", None):
        facts.append(part.freedom)
    if hasattr(part, "joint_kind") and part.limits is not None:
        low, high = (units.text(value, part.joint_kind) for value in part.limits)
        facts.append(f"{low} to {high} {units.name(part.joint_kind)}")
    if any(place.at.position):
        where = " ".join(units.text(value, "prismatic") for value in place.at.position)
        facts.append(f"at {where} {units.length}")
    if any(place.at.turn):
        turn = " ".join(units.text(value, "revolute") for value in place.at.turn)
        facts.append(f"turned {turn} {units.angle}")
    if part.mass:
        facts.append(f"{short(part.mass)} kg")
    kind = part.kind.replace("_", " ")
    return f"{kind} {part.name}" + (f" ({', '.join(facts)})" if facts else "")
