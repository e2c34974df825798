"""`Path`: curves for the tool, one segment after the other, planned into a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves import (
    NO_LENGTH,
    arc_about,
    arc_through,
    bezier,
    full_circle,
    spiral,
    spline,
)
from armwerk.motion.limits import is_number
from armwerk.motion.options import (
    BLEND_SHAPES,
    PROFILES,
    BlendShape,
    OrientationKind,
    Profile,
    Reference,
    SegmentOptions,
)
from armwerk.motion.path.chain import SegmentChain
from armwerk.motion.path.goals import numbers, one_number, point_of, pose_of, rotation_part
from armwerk.motion.path.segments import (
    BlendSpec,
    Geometry,
    OrientationMode,
    PathSegment,
    ToolLimits,
    line_geometry,
    positive_radius,
    spline_geometry,
    turn_geometry,
)

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel
    from armwerk.motion.limits import Limits
    from armwerk.motion.path.wishes import ArmSurroundings, SpareJoints
    from armwerk.motion.trajectory.trajectory import Trajectory
    from armwerk.robot.arm import Arm

USUAL_SPEED = 0.25  # [m/s] of the tool where neither path nor arm names one
_SHOWN = 12  # segments whose kinds a path tells of itself


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A path of the tool; every method returns a new one with a segment more.

    Goals are poses T_world_tool (4, 4), six numbers x y z a b c [m, rad] with angles Z-Y'-X'', or
    three numbers x y z, which keep the orientation. With ``frame`` they are seen from the work
    piece.

    Every segment takes these, each for itself only; None: as the path has it:

        speed, acceleration, jerk, rotation_speed, rotation_acceleration, rotation_jerk
        blend    radius of the blend at the end of the segment [m]; 0: stop there
        zone     radius within which the orientation goes over to the next [m], at least ``blend``
        shape    of the blend: "smooth", "arc", "quadratic", "cubic"
        name     of the goal, for messages

    and, where the tool may turn on the way:

        orientation   "variable" to that of the goal, "constant", or "inclination": the tool stays
                      in the upright plane through the arm's axis, inclination and roll run evenly;
                      "direction": only the tool's z axis goes to that of the goal, or "free": only
                      the tool point counts. An arm with fewer than six freedoms meets of "variable"
                      what it can, and a notice says what
        reference     "space", or "path": the tool turns along with the tangent

    Args:
        start: Where it begins; None: where the arm stands when it is planned.
        speed: [m/s]. None: the top speed in the arm's description, 0.25 m/s where it names none.
        acceleration: Along and across the path together [m/s²].
        jerk: [m/s³]; infinite: no limit but those of the joints.
        blend: [m].
        rotation_speed: [rad/s].
        rotation_acceleration: [rad/s²].
        rotation_jerk: [rad/s³].
        profile: "trapezoid", "sine" or "quintic": shape of the ramps of acceleration. None: as the
            arm's description says.
        frame: World from work piece, T_world_piece. Shape (4, 4). None: identity.
        tool: Tool of the path in the model's own tool frame. Shape (4, 4). None: identity.
        zone: [m]; None: as the blend.
        shape: Of blends.
        axis: Where the upright axis of "inclination" stands in the world, x and y [m].
        segments: Filled by the methods.
    """

    start: ArrayLike | None = None
    speed: float | None = None
    acceleration: float = 1.0
    jerk: float = 10.0
    blend: float = 0.0
    rotation_speed: float = 1.5
    rotation_acceleration: float = 6.0
    rotation_jerk: float = 60.0
    profile: Profile | None = None
    frame: ArrayLike | None = None
    tool: ArrayLike | None = None
    zone: float | None = None
    shape: BlendShape = "smooth"
    axis: tuple[float, float] = (0.0, 0.0)
    segments: Sequence[PathSegment] = ()

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.segments:
            return  # made by a method from a path that was checked
        for name in ("frame", "tool"):
            if getattr(self, name) is not None:
                put(name, pose_of(getattr(self, name), np.eye(3), name))
        if self.start is not None:
            put("start", self._world(pose_of(self.start, np.eye(3), "the start")))
        self._blend_spec(None, None, None)
        axis = numbers(self.axis, "axis")
        if axis.shape != (2,):
            raise MotionError(f"axis must be two numbers x y [m], got {self.axis!r:.80}")
        put("axis", (float(axis[0]), float(axis[1])))
        if self.profile is not None and self.profile not in PROFILES:
            raise MotionError(f"profile must be one of {', '.join(PROFILES)}, got {self.profile!r}")
        _ = self.limits

    @property
    def limits(self) -> ToolLimits:
        """What the tool may do where a segment does not say otherwise."""
        return ToolLimits(
            USUAL_SPEED if self.speed is None else self.speed,
            self.acceleration,
            self.jerk,
            self.rotation_speed,
            self.rotation_acceleration,
            self.rotation_jerk,
        )

    @property
    def end(self) -> Array | None:
        """Pose at the end, T_world_tool; None when only the arm can tell. Shape (4, 4)."""
        if not self.segments:
            return None if self.start is None else np.asarray(self.start)
        last = self.segments[-1]
        if last.kind == "ptp":
            goal = last.goal
            return goal if goal is not None and goal.ndim == 2 else None
        return None if last.built is None else last.built.end

    def lin(
        self,
        goal: ArrayLike,
        *,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go straight to a goal; the orientation turns the short way.

        A goal in the same place with another orientation is a turn on the spot.
        """

        def build(start: Array) -> Geometry:
            mode = self._orientation(orientation, reference)
            return line_geometry(start, self._goal(goal, start), mode)

        return self._with("lin", build, options)

    def lines(
        self,
        goals: Iterable[ArrayLike],
        *,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go straight from goal to goal: one `lin` for each, all with the same options.

        A milling path of any length is told this way; with a ``blend`` nothing stops between its
        lines.

        Args:
            goals: Rows of 3 or 6 numbers, or transforms. Shape (k, 3), (k, 6) or (k, 4, 4), or any
                mixture one by one.
            orientation: See the class.
            reference: See the class.
            **options: See the class.
        """
        if not isinstance(goals, Iterable):
            raise MotionError(f"lines need a list of goals, got {goals!r:.80}")
        path, count = self, len(self.segments)
        for goal in goals:
            path = path.lin(goal, orientation=orientation, reference=reference, **options)
        if len(path.segments) == count:
            raise MotionError("lines need at least one goal")
        return path

    def circ(
        self,
        via: ArrayLike | None,
        goal: ArrayLike | None = None,
        *,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        centre: ArrayLike | None = None,
        angle: float | None = None,
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go round on a circle, over a help point or about a centre.

        Args:
            via: Help point on the arc; it fixes plane and direction. None: ``centre`` is given.
            goal: End of the arc. With ``centre`` and no help point, the short way there. Where it
                is the start, the arc is a full turn: about ``centre``, else with the help point on
                the far side; in the plane across the tool unless both are given.
            orientation: See the class.
            reference: "path": the tool turns with the tangent.
            centre: Of the circle, instead of the help point. With ``via`` as well, the help point
                only fixes plane and direction.
            angle: Angle to travel [rad], over 180° and full circles too. The goal then only gives
                the orientation (and the plane).
            **options: See the class.
        """

        def build(start: Array) -> Geometry:
            given = goal if goal is not None else via
            if given is None:
                raise MotionError("a circle needs a help point or a goal")
            end = self._goal(given, start)
            if via is None and centre is None:
                raise MotionError("a circle needs a help point or a centre")
            turn = None if angle is None else one_number(angle, "the circle's angle")
            p0, p2, upright = start[:3, 3], end[:3, 3], start[:3, 2]
            returns = np.linalg.norm(p2 - p0) < NO_LENGTH
            over = None if via is None else self._point(via, "the help point")
            if centre is not None:
                middle = self._point(centre, "the circle's centre")
                if over is None and returns:
                    curve = full_circle(p0, 2.0 * middle - p0, upright, turn)
                else:
                    curve = arc_about(p0, middle, p2, turn, over)
            else:
                assert over is not None
                if returns:
                    curve = full_circle(p0, over, upright, turn)
                else:
                    curve = arc_through(p0, over, p2, turn)
            return self._orientation(orientation, reference).over(curve, start, end[:3, :3])

        return self._with("circ", build, options)

    def bezier(
        self,
        *controls: ArrayLike,
        end: ArrayLike,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go along the Bézier curve with these control points: one makes it quadratic, two cubic.

        The curve touches the lines to its first and from its last control point, and passes none.
        """

        def build(start: Array) -> Geometry:
            goal = self._goal(end, start)
            inner = [self._point(c, f"control point {k}") for k, c in enumerate(controls, start=1)]
            curve = bezier(np.array([start[:3, 3], *inner, goal[:3, 3]]))
            return self._orientation(orientation, reference).over(curve, start, goal[:3, :3])

        return self._with("bezier", build, options)

    def spline(
        self,
        goals: Iterable[ArrayLike],
        *,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go smoothly through all goals, tangent and curvature without a jump.

        The orientation passes those of the goals, with rates that do not jump either.
        """

        # gathered at once, since a generator can be run through only once
        given = list(goals) if isinstance(goals, Iterable) else None

        def build(start: Array) -> Geometry:
            if given is None:
                raise MotionError(f"a spline needs a list of goals, got {goals!r:.80}")
            if not given:
                raise MotionError("a spline needs at least one goal")
            poses: list[Array] = []
            for goal in given:
                poses.append(self._goal(goal, poses[-1] if poses else start))
            curve = spline(np.array([start[:3, 3], *(pose[:3, 3] for pose in poses)]))
            return spline_geometry(start, curve, poses, self._orientation(orientation, reference))

        return self._with("spline", build, options)

    def spiral(
        self,
        centre: ArrayLike,
        angle: float,
        *,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        end_radius: float | None = None,
        rise: float = 0.0,
        rotation: ArrayLike | None = None,
        orientation: OrientationKind = "variable",
        reference: Reference = "space",
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go round an axis by an angle while radius and height change evenly.

        Args:
            centre: A point on the axis.
            angle: To travel, positive by the right-hand rule about the axis [rad].
            axis: Direction of the axis.
            end_radius: Distance from the axis at the end [m]; None: as at the start.
            rise: Way along the axis [m].
            rotation: Orientation at the end (3, 3); None: as at the start.
            orientation: See the class.
            reference: See the class.
            **options: See the class.
        """

        def build(start: Array) -> Geometry:
            towards = numbers(axis, "the spiral's axis")
            if towards.shape != (3,):
                raise MotionError(f"the spiral's axis must be three numbers, got {axis!r:.80}")
            curve = spiral(
                start[:3, 3],
                self._point(centre, "the spiral's centre"),
                self._frame[:3, :3] @ towards,
                one_number(angle, "the spiral's angle"),
                None if end_radius is None else one_number(end_radius, "the spiral's end radius"),
                one_number(rise, "the spiral's rise"),
            )
            R = start[:3, :3] if rotation is None else self._rotation(rotation)
            return self._orientation(orientation, reference).over(curve, start, R)

        return self._with("spiral", build, options)

    def turn(self, rotation: ArrayLike, **options: Unpack[SegmentOptions]) -> Path:
        """Turn the tool on the spot, the short way, to an orientation (3, 3) or that of a pose."""

        def build(start: Array) -> Geometry:
            return turn_geometry(start, self._rotation(rotation))

        return self._with("turn", build, options)

    def ptp(
        self,
        goal: ArrayLike,
        *,
        fraction: float = 1.0,
        share: float = 1.0,
        **options: Unpack[SegmentOptions],
    ) -> Path:
        """Go to a goal in joint space, along the straight line of the joints.

        Args:
            goal: Joint values [rad, m], shape (n,), or a pose (4, 4); then the configuration
                nearest to the one before is taken with which the rest of the path fits.
            fraction: Of the joints' speed, acceleration and jerk, above 0, at most 1.
            share: Earlier name of ``fraction``.
            **options: See the class; only ``blend`` and ``name`` count.
        """
        label = f"segment {len(self.segments) + 1} 'ptp'"
        try:
            array = numbers(goal, "the goal")
            if array.shape == (4, 4):
                array = self._world(pose_of(array, None))
            elif array.ndim != 1 or not len(array):
                raise MotionError(
                    "the goal must be joint values of shape (n,) or a 4x4 transform, "
                    f"got shape {array.shape}"
                )
            fraction = fraction if share == 1.0 else share
            if not is_number(fraction) or not 0.0 < fraction <= 1.0:
                raise MotionError(f"fraction must be above 0 and at most 1, got {fraction!r}")
        except MotionError as error:
            raise MotionError(error.problem, segment=label) from None
        return self._with("ptp", None, options, goal=array, fraction=float(fraction))

    def plan(
        self,
        model: ArmModel | Arm | str | FilePath,
        q0: ArrayLike | None = None,
        cycle: float | None = None,
        limits: Limits | None = None,
        *,
        near: ArrayLike | None = None,
        bodies: ArmSurroundings | None = None,
        close: bool = False,
        optimal: bool | None = None,
        drives: bool = False,
        wrist: float = 0.0,
        spare: SpareJoints | None = None,
    ) -> Trajectory:
        """Plan the motion of an arm along the path, within all limits of tool and joints.

        Where an axis would be too fast, the motion slows down there and says so in a notice.

        Args:
            model: An `ArmModel` of a serial arm, an arm, its name or its file.
            q0: Where the arm stands [rad, m]. Shape (n,). None: the most sensible configuration
                with which the whole path fits: within the limits, touching no body, above the
                floor (z = 0, or the base or the start where they are lower), away from
                singularities, and of those left the nearest to zero. A notice says which and why.
            cycle: When given, the limits are checked at these steps too [s].
            limits: Of the joints; None: those in the arm's description.
            near: Joint values to be near where the start is chosen, in place of zero; floor and
                singularities then do not count. Shape (n,).
            bodies: What the arm must not touch, `armwerk.Bodies`, looked at in the points of the
                path; `armwerk.check` proves what lies between. None: nothing.
            close: Whether the joints end as they began, for a path that ends where it begins. An
                arm with joints to spare uses them for that on its last stretch between stops.
            optimal: How near to the least time under all limits, jerk included. None: within one or
                two per cent, where the profile is "trapezoid" and a stretch between stops has up to
                60,000 points (some 4,600 short lines). True: to the last per cent, at three
                times the computing. False: the mean of the fastest speeds, which may take a third
                longer.
            drives: Whether torques take the place of the joints' limits of acceleration: every
                joint may use all of its ``max_force`` [N m or N] against inertia, weight and
                friction. Looks for the least time too. Speeds and jerks stay within their limits.
            wrist: By how much the tool's orientation may differ [rad], up to 0.5, where an arm with
                six joints passes a singularity of its wrist: it then goes straight through instead
                of turning on the way. The tool point stays on its curve; a notice says by how much
                the orientation differs. 0: not at all.
            spare: What joints to spare are used for, by weights; None: to keep off their stops.

        Returns:
            A trajectory from rest to rest.

        Raises:
            MotionError: When it cannot be driven at any speed; names segment, place and axis.
        """
        from armwerk.motion.path.planner import plan

        return plan(
            self, model, q0, cycle, limits, near, bodies, close, optimal, drives, wrist, spare
        )

    def _with(
        self,
        kind: str,
        build: Callable[[Array], Geometry] | None,
        options: SegmentOptions,
        goal: Array | None = None,
        fraction: float = 1.0,
    ) -> Path:
        number = len(self.segments) + 1
        name = str(options.get("name") or "")
        try:
            blend_spec = self._blend_spec(
                options.get("blend"), options.get("shape"), options.get("zone")
            )
            limits = self._segment_limits(options)
        except MotionError as error:
            label = PathSegment(number, kind, BlendSpec(), self.limits, name=name).label
            raise MotionError(error.problem, segment=label) from None
        usual = self.speed is None and options.get("speed") is None
        segment = PathSegment(
            number, kind, blend_spec, limits, build, goal, fraction, name, usual_speed=usual
        )
        start = self.end
        if build is not None and start is not None:
            # what made the geometry is not needed any more, and holds a path of its own
            segment = replace(segment, built=segment.geometry(start), build=None)
        chain = self.segments
        if not isinstance(chain, SegmentChain):
            chain = SegmentChain(chain)
        return replace(self, segments=chain.with_segment(segment))

    def _segment_limits(self, options: SegmentOptions) -> ToolLimits:
        if not options:
            return self.limits
        known = SegmentOptions.__annotations__
        for key in options:
            if key not in known:
                raise MotionError(
                    f"no option is called '{key}' (known: {', '.join(sorted(known))})"
                )
        return self.limits.changed(
            speed=options.get("speed"),
            acceleration=options.get("acceleration"),
            jerk=options.get("jerk"),
            rotation_speed=options.get("rotation_speed"),
            rotation_acceleration=options.get("rotation_acceleration"),
            rotation_jerk=options.get("rotation_jerk"),
        )

    def _blend_spec(
        self, blend: float | None, shape: BlendShape | None, zone: float | None
    ) -> BlendSpec:
        radius = positive_radius(self.blend if blend is None else blend, "blend")
        shape = self.shape if shape is None else shape
        if shape not in BLEND_SHAPES:
            raise MotionError(f"shape must be one of {', '.join(BLEND_SHAPES)}, got {shape!r}")
        zone = self.zone if zone is None else zone
        width = None if zone is None else positive_radius(zone, "zone")
        last = self.segments[-1].blend if self.segments else None
        if last is not None and (last.radius, last.shape, last.zone) == (radius, shape, width):
            return last  # one for all segments alike, however many
        return BlendSpec(radius, shape, width)

    @property
    def _frame(self) -> Array:
        return np.eye(4) if self.frame is None else np.asarray(self.frame)

    def _world(self, pose: Array) -> Array:
        return pose if self.frame is None else self._frame @ pose

    def _goal(self, goal: ArrayLike, start: Array) -> Array:
        """Return a goal in the world; three numbers keep the orientation of the start."""
        kept = start[:3, :3] if self.frame is None else self._frame[:3, :3].T @ start[:3, :3]
        return self._world(pose_of(goal, kept))

    def _point(self, value: ArrayLike, what: str) -> Array:
        point = point_of(value, what)
        return np.asarray(self._frame[:3, :3] @ point + self._frame[:3, 3])

    def _rotation(self, value: ArrayLike) -> Array:
        return np.asarray(self._frame[:3, :3] @ rotation_part(value))

    def _orientation(self, orientation: OrientationKind, reference: Reference) -> OrientationMode:
        return OrientationMode(orientation, reference, self.axis)

    def __repr__(self) -> str:
        kinds = ", ".join(segment.kind for segment in self.segments[:_SHOWN])
        more = ", …" if len(self.segments) > _SHOWN else ""
        return f"<Path of {len(self.segments)} segments: {kinds}{more}>"
