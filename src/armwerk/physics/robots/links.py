"""Links that touch: bars of arms and grippers as capsules, and who of them may meet whom.

Every bar that pictures draw is a capsule here, or a ball where it is short. Links of arms touch
the floor, obstacles, things and the links of other robots. Members of the same robot never touch
each other. Arms that nothing moves off their set points (stiff ones, closed chains) would be
stronger than any wall: they touch things and weaker arms, and pass through all that stands fast.

A contact is looked for as far ahead as a link gets in a step at `AHEAD`, and lets the two come
just so near in a step that they touch at its end; so a link that hits a wall does not go into it.
What meets elsewhere within a step is found by `armwerk.physics.contacts.second_look`.

Links are smooth but for cuboids: an arm that rubs along a wall with friction would hop, since
nobody knows beforehand with what force it presses.

| bit | who has it as its own | who looks for it |
|---|---|---|
| BAR | links | things |
| LINK | links of limited arms, their fingers too | obstacles, links of limited arms |
| FLOOR | the same, but for what starts below the floor | the floor |
| STRONG_LINK | links and fingers of strong arms | links of limited arms |

Fingers and touch parts have a second geom for things, see `armwerk.physics.robots.builder`. What
overlaps at the start is left out: for an obstacle a bit of its own is taken, which everybody has
but those who start inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import mujoco
import numpy as np

from armwerk.physics.build import BAR, FLOOR, LINK
from armwerk.physics.mechanism.members import MemberShape

STRONG_LINK = 64  # a collision bit
AHEAD = 5.0  # [m/s] up to which links are stopped before they go in
LINK_PRIORITY = 1  # as that of cuboids: against all else they are smooth
OVERLAP = 1e-4  # [m] from which on two that overlap at the start are left out


def link_bits(strong: bool, things: bool, sunk: bool) -> tuple[int, int]:
    """Return contype and conaffinity of a link.

    Args:
        strong: Whether nothing moves its arm.
        things: Whether it touches things.
        sunk: Whether it starts below the floor.
    """
    bar = BAR if things else 0
    if strong:
        return STRONG_LINK | bar, 0
    return LINK | bar | (0 if sunk else FLOOR), LINK | STRONG_LINK


def capsule(shape: MemberShape) -> MemberShape:
    """Return the capsule within a bar, or the ball within a short one."""
    if shape.kind in {"capsule", "sphere"}:
        return shape
    start, end = np.array(shape.start), np.array(shape.end)
    length = float(np.linalg.norm(end - start))
    radius = min(shape.radius, 0.5 * length)
    along = (end - start) / length
    a, b = start + radius * along, end - radius * along
    x, y, z = a.tolist()
    if length <= 2.0 * radius + SHORT:
        return MemberShape("sphere", (x, y, z), (x, y, z), radius, shape.look, frame=shape.frame)
    u, v, w = b.tolist()
    return MemberShape("capsule", (x, y, z), (u, v, w), radius, shape.look, frame=shape.frame)


BARS = ("link", "rod")  # looks of what touches
SHORT = 1e-3  # [m] shorter capsules are balls


def bars(shapes: Iterable[MemberShape]) -> list[MemberShape]:
    """Return the capsules of the bars of a member, without those that others hold.

    Joints are within the bars they join but for their rims. Rails of sliding joints, which are
    boxes, are as long as the whole stroke, and what slides reaches as far: they do not touch.
    """
    found: list[MemberShape] = []
    chosen = [capsule(one) for one in shapes if one.look in BARS and one.kind != "box"]
    for one in sorted(chosen, key=lambda shape: -shape.radius):
        if not any(_holds(other, one) for other in found):
            found.append(one)
    return found


def _holds(outer: MemberShape, inner: MemberShape) -> bool:
    """Whether one capsule lies within another; both ends decide, for capsules are convex."""
    start, end = np.array(outer.start), np.array(outer.end)
    along = end - start
    square = float(along @ along)
    for point in (np.array(inner.start), np.array(inner.end)):
        part = float(np.clip((point - start) @ along / square, 0.0, 1.0)) if square > 0.0 else 0.0
        if np.linalg.norm(point - start - part * along) + inner.radius > outer.radius + SHORT:
            return False
    return True


def part_own_members(spec: mujoco.MjSpec, bodies: Sequence[str]) -> None:
    """Let members of the same robot never touch each other."""
    for k, one in enumerate(bodies):
        for two in bodies[k + 1 :]:
            spec.add_exclude(bodyname1=one, bodyname2=two)
