"""Runs from followed groups: Cartesian parts and joint-space ones, connected without a stop.

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
from armwerk.motion.curves.piecewise import Piecewise, hermite
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.branches import place_words
from armwerk.motion.path.follow import Follower
from armwerk.motion.path.segments import PathSegment
from armwerk.motion.path.stop_to_stop import JointCurve, Run, RunPart
from armwerk.motion.path.track import Track
from armwerk.motion.trajectory.summary import Notice

NamePlace = Callable[[float], tuple[str, str]]
_MIN_LENGTH = 1e-6
_SPOT = 1e-9  # [m] within which the tool stays where it is
_STILL = 1e-12  # [rad or m] within which the joints do


@dataclass(frozen=True, slots=True, eq=False)
class SegmentGroup:
    """Cartesian segments in a row, or one joint-space segment.

    Args:
        joint: The joint-space segment; None for a Cartesian group.
        built: The Cartesian segments.
        tracks: Between stops, with the segments in each.
    """

    joint: PathSegment | None
    built: tuple[BuiltSegment, ...]
    tracks: tuple[tuple[Track, list[BuiltSegment]], ...]

    @property
    def end(self) -> PathSegment:
        """The segment it ends with."""
        return self.built[-1].segment if self.joint is None else self.joint


class DrivenGroup(NamedTuple):
    """A group with what drives it.

    Args:
        group: What is driven.
        followers: One per track of a Cartesian group.
        ends: Start and goal of the joints of a joint-space group, each of shape (n,).
    """

    group: SegmentGroup
    followers: tuple[Follower, ...]
    ends: tuple[Array, Array] | None

    def ends_of(self) -> tuple[Array, Array]:
        """Return the joint values at its start and at its end, each of shape (n,)."""
        if self.ends is not None:
            return self.ends
        return self.followers[0].table[0, 0], self.followers[-1].table[-1, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _RunItem:
    """A part before blends, with what messages need."""

    part: RunPart
    segment: PathSegment
    built: tuple[BuiltSegment, ...]
    passes: bool  # whether the next part follows without a stop, by a blend in joint space


def connect(
    model: SerialModel, driven: Sequence[DrivenGroup], notices: list[Notice]
) -> list[tuple[Run, NamePlace]]:
    """Return the runs from stop to stop, each with a function that names a place in it."""
    runs: list[list[_RunItem]] = [[]]
    items = _items(model, driven)
    for item in items:
        runs[-1].append(item)
        if not item.passes:
            runs.append([])
    return [_run(model, group, notices) for group in runs if group]


def _items(model: SerialModel, driven: Sequence[DrivenGroup]) -> list[_RunItem]:
    items: list[_RunItem] = []
    count = len(driven)
    for k, (group, followers, ends) in enumerate(driven):
        passes = k + 1 < count
        if ends is not None and np.abs(ends[1] - ends[0]).max() < _STILL:
            if items and group.end.blend.radius == 0.0:
                items[-1] = replace(items[-1], passes=False)
            continue
        if group.joint is not None and ends is not None:
            curve = straight(model, *ends, group.joint.number, group.joint.fraction)
            part = RunPart(curve, 0.0, curve.length, np.full((1, 3, 2), np.inf))
            go_on = passes and group.joint.blend.radius > 0.0
            items.append(_RunItem(part, group.joint, (), go_on))
            continue
        for j, (follower, (track, built)) in enumerate(zip(followers, group.tracks, strict=True)):
            last = built[-1].segment
            go_on = passes and j + 1 == len(group.tracks) and last.blend.radius > 0.0
            part = RunPart(follower, 0.0, follower.length, _tool_limits(track, built))
            items.append(_RunItem(part, last, tuple(built), go_on))
    return items


def _tool_limits(track: Track, built: Sequence[BuiltSegment]) -> Array:
    """Return the tool's limits of each span; a blend may be as fast as its faster segment."""
    limits = [m.segment.limits.array() for m in built]
    place = {m.segment.number: k for k, m in enumerate(built)}
    out = []
    for span in track.curves:
        own = limits[place[span.owner]]
        if span.is_blend:
            after = limits[place[span.owner] + 1]
            own = np.vstack([np.maximum(own[:1], after[:1]), np.minimum(own[1:], after[1:])])
        out.append(own)
    return np.array(out)


def straight(
    model: SerialModel, q0: Array, q1: Array, owner: int = 0, fraction: float = 1.0
) -> JointCurve:
    """Return the straight line in joint space, its parameter about as long as the tool's way.

    Args:
        model: Of the arm.
        q0: Start [rad or m]. Shape (n,).
        q1: Goal [rad or m]. Shape (n,).
        owner: Number of the segment it belongs to.
        fraction: Of the joints' limits it may use.
    """
    shares = np.linspace(0.0, 1.0, 33)
    points = model.fk(q0 + shares[:, None] * (q1 - q0))[:, :3, 3]
    way = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    length = max(way, 0.2 * float(np.abs(q1 - q0).max()))
    table = np.array([q0, (q1 - q0) / length])
    return JointCurve(Piecewise(np.array([0.0, length]), table[None]), length, owner, fraction)


def _run(model: SerialModel, group: list[_RunItem], notices: list[Notice]) -> tuple[Run, NamePlace]:
    if len(group) == 1:
        parts: list[RunPart] = [group[0].part]
        names: list[_RunItem] = [group[0]]
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


def _cuts(
    model: SerialModel, one: _RunItem, two: _RunItem, notices: list[Notice]
) -> tuple[float, float]:
    """Return how much of both parts the blend between them takes, at most half of a segment."""
    radius = one.segment.blend.radius
    found = []
    for item, at_end in ((one, True), (two, False)):
        source = item.part.source
        longest = 0.5 * _last_length(item, at_end)
        way = np.linspace(0.0, longest, 65)
        s = source.length - way if at_end else way
        points = model.fk(source.evaluate(s)[0][:, 0])[:, :3, 3]
        far = np.linalg.norm(points - points[0], axis=1)
        outside = np.flatnonzero(far >= radius)
        if len(outside):
            k = int(outside[0])
            found.append(float(np.interp(radius, far[k - 1 : k + 1], way[k - 1 : k + 1])))
            continue
        found.append(longest)
        if far[-1] < _SPOT:
            continue  # a turn on the spot has no radius to speak of
        text = (
            f"blend radius shrunk from {1e3 * radius:.4g} to {1e3 * far[-1]:.4g} mm, half of "
            f"{item.segment.label}"
        )
        notices.append(Notice(one.segment.label, "at its end", "", text))
    return found[0], found[1]


def _last_length(item: _RunItem, at_end: bool) -> float:
    """Return how much of the parameter the segment at one end of a part takes."""
    source = item.part.source
    if isinstance(source, JointCurve):
        return source.length
    own = source.track.curves[-1 if at_end else 0].length
    if at_end:
        return source.length - source.parameter(source.track.length - own)
    return source.parameter(own)


def _joint_blend(one: _RunItem, last: float, after: RunPart, first: float) -> RunPart:
    before = one.part.source.evaluate(np.array([last]), True)[0][0, :3]
    behind = after.source.evaluate(np.array([first]))[0][0, :3]
    length = max((one.part.length - last) + first, _MIN_LENGTH)
    curve = JointCurve(hermite(before, behind, length), length, one.segment.number)
    fractions = [p.source.fraction for p in (one.part, after) if isinstance(p.source, JointCurve)]
    curve = replace(curve, fraction=max(fractions, default=1.0))
    return RunPart(curve, 0.0, length, np.full((1, 3, 2), np.inf))


def _words(parts: Sequence[RunPart], items: Sequence[_RunItem]) -> NamePlace:
    """Return a function that names segment and place of a run's parameter."""
    starts = np.append(0.0, np.cumsum([part.length for part in parts]))

    def place(s: float) -> tuple[str, str]:
        k = int(np.clip(np.searchsorted(starts, s, "right") - 1, 0, len(parts) - 1))
        part, item = parts[k], items[k]
        local = part.first + s - float(starts[k])
        if isinstance(part.source, Follower):
            arc = float(part.source.arc_length(np.array([local]))[0])
            return place_words(part.source.track, item.built, arc)
        fraction = f"at {100.0 * local / part.source.length:.0f} %"
        if part.source is item.part.source:
            return item.segment.label, fraction
        return item.segment.label, f"{fraction} of the blend at its end"

    return place
