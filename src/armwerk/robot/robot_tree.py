"""The tree of a robot's file and the chain that is meant: a reference comes in, both go out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import DescriptionError
from armwerk.robot.formats.srdf_reader import SemanticDescription, srdf_of
from armwerk.robot.formats.urdf_source import urdf_text
from armwerk.robot.formats.urdf_tree import UrdfTree
from armwerk.robot.reading import parse_xml

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


@dataclass(frozen=True, slots=True, eq=False)
class RobotTree:
    """A robot's file, read.

    Args:
        path: The file.
        text: As URDF.
        tree: Its links and joints.
        semantics: Its SRDF; None: it has none.
        tip: Link at the end of the chain that is meant; None: not said.
        base_link: Link at its start; None: not said.
    """

    path: Path
    text: str
    tree: UrdfTree
    semantics: SemanticDescription | None
    tip: str | None
    base_link: str | None

    def chain(self) -> tuple[str, list[Node]]:
        """Return the link the chain starts from, and its joints outwards.

        Raises:
            DescriptionError: When it is not told which chain; lists the tips.
        """
        return self.tree.chain(self.tip, self.base_link)


def open_tree(
    path: Path, tip: str | None = None, base_link: str | None = None, srdf: str = ""
) -> RobotTree:
    """Return the tree of a file and the chain in it.

    Args:
        path: URDF, xacro or MJCF.
        tip: Link, site, or group of the SRDF beside it; None: not said.
        base_link: Link; None: the root, or as the group says.
        srdf: Its SRDF; empty: the one that is found beside it, if any.

    Raises:
        DescriptionError: When the file is wrong; says where.
    """
    text = urdf_text(path)
    root = parse_xml(text, path)
    try:
        tree = UrdfTree(root)
    except DescriptionError as error:
        raise error.at(path) from None
    semantics = srdf_of(path, root.get("name") or "", srdf)
    if semantics is not None and srdf:
        semantics.check(tree)
    if tip is not None and tip not in tree.links and semantics is not None:
        group = semantics.groups.get(tip)
        if group is not None:
            first, last = group.ends(tree)
            return RobotTree(path, text, tree, semantics, last, base_link or first)
        tree.group_names = tuple(semantics.groups)
    return RobotTree(path, text, tree, semantics, tip, base_link)
