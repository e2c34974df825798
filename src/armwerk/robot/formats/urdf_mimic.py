"""Joints of a URDF that follow another one: q = multiplier · q_leader + offset.

A joint of a chain whose leader is not in it stands for both: its value is the one that a user
gives, the leader goes along. Of a joint and its leader in one chain, or two followers of one
leader, one has a value, and the other is coupled to it (`armwerk.robot.coupling`), without a drive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armwerk.robot.formats.urdf_tree import UrdfTree, attribute_of, number_of, wrong

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


@dataclass(frozen=True, slots=True)
class Following:
    """How a joint follows the one that leads in the end.

    Args:
        leader: Name of the joint that leads; the joint itself where it follows none.
        multiplier: Of the leader's value.
        offset: Added to that [rad or m].
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def of_leader(self, low: float, high: float) -> tuple[float, float]:
        """Return the range that a leader's range allows [rad or m]."""
        ends = self.multiplier * low + self.offset, self.multiplier * high + self.offset
        return min(ends), max(ends)


def following(tree: UrdfTree, joint: Node) -> Following:
    """Return whom a joint follows, by as many joints as there are between.

    Raises:
        DescriptionError: For a leader that is not there, a circle of joints, or a joint that
            never moves; with the line.
    """
    name = attribute_of(joint, "name")
    multiplier, offset = 1.0, 0.0
    seen = [name]
    node = joint.find("mimic")
    while node is not None:
        leader = attribute_of(node, "joint")
        if leader not in tree.joints:
            raise wrong(node, "no such joint", leader, ", ".join([*tree.joints][:20]), "joint")
        if leader in seen:
            raise wrong(node, "joints follow each other", leader, "a joint that leads", "joint")
        if tree.joints[leader].get("type") == "fixed":
            raise wrong(node, "follows a joint that never moves", leader, "type fixed", "joint")
        factor = 1.0 if node.get("multiplier") is None else number_of(node, "multiplier")
        if factor == 0.0:
            raise wrong(node, "never moves", 0.0, "a number but 0, or type fixed", "multiplier")
        own = 0.0 if node.get("offset") is None else number_of(node, "offset")
        offset += multiplier * own
        multiplier *= factor
        seen.append(leader)
        name, node = leader, tree.joints[leader].find("mimic")
    return Following(name, multiplier, offset)


def chain_followers(tree: UrdfTree, moving: list[Node]) -> dict[str, Following]:
    """Return which joints of a chain follow another joint of it, by name.

    The one that is followed has the value that a user gives: the leader itself where it is in the
    chain, else the first of its followers there.
    """
    leading: dict[str, tuple[str, Following]] = {}
    for joint in moving:
        own = following(tree, joint)
        name = attribute_of(joint, "name")
        if own.leader == name or own.leader not in leading:
            leading[own.leader] = (name, own)
    found: dict[str, Following] = {}
    for joint in moving:
        own, name = following(tree, joint), attribute_of(joint, "name")
        first, other = leading[own.leader]
        if name != first:
            factor = own.multiplier / other.multiplier
            found[name] = Following(first, factor, own.offset - factor * other.offset)
    return found
