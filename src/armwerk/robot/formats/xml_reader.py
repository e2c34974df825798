"""Arms as XML: the robot configuration, validated against ``robot-configuration.xsd``.

A text comes in and an `Arm` goes out; `xml_writer` goes the other way. Angles are in radians,
lengths in metres, the interpolation clock in milliseconds. What
the configuration has no element for (names, base, tool, friction) stands in an optional
``extension``; documents without one are read as well. Where no joint has a link length and a
link twist, the rows are found from the axes by the rules of `armwerk.robot.axes`; where there
are both, they must say the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.arm import Arm
from armwerk.robot.axes import Placement, place_frames
from armwerk.robot.coupling import Coupling
from armwerk.robot.dimension import Dimension, dimension
from armwerk.robot.formats.axes_against_rows import contradiction
from armwerk.robot.formats.xml_writer import ANGLE_TAGS, LIMIT_TAGS, LINK_TAGS
from armwerk.robot.joint import Joint, Link
from armwerk.robot.reading import Fields, line_of, parse_xml
from armwerk.robot.settings import MotionSettings

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element

SCHEMA = Path(__file__).with_name("robot-configuration.xsd")

_KINDS = {
    "revolute": "revolute",
    "rotational": "revolute",
    "rotatorisch": "revolute",
    "prismatic": "prismatic",
    "translational": "prismatic",
    "translatorisch": "prismatic",
    "passive": "fixed",
    "passiv": "fixed",
    "fixed": "fixed",
}
_ROW = {"link-offset": "d", "link-length": "a", "link-twist": "alpha", "joint-offset": "offset"}
_DRIVE = {
    "armature": "armature",
    "viscous-friction": "viscous_friction",
    "coulomb-friction-positive": "coulomb_friction",
    "coulomb-friction-negative": "coulomb_friction",
}
_TAGS = {
    "limits": "theta-min",
    **{field: tag for tag, field in {**_ROW, **LIMIT_TAGS, **_DRIVE}.items()},
}
_UNIT = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def arm_from_xml(text: str, file: str | Path | None = None) -> Arm:
    """Return the arm that an XML text describes.

    Args:
        text: The whole document.
        file: Its name, for error messages; also names an arm that has no name.

    Raises:
        DescriptionError: Naming file, line, element, value and what is allowed.
    """
    root = parse_xml(text, file)
    try:
        _validate(root)
        return _XmlDocument(root).arm("arm" if file is None else Path(file).stem)
    except DescriptionError as error:
        raise error.at(file) from None


@lru_cache(maxsize=1)
def _schema() -> etree.XMLSchema:
    from lxml import etree

    return etree.XMLSchema(etree.parse(str(SCHEMA)))


def _validate(root: Node) -> None:
    schema = _schema()
    if schema.validate(root):
        return
    log: Any = schema.error_log  # its stub does not say that it holds the errors
    first = log[0]
    message = re.sub(r"^Element '[^']*'(, attribute '[^']*')?: ", "", first.message)
    message = re.sub(r"^\[facet '[^']*'\] ", "", message)
    allowed = ""
    expected = re.search(r"Expected is (?:one of )?\( (.*) \)\.?$", message)
    choice = re.search(r"set \{(.*)\}\.$", message)
    if expected:
        allowed = expected.group(1)
        message = message[: expected.start()]
    elif choice:
        allowed = choice.group(1).replace("'", "")
        message = "unknown choice"
    tree = root.getroottree()
    near = (node for node in root.iter() if line_of(node) == first.line)
    node = next((node for node in near if tree.getpath(node) == first.path), root)
    raise DescriptionError(
        message.strip().rstrip("."),
        element=_where(node),
        value=_text(node) if len(node) == 0 else node.tag,
        allowed=allowed or "what robot-configuration.xsd says",
        line=first.line,
    )


def _where(node: Node) -> str:
    """Return a name such as "joint 2, link-twist" for an element."""
    names: list[str] = []
    while (parent := node.getparent()) is not None:
        alike = [child for child in parent if child.tag == node.tag]
        several = node.tag in ("joint", "link", "joint-extension") or len(alike) > 1
        names.append(f"{node.tag} {alike.index(node) + 1}" if several else str(node.tag))
        node = parent
    return ", ".join(reversed(names)) or str(node.tag)


def _text(node: Node) -> str:
    return "".join(str(piece) for piece in node.itertext())


def _wrong(node: Node, problem: str, value: object, allowed: str) -> DescriptionError:
    return DescriptionError(
        problem, element=_where(node), value=value, allowed=allowed, line=line_of(node)
    )


def _value(parent: Node, tag: str) -> str:
    """Return the text of a child without surrounding space; empty when there is none."""
    child = parent.find(tag)
    return "" if child is None else _text(child).strip()


def _child(parent: Node, tag: str) -> Node:
    child = parent.find(tag)
    return parent if child is None else child


def _dimension(parent: Node, tag: str) -> Dimension:
    text = _value(parent, tag)
    if not text:
        raise _wrong(_child(parent, tag), f"{tag} is missing", None, "a number or an expression")
    try:
        return dimension(text, "")
    except DescriptionError as error:
        node = _child(parent, tag)
        raise _wrong(node, error.problem, text, error.allowed) from None


def _number(parent: Node, tag: str) -> float:
    result = _dimension(parent, tag)
    if isinstance(result, str):
        raise _wrong(_child(parent, tag), "not a number", result, "a number, no symbols")
    return result


def _numbers(node: Node) -> list[float]:
    return [float(piece) for piece in _text(node).split()]


class _XmlDocument:
    """A valid document, taken apart piece by piece."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.joints = root.findall("joint")
        self.links = root.findall("link")
        self.extension = root.find("extension")
        extras = [] if self.extension is None else self.extension.findall("joint-extension")
        self.extras: list[Node | None] = list(extras) or [None] * len(self.joints)
        for node, found in (("link", len(self.links)), ("joint-extension", len(extras))):
            if found not in (0, len(self.joints)):
                raise DescriptionError(
                    f"wrong number of {node} elements",
                    element=node,
                    value=found,
                    allowed=f"none or {len(self.joints)}, one for each joint",
                    line=line_of((self.links or extras)[0]),
                )
        count = int(_value(root, "number-of-joints"))
        if count != len(self.joints):
            raise _wrong(
                _child(root, "number-of-joints"),
                "does not match the joint elements",
                count,
                f"{len(self.joints)}, the number of joint elements",
            )

    def arm(self, name: str) -> Arm:
        placed = self.placement() if self.is_by_axes() else None
        joints = [self.joint(position, placed) for position in range(len(self.joints))]
        if placed is None:
            self.refuse_contradiction(joints)
        given = self.arm_fields(name)
        if placed is not None:
            given["base"] = given.get("base", np.eye(4)) @ placed.base
            given["tool"] = placed.tool @ given.get("tool", np.eye(4))
        try:
            return Arm(tuple(joints), motion=self.motion(), **given)
        except DescriptionError as error:
            raise self.at_joint(error, joints) from None

    def at_joint(self, error: DescriptionError, joints: list[Joint]) -> DescriptionError:
        """Put an error of the whole arm at the joint or element it names."""
        node = None
        if self.extension is not None and error.element.isidentifier():
            node = self.extension.find(error.element)
        moving = [at for at, joint in enumerate(joints) if joint.is_moving]
        for position, joint in enumerate(joints):
            default = f"q{moving.index(position) + 1}" if position in moving else ""
            if error.element == f"joint '{joint.name or default}'":
                node = self.joints[position]
        return error.at(None, line_of(self.root if node is None else node))

    def is_by_axes(self) -> bool:
        return all(
            not _value(node, "link-length") and not _value(node, "link-twist")
            for node in self.joints
        ) and any(_value(node, "rotation-translation-axis") for node in self.joints)

    def kind(self, position: int) -> str:
        return _KINDS[_value(self.joints[position], "joint-type")]

    def joint(self, position: int, placed: Placement | None) -> Joint:
        node, extra = self.joints[position], self.extras[position]
        kind = self.kind(position)
        given: Fields = {"kind": kind}
        if placed is None:
            given |= self.row(position)
        else:
            given |= placed.rows[position]._asdict()
        low, high = _value(node, "theta-min"), _value(node, "theta-max")
        if low or high:
            given["limits"] = (_number(node, "theta-min"), _number(node, "theta-max"))
        given |= {
            field: _number(node, tag) for tag, field in LIMIT_TAGS.items() if _value(node, tag)
        }
        if extra is not None:
            given |= _drive(extra)
            given["coupling"] = _coupling(extra)
        if self.links:
            given["link"] = _link(self.links[position])
        name = "" if extra is None or extra.find("name") is None else _text(_child(extra, "name"))
        try:
            return replace(Joint(**given), name=name)
        except DescriptionError as error:
            field = error.element.split()[0] if error.element else ""
            tag = _TAGS.get(field, "")
            home = extra if extra is not None and tag in _DRIVE else node
            raise error.at(
                None, line_of(_child(home, tag) if tag else node), _where(home)
            ) from None

    def row(self, position: int) -> dict[str, Dimension]:
        """Return the four numbers of a joint given by its Denavit-Hartenberg row."""
        node, extra = self.joints[position], self.extras[position]
        kind = self.kind(position)
        row: dict[str, Dimension] = {
            "a": _dimension(node, "link-length"),
            "alpha": _dimension(node, "link-twist"),
            "offset": _dimension(node, "joint-offset") if _value(node, "joint-offset") else 0.0,
        }
        angle = _value(node, "joint-angle")
        if kind == "revolute":
            self.refuse_constant(node)
        elif angle:
            row["offset"] = _sum(_dimension(node, "joint-angle"), row["offset"])
        if kind == "prismatic":
            row["d"] = self.constant_part(node, extra)
        else:
            row["d"] = _dimension(node, "link-offset")
        return row

    def refuse_contradiction(self, joints: list[Joint]) -> None:
        """Refuse rows beside axes that describe another arm."""
        directions: list[Array | None] = []
        points: list[Array | None] = [np.zeros(3)]
        for node in self.joints:
            axis = node.find("rotation-translation-axis")
            given = None if axis is None or not _text(axis).strip() else _direction(axis)
            if axis is not None and given is not None and not given.any():
                raise _wrong(axis, "has no length", _text(axis), "x, y, z or three numbers")
            directions.append(given)
            points.append(_next_point(points[-1], node.getnext()))
        found = contradiction(joints, directions, points)
        if found is None:
            return
        if found.of == "direction":
            node = _child(self.joints[found.joint], "rotation-translation-axis")
            problem = "the axis contradicts the rows of the joints before it"
            allowed = f"{found.found}, the direction that the rows give, or no axis at all"
        else:
            arrangement = self.joints[max(found.joint - 1, 0)].getnext()
            node = self.root if arrangement is None else _child(arrangement, "displacement")
            problem = "the displacements contradict the rows"
            if found.joint < len(joints):
                allowed = (
                    f"the axis of joint {found.joint + 1} through {found.found}, as in the rows"
                )
            else:
                allowed = f"the end of the arm at {found.found}, as in the rows"
            allowed += ", or no displacement at all"
        raise _wrong(node, problem, found.given, allowed)

    @staticmethod
    def refuse_constant(node: Node) -> None:
        angle = _value(node, "joint-angle")
        if angle and not angle.isidentifier():
            raise _wrong(
                _child(node, "joint-angle"),
                "the angle of a revolute joint is its variable",
                angle,
                "the name of the variable, such as theta1; constants go to joint-offset",
            )

    @staticmethod
    def constant_part(node: Node, extra: Node | None) -> Dimension:
        """Return what is added to the variable of a prismatic joint."""
        if extra is not None and extra.find("displacement") is not None:
            return _dimension(extra, "displacement")
        text = _value(node, "link-offset")
        if not text:
            return 0.0
        value = _dimension(node, "link-offset")
        if isinstance(value, str) and not text.isidentifier():
            raise _wrong(
                _child(node, "link-offset"),
                "neither the variable nor a number",
                text,
                "the name of the variable, such as d3, or the number added to it",
            )
        return 0.0 if isinstance(value, str) else value

    def placement(self) -> Placement:
        """Find frames and rows for a document that gives axes only."""
        points, directions = [np.zeros(3)], []
        for position, node in enumerate(self.joints):
            for tag in ("joint-offset", "link-offset", "joint-angle"):
                text = _value(node, tag)
                if text and not text.isidentifier():
                    raise _wrong(
                        _child(node, tag),
                        "a number beside axes",
                        text,
                        "either all numbers of the row, or axes",
                    )
            if not _value(node, "rotation-translation-axis"):
                raise _wrong(
                    node, "rotation-translation-axis is missing", None, "x, y, z or three numbers"
                )
            directions.append(_direction(_child(node, "rotation-translation-axis")))
            points.append(points[position] + _displacement(node.getnext()))
        kinds = [self.kind(position) for position in range(len(self.joints))]
        try:
            return place_frames(kinds, points[:-1], directions, points[-1])
        except DescriptionError as error:
            found = re.match(r"joint '(\d+)'(, direction)?", error.element)
            if found is None:
                raise
            node = self.joints[int(found.group(1)) - 1]
            if found.group(2):
                node = _child(node, "rotation-translation-axis")
            raise _wrong(node, error.problem, error.value, error.allowed) from None

    def arm_fields(self, name: str) -> Fields:
        root, extension = self.root, self.extension
        tasks = [_text(node) for node in root.findall("application-areas/task")]
        if extension is None:
            title = _text(_child(root, "kinematic-structure")).strip()
            return {"name": name, "title": title, "tasks": tuple(tasks)}
        given: Fields = {"name": name}
        for tag in ("name", "title", "source"):
            node = extension.find(tag)
            if node is not None:
                given[tag] = _text(node)
        given["assumed"] = tuple(_text(node) for node in extension.findall("assumed"))
        given["tasks"] = (*tasks, *(_text(node) for node in extension.findall("task")))
        for tag in ("base", "tool"):
            node = extension.find(tag)
            if node is not None:
                given[tag] = np.vstack([np.reshape(_numbers(node), (3, 4)), (0.0, 0.0, 0.0, 1.0)])
        node = extension.find("gravity")
        if node is not None:
            given["gravity"] = _numbers(node)
        return given

    def motion(self) -> MotionSettings:
        node = self.root.find("trajectory-generation")
        if node is None:
            return MotionSettings()
        motions = [
            _text(one).strip() for one in node.findall("cartesian-space-trajectories/motion")
        ]
        clock = float(_value(node, "interpolation-clock")) / 1000.0
        top_speed = None
        if self.extension is not None:
            motions += [_text(one).strip() for one in self.extension.findall("cartesian-motion")]
            exact = _value(self.extension, "clock")
            clock = float(exact) if exact else clock
            top_speed = _value(self.extension, "top-speed") or None
        joint_motion = _value(node, "joint-space-trajectories/motion")
        given: Fields = {
            "joint_motion": joint_motion or MotionSettings().joint_motion,
            "cartesian_motions": tuple(motions),
            "profile": _value(node, "acceleration-profile"),
            "clock": clock,
            "top_speed": None if top_speed is None else float(top_speed),
        }
        return MotionSettings(**given)


def _sum(left: Dimension, right: Dimension) -> Dimension:
    if isinstance(left, float) and isinstance(right, float):
        return left + right
    if left == 0.0 or right == 0.0:
        return right if left == 0.0 else left
    return dimension(f"{left} + {right}", "joint-offset")


def _drive(extra: Node) -> Fields:
    given: Fields = {}
    for tag in ("armature", "viscous-friction"):
        if _value(extra, tag):
            given[_DRIVE[tag]] = _dimension(extra, tag)
    sides = ("coulomb-friction-positive", "coulomb-friction-negative")
    if any(_value(extra, tag) for tag in sides):
        given["coulomb_friction"] = tuple(_dimension(extra, tag) for tag in sides)
    return given


def _coupling(extra: Node) -> Coupling | None:
    nodes = extra.findall("coupled")
    others = [tag for tag in ("driven", *ANGLE_TAGS) if extra.find(tag) is not None]
    if not nodes:
        if others:
            raise _wrong(
                _child(extra, others[0]), "of no coupled joint", None, "an element coupled before"
            )
        return None
    limits = None
    if any(_value(extra, tag) for tag in ANGLE_TAGS):
        low, high = (_number(extra, tag) for tag in ANGLE_TAGS)
        limits = (low, high)
    try:
        factors = [(str(node.get("axis")), float(_text(node))) for node in nodes]
        return Coupling(factors, _value(extra, "driven") not in ("false", "0"), limits)
    except DescriptionError as error:
        raise error.at(None, line_of(nodes[0]), _where(extra)) from None


def _link(node: Node) -> Link:
    mass, *rest = (_dimension(node, tag) for tag in LINK_TAGS)
    try:
        return Link(mass, tuple(rest[:3]), tuple(rest[3:]))  # type: ignore[arg-type]
    except DescriptionError as error:
        home = _child(node, "mass" if error.element == "mass" else "Ixx")
        raise error.at(None, line_of(home), _where(node)) from None


def _direction(node: Node) -> Array:
    """Return "x", "-z" or three numbers as a vector. Shape (3,)."""
    text = _text(node).strip().lower()
    letter = text[-1:]
    if letter in _UNIT:
        vector = np.array(_UNIT[letter])
        return -vector + 0.0 if text.startswith("-") else vector
    return np.array(_numbers(node))


def _next_point(point: Array | None, node: Node | None) -> Array | None:
    """Return the place of the next axis, None where no number tells it. Shape (3,)."""
    if point is None or node is None or node.tag != "adjacent-frame-arrangement":
        return None
    text = _value(node, "displacement")
    if not text or isinstance(_dimension(node, "displacement"), str):
        return None
    return point + _displacement(node)


def _displacement(node: Node | None) -> Array:
    """Return the way to the next axis; nothing where there is no arrangement. Shape (3,)."""
    if node is None or node.tag != "adjacent-frame-arrangement":
        return np.zeros(3)
    if not _value(node, "displacement"):
        return np.zeros(3)
    distance = _number(node, "displacement")
    if distance == 0.0:
        return np.zeros(3)
    direction = _child(node, "direction")
    vector = _direction(direction) if _value(node, "direction") else np.zeros(3)
    length = np.linalg.norm(vector)
    if length == 0.0:
        raise _wrong(direction, "has no length", _text(direction), "x, y, z or three numbers")
    return distance * vector / length
