"""Segments of a path: what was asked for, made into a curve with an orientation.

Orientations related to the path stand in a frame that goes along its curve. On an arc the frame
turns about the circle's axis. On other curves it follows the tangent without turning about it
(rotation-minimising): ω = p' × p''. That has no jump at points of inflection and is defined on
straight stretches, as the Frenet frame is not; on a plane curve both are the same up to sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import angle_between, rotation_exp, transform
from armwerk.motion.curves import NO_LENGTH, Arc, Curve, Line, ParametricCurve, Point
from armwerk.motion.limits import LEAST_RATE, is_number
from armwerk.motion.options import (
    DEMAND_OF,
    ORIENTATIONS,
    REFERENCES,
    BlendShape,
    Demand,
    OrientationKind,
    Reference,
)
from armwerk.motion.path.orientation import (
    EvenTurn,
    Orientation,
    PathFrame,
    even_turn,
    inclined,
    quaternion_spline,
)

_GAUSS = (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0)
STEP = 0.02
"""[rad] the frame turns by between two knots at most: the method's error goes with the fifth power
of it."""
_MAX_KNOTS = 4000
SAME_TURN = 1e-9  # [rad] below which two orientations count as one
NO_TURN = np.zeros(3)
NO_TURN.setflags(write=False)


_NO_LIMIT = 1e12  # rate of a tool that holds nothing back, and whose powers are numbers
_LOOKS = 33  # points of a curve that tell whether it lies in an upright plane


@dataclass(frozen=True, slots=True, eq=False)
class ArcFrame:
    """F(s) = exp(s axis / radius).

    Args:
        rate: Axis over radius [1/m]. Shape (3,).
    """

    rate: Array

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return F and ω, ω', ω''. Shapes (m, 3, 3)."""
        rates = np.zeros((len(s), 3, 3))
        rates[:, 0] = self.rate
        return rotation_exp(s[:, None] * self.rate), rates


@dataclass(frozen=True, slots=True, eq=False)
class TangentFrame:
    """dF/ds = [p' × p'']× F, from a table of knots and one Magnus step from the nearest.

    Args:
        curve: What it follows.
        knots: Arc lengths of the table [m]. Shape (k,).
        frames: F there. Shape (k, 3, 3).
    """

    curve: Curve
    knots: Array
    frames: Array

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return F and ω, ω', ω''. Shapes (m, 3, 3)."""
        s = np.clip(s, 0.0, self.curve.length)
        piece = np.clip(np.searchsorted(self.knots, s, "right") - 1, 0, len(self.knots) - 1)
        start = self.knots[piece]
        frame = _step(self.curve, start, s - start) @ self.frames[piece]
        return frame, self._rates(s)

    def _rates(self, s: Array) -> Array:
        given = self.curve.evaluate(s)
        # the fourth derivative of the curve, which only the jerk needs, by differences
        h = 1e-4 * self.curve.length
        low, high = np.maximum(s - h, 0.0), np.minimum(s + h, self.curve.length)
        change = self.curve.evaluate(high)[:, 3] - self.curve.evaluate(low)[:, 3]
        fourth = change / (high - low)[:, None]
        tangent, bend, third = given[:, 1], given[:, 2], given[:, 3]
        return np.stack(
            [
                np.cross(tangent, bend),
                np.cross(tangent, third),
                np.cross(bend, third) + np.cross(tangent, fourth),
            ],
            axis=1,
        )


def path_frame(curve: Curve) -> PathFrame | None:
    """Return the frame that goes along a curve; None where it does not turn."""
    if isinstance(curve, Line | Point):
        return None
    if isinstance(curve, Arc):
        return ArcFrame(curve.axis / curve.radius)
    coarse = curve.evaluate(np.linspace(0.0, curve.length, 65))
    largest = float(np.linalg.norm(coarse[:, 2], axis=1).max())
    cells = int(np.clip(math.ceil(largest * curve.length / STEP), 16, _MAX_KNOTS))
    knots = np.linspace(0.0, curve.length, cells + 1)
    steps = _step(curve, knots[:-1], np.diff(knots))
    frames = np.empty((cells + 1, 3, 3))
    frames[0] = np.eye(3)
    for k in range(cells):
        frames[k + 1] = steps[k] @ frames[k]
    return TangentFrame(curve, knots, frames)


def _step(curve: Curve, start: Array, h: Array) -> Array:
    """Return the turn of the frame from ``start`` over ``h``, to the fourth order. (m, 3, 3)."""
    rates = []
    for node in _GAUSS:
        given = curve.evaluate(start + node * h)
        rates.append(np.cross(given[:, 1], given[:, 2]))
    mean = 0.5 * h[:, None] * (rates[0] + rates[1])
    bend = math.sqrt(3.0) / 12.0 * (h**2)[:, None] * np.cross(rates[0], rates[1])
    return np.asarray(rotation_exp(mean - bend))


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """What the tool may do along a segment; infinite: no limit.

    Args:
        speed: [m/s].
        acceleration: [m/s²], along and across the path together.
        jerk: [m/s³].
        rotation_speed: [rad/s].
        rotation_acceleration: [rad/s²].
        rotation_jerk: [rad/s³].
    """

    speed: float = 0.25
    acceleration: float = 1.0
    jerk: float = 10.0
    rotation_speed: float = 1.5
    rotation_acceleration: float = 6.0
    rotation_jerk: float = 60.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not is_number(value) or not value > 0.0:
                word = name.replace("_", " ")
                raise MotionError(f"{word} must be above 0, got {value!r}")
            if value < LEAST_RATE:
                word = name.replace("_", " ")
                raise MotionError(f"{word} must be at least {LEAST_RATE:g}, got {value!r}")
            object.__setattr__(self, name, min(float(value), _NO_LIMIT))

    def changed(self, **given: float | None) -> ToolLimits:
        """Return the limits with those given that are not None."""
        named = {name: value for name, value in given.items() if value is not None}
        return replace(self, **named) if named else self

    def array(self) -> Array:
        """Return velocity, acceleration, jerk in rows, translation and rotation in columns."""
        return np.array(
            [
                [self.speed, self.rotation_speed],
                [self.acceleration, self.rotation_acceleration],
                [self.jerk, self.rotation_jerk],
            ]
        )


@dataclass(frozen=True, slots=True)
class BlendSpec:
    """How a segment goes over into the next.

    Args:
        radius: Of the blend at its end [m]; 0: stop.
        shape: Of the blend, see `armwerk.motion.path.blend_tracks`.
        zone: Radius within which the orientation goes over [m]; None: that of the blend. Never
            less than that.
    """

    radius: float = 0.0
    shape: BlendShape = "smooth"
    zone: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """A segment in space.

    Args:
        curve: Where the tool point goes.
        orientation: How the tool turns on the way.
        end: Pose at its end. Shape (4, 4).
        demand: What of its poses must be met.
        adapts: Whether an arm with too few freedoms may meet less.
    """

    curve: Curve
    orientation: Orientation
    end: Array
    demand: Demand = "pose"
    adapts: bool = False

    @property
    def stands(self) -> bool:
        """Whether the tool is at its goal from the start, so that there is nothing to drive."""
        return self.curve.length == 0.0

    def at(self, s: float) -> tuple[Array, Array, Array]:
        """Return p, p', … (4, 3), R (3, 3) and ω, … (3, 3) at an arc length."""
        place = np.array([s])
        position = self.curve.evaluate(place)
        R, rates = self.orientation.evaluate(place, position)
        return position[0], R[0], rates[0]


@dataclass(frozen=True, slots=True, eq=False)
class PathSegment:
    """One call of the builder.

    Args:
        number: Counted from 1.
        kind: "lin", "circ", "bezier", "spline", "spiral", "turn" or "ptp".
        blend: What happens at its end.
        limits: Of the tool.
        build: Makes the geometry from the pose it starts at; None for "ptp".
        goal: Of "ptp": joint values (n,) or a pose (4, 4).
        fraction: Of the joints' speed and acceleration that it may use.
        name: Of its goal, for messages.
        built: The geometry where the start is known before there is an arm.
        usual_speed: Whether nobody has said how fast: the arm's description may.
    """

    number: int
    kind: str
    blend: BlendSpec
    limits: ToolLimits
    build: Callable[[Array], Geometry] | None = None
    goal: Array | None = None
    fraction: float = 1.0
    name: str = ""
    built: Geometry | None = field(default=None, repr=False)
    usual_speed: bool = False

    @property
    def label(self) -> str:
        """How messages call it."""
        goal = f" to {self.name}" if self.name else ""
        return f"segment {self.number} '{self.kind}{goal}'"

    def geometry(self, start: Array) -> Geometry:
        """Return the geometry from a start pose; errors name the segment."""
        if self.built is not None:
            return self.built
        assert self.build is not None
        try:
            return self.build(start)
        except MotionError as error:
            if error.segment:
                raise
            raise MotionError(error.problem, segment=self.label, place=error.place) from None


def segment_number(label: str) -> int | None:
    """Return the number of the segment that a label names, from 1; None: it names none."""
    found = re.match(r"segment (\d+) '", label)
    return None if found is None else int(found[1])


@dataclass(frozen=True, slots=True)
class OrientationMode:
    """How the tool turns along a segment.

    Args:
        kind: One of `ORIENTATIONS`.
        reference: One of `REFERENCES`.
        axis: Where the upright axis of "inclination" stands, x and y [m].
    """

    kind: OrientationKind = "variable"
    reference: Reference = "space"
    axis: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        for value, known, what in (
            (self.kind, ORIENTATIONS, "orientation"),
            (self.reference, REFERENCES, "reference"),
        ):
            if value not in known:
                raise MotionError(f"{what} must be one of {', '.join(known)}, got {value!r}")

    @property
    def demand(self) -> Demand:
        """What of the poses must be met."""
        return DEMAND_OF.get(self.kind, "pose")

    @property
    def adapts(self) -> bool:
        """Whether an arm with too few freedoms may meet less."""
        return self.kind in ("variable", "direction", "free")

    def over(self, curve: Curve, start: Array, rotation: Array) -> Geometry:
        """Return a curve with its orientation from the start pose to a goal's rotation."""
        R0 = start[:3, :3]
        last = np.array([curve.length])
        end_point = curve.evaluate(last)[0, 0]
        orientation: Orientation
        if self.kind == "inclination":
            points = curve.evaluate(np.linspace(0.0, curve.length, _LOOKS))[:, 0]
            axis = np.array(self.axis)
            found = inclined(R0, rotation, points, curve.length, axis)
            if found is None:
                raise MotionError(
                    "orientation 'inclination' needs the tool's z axis in the upright plane "
                    "through the arm's axis at start and goal (see inclined_pose)"
                )
            orientation = found
        else:
            frame = path_frame(curve) if self.reference == "path" else None
            if self.kind == "constant":
                orientation = EvenTurn(R0, np.zeros(3), frame)
            else:
                orientation = even_turn(R0, rotation, curve.length, frame)
        R1 = orientation.evaluate(last, curve.evaluate(last))[0][0]
        return Geometry(curve, orientation, transform(R1, end_point), self.demand, self.adapts)


def line_geometry(start: Array, goal: Array, mode: OrientationMode) -> Geometry:
    """Return the line to a pose; a pure turn when only the orientation differs."""
    if np.linalg.norm(goal[:3, 3] - start[:3, 3]) < NO_LENGTH:
        stays = mode.kind in ("constant", "free")
        return turn_geometry(start, start[:3, :3] if stays else goal[:3, :3])
    line = Line(start[:3, 3], goal[:3, 3])
    if mode.kind == "inclination":
        return mode.over(line, start, goal[:3, :3])
    # a line has no frame of its own, so that the orientation is related to space in any case
    end = goal.copy()
    if mode.kind == "constant" or np.array_equal(start[:3, :3], goal[:3, :3]):
        end[:3, :3] = start[:3, :3]
        return Geometry(line, EvenTurn(start[:3, :3], NO_TURN), end, mode.demand, mode.adapts)
    turn = even_turn(start[:3, :3], goal[:3, :3], line.length)
    return Geometry(line, turn, end, mode.demand, mode.adapts)


def turn_geometry(start: Array, rotation: Array) -> Geometry:
    """Return the turn on the spot to an orientation, the short way; none where it is there."""
    angle = float(angle_between(start[:3, :3], rotation))
    if angle < SAME_TURN:
        return Geometry(Point(start[:3, 3], 0.0), EvenTurn(start[:3, :3], np.zeros(3)), start)
    point = Point(start[:3, 3], angle)
    return Geometry(
        point, even_turn(start[:3, :3], rotation, angle), transform(rotation, start[:3, 3])
    )


def spline_geometry(
    start: Array, curve: ParametricCurve, poses: list[Array], mode: OrientationMode
) -> Geometry:
    """Return a spline whose orientation passes those of all its points."""
    rotations = np.array([start[:3, :3], *(pose[:3, :3] for pose in poses)])
    turns = mode.kind in ("variable", "direction")
    plain = not turns or mode.reference == "path" or len(poses) == 1
    if plain or max(float(angle_between(start[:3, :3], R)) for R in rotations) < SAME_TURN:
        return mode.over(curve, start, poses[-1][:3, :3])
    cells = (len(curve.knots) - 1) // len(poses)
    orientation = quaternion_spline(curve.lengths[::cells], rotations)
    end = transform(rotations[-1], poses[-1][:3, 3])
    return Geometry(curve, orientation, end, mode.demand, mode.adapts)


def positive_radius(value: float, what: str) -> float:
    """Return a radius of at least 0 m; what has no length is 0.

    Raises:
        MotionError: For anything else.
    """
    if not is_number(value) or not 0.0 <= value < math.inf:
        raise MotionError(f"{what} must be finite and at least 0 m, got {value!r}")
    return float(value) if value >= NO_LENGTH else 0.0
