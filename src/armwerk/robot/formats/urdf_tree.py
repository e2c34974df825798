"""The links and joints of a URDF, checked to be a tree, and the numbers in its attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.axes import snap_angle, zyx_matrix
from armwerk.robot.reading import line_of

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
"""Kind of a URDF joint -> kind of a joint here."""
REFUSED = ("floating", "planar")
TOOLS = ("tool0", "tcp", "tool", "tool_frame", "flange", "ee_link", "ee", "hand")
"""Names of tool frames as makers give them, the first that is there is the tip."""
_DIGITS = re.compile(r"\.(\d+)$")
_FEW_DIGITS = 4  # from 1.5708 on, an angle near a right angle is a rounded right angle
_NEAR = 1e-8  # [rad] as for 1.570796325


def wrong(
    node: Node, problem: str, value: object, allowed: str, what: str = ""
) -> DescriptionError:
    """Return an error that stands at an element, or at the part ``what`` of it."""
    element = f"{node.tag} '{node.get('name')}'" if node.get("name") else str(node.tag)
    parent = node.getparent()
    if not node.get("name") and parent is not None and parent.get("name"):
        element = f"{parent.tag} '{parent.get('name')}', {element}"
    return DescriptionError(
        problem,
        element=f"{element}, {what}" if what else element,
        value=value,
        allowed=allowed,
        line=line_of(node),
    )


def attribute_of(node: Node, name: str) -> str:
    """Return an attribute that must be there."""
    value = node.get(name)
    if value is None or not value.strip():
        raise wrong(node, "missing", value, f"the attribute {name}", name)
    if "${" in value:
        raise wrong(node, "xacro not expanded", value, "plain URDF, as xacro writes it", name)
    return value


def number_of(node: Node, name: str) -> float:
    """Return an attribute that must be a finite number."""
    return _finite(node, name, attribute_of(node, name))


def _finite(node: Node, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise wrong(node, "not a finite number", text, "a finite number", name)
    return value


def three_of(node: Node, name: str) -> list[str]:
    """Return an attribute that must be three finite numbers, as they are written."""
    pieces = attribute_of(node, name).split()
    if len(pieces) != 3:
        raise wrong(node, "wrong shape", node.get(name), "three numbers", name)
    for piece in pieces:
        _finite(node, name, piece)
    return pieces


def origin_pose(node: Node | None) -> Array:
    """Return the transform of an origin element; the identity without one. Shape (4, 4)."""
    pose = np.eye(4)
    if node is None:
        return pose
    if node.get("xyz") is not None:
        pose[:3, 3] = [float(piece) for piece in three_of(node, "xyz")]
    if node.get("rpy") is not None:
        roll, pitch, yaw = (_angle(piece) for piece in three_of(node, "rpy"))
        pose[:3, :3] = zyx_matrix(yaw, pitch, roll)
    return pose


def _angle(text: str) -> float:
    """Return an angle [rad]; a right angle that was rounded when written is exact again."""
    angle = float(text)
    digits = _DIGITS.search(text)
    decimals = len(digits.group(1)) if digits else 0
    near = 10.0**-decimals if decimals >= _FEW_DIGITS and abs(angle) > 1.0 else 0.0
    return snap_angle(angle, max(near, _NEAR))


class UrdfTree:
    """Links and joints of a URDF, checked to be a tree."""

    def __init__(self, root: Node) -> None:
        if root.tag != "robot":
            raise wrong(root, "not a URDF", root.tag, "the element robot at the top")
        self.root = root
        self.group_names: tuple[str, ...] = ()
        for node in root.iter():
            if isinstance(node.tag, str) and "xacro" in node.tag:
                raise wrong(
                    node, "xacro not expanded", node.tag, "plain URDF, as the program xacro writes"
                )
        self.links = self.named("link")
        self.joints = self.named("joint")
        self.parent_joint: dict[str, Node] = {}
        for joint in self.joints.values():
            self.add(joint)
        if not self.links:
            raise wrong(root, "no links", None, "at least two links and a joint")

    def named(self, tag: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for node in self.root.findall(tag):
            name = attribute_of(node, "name")
            if name in found:
                raise wrong(
                    node, "name used twice", name, f"a name that no other {tag} has", "name"
                )
            found[name] = node
        return found

    def add(self, joint: Node) -> None:
        kind = attribute_of(joint, "type")
        if kind not in (*KINDS, *REFUSED):
            raise wrong(joint, "unknown joint kind", kind, ", ".join(KINDS), "type")
        for tag in ("parent", "child"):
            name = self.end(joint, tag)
            if name not in self.links:
                raise wrong(joint, f"{tag} link does not exist", name, _some(self.links), tag)
        child = self.end(joint, "child")
        if child in self.parent_joint:
            first = self.parent_joint[child].get("name")
            raise wrong(
                joint,
                f"link '{child}' has two parents (loop with joint '{first}')",
                child,
                "a tree: one parent for each link",
                "child",
            )
        self.parent_joint[child] = joint

    @staticmethod
    def end(joint: Node, tag: str) -> str:
        node = joint.find(tag)
        if node is None:
            raise wrong(joint, f"{tag} is missing", None, f"an element {tag} with a link")
        return attribute_of(node, "link")

    def way_up(self, link: str) -> list[Node]:
        """Return the joints from ``link`` up to its root, nearest first."""
        way: list[Node] = []
        while link in self.parent_joint:
            joint = self.parent_joint[link]
            if len(way) > len(self.joints):
                raise wrong(joint, "joints form a loop", joint.get("name"), "a tree")
            way.append(joint)
            link = self.end(joint, "parent")
        return way

    def chain(self, tip: str | None, base_link: str | None) -> tuple[str, list[Node]]:
        """Return the link the chain starts from, and its joints outwards.

        Without a tip it is the longest one; of tips that are fixed to the same link, `TOOLS` first.
        """
        base = self.base(base_link)
        if tip is not None:
            if tip not in self.links:
                names = [*self.links, *self.group_names]
                near = get_close_matches(tip, names, 5)
                names = [*near, *(name for name in names if name not in near)]
                raise wrong(self.root, "no such link", tip, _some(names), "tip")
            way = self.down(base, tip)
            if way is None:
                raise wrong(
                    self.root, f"link '{tip}' does not hang on '{base}'", tip, "a link behind it"
                )
            return base, way
        ends = self.ends(base)
        sizes = {link: (_moving(way), len(way)) for link, way in ends.items()}
        longest = [link for link, size in sizes.items() if size == max(sizes.values())]
        carriers = {_last_moving(ends[link]) for link in longest}
        if len(carriers) == 1:
            chosen = next((name for name in TOOLS if name in longest), longest[0])
            return base, ends[chosen]
        raise wrong(
            self.root,
            "several chains are equally long" if longest else "no joints",
            longest,
            f"tip=…, --tip … or file.urdf#… with one of {self.tips(base)}",
            "tip",
        )

    def ends(self, base: str) -> dict[str, list[Node]]:
        """Return the ways from ``base`` to all links that carry nothing, marked places left out."""
        parents = {self.end(joint, "parent") for joint in self.joints.values()}
        marks = {link for link, node in self.links.items() if node.get("role") == "frame"}
        bearing = {
            self.end(joint, "parent")
            for joint in self.joints.values()
            if self.end(joint, "child") not in marks
        }
        found: dict[str, list[Node]] = {}
        for link in self.links:
            way = self.down(base, link)  # finds loops too
            if way and link not in marks and (link not in parents or link not in bearing):
                found[link] = way
        return found

    def tips(self, base: str) -> str:
        """Return the ends of chains in words, most joints first, and where the longest part."""
        ends = sorted(self.ends(base).items(), key=lambda item: -_moving(item[1]))
        shown = [f"{link} ({_count(way)})" for link, way in ends if _moving(way)]
        ways = [way for _, way in ends if _moving(way) == _moving(ends[0][1])]
        common = [steps[0] for steps in zip(*ways, strict=False) if len({*steps}) == 1]
        if len(ways) > 1 and _moving(common):
            split = self.end(common[-1], "child")
            shown.insert(0, f"{split} ({_count(common)}, where they part)")
        return _some([*shown, *self.group_names])

    def base(self, base_link: str | None) -> str:
        if base_link is not None:
            if base_link not in self.links:
                raise wrong(self.root, "no such link", base_link, _some(self.links), "base_link")
            return base_link
        roots = [link for link in self.links if link not in self.parent_joint]
        if not roots:
            raise wrong(self.root, "joints form a loop", None, "a tree with one root")
        if len(roots) > 1:
            node = self.links[roots[1]]
            raise wrong(node, "several roots", roots, "one link without a parent")
        return roots[0]

    def down(self, base: str, link: str) -> list[Node] | None:
        """Return the joints from ``base`` out to ``link``; None when it is not behind it."""
        if link == base:
            return []
        way = self.way_up(link)
        for count, joint in enumerate(way, start=1):
            if self.end(joint, "parent") == base:
                return way[:count][::-1]
        return None


def _moving(way: list[Node]) -> int:
    return sum(joint.get("type") != "fixed" for joint in way)


def _last_moving(way: list[Node]) -> str:
    moving = [joint for joint in way if joint.get("type") != "fixed"]
    return attribute_of(moving[-1], "name") if moving else ""


def _count(way: list[Node]) -> str:
    count = _moving(way)
    return "1 joint" if count == 1 else f"{count} joints"


def _some(names: Iterable[str], most: int = 20) -> str:
    names = list(names)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
