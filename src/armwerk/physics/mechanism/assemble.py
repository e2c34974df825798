"""An arm and its gripper: the tree of their members, and the arm as its controller sees it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.physics.mechanism.members import Mechanism
from armwerk.physics.mechanism.parts import add_gripper, add_parts, arm_motors
from armwerk.physics.mechanism.rows import add_rows
from armwerk.physics.mechanism.tree import MemberTree
from armwerk.robot.arm import Arm
from armwerk.robot.loops import Platform, Union
from armwerk.robot.part import (
    Body,
    Connection,
    Motor,
    Part,
    Passive,
    RotoTranslation,
    TConnector,
    TerminationPoint,
)
from armwerk.robot.parts import Assembly


def mechanism(arm: Arm | Assembly, gripper: Assembly | None = None) -> Mechanism:
    """Return the tree of members of an arm with a gripper at its hand.

    The gripper's body stands in the arm's tool frame (of an assembly: in the frame of its hand),
    and its own hand, the grip point, becomes the tool. Motors of an assembly that move neither
    its hand nor a closed chain are the motors of a gripper that is built in.

    Args:
        arm: What carries.
        gripper: What is carried; None: the arm's own fingers, if it has any.

    Raises:
        DescriptionError: For a gripper that is none, or a second one.
        UnsupportedError: For an arm with symbols in place of numbers.
    """
    if not isinstance(arm, Arm | Assembly):
        raise DescriptionError(
            "not an arm", element="arm", value=arm, allowed="an Arm or an Assembly"
        )
    tree = MemberTree(arm.name)
    if isinstance(arm, Arm):
        if arm.is_symbolic:
            names = ", ".join(arm.symbols)
            raise UnsupportedError(
                f"arm '{arm.name}' still has symbols ({names}); give them numbers"
            )
        add_rows(tree, arm, bare=gripper is None)
    else:
        add_parts(tree, arm)
    if gripper is not None:
        add_gripper(tree, gripper)
    return tree.finish()


def tooled(arm: Arm | Assembly, gripper: Assembly | None = None) -> Arm | Assembly:
    """Return the description whose model has the arm's motors as q and the grip point as tool.

    ``aw.model(tooled(arm, gripper)).fk(body.q)`` is where ``body.pose`` is, seen from the base,
    for the `RobotBody` of the same arm and gripper. An arm built from parts becomes a serial
    arm where it is one, so that it has a closed form; fingers stand still then.

    Args:
        arm: What carries.
        gripper: What hangs on its hand; None: nothing, or fingers of its own.

    Raises:
        DescriptionError: For what is no arm or no gripper.
    """
    mechanism(arm, gripper)  # refuses what cannot be mounted
    reach = _reach(gripper)
    if isinstance(arm, Arm):
        return arm if gripper is None else arm.with_tool(arm.tool @ reach)
    own = arm_motors(arm)
    path = arm.path(arm.hand)[:-1]
    if set(own) <= set(path) and not any(_closes(arm, name) for name in path):
        try:
            serial = Arm.from_parts(arm)
        except DescriptionError:  # two axes on one line: a serial arm cannot have them
            pass
        else:
            return serial.with_tool(serial.tool @ reach) if gripper is not None else serial
    if gripper is None and len(own) == arm.dof:
        return arm
    return _cut(arm, own, reach if gripper is not None else None)


def _reach(gripper: Assembly | None) -> Array:
    """Return T_tool_grip of a gripper. Shape (4, 4)."""
    if gripper is None:
        return np.eye(4)
    hand = gripper.hand
    pose = np.eye(4)
    for name in gripper.path(hand):
        place = gripper.tree[name]
        if name != hand and isinstance(place.part, Motor | Passive):
            raise DescriptionError(
                f"its grip point moves with '{name}'",
                element=f"gripper '{gripper.name}', tip '{hand}'",
                allowed="a part that no motor of the gripper moves",
            )
        pose = pose @ place.at.matrix()
    return pose


def _closes(arm: Assembly, name: str) -> bool:
    part = arm.tree[name].part
    return isinstance(part, Passive) or (arm.tree[name].fix is None and part is not arm.body)


def _cut(arm: Assembly, own: tuple[str, ...], reach: Array | None) -> Assembly:
    """Return an assembly without the motors that are not the arm's, with a new hand."""
    hand = arm.hand
    names = set(arm.tree)
    tip = hand
    while reach is not None and tip in names:
        tip += "_grip"

    def kept(part: Part) -> Part | None:
        if isinstance(part, Motor) and part.name not in own:
            return None
        tails = [(kept(tail.part), tail.at) for tail in part.connections]
        left = tuple(Connection(one, at) for one, at in tails if one is not None)
        if part.name == hand and reach is not None:
            point = Connection(TerminationPoint(tip), RotoTranslation.from_matrix(reach))
            if part.connections:
                carrier = Connection(TConnector(f"{tip}_carrier", (point, *left)))
                return part.with_connections((carrier,))
            return TConnector(hand, (point,), mass=part.mass)
        if part.connections and not left:
            return TerminationPoint(part.name, mass=part.mass)
        return part.with_connections(left) if part.connections else part

    body = kept(arm.body)
    ties = [kept(tie) if isinstance(tie, Platform) else tie for tie in arm.unions]
    unions = [tie for tie in ties if isinstance(tie, Union | Platform)]
    if not isinstance(body, Body) or len(unions) < len(ties):
        raise DescriptionError(
            "nothing but its fingers hangs on its body or platform",
            element=f"assembly '{arm.name}'",
            allowed="a body and platforms that carry the hand",
        )
    return replace(arm, body=body, unions=tuple(unions), tip=tip)
