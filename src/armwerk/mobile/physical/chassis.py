"""A robot on wheels as bodies of MuJoCo: a hull that moves freely, on feet that stand for wheels.

What the feet do says `armwerk.mobile.physical.kernels`. The body's frame is the robot's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.mobile.bases import Base, DifferentialBase, FourWheelBase, OmniBase
from armwerk.mobile.physical.kernels import ROLLING, SKIDDING
from armwerk.mobile.physical.masses import MassProperties, mass_properties
from armwerk.mobile.scene import MobileRobot
from armwerk.physics.build import BORDER, LINK, THING, TOUCH, colour
from armwerk.physics.names import mobile_name
from armwerk.physics.solids import add_solids

PRIORITY = 20  # what robots say of their contacts counts
HARD = (0.9999, 0.9999, 1e-3, 0.5, 2.0)  # hardly gives way, so that nothing creeps
STIFF = (0.004, 1.0)  # time constant [s], damping ratio
CLEARANCE = 0.4  # of the wheel's radius between hull and ground
STALL = 2.0  # times its weight that the motors of a robot give where nothing is said
WHEEL_COLOUR = "303030"


@dataclass(frozen=True, slots=True)
class Foot:
    """Where a wheel or caster touches the ground.

    Args:
        place: Of its centre, in the frame of the robot [m].
        radius: [m].
        way: ROLLING or SKIDDING.
    """

    place: tuple[float, float, float]
    radius: float
    way: int


def feet_of(base: Base) -> list[Foot]:
    """Return what a base stands on."""
    radius = base.wheel_radius
    match base:
        case DifferentialBase():
            half = 0.5 * base.track
            casters = [Foot((x, 0.0, 0.5 * radius), 0.5 * radius, ROLLING) for x in base.casters]
            return [Foot((0.0, y, radius), radius, ROLLING) for y in (half, -half)] + casters
        case FourWheelBase():
            long, half = 0.5 * base.wheelbase, 0.5 * base.track
            return [
                Foot((x, y, radius), radius, SKIDDING) for x in (long, -long) for y in (half, -half)
            ]
        case OmniBase():
            return [
                Foot(
                    (base.distance * math.cos(angle), base.distance * math.sin(angle), radius),
                    radius,
                    ROLLING,
                )
                for angle in base.angles
            ]


def arm_of(base: Base) -> float:
    """Return how far from the middle a wheel turns the robot [m]."""
    return base.distance if isinstance(base, OmniBase) else 0.5 * base.track


def hull_of(robot: MobileRobot) -> tuple[Shape, ...]:
    """Return the solids of a robot; one that states none is a cylinder over its wheels."""
    if robot.solids:
        return robot.solids
    feet = feet_of(robot.base)
    radius = max(math.hypot(*foot.place[:2]) + 0.25 * foot.radius for foot in feet)
    bottom, top = CLEARANCE * robot.base.wheel_radius, 3.0 * robot.base.wheel_radius
    return (Cylinder(radius, top - bottom, (0.0, 0.0, 0.5 * (bottom + top))),)


def robot_mass(robot: MobileRobot) -> MassProperties:
    """Return mass, centre and inertia of a robot."""
    return mass_properties(f"robot '{robot.name}'", hull_of(robot), robot.mass, robot.density)


def stall_acceleration(robot: MobileRobot, mass: float, gravity: float) -> float:
    """Return the acceleration that the motors of a robot give together at most [m/s²]."""
    force, feet = robot.base.driving_force, feet_of(robot.base)
    if force is None:
        return STALL * max(gravity, 1.0)
    driven = len(feet) - (
        len(robot.base.casters) if isinstance(robot.base, DifferentialBase) else 0
    )
    return driven * force / mass


def add_chassis(spec: mujoco.MjSpec, robot: MobileRobot) -> mujoco.MjsBody:
    """Add hull and wheels of a robot."""
    body = spec.worldbody.add_body(
        name=mobile_name(robot.name),
        pos=robot.pose[:3, 3],
        quat=quaternion_from_rotation(robot.pose[:3, :3]),
        sleep=mujoco.mjtSleepPolicy.mjSLEEP_NEVER,
    )
    body.add_freejoint(name=mobile_name(robot.name))
    properties = robot_mass(robot)
    state_mass(body, properties)
    names = (mobile_name(robot.name, f"_hull{piece}") for piece in count())
    for geom in add_solids(spec, body, hull_of(robot), names, fixed=False):
        touch(geom, robot.colour)
    for piece, foot in enumerate(feet_of(robot.base)):
        geom = body.add_geom(
            name=mobile_name(robot.name, f"_wheel{piece}"),
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=(foot.radius, 0.0, 0.0),
            pos=foot.place,
        )
        touch(geom, WHEEL_COLOUR)
        geom.condim = 1  # it rubs by the kernels
    return body


def touch(geom: mujoco.MjsGeom, code: str) -> None:
    """Let a geom of a robot touch everything, in the robot's own way."""
    geom.rgba, geom.priority, geom.mass = colour(code), PRIORITY, 0.0
    geom.contype, geom.conaffinity = THING | BORDER, THING | LINK | TOUCH
    geom.solimp, geom.solref, geom.condim = HARD, STIFF, 3


def state_mass(body: mujoco.MjsBody, properties: MassProperties) -> None:
    """Let a body have these masses, whatever its geoms are."""
    body.explicitinertial, body.mass = True, properties.mass
    body.ipos = properties.main[:3, 3]
    body.iquat = quaternion_from_rotation(properties.main[:3, :3])
    body.inertia = properties.inertia


def lowest_point(robot: MobileRobot) -> float:
    """Return how far the hull of a robot reaches down in its own frame [m]."""
    return min(float(solid.bounds[0, 2]) for solid in hull_of(robot))


def check_hull(robot: MobileRobot) -> None:
    """Refuse a hull that would keep the wheels off the ground.

    Raises:
        DescriptionError: Saying by how much.
    """
    low = lowest_point(robot)
    if low < -1e-6:
        raise DescriptionError(
            "its hull reaches below its wheels",
            element=f"robot '{robot.name}'",
            value=f"{low:g} m",
            allowed="0 m or more above the ground its wheels stand on",
        )


def twist_of_wheels(base: Base, left: float, right: float) -> Array:
    """Return forward speed, sideways speed and turning that rim speeds mean [m/s, m/s, rad/s]."""
    if isinstance(base, OmniBase):
        raise DescriptionError(
            "an omnidirectional base has no left and right wheels",
            allowed="BaseVelocity or Displacement as an answer",
        )
    top = base.top_speed
    left, right = max(-top, min(top, left)), max(-top, min(top, right))
    return np.array([0.5 * (left + right), 0.0, (right - left) / base.track])


def limited_twist(base: Base, forwards: float, sideways: float, turning: float) -> Array:
    """Return a velocity of a base that none of its rims is too slow for.

    It is made smaller as a whole, so that the way stays the same. Bases that cannot go sideways
    leave that part out.
    """
    if not isinstance(base, OmniBase):
        sideways = 0.0
        fastest = abs(forwards) + abs(turning) * 0.5 * base.track
    else:
        fastest = max(
            abs(-math.sin(angle) * forwards + math.cos(angle) * sideways + base.distance * turning)
            for angle in base.angles
        )
    share = base.top_speed / fastest if fastest > base.top_speed else 1.0
    return share * np.array([forwards, sideways, turning])


def rim_speeds(base: Base, twist: Array) -> tuple[float, ...]:
    """Return how fast the rims of the wheels go in a twist of the base [m/s]."""
    forwards, sideways, turning = (float(value) for value in twist)
    if isinstance(base, OmniBase):
        return tuple(
            -math.sin(angle) * forwards + math.cos(angle) * sideways + base.distance * turning
            for angle in base.angles
        )
    half = 0.5 * base.track * turning
    pair = (forwards - half, forwards + half)
    return pair if isinstance(base, DifferentialBase) else (*pair, *pair)
