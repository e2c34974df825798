"""Arms as XML text, the robot configuration; `xml_reader` reads it back equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.errors import DescriptionError
from armwerk.robot.joint import Joint
from armwerk.robot.settings import STANDARD_GRAVITY

if TYPE_CHECKING:
    from lxml import etree

    from armwerk.robot.arm import Arm

    Node = etree._Element

LIMIT_TAGS = {
    "velocity-max": "max_velocity",
    "acceleration-max": "max_acceleration",
    "jerk-max": "max_jerk",
    "force-max": "max_force",
}
ANGLE_TAGS = ("angle-min", "angle-max")
LINK_TAGS = ("mass", "rx", "ry", "rz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def arm_to_xml(arm: Arm) -> str:
    """Return the arm as an XML text that `arm_from_xml` reads back equal."""
    from lxml import etree

    root = etree.Element("robot-configuration")
    try:
        _add_all(root, arm)
    except ValueError as error:  # lxml's word on characters that XML does not have
        raise DescriptionError(
            f"cannot be written as XML ({error})",
            element=f"arm '{arm.name}'",
            allowed="texts without control characters",
        ) from None
    etree.indent(root)
    body = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _add(parent: Node, tag: str, text: object = None) -> Node:
    from lxml import etree

    node = etree.SubElement(parent, tag)
    if text is not None:
        node.text = _plain(text)
    return node


def _plain(value: object) -> str:
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return " ".join(repr(number) for number in value.ravel().tolist())
    return str(value)


def _add_all(root: Node, arm: Arm) -> None:
    _add(root, "kinematic-structure", arm.structure)
    _add(root, "number-of-joints", len(arm.joints))
    areas = _add(root, "application-areas")
    for task in arm.tasks[:20]:
        _add(areas, "task", task)
    for number, joint in enumerate(arm.joints, start=1):
        _add_joint(root, joint, number)
    for joint in arm.joints:
        node = _add(root, "link")
        for tag, value in zip(LINK_TAGS, joint.link.values(), strict=True):
            _add(node, tag, value)
    motion = arm.motion
    node = _add(root, "trajectory-generation")
    _add(_add(node, "joint-space-trajectories"), "motion", motion.joint_motion)
    motions = _add(node, "cartesian-space-trajectories")
    for kind in motion.cartesian_motions[:10]:
        _add(motions, "motion", kind)
    _add(node, "acceleration-profile", motion.profile)
    clock = round(motion.clock * 1000.0, 12) or motion.clock * 1000.0
    _add(node, "interpolation-clock", int(clock) if clock == int(clock) else clock)
    _add_extension(_add(root, "extension"), arm, clock / 1000.0 == motion.clock)


def _add_joint(root: Node, joint: Joint, number: int) -> None:
    node = _add(root, "joint")
    _add(node, "joint-type", "passive" if joint.kind == "fixed" else joint.kind)
    _add(node, "joint-angle", f"theta{number}" if joint.kind == "revolute" else 0.0)
    _add(node, "joint-offset", joint.offset)
    is_variable = joint.kind == "prismatic" and (joint.d == 0.0 or isinstance(joint.d, str))
    _add(node, "link-offset", f"d{number}" if is_variable else joint.d)
    _add(node, "link-length", joint.a)
    _add(node, "link-twist", joint.alpha)
    low, high = joint.limits or (None, None)
    _add(node, "theta-min", low)
    _add(node, "theta-max", high)
    for tag, field in LIMIT_TAGS.items():
        _add(node, tag, getattr(joint, field))
    _add(node, "rotation-translation-axis")
    arrangement = _add(root, "adjacent-frame-arrangement")
    _add(arrangement, "direction")
    _add(arrangement, "displacement")


def _add_coupling(extra: Node, joint: Joint) -> None:
    if joint.coupling is None:
        return
    for name, factor in joint.coupling.factors:
        _add(extra, "coupled", factor).set("axis", name)
    if not joint.coupling.driven:
        _add(extra, "driven", "false")
    if joint.coupling.limits is not None:
        for tag, value in zip(ANGLE_TAGS, joint.coupling.limits, strict=True):
            _add(extra, tag, value)


def _add_extension(node: Node, arm: Arm, is_clock_exact: bool) -> None:
    for tag in ("name", "title", "source"):
        _add(node, tag, getattr(arm, tag))
    for text in arm.assumed:
        _add(node, "assumed", text)
    for text in arm.tasks[20:]:
        _add(node, "task", text)
    if tuple(arm.gravity) != STANDARD_GRAVITY:
        _add(node, "gravity", arm.gravity)
    for tag in ("base", "tool"):
        pose = getattr(arm, tag)
        if not np.array_equal(pose, np.eye(4)):
            _add(node, tag, pose[:3])
    if not is_clock_exact:
        _add(node, "clock", arm.motion.clock)
    if arm.motion.top_speed is not None:
        _add(node, "top-speed", arm.motion.top_speed)
    for kind in arm.motion.cartesian_motions[10:]:
        _add(node, "cartesian-motion", kind)
    for joint in arm.joints:
        extra = _add(node, "joint-extension")
        _add(extra, "name", joint.name)
        if joint.kind == "prismatic" and isinstance(joint.d, str):
            _add(extra, "displacement", joint.d)
        friction = ("viscous-friction", joint.viscous_friction)
        positive, negative = joint.coulomb_friction
        for tag, value in (
            ("armature", joint.armature),
            friction,
            ("coulomb-friction-positive", positive),
            ("coulomb-friction-negative", negative),
        ):
            _add(extra, tag, value)
        _add_coupling(extra, joint)
