"""Arms as URDF text; the element ``armwerk`` in it carries the arm itself, as TOML."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.robot.axes import zyx_angles, zyx_matrix
from armwerk.robot.formats.toml_writer import arm_to_toml
from armwerk.robot.joint import Joint, Link

if TYPE_CHECKING:
    from lxml import etree

    from armwerk.robot.arm import Arm

    Node = etree._Element

NO_LIMIT = 1e9  # URDF demands numbers where an arm may have no limit; so large means none
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def arm_to_urdf(arm: Arm) -> str:
    """Return the arm as a URDF text.

    The frame of a link stands on the joint before it, as URDF wants, so the inertials carry the
    constant part of the row. Where the arm has no limit, `NO_LIMIT` is written. URDF knows no
    joints that two drives move: where joints are coupled, its joints are the angles between the
    links, and ``mimic`` says what it can say, that one joint follows another.

    Raises:
        UnsupportedError: For an arm with symbols: URDF knows numbers only.
    """
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has the symbols {', '.join(arm.symbols)}, and URDF holds numbers "
            "only; give them values with with_values first"
        )
    from lxml import etree

    try:
        root = _tree_of(arm.free_chain)
        _add_followers(root, arm)
        etree.indent(root)
        extension = etree.SubElement(root, "armwerk", digest=digest_of(root))
        extension.text = "\n" + arm_to_toml(arm)
    except DescriptionError:
        raise
    except ValueError as error:  # lxml's word on characters that XML does not have
        raise DescriptionError(
            f"cannot be written as XML ({error})",
            element=f"arm '{arm.name}'",
            allowed="texts without control characters",
        ) from None
    extension.tail = "\n"
    body = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _tree_of(arm: Arm) -> Node:
    from lxml import etree

    root = etree.Element("robot", name=arm.name)
    names = ["base_link"]
    etree.SubElement(root, "link", name=names[0])
    base = arm.base
    origin = _origin(base[:3, 3].tolist(), zyx_angles(base[:3, :3]))
    for joint in arm.joints:
        names.append(_free_name(f"{joint.name}_link", names))
        _add_joint(root, joint, names[-2], names[-1], origin)
        origin = _row_origin(joint)
        _add_link(root, joint, names[-1])
    names.append(_free_name("tool", names))
    etree.SubElement(root, "link", name=names[-1])
    flange = np.eye(4)
    x, y, z = (float(piece) for piece in origin["xyz"].split())
    flange[:3, 3] = x, y, z
    last = arm.joints[-1]
    flange[:3, :3] = zyx_matrix(float(last.offset), 0.0, float(last.alpha))
    end = flange @ arm.tool
    taken = [joint.name for joint in arm.joints]
    node = etree.SubElement(root, "joint", name=_free_name("to_tool", taken), type="fixed")
    etree.SubElement(node, "origin", _origin(end[:3, 3].tolist(), zyx_angles(end[:3, :3])))
    etree.SubElement(node, "parent", link=names[-2])
    etree.SubElement(node, "child", link=names[-1])
    return root


def _add_followers(root: Node, arm: Arm) -> None:
    """Let joints without a drive follow the one that moves them, if that has its own angle."""
    from lxml import etree

    own = {joint.name for joint in arm.joints if joint.coupling is None}
    for joint in arm.joints:
        if joint.coupling is None or joint.is_moving or len(joint.coupling.factors) > 1:
            continue
        ((leader, factor),) = joint.coupling.factors
        node = root.find(f"joint[@name='{joint.name}']")
        if leader in own and node is not None:
            etree.SubElement(node, "mimic", joint=leader, multiplier=repr(factor))


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _origin(position: Iterable[float], angles: tuple[float, float, float]) -> dict[str, str]:
    z, y, x = angles
    return {"xyz": _row_text(position), "rpy": _row_text((x, y, z))}


def _row_text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)


def _row_origin(joint: Joint) -> dict[str, str]:
    """Return Rot(z, offset) Trans(0, 0, d) Trans(a, 0, 0) Rot(x, alpha) as an origin."""
    offset, a = float(joint.offset), float(joint.a)
    turn = zyx_matrix(offset, 0.0, 0.0)
    return _origin(
        (a * turn[0, 0], a * turn[1, 0], float(joint.d)), (offset, 0.0, float(joint.alpha))
    )


def _add_joint(root: Node, joint: Joint, parent: str, child: str, origin: dict[str, str]) -> None:
    from lxml import etree

    is_endless = joint.kind == "revolute" and joint.limits is None
    node = etree.SubElement(
        root, "joint", name=joint.name, type="continuous" if is_endless else joint.kind
    )
    etree.SubElement(node, "origin", origin)
    etree.SubElement(node, "parent", link=parent)
    etree.SubElement(node, "child", link=child)
    if not joint.is_moving:
        return
    etree.SubElement(node, "axis", xyz="0 0 1")
    limits = {} if is_endless else {"lower": -NO_LIMIT, "upper": NO_LIMIT}
    if joint.limits is not None:
        limits = dict(zip(("lower", "upper"), joint.limits, strict=True))
    limits["effort"] = joint.max_force or NO_LIMIT
    limits["velocity"] = joint.max_velocity or NO_LIMIT
    etree.SubElement(node, "limit", {name: repr(value) for name, value in limits.items()})
    damping = float(joint.viscous_friction)
    friction = max(float(value) for value in joint.coulomb_friction)
    if damping or friction:
        etree.SubElement(node, "dynamics", damping=repr(damping), friction=repr(friction))


def _add_link(root: Node, joint: Joint, name: str) -> None:
    from lxml import etree

    node = etree.SubElement(root, "link", name=name)
    link = joint.link
    if link == Link():
        return
    inertial = etree.SubElement(node, "inertial")
    origin = _row_origin(joint)
    turn = zyx_matrix(float(joint.offset), 0.0, float(joint.alpha))
    start = np.array([float(piece) for piece in origin["xyz"].split()])
    centre = start + turn @ np.array(link.com, dtype=float)
    etree.SubElement(inertial, "origin", {**origin, "xyz": _row_text(centre)})
    etree.SubElement(inertial, "mass", value=repr(float(link.mass)))
    moments = {name: repr(float(value)) for name, value in zip(MOMENTS, link.inertia, strict=True)}
    etree.SubElement(inertial, "inertia", moments)


def digest_of(root: Node) -> str:
    """Return a digest of elements and attributes outside the extension."""

    def plain(node: Node) -> list[object]:
        children: list[object] = [plain(child) for child in node if child.tag != "armwerk"]
        return [str(node.tag), sorted((str(k), str(v)) for k, v in node.items()), children]

    return hashlib.sha256(repr(plain(root)).encode()).hexdigest()
