"""What overlaps at the start: such pairs pass through each other, and that is told.

Pairs of bodies are left out by name. Fixed bodies have no body of their own in the engine, so one
that a link starts inside gets a collision bit of its own, which all links have but that one.
Fingers and things must be able to touch: they are never left out, and what starts in each other
there is pushed apart, which is told as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from armwerk.physics.build import FLOOR, LINK, THING, TOUCH
from armwerk.physics.mechanism.members import ROOT
from armwerk.physics.names import spoken_name
from armwerk.physics.robots.links import OVERLAP, STRONG_LINK
from armwerk.physics.robots.plan import RobotPlan

WORLD = "world"  # body of all that stands fast
FIRST_BIT, LAST_BIT = 7, 30  # for fixed bodies that something starts inside
PUSHED_FROM = 1e-3  # [m] that a finger may start inside a thing without a word


def leave_out_overlaps(
    spec: mujoco.MjSpec, model: mujoco.MjModel, plans: Sequence[RobotPlan], numbers: Sequence[int]
) -> tuple[mujoco.MjModel, tuple[str, ...]]:
    """Let links pass through what they overlap with at the start.

    Members that stand on a base may stand in what carries the base; that is not told.

    Args:
        spec: Is changed where there are such pairs.
        model: Compiled from it.
        plans: Robots in it.
        numbers: What the cell calls them.

    Returns:
        The model, compiled anew where something was changed, and what is to be told.
    """
    depths = _depths(model) if plans else {}
    if not depths:
        return model, ()
    parts: dict[str, tuple[str, str]] = {}  # robot and member of each body
    stands: set[str] = set()
    for plan, number in zip(plans, numbers, strict=True):
        parts[f"r{plan.number}"] = f"robot {number}", "base"
        for body, member in zip(plan.bodies, plan.robot.members, strict=True):
            parts[body] = f"robot {number}", member.name
            if member.parent == ROOT:
                stands.add(body)
    found: dict[tuple[str, str], dict[str, float]] = {}
    pushed: dict[tuple[str, str], dict[str, float]] = {}  # fingers in things
    known = {frozenset((one.bodyname1, one.bodyname2)) for one in spec.excludes}
    bit = FIRST_BIT
    for pair, depth in depths.items():
        names = [str(model.geom(geom).name) for geom in pair]
        bodies = [str(model.body(model.geom_bodyid[geom]).name) for geom in pair]
        if bodies[0] not in parts or parts.get(bodies[1], parts[bodies[0]]) < parts[bodies[0]]:
            names.reverse()
            bodies.reverse()
        fixed = bodies[1] == WORLD
        if any(_is_finger(model, geom) for geom in pair):
            robot, part = parts[bodies[0]]
            deepest = pushed.setdefault((robot, f"'{spoken_name(names[1])}'"), {})
            deepest[part] = max(deepest.get(part, 0.0), depth)
            continue
        if fixed:
            bit = _let_through(spec, names[1], names[0], bit)
        elif frozenset(bodies) not in known:
            known.add(frozenset(bodies))
            spec.add_exclude(bodyname1=bodies[0], bodyname2=bodies[1])
        if not (fixed and bodies[0] in stands):
            robot, part = parts[bodies[0]]
            other = parts[bodies[1]][0] if bodies[1] in parts else f"'{spoken_name(names[1])}'"
            deepest = found.setdefault((robot, other), {})
            deepest[part] = max(deepest.get(part, 0.0), depth)
    told = [_told(*both, found[both], "passes through each other") for both in found]
    told += [_told(*both, pushed[both], "is pushed apart") for both in pushed]
    return spec.compile(), tuple(told)


def _told(robot: str, other: str, parts: dict[str, float], then: str) -> str:
    listed = ", ".join(f"'{name}' by {1e3 * depth:.3g} mm" for name, depth in parts.items())
    return f"{robot}: starts inside {other}, {listed}: what overlaps {then}"


def _is_finger(model: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom is that of a finger or touch part for things."""
    return bool(model.geom_contype[geom] == TOUCH)


def _depths(model: mujoco.MjModel) -> dict[tuple[int, int], float]:
    """Return how deep links are in what they overlap with at the start, by pairs of geoms [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    depths: dict[tuple[int, int], float] = {}
    for one in data.contact:
        pair = (int(one.geom[0]), int(one.geom[1]))
        links = any(model.geom_contype[geom] & (LINK | STRONG_LINK) for geom in pair)
        fingers = any(_is_finger(model, geom) for geom in pair)
        if (links and one.dist < -OVERLAP) or (fingers and one.dist < -PUSHED_FROM):
            depths[pair] = max(depths.get(pair, 0.0), -float(one.dist))
    return depths


def _let_through(spec: mujoco.MjSpec, obstacle: str, link: str, bit: int) -> int:
    """Let a link through something fixed; return the next free bit."""
    stands, moves = spec.geom(obstacle), spec.geom(link)
    own = stands.conaffinity & ~(THING | FLOOR | LINK)
    if not own and stands.conaffinity & LINK and bit <= LAST_BIT:
        own, bit = 1 << bit, bit + 1
        stands.conaffinity = THING | own
        for geom in spec.geoms:
            if geom.contype & LINK:
                geom.contype |= own
    moves.contype &= ~(own or stands.conaffinity & (LINK | FLOOR))
    return bit
