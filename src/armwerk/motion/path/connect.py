"""Runs from followed groups: Cartesian parts and joint-space ones, connected without a stop.

Where one of two neighbours is a joint-space segment, the blend between them is one too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.branches import place_words
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.joint_blend import JointBlend, RunItem, joint_blend
from armwerk.motion.path.segments import PathSegment
from armwerk.motion.path.spot_turn import SpotTurn
from armwerk.motion.path.stop_to_stop import JointCurve, Run, RunPart
from armwerk.motion.path.track import Track
from armwerk.motion.trajectory.summary import Notice

NamePlace = Callable[[float], tuple[str, str]]
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
    def begin(self) -> PathSegment:
        """The segment it begins with."""
        return self.built[0].segment if self.joint is None else self.joint

    @property
    def end(self) -> PathSegment:
        """The segment it ends with."""
        return self.built[-1].segment if self.joint is None else self.joint


def stretches_of(
    group: SegmentGroup, tracks: Sequence[tuple[Track, list[BuiltSegment]]]
) -> list[SegmentGroup]:
    """Return a group as one for each of its tracks, so that a choice can be made at each stop."""
    if group.joint is not None:
        return [group]
    return [SegmentGroup(None, tuple(built), ((track, built),)) for track, built in tracks]


class DrivenGroup(NamedTuple):
    """A group with what drives it.

    Args:
        group: What is driven.
        followers: One per track of a Cartesian group.
        ends: Start and goal of the joints of a joint-space group, each of shape (n,).
        turn: How the joints turn first, the tool standing; None: they do not.
    """

    group: SegmentGroup
    followers: tuple[Follower, ...]
    ends: tuple[Array, Array] | None
    turn: SpotTurn | None = None

    def ends_of(self) -> tuple[Array, Array]:
        """Return the joint values at its start and at its end, each of shape (n,)."""
        if self.ends is not None:
            return self.ends
        first = self.followers[0].table[0, 0] if self.turn is None else self.turn.start
        return first, self.followers[-1].table[-1, 0]


class NamedRun(NamedTuple):
    """What is driven from one stop to the next.

    Args:
        run: Joint values.
        words: Names a place in it.
        turn: The turn on the spot that it is, with the label of the segment behind it; None: none.
    """

    run: Run
    words: NamePlace
    turn: tuple[SpotTurn, str] | None = None


def connect(
    model: SerialModel, driven: Sequence[DrivenGroup], notices: list[Notice]
) -> list[NamedRun]:
    """Return the runs from stop to stop, each with a function that names a place in it."""
    items = _items(model, driven)
    runs: list[NamedRun] = []
    parts: list[RunItem] = []
    blends: list[JointBlend] = []
    for item, after in zip_longest(items, items[1:]):
        if isinstance(item, NamedRun):
            runs.append(item)
            continue
        parts.append(item)
        blend = None
        if item.passes and isinstance(after, RunItem):
            blend = joint_blend(model, item, after, notices)
        if blend is None:
            runs.append(_run(parts, blends))
            parts, blends = [], []
        else:
            blends.append(blend)
    return runs


def _items(model: SerialModel, driven: Sequence[DrivenGroup]) -> list[RunItem | NamedRun]:
    """Return the parts of runs in order, and whole runs where joints turn on the spot."""
    items: list[RunItem | NamedRun] = []
    count = len(driven)
    for k, (group, followers, ends, turn) in enumerate(driven):
        passes = k + 1 < count
        if ends is not None and np.abs(ends[1] - ends[0]).max() < _STILL:
            if items and group.end.blend.radius == 0.0 and isinstance(items[-1], RunItem):
                items[-1] = replace(items[-1], passes=False)
            continue
        if group.joint is not None and ends is not None:
            curve = straight(model, *ends, group.joint.number, group.joint.fraction)
            part = RunPart(curve, 0.0, curve.length, np.full((1, 3, 2), np.inf))
            go_on = passes and group.joint.blend.radius > 0.0
            items.append(RunItem(part, group.joint, (), go_on))
            continue
        if turn is not None:
            items.append(_turn_run(model, turn, group.begin.label if k else "start"))
        for j, (follower, (track, built)) in enumerate(zip(followers, group.tracks, strict=True)):
            last = built[-1].segment
            is_last = passes and j + 1 == len(group.tracks)
            # blends between two paths of the tool are in their tracks already
            go_on = is_last and driven[k + 1].ends is not None and last.blend.radius > 0.0
            part = RunPart(follower, 0.0, follower.length, _tool_limits(track, built))
            items.append(RunItem(part, last, tuple(built), go_on))
    return items


def _turn_run(model: SerialModel, turn: SpotTurn, label: str) -> NamedRun:
    """Return the run of a turn on the spot before a segment."""
    if turn.curve is None:
        curves = [straight(model, turn.start, turn.goal)]
    else:
        curves = [JointCurve(cell, float(cell.breaks[-1]), 0) for cell in turn.curve.cells()]
    free = np.full((1, 3, 2), np.inf)
    run = Run(tuple(RunPart(curve, 0.0, curve.length, free) for curve in curves))
    return NamedRun(run, lambda _: (label, "in the turn on the spot"), (turn, label))


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


def _run(items: Sequence[RunItem], blends: Sequence[JointBlend]) -> NamedRun:
    """Return the run of parts with the blends between them."""
    parts: list[RunPart] = []
    names: list[RunItem] = []
    for k, item in enumerate(items):
        first = blends[k - 1].after if k else 0.0
        last = item.part.length - (blends[k].before if k < len(blends) else 0.0)
        parts.append(replace(item.part, first=first, length=last - first))
        names.append(item)
        if k < len(blends):
            parts.append(blends[k].part)
            names.append(item)
    return NamedRun(Run(tuple(parts)), _words(parts, names))


def _words(parts: Sequence[RunPart], items: Sequence[RunItem]) -> NamePlace:
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
