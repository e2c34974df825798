"""From skeleton to solids: how links, joints, base and tool look."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.canvas import Canvas
from armwerk.pictures.palette import (
    AXES,
    BASE,
    INK,
    LINK,
    PASSIVE,
    PRISMATIC,
    REVOLUTE,
    WHITE,
    Colour,
    mixed,
)
from armwerk.pictures.skeleton import FOOT, Bar, JointMark, Skeleton, joint_length
from armwerk.pictures.solids import arrow, beam, cylinder, plate, sphere

_BAR = 0.017  # radius of a link in units of the arm's size


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of one drawn mechanism, and how stout it is."""

    link: Colour = LINK
    revolute: Colour = REVOLUTE
    prismatic: Colour = PRISMATIC
    passive: Colour = PASSIVE
    stout: float = 1.0
    shadow: bool = True

    @classmethod
    def of(cls, colour: Colour, stout: float = 1.0, pale: float = 0.0) -> Look:
        """Return a look in shades of one colour; ``pale`` (0 to 1) mixes in white."""
        link = mixed(mixed(colour, WHITE, 0.35), WHITE, pale)
        joint = mixed(colour, WHITE, pale)
        return cls(link, joint, joint, joint, stout, shadow=pale < 0.5)


def add_skeleton(canvas: Canvas, skeleton: Skeleton, look: Look, names: bool = False) -> None:
    """Add a mechanism to the canvas; ``names`` writes the joints' names beside them."""
    unit = _BAR * skeleton.size * look.stout
    for bar in skeleton.bars:
        _add_bar(canvas, bar, unit, look)
    for joint in skeleton.joints:
        _add_joint(canvas, joint, unit, skeleton.size, look)
        if names and joint.name:
            beside = joint.centre + np.array([0.0, 0.0, 0.055 * skeleton.size * joint.weight])
            canvas.write(beside, joint.name, INK, 8.0)
    for outline in skeleton.plates:
        canvas.add(_slab(outline, 0.5 * unit), look.link, look.shadow)


def _add_bar(canvas: Canvas, bar: Bar, unit: float, look: Look) -> None:
    radius = unit * bar.weight
    for start, end in pairwise(bar.points):
        if bar.square:
            canvas.add(beam(start, end, 1.7 * radius), look.link, look.shadow)
        else:
            canvas.add(cylinder(start, end, radius), look.link, look.shadow)
    if not bar.square:
        for point in bar.points:
            canvas.add(sphere(point, radius), look.link, shadow=False)


def _add_joint(canvas: Canvas, joint: JointMark, unit: float, size: float, look: Look) -> None:
    radius = 1.75 * unit * joint.weight
    half = joint_length(size, joint.weight) / 2 * look.stout * joint.axis
    colour = look.passive if joint.passive else look.revolute
    near = 0.4 * radius
    if joint.kind == "ball":
        canvas.add(sphere(joint.centre, radius), colour, look.shadow, near)
    elif joint.kind == "prismatic":
        ends = joint.centre - half, joint.centre + half
        colour = look.passive if joint.passive else look.prismatic
        canvas.add(beam(*ends, 2 * radius, joint.side), colour, look.shadow, near)
    else:
        ends = joint.centre - half, joint.centre + half
        canvas.add(cylinder(*ends, radius), colour, look.shadow, near)
        hub = mixed(colour, WHITE, 0.55)
        for end in (half, -half):
            start = joint.centre + end
            canvas.add(cylinder(start, start + 0.06 * end, 0.55 * radius), hub, False, near)


def add_base(canvas: Canvas, skeleton: Skeleton, floor: float) -> None:
    """Add the foot the mechanism is bolted to, down to the floor when it stands above it."""
    if not skeleton.footed:
        return
    size, normal, origin = skeleton.size, skeleton.base[:3, 2], skeleton.base[:3, 3]
    thick = FOOT * size
    canvas.add(plate(origin + thick * normal, normal, 0.085 * size, thick), BASE)
    if normal[2] > 0.99 and origin[2] > floor + 2 * thick:
        foot = np.array([origin[0], origin[1], floor])
        canvas.add(cylinder(foot, origin, 0.045 * size), mixed(BASE, WHITE, 0.25))
        canvas.add(plate([*foot[:2], floor + thick], (0, 0, 1), 0.085 * size, thick), BASE)


def add_triad(canvas: Canvas, frame: Array, length: float, letters: bool = True) -> None:
    """Add the axes of a frame T_world_frame (4, 4) as arrows x, y, z of ``length`` [m]."""
    origin = frame[:3, 3]
    for index, (letter, tint) in enumerate(AXES.items()):
        direction = frame[:3, index]
        canvas.add(arrow(origin, origin + length * direction, 0.055 * length), tint, shadow=False)
        if letters:
            canvas.write(origin + 1.28 * length * direction, letter, tint, 8.0)


def add_track(
    canvas: Canvas, points: Array, radius: float, colour: Colour, nearer: float = 0.0
) -> None:
    """Add a thin tube through ``points`` [m], shape (m, 3); see `Canvas.add` for ``nearer``."""
    for start, end in pairwise(points):
        canvas.add(cylinder(start, end, radius, sides=8), colour, shadow=False, nearer=nearer)


def _slab(outline: Array, thickness: float) -> list[Array]:
    normal = np.cross(outline[1] - outline[0], outline[2] - outline[1])
    normal = normal / np.linalg.norm(normal) * thickness
    top, bottom = outline + normal, outline - normal
    sides = [np.stack([bottom[i - 1], bottom[i], top[i], top[i - 1]]) for i in range(len(outline))]
    return [top, bottom[::-1], *sides]
