"""Paths on a work piece driven by arm, rail and table together.

In: a path in the frame of the work piece, and what the external axes are to do. Out: a trajectory
of all axes under one time law, the tool on its path over the work piece, every axis within its
limits.

Where the external axes are chosen by the user, or by a rule, the arm follows the track as it sees
it from its mount (`moving_track`), by its own closed form and with all that `armwerk.motion` does
beside singularities. Where nothing is said, the whole chain is planned as one arm with joints to
spare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.coupled import CoupledModel
from armwerk.motion.limits import Limits
from armwerk.motion.path.blend_tracks import BuiltSegment, blend_tracks
from armwerk.motion.path.branches import AT_START, OutOfReachError, place_words
from armwerk.motion.path.connect import DrivenGroup, SegmentGroup, connect, stretches_of
from armwerk.motion.path.driving import tool_jerk
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.goals import numbers
from armwerk.motion.path.grouping import segment_groups
from armwerk.motion.path.parameter import by_parameter
from armwerk.motion.path.path import Path
from armwerk.motion.path.planner import as_described
from armwerk.motion.path.search import BranchSearch
from armwerk.motion.path.start_choice import choose_start
from armwerk.motion.path.track import Track
from armwerk.motion.retiming.time_run import PathPiece, time_run
from armwerk.motion.trajectory.summary import Notice, assumed_notices, later
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.stations.external_motion import EvenMotion, spline_motion
from armwerk.stations.flat import FlatSeam, flat_table
from armwerk.stations.moving_track import Carriers, ExternalMotion, MovingTrack, moving_track

if TYPE_CHECKING:
    from armwerk.stations.model import StationModel

ExternalChoice: TypeAlias = Literal["free", "flat"] | FlatSeam | Mapping[str, ArrayLike] | ArrayLike
"""What external axes do along a path; see `coordinated`."""
_SAMPLES = (65, 257, 1025)  # of a track at which flat position is worked out, as many as needed
_BETWEEN = 3001  # places of a track at which it is looked at
_FLAT = np.deg2rad(0.1)  # [rad] off flat position from which on a notice says so
_LOOKS = 121  # places of a path that are looked at for a message
_TOLD = 3  # ranges of an axis that a message tells


def coordinated(
    model: StationModel,
    path: Path,
    q0: ArrayLike | None = None,
    external: ExternalChoice = "free",
    limits: Limits | None = None,
    near: ArrayLike | None = None,
    cycle: float | None = None,
) -> Trajectory:
    """Plan a path on the work piece for all axes of a station together.

    Args:
        model: Of the station.
        path: With goals in the frame of the work piece (in the world, for a station without a
            table), its speeds those of the tool over the work piece.
        q0: Where all axes stand [rad, m], in the order of `Station.names`; the tool at the start of
            the path. Shape (n,). None: chosen.
        external: What the external axes do:

            - "free": all axes share the motion, moving as little as they can and keeping off their
              stops;
            - "flat", or a `FlatSeam`: the table turns the work piece so that the tool points down;
              axes that carry the arm stay where they are;
            - values by name, or in order: one for each axis, which stays there, or one row for the
              start and one for each segment: the axes run evenly from goal to goal.
        limits: Of all axes; None: those in the descriptions.
        near: Where all axes are wanted to be near where the start is chosen. Shape (n,).
        cycle: When given, limits are checked at these steps too [s].

    Returns:
        A trajectory of all axes; its model gives T_piece_tool.

    Raises:
        MotionError: When the path cannot be driven; names segment, place and axis, and where the
            arm cannot reach, which range of an external axis would do.
    """
    if isinstance(external, str) and external not in ("free", "flat"):
        raise MotionError(f"external must be 'free', 'flat' or values, got {external!r:.80}")
    if not path.segments:
        raise MotionError("the path has no segments")
    if path.tool is not None:
        raise MotionError("a path for a station has the tool of its arm (arm.with_tool)")
    wanted = None if near is None else _row(model, near, "near")
    start = None if q0 is None else _row(model, q0, "q0")
    if isinstance(external, str) and external == "free":
        return _free(model, path, start, limits, wanted, cycle)
    return _Coordination(model, path, start, external, limits, wanted, cycle).trajectory()


def _row(model: StationModel, values: ArrayLike, what: str) -> Array:
    row = numbers(values, what)
    if row.shape != (model.dof,):
        raise MotionError(
            f"{what} must have {model.dof} values ({', '.join(model.names)}), got {row.shape}"
        )
    return row


def _free(
    model: StationModel,
    path: Path,
    q0: Array | None,
    limits: Limits | None,
    near: Array | None,
    cycle: float | None,
) -> Trajectory:
    """Plan for the whole chain as one arm with joints to spare.

    Raises:
        MotionError: When the start is out of reach, or rods alone move a joint of the arm.
    """
    if isinstance(model.chain, CoupledModel) and not model.chain.is_square:
        raise MotionError(
            f"rods alone move a joint of '{model.station.own.name}', which a motion shared by all "
            "axes does not know; give values of the external axes (external={...})"
        )
    if q0 is None and path.start is not None:
        home = model.chain.chain.home() if near is None else near
        q0 = model.ik_nearest(np.asarray(path.start), home)
        if q0 is None:
            raise MotionError(
                f"out of reach: no values of the axes of '{model.station.name}' within their "
                f"limits bring the tool to the start of the path, {_point(np.asarray(path.start))}"
            )
    return path.plan(model.chain, q0, cycle=cycle, limits=limits)


@dataclass(frozen=True, slots=True, eq=False)
class _Coordination:
    """A path whose external axes are chosen before the arm follows."""

    model: StationModel
    path: Path
    q0: Array | None
    external: FlatSeam | Mapping[str, ArrayLike] | ArrayLike | str
    limits: Limits | None
    near: Array | None
    cycle: float | None

    def trajectory(self) -> Trajectory:
        """Return the trajectory; see `coordinated`."""
        model, limits = self.model, Limits.wanted(self.limits, self.model.chain.arm)
        if limits.dof != model.dof:
            raise MotionError(f"limits are for {limits.dof} axes, the station has {model.dof}")
        path, notices = as_described(self.path, model.station.arm.motion)
        groups = segment_groups(model.chain, path, self.q0)
        if any(group.joint is not None for group in groups):
            raise MotionError(
                "a motion in joint space has no place on the work piece; plan it by itself "
                "(aw.ptp with the station's chain), and the rest with external values"
            )
        (group,) = groups or (None,)
        if group is None:
            raise MotionError("the path stands still")
        if any(one.geometry.demand != "pose" for one in group.built):
            raise MotionError(
                "orientation 'direction' or 'free' with chosen external axes is not known; leave "
                "the external axes free, or give the orientation"
            )
        jerk = float("inf")
        if self.q0 is not None:
            jerk = tool_jerk(model.chain, None, self.q0, limits)
        tracks, words = blend_tracks(group.built, jerk)
        motions, told = self._motions(tracks)
        notices += [*words, *told]
        self._check_external(tracks, motions)
        driven, chosen = self._driven(group, tracks, motions)
        notices += chosen
        pieces: list[PathPiece] = []
        began = 0.0
        for run, place, _ in connect(model.chain, [driven], notices):
            piece, slowed = time_run(run, path.profile or "trapezoid", limits, place, self.cycle)
            pieces.append(piece)
            notices += [later(notice, began) for notice in slowed]
            began += piece.duration
        return Trajectory(tuple(pieces), limits, model.chain, (*assumed_notices(limits), *notices))

    def _motions(
        self, tracks: Sequence[tuple[Track, list[BuiltSegment]]]
    ) -> tuple[list[ExternalMotion], list[Notice]]:
        """Return the external axes along each track."""
        given = FlatSeam() if isinstance(self.external, str) else self.external
        if isinstance(given, FlatSeam):
            return self._flat(given, tracks)
        rows = self._rows(given)
        count = len(self.path.segments)
        if rows.ndim == 1:
            constant = EvenMotion(np.zeros(1), rows[None])
            return [constant for _ in tracks], []
        if rows.shape[0] != count + 1:
            raise MotionError(
                f"external axes need one row for the start and one for each of {count} segments, "
                f"{count + 1} in all; got {rows.shape[0]}"
            )
        before = rows[0]
        motions: list[ExternalMotion] = []
        for track, built in tracks:
            places, values = [0.0], [before]
            for one in built:
                places.append(_end_of(track, one.segment.number))
                values.append(rows[one.segment.number])
            places[-1] = track.length
            motions.append(EvenMotion(np.array(places), np.array(values)))
            before = values[-1]
        last = tracks[-1][1][-1].segment.number
        if np.abs(rows[last:] - rows[last]).max() > 0.0 or self._skips(tracks, rows):
            raise MotionError("external axes cannot move on a segment on which the tool stands")
        return motions, []

    def _skips(self, tracks: Sequence[tuple[Track, list[BuiltSegment]]], rows: Array) -> bool:
        """Return whether the external axes would move on a segment that was left out."""
        driven = [one.segment.number for _, built in tracks for one in built]
        before = 0
        for number in driven:
            if np.abs(rows[before:number] - rows[before]).max() > 0.0:
                return True
            before = number
        return False

    def _rows(self, given: Mapping[str, ArrayLike] | ArrayLike) -> Array:
        """Return external values in order, of shape (k,), or (segments + 1, k)."""
        names = self.model.external_names
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise MotionError(
                        f"no external axis is called '{name}' (known: {', '.join(names)})"
                    )
            home = self._begin()
            columns = [
                numbers(given[name], f"external axis '{name}'") if name in given else home[k]
                for k, name in enumerate(names)
            ]
            try:
                rows = np.stack(np.broadcast_arrays(*columns), axis=-1)
            except ValueError:
                raise MotionError(
                    "external axes must have one value each, or all as many as the path has "
                    "segments and one more"
                ) from None
        else:
            rows = numbers(given, "external")
        if rows.ndim not in (1, 2) or rows.shape[-1] != len(names):
            raise MotionError(
                f"external must have values for {', '.join(names)}, got shape {rows.shape}"
            )
        return np.asarray(rows)

    def _begin(self) -> Array:
        """Return where external axes are to begin where nothing else is said. Shape (k,)."""
        known = self.q0 if self.q0 is not None else self.near
        count = len(self.model.external_names)
        return self.model.external_values(None) if known is None else known[:count]

    def _flat(
        self, seam: FlatSeam, tracks: Sequence[tuple[Track, list[BuiltSegment]]]
    ) -> tuple[list[ExternalMotion], list[Notice]]:
        station = self.model.station
        table = flat_table(station)
        direction = numbers(seam.direction, "direction of the tool")
        if direction.shape != (3,) or np.linalg.norm(direction) < 1e-9:
            raise MotionError(f"the direction of the tool must be three numbers, got {direction}")
        turning, begin = station.turning, self._begin().copy()
        for name, value in seam.others:
            if name not in self.model.external_names[turning:]:
                raise MotionError(f"no axis that carries the arm is called '{name}'")
            begin[self.model.external_names.index(name)] = value
        for count in _SAMPLES:
            places = [np.linspace(0.0, track.length, count) for track, _ in tracks]
            poses = [track.evaluate(s)[0] for (track, _), s in zip(tracks, places, strict=True)]
            along = np.vstack([pose[:, :, :3] @ direction for pose in poses])
            rows, off = table.along(along, begin[:turning][::-1])
            motions: list[ExternalMotion] = []
            for s, own in zip(places, np.split(rows, len(tracks)), strict=True):
                values = np.tile(begin, (len(s), 1))
                values[:, :turning] = own[:, ::-1]
                motions.append(spline_motion(s, values))
            missed = max(
                self._missed(track, motion, direction, table.down)
                for (track, _), motion in zip(tracks, motions, strict=True)
            )
            if missed < off + _FLAT:
                break
        notices = []
        if max(missed, off) > _FLAT:
            text = f"flat position is missed by up to {np.rad2deg(max(missed, off)):.3g} deg"
            notices.append(Notice("", "", "", text))
        return motions, notices

    def _missed(self, track: Track, motion: ExternalMotion, direction: Array, down: Array) -> float:
        """Return by what angle the tool is off flat position at most, between samples too [rad]."""
        s = np.linspace(0.0, track.length, _BETWEEN)
        turning = self.model.station.turning
        assert self.model.table is not None
        values = np.ascontiguousarray(motion.evaluate(s)[:, 0, :turning][:, ::-1])
        turned = self.model.table.fk(values)[:, :3, :3] @ track.evaluate(s)[0][:, :, :3]
        along = turned @ (direction / np.linalg.norm(direction))
        across = np.linalg.norm(np.cross(along, down), axis=1)
        return float(np.arctan2(across, along @ down).max())

    def _check_external(
        self,
        tracks: Sequence[tuple[Track, list[BuiltSegment]]],
        motions: Sequence[ExternalMotion],
    ) -> None:
        """Refuse external values beyond their limits, and a start where they are not."""
        model, count = self.model, len(self.model.external_names)
        low, high = model.limits[:count].T
        for (track, built), motion in zip(tracks, motions, strict=True):
            s = np.linspace(0.0, track.length, 4 * _LOOKS)
            values = motion.evaluate(s)[:, 0]
            beyond = (values < low - 1e-9) | (values > high + 1e-9)
            if beyond.any():
                k = int(np.argmax(beyond.any(axis=1)))
                axis = int(np.argmax(beyond[k]))
                joint = model.chain.arm.moving[axis]
                segment, place = place_words(track, built, float(s[k]))
                raise MotionError(
                    f"{values[k, axis]:.6g} {joint.unit} is out of its range "
                    f"{low[axis]:.6g} to {high[axis]:.6g} {joint.unit}",
                    segment=segment,
                    place=place,
                    axis=f"joint '{joint.name}'",
                )
        if self.q0 is not None:
            begin = motions[0].evaluate(np.zeros(1))[0, 0]
            off = np.abs(begin - self.q0[:count])
            if off.max() > AT_START:
                axis = int(np.argmax(off))
                joint = model.chain.arm.moving[axis]
                raise MotionError(
                    f"stands at {self.q0[axis]:.6g} {joint.unit}, and the path begins with "
                    f"{begin[axis]:.6g} {joint.unit}",
                    axis=f"joint '{joint.name}'",
                )

    def _driven(
        self,
        group: SegmentGroup,
        tracks: Sequence[tuple[Track, list[BuiltSegment]]],
        motions: Sequence[ExternalMotion],
    ) -> tuple[DrivenGroup, list[Notice]]:
        """Return what drives the whole path, the arm from the most sensible configuration."""
        model, count = self.model, len(self.model.external_names)
        carriers = Carriers(
            None if model.table is None else model.table.chain,
            None if model.carrier is None else model.carrier.chain,
        )
        moving = [
            (moving_track(track, carriers, motion), built)
            for (track, built), motion in zip(tracks, motions, strict=True)
        ]
        search = BranchSearch(model.arm, stretches_of(group, moving), turns=False)
        first = np.eye(4)
        first[:3] = moving[0][0].evaluate(np.zeros(1))[0][0]
        starts, words = self._starts(first, count)
        problem: MotionError | None = None
        for q in starts:
            try:
                driven = search.run(q)
            except OutOfReachError as error:
                problem = error
                break
            except MotionError as error:
                problem = problem or error
                continue
            followers = tuple(
                _with_external(follower, track, motion)
                for follower, (track, _), motion in zip(
                    [one.followers[0] for one in driven], tracks, motions, strict=True
                )
            )
            return DrivenGroup(replace(group, tracks=tuple(tracks)), followers, None), words(q)
        raise self._unreached(moving, motions) or problem or MotionError("out of reach")

    def _starts(
        self, first: Array, count: int
    ) -> tuple[list[Array], Callable[[Array], list[Notice]]]:
        """Return configurations of the arm at the start, the best first, and words for one."""
        arm = self.model.arm
        if self.q0 is not None:
            own = self.q0[count:]
            far, angle = separation(first, arm.fk(own))
            if far > AT_START or angle > AT_START:
                raise MotionError(
                    f"the arm does not stand at the start of the path: q0 is {1e3 * far:.6g} mm "
                    f"and {angle:.6g} rad away from it"
                )
            return [own], lambda q: []
        near = None if self.near is None else self.near[count:]
        choice = choose_start(arm, first, near, None)
        by_place = {id(one.q): k for k, one in enumerate(choice.candidates)}

        def words(q: Array) -> list[Notice]:
            k = by_place[id(q)]
            return [Notice("start", "", "", choice.words(choice.candidates[k], k))]

        return [one.q for one in choice.candidates], words

    def _unreached(
        self,
        moving: Sequence[tuple[MovingTrack, list[BuiltSegment]]],
        motions: Sequence[ExternalMotion],
    ) -> MotionError | None:
        """Return where the arm has no solution within its limits, and what would do there."""
        model, names = self.model, self.model.external_names
        for (track, built), motion in zip(moving, motions, strict=True):
            s = np.linspace(0.0, track.length, _LOOKS)
            poses = np.tile(np.eye(4), (len(s), 1, 1))
            poses[:, :3] = track.evaluate(s)[0]
            lost = np.flatnonzero(model.arm.ik_batch(poses, within_limits=True)[1] == 0)
            if not len(lost):
                continue
            k = int(lost[0])
            values = motion.evaluate(s[k : k + 1])[0, 0]
            wanted = np.eye(4)
            wanted[:3] = Track.evaluate(track, s[k : k + 1])[0][0]
            segment, place = place_words(track, built, float(s[k]))
            axes = model.chain.arm.moving
            stands = ", ".join(
                f"{name} at {value:.4g} {axis.unit}"
                for name, value, axis in zip(names, values, axes, strict=False)
            )
            return MotionError(
                f"out of reach: with {stands} no joint values of '{model.station.arm.name}' within "
                f"their limits bring the tool to {_point(wanted)} on the work piece"
                f"{self._would_do(wanted, values)}",
                segment=segment,
                place=place,
            )
        return None

    def _would_do(self, pose: Array, values: Array) -> str:
        """Return which ranges of single external axes would reach a pose, in words."""
        told = []
        for k, name in enumerate(self.model.external_names):
            unit = self.model.chain.arm.moving[k].unit
            ranges = self.model.reaching(pose, name, values)[:_TOLD]
            told += [f"{name} from {low:.4g} to {high:.4g} {unit}" for low, high in ranges]
        return f"; {' or '.join(told)} would do there" if told else ""


def _point(pose: Array) -> str:
    return f"{np.round(pose[:3, 3], 6).tolist()} m"


def _end_of(track: Track, number: int) -> float:
    """Return the arc length at which a segment ends, the middle of the blend behind it [m]."""
    spans = [k for k, span in enumerate(track.curves) if span.owner == number]
    last = spans[-1]
    if track.curves[last].is_blend:
        return 0.5 * float(track.borders[last] + track.borders[last + 1])
    return float(track.borders[last + 1])


def _with_external(follower: Follower, track: Track, motion: ExternalMotion) -> Follower:
    """Return what follows a track with all axes, and the tool's motion over the work piece."""
    arcs = follower.arcs[:, :, 0]
    s = np.clip(arcs[:, 0], 0.0, track.length)
    outer = motion.evaluate(s)
    outer[:, 1:] = by_parameter(outer[:, 1:], arcs)
    _, twists = track.evaluate(s)
    if follower.side.any():
        twists[follower.side] = track.evaluate(s[follower.side], left=True)[1]
    return replace(
        follower,
        track=track,
        table=np.ascontiguousarray(np.concatenate([outer, follower.table], axis=2)),
        twists=by_parameter(twists, arcs),
    )
