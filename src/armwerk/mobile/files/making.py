"""From what a file holds and what is said about it to bodies and robots of a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.mobile.bases import Base, DifferentialBase, FourWheelBase, OmniBase
from armwerk.mobile.devices import Compass, DistanceSensor, Hand, HandGripper, SensorError
from armwerk.mobile.files.attributes import ObjectAttributes, flag, number
from armwerk.mobile.files.recognise import FoundEye, FoundObject
from armwerk.mobile.files.simple import simplest
from armwerk.mobile.files.weight import weight
from armwerk.mobile.scene import MobileBody, MobileRobot, Reports

_BASES: dict[str, tuple[Callable[..., Base], tuple[str, ...]]] = {
    "differential": (DifferentialBase, tuple(item.name for item in fields(DifferentialBase))),
    "four wheels": (FourWheelBase, tuple(item.name for item in fields(FourWheelBase))),
    "omni": (OmniBase, tuple(item.name for item in fields(OmniBase))),
}
_ERROR = tuple(item.name for item in fields(SensorError))
_GRIPPER = ("force", "lift", "lifting_force", "friction", "speed")
REACH = 0.1  # [m] of a sensor of which nothing is said
FRICTION = 0.7  # of a body of which nothing is said
ROBOT_FRICTION = 1.0
HANDS_FORCE, HANDS_LIFT, HANDS_SPEED = 5.0, 0.03, 0.1  # [N], [m], [m/s]


def made_body(found: FoundObject, said: ObjectAttributes) -> MobileBody:
    """Return the body of an object.

    Raises:
        DescriptionError: When it is a group that is to move, or has no mass.
    """
    element = f"object '{found.name}'"
    movable = found.type == "movable"
    if movable and found.is_group:
        raise DescriptionError(
            "is a group of several objects and cannot be movable",
            element=element,
            allowed="type = 'immovable', or objects of their own in the mesh file",
        )
    for key in ("program", "active", "base", "sensors", "gripper", "reports"):
        if getattr(said, key) not in (None, {}):
            raise DescriptionError(
                f"is no robot and has no '{key}'",
                element=element,
                allowed="type = 'robot'",
            )
    mass = None
    if movable:
        mass = weight(found.volume, mass=said.mass, density=said.density, element=element).mass
    return MobileBody(
        name=found.name,
        solids=tuple(simplest(solid) for solid in found.solids),
        kind="movable" if movable else "immovable",
        pose=_pose(found, said),
        mass=mass,
        friction=FRICTION if said.friction is None else said.friction,
        bounce=said.bounce,
        rolling=said.rolling or 0.0,
        colour=said.colour or found.colour or "B0B0B0",
        is_group=found.is_group,
    )


def made_robot(found: FoundObject, said: ObjectAttributes) -> tuple[MobileRobot, list[str]]:
    """Return the robot of an object, and what is doubtful about it.

    Raises:
        DescriptionError: When what is said about it cannot be.
    """
    element = f"robot '{found.name}'"
    doubts: list[str] = []
    gripper = None
    if found.hands:
        gripper = _gripper(found, said, element, doubts)
    elif said.type == "robot with gripper":
        doubts.append(f"{element} has no gripper with two hands; it is one without gripper")
    elif said.gripper:
        raise DescriptionError("has no gripper", element=f"{element}, gripper")
    mass = weight(found.volume, mass=said.mass, density=said.density, element=element).mass
    robot = MobileRobot(
        name=found.name,
        base=_base(found, said, element),
        pose=_pose(found, said),
        solids=tuple(simplest(solid) for solid in found.solids),
        sensors=_sensors(found.eyes, said.sensors, f"{element}, sensors"),
        compass=Compass(),
        gripper=gripper,
        mass=mass,
        friction=ROBOT_FRICTION if said.friction is None else said.friction,
        colour=said.colour or found.colour or "3A6EA5",
        active=True if said.active is None else said.active,
        program=said.program or "",
        reports=_reports(said.reports, f"{element}, reports"),
    )
    return robot, doubts


def _pose(found: FoundObject, said: ObjectAttributes) -> Array:
    pose = found.pose.copy()
    if said.rotation is not None:
        pose[:3, :3] = rotation_from_quaternion(said.rotation)
    elif said.heading is not None:
        c, s = np.cos(said.heading), np.sin(said.heading)
        pose[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    if said.position is not None:
        pose[:3, 3] = said.position
    return pose


def _base(found: FoundObject, said: ObjectAttributes, element: str) -> Base:
    """Return the wheels: as said, else as the file draws them, else in proportion to the hull."""
    values = dict(said.base)
    drawn = _drawn_wheels(found.wheels)
    kind = values.pop("kind", "four wheels" if len(found.wheels) == 4 else "differential")
    if str(kind) not in _BASES:
        raise DescriptionError(
            "unknown base", element=f"{element}, base", value=kind, allowed=", ".join(_BASES)
        )
    maker, known = _BASES[str(kind)]
    size = _half_width(found.solids)
    scaled = {
        "wheel_radius": 0.29 * size,
        "track": 1.93 * size,
        "wheelbase": 1.4 * size,
        "distance": 0.9 * size,
        "casters": (0.73 * size, -0.73 * size),
    }
    given = {key: value for key, value in (scaled | drawn).items() if key in known}
    for key, value in values.items():
        if key not in known:
            raise UnknownNameError(f"value ({element}, base)", str(key), ["kind", *known])
        where = f"{element}, base, {key}"
        if key in {"casters", "angles"}:
            if not isinstance(value, list):
                raise DescriptionError("no list of numbers", element=where, value=value)
            row = tuple(number(one, where, -1e3, 1e3) for one in value)
            given[key] = tuple(float(np.deg2rad(one)) for one in row) if key == "angles" else row
        else:
            given[key] = number(value, where, 0.0, 1e6)
    return maker(**given)


def _drawn_wheels(wheels: tuple[Mesh, ...]) -> dict[str, float | tuple[float, ...]]:
    if len(wheels) not in {2, 4}:
        return {}
    boxes = np.stack([wheel.bounds for wheel in wheels])
    middles = boxes.mean(axis=1)
    left, right = middles[middles[:, 1] > 0], middles[middles[:, 1] <= 0]
    if len(left) != len(right):
        return {}
    found: dict[str, float | tuple[float, ...]] = {
        "wheel_radius": float(np.ptp(boxes[:, :, 2], axis=1).mean() / 2),
        "track": float(left[:, 1].mean() - right[:, 1].mean()),
    }
    if len(wheels) == 4:
        found["wheelbase"] = float(np.ptp(middles[:, 0]))
    return found


def _half_width(solids: tuple[Mesh, ...]) -> float:
    boxes = np.stack([solid.bounds for solid in solids])
    across = boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)
    return float(min(across[0], across[1]) / 2)


def _sensors(
    eyes: tuple[FoundEye, ...], said: Mapping[str, object], element: str
) -> tuple[DistanceSensor, ...]:
    known = ("reach", "characteristic", *_ERROR)
    for key in said:
        if key not in known:
            raise UnknownNameError(f"value ({element})", str(key), known)
    reach = number(said.get("reach", REACH), f"{element}, reach", 1e-4, 1e4, "m")
    error = None
    if any(key in said for key in _ERROR):
        given = {k: number(said[k], f"{element}, {k}", -1e6, 1e6) for k in _ERROR if k in said}
        error = SensorError(**given)
    pairs = said.get("characteristic", [])
    where = f"{element}, characteristic"
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise DescriptionError(
            "no pairs", element=where, value=pairs, allowed="[[distance in m, reading], …]"
        )
    curve = tuple((number(a, where, 0, 1e4, "m"), number(b, where, -1e9, 1e9)) for a, b in pairs)
    return tuple(DistanceSensor(eye.name, _looking(eye), reach, curve, error) for eye in eyes)


def _looking(eye: FoundEye) -> Array:
    """Return T_robot_sensor: x along the normal, z as far upwards as that allows. Shape (4, 4)."""
    x = eye.direction
    up = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    y = np.cross(up, x)
    y /= np.linalg.norm(y)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([x, y, np.cross(x, y)])
    pose[:3, 3] = eye.place
    return pose


def _gripper(
    found: FoundObject, said: ObjectAttributes, element: str, doubts: list[str]
) -> HandGripper | None:
    where = f"{element}, gripper"
    for key in said.gripper:
        if key not in _GRIPPER:
            raise UnknownNameError(f"value ({where})", str(key), _GRIPPER)
    values = {
        key: number(value, f"{where}, {key}", 0.0, 1e5) for key, value in said.gripper.items()
    }
    (left, one), (right, two) = found.hands
    inner = min(float(solid.bounds[0, 1]) for solid in one)
    outer = max(float(solid.bounds[1, 1]) for solid in two)
    if inner - outer < 1e-4:
        doubts.append(
            f"the hands '{left}' and '{right}' of {element} have no gap between them along y; "
            "the robot is one without gripper"
        )
        return None
    hands = (Hand(left, tuple(one)), Hand(right, tuple(two)))
    return HandGripper(
        "gripper",
        hands,
        opening=inner - outer,
        force=values.get("force", HANDS_FORCE),
        lift=values.get("lift", HANDS_LIFT),
        lifting_force=values.get("lifting_force", HANDS_FORCE),
        friction=values.get("friction", 1.0),
        speed=values.get("speed", HANDS_SPEED),
    )


def _reports(said: Mapping[str, object], element: str) -> Reports:
    known = [item.name for item in fields(Reports)]
    for key in said:
        if key not in known:
            raise UnknownNameError(f"value ({element})", str(key), known)
    return Reports(**{key: flag(value, f"{element}, {key}") for key, value in said.items()})
