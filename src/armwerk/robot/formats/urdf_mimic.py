"""Joints of a URDF that follow another one: q = multiplier · q_leader + offset.

A joint of a chain whose leader is not in it stands for both: its value is the one that a user
gives, the leader goes along. A chain with a joint and its leader, or two followers of one leader,
would have fewer values than joints; an `Arm` has one value for each, so such a chain is refused.
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


def refuse_coupled(tree: UrdfTree, moving: list[Node]) -> None:
    """Refuse a chain of which two joints have one value.

    Raises:
        DescriptionError: With the line of the follower, and what can be done.
    """
    known: dict[str, Node] = {}
    for joint in moving:
        leader = following(tree, joint).leader
        before = known.setdefault(leader, joint)
        if before is joint:
            continue
        follower = joint if joint.find("mimic") is not None else before
        other = before if follower is joint else joint
        node = follower.find("mimic")
        assert node is not None  # of two joints with one leader at most one leads
        names = [joint.get("name") for joint in (follower, other)]
        parts = (tree.end(joint, "parent"), tree.end(joint, "child"))
        raise wrong(
            node,
            f"joint '{names[0]}' follows another joint of the chain, '{names[1]}'",
            node.get("joint"),
            "a chain with one of them: end it before with "
            f"tip='{parts[0]}' (file.urdf#{parts[0]}), or begin it behind with "
            f"base_link='{parts[1]}' (file.urdf#{parts[1]}..tip); where both may move by "
            "themselves, take the element mimic out of a copy; a coupling by a closed chain can "
            "be built as an Assembly of parts",
        )
