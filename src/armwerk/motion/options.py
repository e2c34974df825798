"""The words that say how to move, each written once: for functions, files and the command line."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, get_args

from armwerk.robot.settings import JointMotion, SpeedProfile

Sync: TypeAlias = Literal["async", "sync", "full"]
"""How joints go together: each on its own, arriving together, or on one straight line."""
Profile: TypeAlias = SpeedProfile
"""How acceleration rises and falls."""
BlendShape: TypeAlias = Literal["smooth", "arc", "quadratic", "cubic"]
"""The curve that passes a via point, see `armwerk.motion.path.blend_tracks`."""
OrientationKind: TypeAlias = Literal["constant", "variable", "inclination", "direction", "free"]
"""What the tool's orientation does along a segment."""
Demand: TypeAlias = Literal["pose", "direction", "inclination", "position"]
"""What of the poses along a path must be met."""
Reference: TypeAlias = Literal["space", "path"]
"""What an orientation is related to: the world, or the frame that goes along the curve."""

SYNCS: tuple[Sync, ...] = get_args(Sync)
PROFILES: tuple[Profile, ...] = get_args(SpeedProfile)
BLEND_SHAPES: tuple[BlendShape, ...] = get_args(BlendShape)
DEMANDS: tuple[Demand, ...] = get_args(Demand)
"""From most to least."""
DEMAND_OF: dict[OrientationKind, Demand] = {"direction": "direction", "free": "position"}
"""What is left of the demand by orientations that ask for less than a whole pose."""
ORIENTATIONS: tuple[OrientationKind, ...] = get_args(OrientationKind)
REFERENCES: tuple[Reference, ...] = get_args(Reference)
SYNC_OF: dict[Sync | JointMotion, Sync] = {
    "asynchronous": "async",
    "synchronous": "sync",
    "fully synchronous": "full",
    **{name: name for name in SYNCS},
}
"""The short word for every word that is understood."""
PROFILE_OF: dict[str, Profile] = {name: name for name in PROFILES}
SHAPE_OF: dict[str, BlendShape] = {name: name for name in BLEND_SHAPES}


class SegmentOptions(TypedDict, total=False):
    """What every segment of a path takes for itself; None or left out: as the path has it.

    Attributes:
        speed: Of the tool point [m/s].
        acceleration: Along and across the path together [m/s²].
        jerk: [m/s³]; infinite: no limit but those of the joints.
        rotation_speed: [rad/s].
        rotation_acceleration: [rad/s²].
        rotation_jerk: [rad/s³].
        blend: Radius of the blend at the end of the segment [m]; 0: stop there.
        zone: Radius within which the orientation goes over to the next [m], at least ``blend``.
        shape: Of the blend.
        name: Of the goal, for messages.
    """

    speed: float | None
    acceleration: float | None
    jerk: float | None
    rotation_speed: float | None
    rotation_acceleration: float | None
    rotation_jerk: float | None
    blend: float | None
    zone: float | None
    shape: BlendShape | None
    name: str | None
