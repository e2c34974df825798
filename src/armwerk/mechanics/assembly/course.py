"""Whether closed chains stay closed, and as they are, along a whole course of motor values.

Of every loop two things are asked at every row: does it close, and how far is it from where its
assembly mode could change. The second is told by a margin without a unit, whose sign is the mode
and which is 0 where the motors no longer determine the loop:

| pattern      | margin                                                                         |
|--------------|--------------------------------------------------------------------------------|
| TRIPOD       | 1 / |U⁻¹| with the unit vectors along the chains as rows of U, sign of det U    |
| TIGHT_LEN    | cosine between the guide and the other chain                                   |
| TIGHT_ROT    | cosine between the circle of the hinge and the other chain                     |
| STEWART      | 1 / |J⁻¹| of the leg Jacobian, see `tracking`                                   |
| any FULLROT  | share of its chain across the y axis, at which it would flip over              |

|·| is the Frobenius norm. Motors alone cannot lead a loop from one mode into another without its
margin becoming 0 in between, so a course on which all margins keep their signs keeps its mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.assembly.loop_closing import (
    CLOSED,
    close,
    place_platform,
    platform_legs,
    platform_of,
    why_open,
)
from armwerk.mechanics.assembly.stewart import platform_pose, start_pose
from armwerk.mechanics.assembly.tracking import track
from armwerk.robot.loops import ClosedChain, Platform

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from armwerk.mechanics.assembly.model import AssemblyModel
    from armwerk.mechanics.assembly.walk import WalkState

LEAST_MARGIN = 0.05  # below which a loop counts as too near to a change of mode: 20 times as fast
_AWAY = 0.9  # share of the margin at the start that must be left where it starts with less
_SAME = 1e-6  # [m] up to which two poses of a plate are one


@dataclass(frozen=True, slots=True)
class CourseFault:
    """Why an assembly cannot follow a course.

    Args:
        row: The first row at which it is wrong.
        loop: Name of the union or platform.
        problem: What is wrong there, in one clause with its numbers and units.
    """

    row: int
    loop: str
    problem: str


def course_fault(
    model: AssemblyModel, rows: Array, plates: Mapping[str, Array] | None = None
) -> CourseFault | None:
    """Return what keeps an assembly from following a course; None: it can.

    Args:
        model: Of the assembly.
        rows: Motor values, so near to each other that the assembly hardly moves in between; the
            first one is where it is, and taken for granted. Shape (m, n).
        plates: T_body_plate at the first row by the name of the platform, for those that are not
            where the model puts them. Shape (4, 4).
    """
    faults = _Course(model, rows, plates or {}).faults()
    return min(faults, key=lambda fault: fault.row, default=None)


class _Course:
    """A walk along all rows at once, with the margins of its loops."""

    def __init__(self, model: AssemblyModel, rows: Array, plates: Mapping[str, Array]) -> None:
        self.model, self.rows, self.plates = model, rows, plates
        self.walk = model.walk
        self.found = self.walk.begin(rows)

    def faults(self) -> Iterator[CourseFault]:
        """Close one loop after the other; those that stand on an open one are not looked at."""
        ends: list[str] = []
        for tie in (loop.tie for loop in self.model.assembly.loops):
            ends += [tie.name] if isinstance(tie, Platform) else tie.points
        for step in self.walk.plan(ends):
            if isinstance(step, str):
                self.walk.place(self.found, step)
                continue
            fault = self._stewart(step) if step.pattern == "STEWART" else self._union(step)
            fault = fault or self._feet(step)
            if fault is not None:
                yield fault
                return

    def _union(self, loop: ClosedChain) -> CourseFault | None:
        name = loop.tie.name
        close(self.walk, self.found, loop, self.model.side(loop))
        opened = np.zeros(len(self.rows), dtype=bool)
        for values in (self.found.unions[name], *(self.found.values[p] for p in loop.passives)):
            opened |= np.asarray(~np.isfinite(values).all(axis=1))
        if loop.pattern == "TIGHT_PSEUDO" and len(loop.passives) == 1:
            needed, _, length = self.found.facts[name]  # nothing but its length holds it together
            off = np.broadcast_to(np.abs(needed - length), (len(self.rows),))
            opened |= off > max(CLOSED, 2.0 * float(off[0]))
        if opened.any() and not opened[0]:
            first = int(opened.argmax())
            return CourseFault(first, name, why_open(loop, self.found, first))
        margin = _margin(self.found, loop)
        if margin is None:
            return None
        row = _first_small(np.broadcast_to(margin, (len(self.rows),)))
        if row is None:
            return None
        return CourseFault(
            row,
            name,
            f"{loop.tie.label}: its chains come to a dead point (margin {abs(margin[row]):.3f}, at "
            f"least {_least(margin):.3f} is needed), where they could go on in another way",
        )

    def _stewart(self, loop: ClosedChain) -> CourseFault | None:
        plate, legs = platform_of(loop), platform_legs(self.walk, self.found, loop)
        count = len(self.rows)
        feet = np.array(np.broadcast_to(legs.feet, (count, 6, 3)), order="C")
        lengths = np.array(np.broadcast_to(legs.lengths, (count, 6)), order="C")
        ends = [0, -1]
        usual = start_pose(feet[ends], legs.anchors, lengths[ends], self.model.side(loop))
        usual = usual if plate.start is None else plate.start.matrix()[None]
        modelled = platform_pose(feet[ends], legs.anchors, lengths[ends], usual).pose
        start = np.array(self.plates.get(plate.name, modelled[0]), order="C")
        size = float(np.linalg.norm(legs.anchors, axis=1).mean()) or 1.0
        poses, margins = np.empty((count, 4, 4)), np.empty(count)
        good = track(feet, legs.anchors, lengths, start, size, poses, margins)
        small = _first_small(margins[:good]) if good else None
        if small is not None or good < count:
            row = good if small is None else small
            goal = platform_pose(
                feet[-1:], legs.anchors, lengths[-1:], poses[max(row - 1, 0)][None]
            )
            reason = "the goal itself can be had, but not on this way"
            if not goal.found[0]:
                worst = int(np.abs(goal.errors[0]).argmax())
                error = float(goal.errors[0, worst])
                reason = (
                    f"at the goal '{self._motor(loop, worst)}' would be too "
                    f"{'short' if error > 0 else 'long'} by {abs(error):.4g} m"
                )
            elif good == count and abs(margins[-1]) < _least(margins):
                reason = "its goal is too near to where the plate could go on in another way"
            told = f"margin {abs(margins[row]):.3f}" if row < good else "margin 0"
            return CourseFault(
                row,
                plate.name,
                f"{plate.label}: its legs no longer hold the plate ({told}, at least "
                f"{_least(margins):.3f} is needed); {reason}",
            )
        if not np.abs(modelled[1] - poses[-1]).max() < _SAME:
            return CourseFault(
                count - 1,
                plate.name,
                f"{plate.label}: the plate would stand otherwise than its model says",
            )
        place_platform(self.found, loop, legs, poses, feet=len(self.model.assembly.loops) > 1)
        return None

    def _feet(self, loop: ClosedChain) -> CourseFault | None:
        """Look for a FULLROT that is led through its y axis."""
        for k, chain in enumerate(loop.chains):
            foot = next((name for name in chain.passives if self._is_ball(name)), None)
            if foot is None:
                continue
            arm = self.walk.reach(self.found, foot, chain.point)
            rotation, position = self.found.frames[foot]
            to_goal = _unit(self._end(loop, k) - position)
            aside = (to_goal * rotation[:, :, 1]).sum(axis=1)
            flat = np.hypot(arm[:, 0], arm[:, 1]) / np.linalg.norm(arm, axis=1)
            across = np.sqrt(np.maximum(1.0 - (aside / flat) ** 2, 0.0))
            row = _first_small(np.broadcast_to(across, (len(self.rows),)))
            if row is not None:
                return CourseFault(
                    row,
                    loop.tie.name,
                    f"{loop.tie.label}: the chain to '{chain.point}' comes to the y axis of "
                    f"'{foot}', where it would flip over",
                )
        return None

    def _end(self, loop: ClosedChain, which: int) -> Array:
        """Return where a chain ends [m]. Shape (k, 3)."""
        if not isinstance(loop.tie, Platform):
            return self.found.unions[loop.tie.name]
        rotation, position = self.found.frames[loop.tie.name]
        return np.asarray(position + rotation @ np.array(loop.tie.legs[which][1]))

    def _motor(self, loop: ClosedChain, which: int) -> str:
        """Return the name of the motor of a leg."""
        point = loop.chains[which].point
        return [name for name in self.walk.assembly.path(point) if self._drives(name)][-1]

    def _drives(self, name: str) -> bool:
        return self.walk.nodes[name].motor is not None

    def _is_ball(self, name: str) -> bool:
        return self.walk.nodes[name].motion == "point"


def _margin(found: WalkState, loop: ClosedChain) -> Array | None:
    """Return the margin of a closed union; None: it has but one mode. Shape (k,)."""
    union = found.unions[loop.tie.name]
    if loop.pattern == "TRIPOD":
        units = _unit(union[:, None] - found.facts[loop.tie.name][0])
        determinant = np.linalg.det(units)
        usable = np.abs(determinant) > 0.0
        inverse = np.linalg.inv(np.where(usable[:, None, None], units, np.eye(3)))
        size = np.sqrt((inverse * inverse).sum(axis=(1, 2)))
        return np.where(usable, np.sign(determinant) / size, 0.0)
    if loop.pattern == "TIGHT_PSEUDO":
        return None
    guide, hanger = loop.chains
    rotation, position = found.frames[guide.passives[0]]
    along = rotation[:, :, 0]
    if loop.pattern == "TIGHT_ROT":
        along = _unit(np.cross(rotation[:, :, 2], union - position))
    leg = _unit(union - found.frames[hanger.passives[0]][1])
    return np.asarray((along * leg).sum(axis=1))


def _unit(vectors: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _least(margins: Array) -> float:
    """Return the margin that is needed on a course: less where it begins with less."""
    return float(min(LEAST_MARGIN, _AWAY * abs(margins[0])))


def _first_small(margins: Array) -> int | None:
    """Return the first row whose margin is too small or has another sign than the first."""
    good = margins * np.sign(margins[0]) >= _least(margins)
    good[0] = True
    return None if good.all() else int(good.argmin())
