"""Members of assemblies: arms built from parts, and grippers."""

from __future__ import annotations

import numpy as np

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.physics.mechanism.members import (
    ROOT,
    JointMotion,
    MemberFace,
    MemberPoint,
    Point,
    Source,
)
from armwerk.physics.mechanism.rows import limits_of, thickness
from armwerk.physics.mechanism.tree import MemberFrame, MemberTree
from armwerk.robot.holding import HoldingFace
from armwerk.robot.loops import PartPlace, Platform, Union
from armwerk.robot.part import (
    LinearMotor,
    Motor,
    Part,
    Passive,
    Segment,
    SeveralTails,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
)
from armwerk.robot.parts import Assembly

Z: Point = (0.0, 0.0, 1.0)
X: Point = (1.0, 0.0, 0.0)
FREEDOMS: dict[str, tuple[JointMotion, Point]] = {
    "FULLROT": ("fullrot", Z),
    "AXISROT": ("revolute", Z),
    "LINEAR": ("prismatic", X),
}
STALK = 1.35  # radii behind the face of a cup or magnet, where its stalk ends
HALF_STROKE = 0.25  # [m] drawn of a slide without limits


def arm_motors(assembly: Assembly) -> tuple[str, ...]:
    """Return the names of the motors that move the hand or a closed chain, in order of q."""
    ends = [assembly.hand, *(point for tie in assembly.unions for point in tie.points)]
    carriers = {name for end in ends for name in assembly.path(end)[:-1]}
    return tuple(motor.name for motor in assembly.moving if motor.name in carriers)


def add_parts(tree: MemberTree, assembly: Assembly) -> None:
    """Add the members of an arm built from parts."""
    own = arm_motors(assembly)
    if not own:
        raise DescriptionError(
            "no motor moves its hand",
            element=f"assembly '{assembly.name}'",
            allowed="a Servo or LinearMotor between body and hand",
        )
    lengths = [part.length or 0.0 for part in assembly.parts if isinstance(part, Segment)]
    lengths += [
        part.limits[1] if part.limits else 0.0
        for part in assembly.parts
        if isinstance(part, LinearMotor)
    ]
    tree.thickness = thickness(0.7 * sum(lengths))
    before = _Walk(tree, assembly).run(MemberFrame(ROOT, np.eye(4)))
    tree.hand = before[assembly.hand]
    members = _members(tree, assembly)
    tree.arm_motors += [members[name] for name in own]
    tree.grip_motors += [members[motor.name] for motor in assembly.moving if motor.name not in own]


def add_gripper(tree: MemberTree, gripper: Assembly) -> None:
    """Hang a gripper on the hand; its own hand is the new one."""
    if not isinstance(gripper, Assembly):
        raise DescriptionError(
            "not a gripper", element="gripper", value=gripper, allowed="an Assembly of parts"
        )
    if tree.grip_motors or tree.faces:
        raise DescriptionError(
            f"arm '{tree.name}' has {'fingers' if tree.grip_motors else 'a cup'} of its own",
            element=f"gripper '{gripper.name}'",
            allowed="an arm whose motors all move its hand",
        )
    if any(isinstance(tie, Platform) for tie in gripper.unions):
        raise UnsupportedError(f"gripper '{gripper.name}' has a platform; grippers cannot")
    tree.thickness = min(tree.thickness, GRIPPER_THICKNESS)
    tree.gripping = True
    before = _Walk(tree, gripper).run(tree.hand)
    tree.hand = before[gripper.hand]
    members = _members(tree, gripper)
    tree.grip_motors += [members[motor.name] for motor in gripper.moving]


GRIPPER_THICKNESS = 0.012  # [m]


def _members(tree: MemberTree, assembly: Assembly) -> dict[str, int]:
    """Return the members of the assembly added last, by the names of its parts."""
    return tree.sources.pop().members if not assembly.loops else tree.sources[-1].members


class _Walk:
    """Follows the tree of parts; knows the frame of each part and what its tails hang on."""

    def __init__(self, tree: MemberTree, assembly: Assembly) -> None:
        self.tree = tree
        self.assembly = assembly
        self.before: dict[str, MemberFrame] = {}  # frame of each part
        self.behind: dict[str, MemberFrame] = {}  # the same behind its own motion
        self.members: dict[str, int] = {}

    def run(self, root: MemberFrame) -> dict[str, MemberFrame]:
        """Add all members; return where each part stands."""
        for name, place in self.assembly.tree.items():
            if place.fix is None:
                spot = root
            else:
                spot = self.behind[place.fix].at(place.at.matrix())
                self._bar(place)
            self.before[name] = spot
            self.behind[name] = self._moved(place.part, spot)
            self._draw(place.part, spot)
            self._weigh(place.part, spot)
        self._tie()
        self.tree.sources.append(Source(self.assembly, self.members))
        return self.before

    def _moved(self, part: Part, spot: MemberFrame) -> MemberFrame:
        tree = self.tree
        if isinstance(part, Platform):
            result = tree.add(MemberFrame(ROOT, np.eye(4)), part.name, "free")
        elif isinstance(part, Motor):
            turns = not isinstance(part, LinearMotor)
            kind: JointMotion = "revolute" if turns else "prismatic"
            axis = Z if turns else X
            result = tree.add(spot, part.name, kind, axis=axis, motor=True, **limits_of(part))
        elif isinstance(part, Passive):
            kind, axis = FREEDOMS[part.freedom]
            result = tree.add(spot, part.name, kind, axis=axis)
        else:
            return spot
        self.members[part.name] = result.member
        return result

    def _weigh(self, part: Part, spot: MemberFrame) -> None:
        """Add the mass of a part: of a segment along it, of a platform at its own frame."""
        if isinstance(part, Segment) and part.mass > 0.0 and part.connections:
            end = np.array(part.connections[0].at.position)
            spread = part.mass / 12.0 * (end @ end * np.eye(3) - np.outer(end, end))
            x, y, z = (0.5 * end).tolist()
            self.tree.weigh(spot, part.mass, (x, y, z), spread)
        else:
            place = self.behind[part.name] if isinstance(part, Platform) else spot
            self.tree.weigh(place, part.mass, (0.0, 0.0, 0.0))

    def _bar(self, place: PartPlace) -> None:
        """Show what reaches from a part to one that it carries."""
        carrier = self.assembly.tree[place.fix or ""].part
        spot, end = self.behind[carrier.name], place.at.position
        bare = isinstance(carrier, SeveralTails) and isinstance(place.part, TerminationPoint)
        if isinstance(carrier, TouchSegment):
            self.tree.touching(spot, (0, 0, 0), end, carrier.radius, carrier.width or 0.0)
        elif isinstance(place.part, HoldingFace):  # its stalk ends behind it
            back = STALK * place.part.radius * place.at.matrix()[:3, 2]
            x, y, z = (np.array(end) - back).tolist()
            self.tree.draw(spot, "capsule", (0, 0, 0), (x, y, z), 0.8 * self.tree.thickness, "link")
        elif not bare:  # a point in the air, such as the grip point, has no stalk
            self.tree.draw(spot, "capsule", (0, 0, 0), end, 0.8 * self.tree.thickness, "link")

    def _draw(self, part: Part, spot: MemberFrame) -> None:
        tree, thick, behind = self.tree, self.tree.thickness, self.behind[part.name]
        if isinstance(part, HoldingFace):
            tree.faces.append(MemberFace(spot.member, spot.pose.copy(), part))
        elif isinstance(part, TouchPoint):
            tree.touching(spot, (0, 0, 0), (0, 0, 0), part.radius)
        elif isinstance(part, Passive) and part.freedom == "FULLROT":
            tree.draw(spot, "sphere", (0, 0, 0), (0, 0, 0), 1.2 * thick, "joint")
        elif isinstance(part, LinearMotor) or (
            isinstance(part, Passive) and part.freedom == "LINEAR"
        ):
            limits = part.limits if isinstance(part, LinearMotor) else None
            low, high = limits or (0.0, HALF_STROKE)
            tree.draw(spot, "cylinder", (0, 0, 0), (low, 0, 0), thick, "joint")
            tree.draw(behind, "cylinder", (low - high, 0, 0), (0, 0, 0), 0.6 * thick, "rod")
        elif isinstance(part, Motor | Passive):
            ends = ((0, 0, -1.3 * thick), (0, 0, 1.3 * thick))
            tree.draw(spot, "cylinder", *ends, 1.2 * thick, "joint")
        elif isinstance(part, Platform):
            for _, anchor in part.legs:
                tree.draw(behind, "capsule", (0, 0, 0), anchor, thick, "link")

    def _tie(self) -> None:
        for tie in self.assembly.unions:
            places = [MemberPoint(self.before[p].member, self.before[p].point) for p in tie.points]
            if isinstance(tie, Union):
                self.tree.ties += [(places[0], other) for other in places[1:]]
            else:
                plate = self.members[tie.name]
                for (_, anchor), place in zip(tie.legs, places, strict=True):
                    self.tree.ties.append((place, MemberPoint(plate, anchor)))
