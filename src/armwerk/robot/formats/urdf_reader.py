"""Arms as URDF, the description that ROS and most simulators read.

A URDF is a tree of links and joints; an `Arm` is one chain of it. Reading follows the chain from
the root (or ``base_link``) to a tip and turns its axes into Denavit-Hartenberg rows: q of the
arm is q of the URDF joints, and the zero pose stays. Everything fixed to a link of the chain is
lumped into it; what hangs on it by movable joints outside the chain counts as held at zero.
Meshes, visuals and anything else a description does not need are passed over.

Writing adds an element ``armwerk``, which other readers ignore, with the arm as TOML; reading it
back gives the very same arm. It is used only while its digest fits the rest of the file, so an
edited file means what its URDF says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import rotation_exp
from armwerk.robot.arm import Arm
from armwerk.robot.axes import (
    link_in_frame,
    place_frames,
    six_moments,
)
from armwerk.robot.coupling import Coupling
from armwerk.robot.formats.toml_reader import arm_from_toml
from armwerk.robot.formats.urdf_mimic import Following, chain_followers, following
from armwerk.robot.formats.urdf_tree import (
    KINDS,
    REFUSED,
    UrdfTree,
    attribute_of,
    number_of,
    origin_pose,
    three_of,
    wrong,
)
from armwerk.robot.formats.urdf_writer import MOMENTS, NO_LIMIT, digest_of
from armwerk.robot.joint import Joint, Link
from armwerk.robot.reading import Fields, line_of, parse_xml

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


def arm_from_urdf(
    text: str,
    file: str | Path | None = None,
    tip: str | None = None,
    base_link: str | None = None,
) -> Arm:
    """Return one chain of a URDF as an arm.

    Angles of ``rpy`` that are right angles rounded to four or more digits (1.5708) are taken
    as right angles: left as they are, parallel axes would meet kilometres away.

    Args:
        text: The whole document; xacro must have been expanded.
        file: Its name, for error messages.
        tip: Link at the end of the chain; its frame is the tool. None: the end of the chain
            with most joints, if there is only one such.
        base_link: Link at the start of the chain; its frame is the world. None: the root.

    Raises:
        DescriptionError: Naming file, line, element, value and what is allowed.
    """
    root = parse_xml(text, file)
    try:
        if tip is None and base_link is None:
            arm = _from_extension(root)
            if arm is not None:
                return arm
        tree = UrdfTree(root)
        chain = tree.chain(tip, base_link)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused later
            return _arm(tree, chain, "arm" if file is None else Path(file).stem)
    except DescriptionError as error:
        raise error.at(file) from None


class _Body(NamedTuple):
    """Mass, centre and inertia about the centre, in world directions at zero pose."""

    mass: float
    centre: Array
    inertia: Array


def _lumped(bodies: list[_Body]) -> Link:
    """Return several bodies as one, its centre measured from the origin of world.

    Steiner's theorem is applied about the common centre, not about the origin: point masses
    would otherwise be left with rounding in place of no inertia.
    """
    mass = sum(body.mass for body in bodies)
    if not any(body.mass or body.inertia.any() for body in bodies):
        return Link()
    centre = np.zeros(3)
    if mass > 0.0:
        centre = sum((body.mass / mass * body.centre for body in bodies), centre)
    tensor = np.zeros((3, 3))
    for body in bodies:
        arm = body.centre - centre
        steiner = body.mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        tensor = tensor + body.inertia + (steiner if len(bodies) > 1 else 0.0)
    x, y, z = centre.tolist()
    return Link(mass, (x, y, z), six_moments(tensor))


def _arm(tree: UrdfTree, chain: tuple[str, list[Node]], name: str) -> Arm:
    base, way = chain
    moving = [joint for joint in way if joint.get("type") != "fixed"]
    if not moving:
        raise wrong(tree.root, "no joint of the chain can move", base, "a movable joint")
    followers = chain_followers(tree, moving)
    poses = zero_poses(tree, base, followers)
    kinds = [KINDS[attribute_of(joint, "type")] for joint in moving]
    lines = [poses[tree.end(joint, "child")] for joint in moving]
    directions = [pose[:3, :3] @ _axis(joint) for pose, joint in zip(lines, moving, strict=True)]
    points = [pose[:3, 3] for pose in lines]
    names = [attribute_of(joint, "name") for joint in moving]
    end = poses[tree.end(way[-1], "child")]
    try:
        bodies = _bodies(tree, way, poses)
        placed = place_frames(kinds, points, directions, end, names)
        joints = [
            _joint(
                tree, node, kind, row._asdict(), link_in_frame(body, np.zeros(3), frame), followers
            )
            for node, kind, row, body, frame in zip(
                moving, kinds, placed.rows, bodies, placed.frames[1:], strict=True
            )
        ]
        return Arm(tuple(joints), tree.root.get("name") or name, placed.base, placed.tool)
    except DescriptionError as error:
        found = re.match(r"joint '(.*?)'", error.element)
        node = tree.joints.get(found.group(1), tree.root) if found else tree.root
        raise error.at(None, line_of(node)) from None


def zero_poses(
    tree: UrdfTree, base: str, followers: Mapping[str, Following] | None = None
) -> dict[str, Array]:
    """Return the pose of every link behind ``base`` with all joints at zero.

    Args:
        tree: The URDF.
        base: Name of a link.
        followers: Joints that follow others of a chain; these stand where they do when the others
            are at zero.
    """
    children: dict[str, list[Node]] = {}
    for joint in tree.joints.values():
        children.setdefault(tree.end(joint, "parent"), []).append(joint)
    poses = {base: np.eye(4)}
    open_links = [base]
    while open_links:
        link = open_links.pop()
        for joint in children.get(link, ()):
            if joint.get("type") in REFUSED:
                raise wrong(
                    joint, "joint kind not supported", joint.get("type"), ", ".join(KINDS), "type"
                )
            child = tree.end(joint, "child")
            poses[child] = poses[link] @ origin_pose(joint.find("origin"))
            own = None if followers is None else followers.get(attribute_of(joint, "name"))
            if own is not None and own.offset:
                poses[child] = poses[child] @ _moved(joint, own.offset)
            open_links.append(child)
    return poses


def _moved(joint: Node, value: float) -> Array:
    """Return what a joint's value does to the link behind it. Shape (4, 4)."""
    axis = _axis(joint) / np.linalg.norm(_axis(joint))
    pose = np.eye(4)
    if KINDS[attribute_of(joint, "type")] == "prismatic":
        pose[:3, 3] = value * axis
    else:
        pose[:3, :3] = rotation_exp(value * axis)
    return pose


def _axis(joint: Node) -> Array:
    node = joint.find("axis")
    if node is None:
        return np.array([1.0, 0.0, 0.0])
    vector = np.array([float(piece) for piece in three_of(node, "xyz")])
    if not vector.any():
        raise wrong(node, "has no length", node.get("xyz"), "a direction", "xyz")
    return vector


def _bodies(tree: UrdfTree, way: list[Node], poses: dict[str, Array]) -> list[Link]:
    """Return what each moving joint of the chain carries, in world directions."""
    carried = carriers(tree, way, poses)
    groups: list[list[_Body]] = [[] for _ in range(max(carried.values(), default=0) + 1)]
    for name, pose in poses.items():
        if not carried[name]:
            continue  # what never moves may weigh what it likes
        body = _inertial(tree.links[name], pose)
        if body is not None:
            groups[carried[name]].append(body)
    return [_lumped(bodies) for bodies in groups[1:]]


def carriers(tree: UrdfTree, way: list[Node], links: Iterable[str]) -> dict[str, int]:
    """Return for links how many moving joints of the chain carry them; 0: none.

    What hangs on a link of the chain is carried as that link is.

    Args:
        tree: The URDF.
        way: Joints of the chain, outwards.
        links: Names of links behind the start of the chain.
    """
    number = 0
    carrier: dict[str, int] = {}  # link of the chain -> moving joints up to it
    for joint in way:
        number += joint.get("type") != "fixed"
        carrier[tree.end(joint, "child")] = number
    found: dict[str, int] = {}
    for name in links:
        link = name
        while link not in carrier and link in tree.parent_joint:
            link = tree.end(tree.parent_joint[link], "parent")
        found[name] = carrier.get(link, 0)
    return found


def _inertial(link: Node, pose: Array) -> _Body | None:
    node = link.find("inertial")
    if node is None:
        return None
    mass_node, moments_node = node.find("mass"), node.find("inertia")
    if mass_node is None:
        raise wrong(node, "mass is missing", None, "an element mass with a value")
    mass = number_of(mass_node, "value")
    moments = [0.0] * 6
    if moments_node is not None:
        moments = [number_of(moments_node, name) for name in MOMENTS]
    try:
        own = Link(mass, inertia=tuple(moments))  # type: ignore[arg-type]
    except DescriptionError as error:
        where = mass_node if error.element == "mass" or moments_node is None else moments_node
        raise error.at(None, line_of(where), f"link '{link.get('name')}'") from None
    frame = pose @ origin_pose(node.find("origin"))
    turn = frame[:3, :3]
    return _Body(mass, frame[:3, 3], turn @ own.inertia_matrix() @ turn.T)


def _joint(
    tree: UrdfTree,
    node: Node,
    kind: str,
    row: dict[str, float],
    link: Link,
    followers: Mapping[str, Following],
) -> Joint:
    given: Fields = {"kind": kind, "name": attribute_of(node, "name"), "link": link, **row}
    if given["name"] in followers:
        return _follower(node, given, followers[given["name"]])
    limit = node.find("limit")
    if limit is not None:
        given |= _limits(limit, node.get("type") == "continuous")
    given |= _limits_of_leader(tree, node, given)
    given |= _speed_of_followers(tree, given, followers)
    dynamics = node.find("dynamics")
    if dynamics is not None:
        if dynamics.get("damping") is not None:
            given["viscous_friction"] = number_of(dynamics, "damping")
        if dynamics.get("friction") is not None:
            given["coulomb_friction"] = (number_of(dynamics, "friction"),) * 2
    try:
        return Joint(**given)
    except DescriptionError as error:
        field = error.element.rpartition(", ")[2].split(" ")[0]
        home = {"limits": limit, "max_velocity": limit, "max_force": limit}.get(
            field, dynamics if "friction" in field else None
        )
        raise error.at(None, line_of(node if home is None else home)) from None


def _follower(node: Node, given: Fields, own: Following) -> Joint:
    """Return a joint that follows another of the chain and has no drive of its own."""
    limit = node.find("limit")
    found = {} if limit is None else _limits(limit, node.get("type") == "continuous")
    limits = found.get("limits")
    if limits is not None:
        limits = (limits[0] - own.offset, limits[1] - own.offset)
    coupling = Coupling({own.leader: own.multiplier}, driven=False, limits=limits)
    try:
        return Joint(**given, coupling=coupling)
    except DescriptionError as error:
        raise error.at(None, line_of(node)) from None


def _speed_of_followers(
    tree: UrdfTree, given: Fields, followers: Mapping[str, Following]
) -> Fields:
    """Return the speed of a joint that its followers in the chain can keep up with."""
    speeds = [given["max_velocity"]] if "max_velocity" in given else []
    for name, own in followers.items():
        limit = tree.joints[name].find("limit")
        if own.leader == given["name"] and limit is not None:
            speed = _limits(limit, True).get("max_velocity")
            speeds += [] if speed is None else [speed / abs(own.multiplier)]
    return {"max_velocity": min(speeds)} if speeds else {}


def _limits(limit: Node, is_endless: bool) -> Fields:
    given: Fields = {}
    if not is_endless and (limit.get("lower") is not None or limit.get("upper") is not None):
        low = number_of(limit, "lower") if limit.get("lower") is not None else 0.0
        high = number_of(limit, "upper") if limit.get("upper") is not None else 0.0
        unknown = low == high == 0.0  # many files say 0 where nothing is known
        if not unknown and (not low <= -NO_LIMIT or not high >= NO_LIMIT):
            given["limits"] = (low, high)
    for name, field in (("velocity", "max_velocity"), ("effort", "max_force")):
        if limit.get(name) is not None:
            value = number_of(limit, name)
            if value != 0.0 and value < NO_LIMIT:  # likewise
                given[field] = value
    return given


def _limits_of_leader(tree: UrdfTree, node: Node, own: Fields) -> Fields:
    """Return what is left of a joint's limits where it follows another one, which has its own."""
    if node.find("mimic") is None:
        return {}
    follows = following(tree, node)
    leader = tree.joints[follows.leader]
    limit = leader.find("limit")
    if limit is None:
        return {}
    led = _limits(limit, leader.get("type") == "continuous")
    found: Fields = {}
    if "limits" in led:
        low, high = follows.of_leader(*led["limits"])
        lowest, highest = own.get("limits", (low, high))
        found["limits"] = (max(low, lowest), min(high, highest))
    if "max_velocity" in led:
        speed = abs(follows.multiplier) * led["max_velocity"]
        found["max_velocity"] = min(speed, own.get("max_velocity", speed))
    return found


def _from_extension(root: Node) -> Arm | None:
    node = root.find("armwerk")
    if node is None or node.get("digest") != digest_of(root):
        return None
    try:
        return arm_from_toml("".join(str(piece) for piece in node.itertext()))
    except DescriptionError as error:
        raise DescriptionError(
            error.problem,
            element=f"armwerk, {error.element}",
            value=error.value,
            allowed=error.allowed,
            line=line_of(node) + (error.line or 1) - 1,
        ) from None
