"""Runs from followed blocks: Cartesian parts and joint-space ones, linked without a stop.

A blend between a Cartesian and a joint-space segment, or between two of the latter, is a quintic in
joint space. It takes over q, q' and q'' of both neighbours where the tool enters and leaves the
sphere about the via point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.branches import place_words
from armwerk.motion.curves.piecewise import Piecewise, hermite
from armwerk.motion.follow import Follower
from armwerk.motion.joining import Made
from armwerk.motion.runs import JointCurve, Part, Run
from armwerk.motion.segments import Segment
from armwerk.motion.track import Track
from armwerk.motion.trajectory import Notice

Words = Callable[[float], tuple[str, str]]
_LEAST = 1e-6
_SPOT = 1e-9  # [m] within which the tool stays where it is


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Cartesian segments in a row, or one joint-space segment.

    Args:
        joint: The joint-space segment; None for a Cartesian block.
        made: The Cartesian segments.
        tracks: Between stops, with the segments in each.
    """

    joint: Segment | None
    made: tuple[Made, ...]
    tracks: tuple[tuple[Track, list[Made]], ...]


class Driven(NamedTuple):
    """A block with what drives it.

    Args:
        block: What is driven.
        followers: One per track of a Cartesian block.
        ends: Start and goal of the joints of a joint-space block, each of shape (n,).
    """

    block: Block
    followers: tuple[Follower, ...]
    ends: tuple[Array, Array] | None


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Everything a path drives.

    Args:
        blocks: In order.
    """

    blocks: tuple[Driven, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """A part before blends, with what messages need."""

    part: Part
    segment: Segment
    made: tuple[Made, ...]
    passes: bool  # whether the next part follows without a stop, by a blend in joint space


def runs_of(model: SerialModel, moves: Moves, notices: list[Notice]) -> list[tuple[Run, Words]]:
    """Return the runs from stop to stop, each with a function that names a place in it."""
    groups: list[list[_Item]] = [[]]
    items = _items(model, moves)
    for item in items:
        groups[-1].append(item)
        if not item.passes:
            groups.append([])
    return [_run(model, group, notices) for group in groups if group]


def _items(model: SerialModel, moves: Moves) -> list[_Item]:
    items: list[_Item] = []
    count = len(moves.blocks)
    for k, (block, followers, ends) in enumerate(moves.blocks):
        passes = k + 1 < count
        if block.joint is not None and ends is not None:
            curve = _straight(model, block.joint, *ends)
            part = Part(curve, 0.0, curve.length, np.full((1, 3, 2), np.inf))
            go_on = passes and block.joint.passing.radius > 0.0
            items.append(_Item(part, block.joint, (), go_on))
            continue
        for j, (follower, (track, made)) in enumerate(zip(followers, block.tracks, strict=True)):
            last = made[-1].segment
            go_on = passes and j + 1 == len(block.tracks) and last.passing.radius > 0.0
            part = Part(follower, 0.0, follower.length, _tool_limits(track, made))
            items.append(_Item(part, last, tuple(made), go_on))
    return items


def _tool_limits(track: Track, made: Sequence[Made]) -> Array:
    """Return the tool's limits of each stretch; a blend may be as fast as its faster segment."""
    by_number = {m.segment.number: m.segment.limits.array() for m in made}
    out = []
    for stretch in track.stretches:
        own = by_number[stretch.owner]
        if stretch.is_blend:
            after = by_number[stretch.owner + 1]
            own = np.vstack([np.maximum(own[:1], after[:1]), np.minimum(own[1:], after[1:])])
        out.append(own)
    return np.array(out)


def _straight(model: SerialModel, segment: Segment, q0: Array, q1: Array) -> JointCurve:
    """Return the straight line in joint space, its parameter about as long as the tool's way."""
    share = np.linspace(0.0, 1.0, 33)
    points = model.fk(q0 + share[:, None] * (q1 - q0))[:, :3, 3]
    way = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    length = max(way, 0.2 * float(np.abs(q1 - q0).max()))
    table = np.array([q0, (q1 - q0) / length])
    return JointCurve(
        Piecewise(np.array([0.0, length]), table[None]), length, segment.number, segment.share
    )


def _run(model: SerialModel, group: list[_Item], notices: list[Notice]) -> tuple[Run, Words]:
    if len(group) == 1:
        parts: list[Part] = [group[0].part]
        names: list[_Item] = [group[0]]
        return Run(tuple(parts)), _words(parts, names)
    cuts = [_cuts(model, one, two, notices) for one, two in pairwise(group)]
    parts, names = [], []
    for k, item in enumerate(group):
        first = cuts[k - 1][1] if k else 0.0
        last = item.part.length - (cuts[k][0] if k < len(cuts) else 0.0)
        parts.append(replace(item.part, first=first, length=last - first))
        names.append(item)
        if k < len(cuts):
            after = group[k + 1].part
            parts.append(_joint_blend(item, last, after, cuts[k][1]))
            names.append(item)
    return Run(tuple(parts)), _words(parts, names)


def _cuts(model: SerialModel, one: _Item, two: _Item, notices: list[Notice]) -> tuple[float, float]:
    """Return how much of both parts the blend between them takes, at most half of a segment."""
    radius = one.segment.passing.radius
    found = []
    for item, at_end in ((one, True), (two, False)):
        source = item.part.source
        most = 0.5 * _last_length(item, at_end)
        way = np.linspace(0.0, most, 65)
        s = source.length - way if at_end else way
        points = model.fk(source.evaluate(s)[0][:, 0])[:, :3, 3]
        far = np.linalg.norm(points - points[0], axis=1)
        outside = np.flatnonzero(far >= radius)
        if len(outside):
            k = int(outside[0])
            found.append(float(np.interp(radius, far[k - 1 : k + 1], way[k - 1 : k + 1])))
            continue
        found.append(most)
        if far[-1] < _SPOT:
            continue  # a turn on the spot has no radius to speak of
        text = (
            f"blend radius shrunk from {1e3 * radius:.4g} to {1e3 * far[-1]:.4g} mm, half of "
            f"{item.segment.label}"
        )
        notices.append(Notice(one.segment.label, "at its end", "", text))
    return found[0], found[1]


def _last_length(item: _Item, at_end: bool) -> float:
    """Return the length of the segment at one end of a part."""
    source = item.part.source
    if isinstance(source, JointCurve):
        return source.length
    return source.track.stretches[-1 if at_end else 0].length


def _joint_blend(one: _Item, last: float, after: Part, first: float) -> Part:
    before = one.part.source.evaluate(np.array([last]), True)[0][0, :3]
    behind = after.source.evaluate(np.array([first]))[0][0, :3]
    length = max((one.part.length - last) + first, _LEAST)
    curve = JointCurve(hermite(before, behind, length), length, one.segment.number)
    shares = [p.source.share for p in (one.part, after) if isinstance(p.source, JointCurve)]
    curve = replace(curve, share=max(shares, default=1.0))
    return Part(curve, 0.0, length, np.full((1, 3, 2), np.inf))


def _words(parts: Sequence[Part], items: Sequence[_Item]) -> Words:
    """Return a function that names segment and place of a run's parameter."""
    starts = np.append(0.0, np.cumsum([part.length for part in parts]))

    def place(s: float) -> tuple[str, str]:
        k = int(np.clip(np.searchsorted(starts, s, "right") - 1, 0, len(parts) - 1))
        part, item = parts[k], items[k]
        local = part.first + s - float(starts[k])
        if isinstance(part.source, Follower):
            return place_words(part.source.track, item.made, local)
        share = f"at {100.0 * local / part.source.length:.0f} %"
        if part.source is item.part.source:
            return item.segment.label, share
        return item.segment.label, f"{share} of the blend at its end"

    return place
