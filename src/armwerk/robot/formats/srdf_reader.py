"""What an SRDF says of a URDF: groups of joints, named poses, and pairs of links that may touch.

Planners of ROS keep it in a file of its own. It is found beside the URDF, in a folder ``srdf`` or
``config`` next to the URDF's folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import DescriptionError
from armwerk.robot.formats.urdf_tree import UrdfTree, attribute_of, number_of, wrong
from armwerk.robot.reading import parse_xml, read_text

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


@dataclass(frozen=True, slots=True)
class JointGroup:
    """Joints of a robot that are moved together.

    Args:
        name: Of the group.
        base_link: Link at which its chain starts; None: it is told by joints.
        tip_link: Link at which its chain ends; None: likewise.
        joints: Names of joints, for a group without a chain.
    """

    name: str
    base_link: str | None = None
    tip_link: str | None = None
    joints: tuple[str, ...] = ()

    def ends(self, tree: UrdfTree) -> tuple[str, str]:
        """Return the links between which the group lies in a tree.

        Raises:
            DescriptionError: For a group that is no chain of this robot.
        """
        if self.base_link is not None and self.tip_link is not None:
            return self.base_link, self.tip_link
        known = [tree.joints[name] for name in self.joints if name in tree.joints]
        if not known:
            raise DescriptionError(
                "has no joint of this robot",
                element=f"group '{self.name}'",
                value=list(self.joints),
                allowed="a chain, or names of joints",
            )
        depth = {joint.get("name"): len(tree.way_up(tree.end(joint, "child"))) for joint in known}
        first = min(known, key=lambda joint: depth[joint.get("name")])
        last = max(known, key=lambda joint: depth[joint.get("name")])
        return tree.end(first, "parent"), tree.end(last, "child")


@dataclass(frozen=True, slots=True, eq=False)
class SemanticDescription:
    """What an SRDF file holds.

    Args:
        file: Where it is from.
        groups: By name.
        poses: Joint values [rad or m] by joint, by name of the pose; a later group of the same
            pose name adds its joints.
        touching: Pairs of links that may touch, or never can.
        robot: What it calls the robot; empty: nothing.
    """

    file: Path
    groups: Mapping[str, JointGroup]
    poses: Mapping[str, Mapping[str, float]]
    touching: frozenset[frozenset[str]]
    robot: str = ""

    @property
    def links(self) -> frozenset[str]:
        """All links that it names."""
        ends = {(group.base_link, group.tip_link) for group in self.groups.values()}
        chains = {link for pair in ends for link in pair if link is not None}
        return frozenset(chains.union(*self.touching))

    def check(self, tree: UrdfTree) -> None:
        """See that it belongs to a robot.

        One that has the robot's name may name links that this file of it lacks.

        Raises:
            DescriptionError: When it is that of another robot; names what the robot has not.
        """
        name = tree.root.get("name") or ""
        missing = sorted(self.links - {*tree.links})
        joints = {joint for group in self.groups.values() for joint in group.joints}
        strange = sorted(joints - {*tree.joints})
        unknown = missing or strange
        is_same = self.robot == name or not self.robot
        if not unknown or (is_same and len(missing) < len(self.links)):
            return
        raise DescriptionError(
            f"is that of another robot, '{self.robot or 'unnamed'}'",
            element=f"SRDF for '{name}'",
            value=f"{'link' if missing else 'joint'} {', '.join(unknown[:5])}",
            allowed=f"links {', '.join([*tree.links][:8])}{', …' * (len(tree.links) > 8)}",
            file=self.file,
        )


def read_srdf(path: Path) -> SemanticDescription:
    """Return what an SRDF file holds.

    Raises:
        DescriptionError: With file and line.
    """
    root = parse_xml(read_text(path), path)
    try:
        if root.tag != "robot":
            raise wrong(root, "not an SRDF", root.tag, "the element robot at the top")
        groups = {attribute_of(node, "name"): node for node in root.findall("group")}
        poses: dict[str, dict[str, float]] = {}
        for state in root.findall("group_state"):
            values = poses.setdefault(attribute_of(state, "name"), {})
            for joint in state.findall("joint"):
                if len((joint.get("value") or "").split()) == 1:  # floating joints have seven
                    values[attribute_of(joint, "name")] = number_of(joint, "value")
        touching = frozenset(
            frozenset((attribute_of(node, "link1"), attribute_of(node, "link2")))
            for node in root.findall("disable_collisions")
        )
        return SemanticDescription(
            path,
            {name: _group(name, groups) for name in groups},
            poses,
            touching,
            root.get("name") or "",
        )
    except DescriptionError as error:
        raise error.at(path) from None


def _group(name: str, groups: Mapping[str, Node]) -> JointGroup:
    chain = groups[name].find("chain")
    if chain is not None:
        ends = attribute_of(chain, "base_link"), attribute_of(chain, "tip_link")
        return JointGroup(name, *ends)
    return JointGroup(name, joints=_joints(name, groups, ()))


def _joints(name: str, groups: Mapping[str, Node], inside: tuple[str, ...]) -> tuple[str, ...]:
    """Return the joints of a group and of the groups in it."""
    if name in inside or name not in groups:
        return ()
    node = groups[name]
    found = [attribute_of(joint, "name") for joint in node.findall("joint")]
    for inner in node.findall("group"):
        found += _joints(attribute_of(inner, "name"), groups, (*inside, name))
    return tuple(dict.fromkeys(found))


def srdf_of(urdf: Path, robot: str = "", given: str = "") -> SemanticDescription | None:
    """Return the SRDF that was given, else the one that belongs to a URDF; None: there is none.

    Raises:
        DescriptionError: When the file is missing or wrong.
    """
    return read_srdf(Path(given)) if given else find_srdf(urdf, robot)


def find_srdf(urdf: Path, robot: str = "") -> SemanticDescription | None:
    """Return the SRDF that belongs to a URDF; None when there is none.

    It has the name of the file, or is the only one of the robot's name.

    Args:
        urdf: The file of the robot.
        robot: What the robot is called in it.
    """
    folder = urdf.absolute().parent
    stem = urdf.name.split(".")[0]
    places = (folder, folder.parent / "srdf", folder.parent / "config")
    files = [file for place in places for file in sorted(place.glob("*.srdf"))]
    for wanted in (stem, stem.removesuffix("_robot")):
        for file in files:
            if file.stem == wanted:
                return read_srdf(file)
    named = [file for file in files if robot and f'name="{robot}"' in _start(file)]
    return read_srdf(named[0]) if len(named) == 1 else None


def _start(file: Path) -> str:
    """Return the text up to the end of the element robot."""
    text = file.read_text(encoding="utf-8", errors="replace")
    at = text.find("<robot")
    return text[at : text.find(">", at)] if at >= 0 else ""
