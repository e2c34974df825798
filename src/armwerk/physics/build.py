"""A scene as a MuJoCo specification: floor, border, obstacles, belts, balls and cuboids.

Obstacles stand in the world body and never move. Every ball and cuboid is a body of its own with a
free joint, and they come before any robot: thing i has qpos 7i…7i+6 (position, quaternion w x y z)
and dofs 6i…6i+5 (v in the world, w in the body). What they are called in
the engine says `armwerk.physics.names`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TypeVar

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.names import obstacle_name, thing_name
from armwerk.physics.outlines import Corners, convex_pieces
from armwerk.physics.settings import SimulationSettings, many, sleeps
from armwerk.physics.solids import add_solids
from armwerk.scene.scene import (
    Ball,
    Border,
    Circle,
    Compound,
    Conveyor,
    Cuboid,
    FixedSphere,
    Obstacle,
    Outline,
    Polygon,
    Rectangle,
    Scene,
    Slice,
    Slope,
    Step,
    Wedge,
)

# collision bits: a thing touches everything; touch parts touch things only; of links says
# `armwerk.physics.robots.links`
THING, TOUCH, BORDER, LINK, FLOOR, BAR = 1, 2, 4, 8, 16, 32
SOLREF = (0.005, 1.0)  # time constant [s], damping ratio
# fraction of a constraint that its force, not its softness, takes: from the first to the second
# number over that depth [m]. What only carries weight has a patch to stand on; what is pressed
# hardens within 20 µm, however light it is and however large the force
SOLIMP = (0.99, 0.9999, 2e-5, 0.5, 2.0)
# heaps of many things cannot be solved that hard: there it takes a millimetre
HEAP_SOLIMP = (0.99, 0.9999, 1e-3, 0.5, 2.0)
IMPRATIO = 10.0
# a belt's grip on the turning of balls, as many radii of the largest ball
BELT_ROLLING = 10.0
FLOOR_COLOUR = "C8C8C8"
SLEEP = 1e-6  # [m/s] slower things fall asleep; small, so that nothing about to tip does
_Item = TypeVar("_Item", Ball | Cuboid, Obstacle)
MIN_SIZE = 1e-4  # [m] thinner geoms are beyond the collision detector


def build(scene: Scene, settings: SimulationSettings) -> mujoco.MjSpec:
    """Return the specification of a scene without its robots."""
    spec = mujoco.MjSpec()
    spec.modelname = "cell"
    _options(spec, settings, scene)
    _floor(spec, scene.border)
    rolling = belt_rolling(scene)
    for name, obstacle in _by_name(scene.obstacles, scene.obstacle_names()):
        _obstacle(spec, name, obstacle, settings, rolling)
    for name, thing in _by_name(scene.things, scene.names()):
        _thing(spec, name, thing, settings, scene.border)
    return spec


def belt_rolling(scene: Scene) -> float:
    """Return the grip of belts on the turning of balls, as MuJoCo's rolling friction [m]."""
    radii = [thing.radius for thing in scene.things if isinstance(thing, Ball)]
    return BELT_ROLLING * max(radii, default=0.0)


def _by_name(items: Sequence[_Item], names: Mapping[str, _Item]) -> Iterable[tuple[str, _Item]]:
    """Return bodies with their names, of which each must be there once and fit the engine."""
    for name in names:
        if not name.isprintable():  # the engine ends a name at a zero and knows no half letters
            raise DescriptionError(
                "a name holds characters that cannot be written", element=ascii(name)
            )
    if len(names) < len(items):
        counts = Counter(item.name for item in items if item.name)
        twice = [name for name, count in counts.items() if count > 1]
        raise DescriptionError(
            f"{counts[twice[0]]} bodies have this name",
            element=f"'{twice[0]}'",
            allowed="every name once among things, and once among fixed bodies",
        )
    return names.items()


def _options(spec: mujoco.MjSpec, settings: SimulationSettings, scene: Scene) -> None:
    option = spec.option
    option.timestep = settings.step_for(scene)
    option.gravity = (0.0, 0.0, -settings.gravity)
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = IMPRATIO
    # an unstable simulation must raise, not begin anew
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    if sleeps(scene, settings):
        option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        option.sleep_tolerance = SLEEP
    elif not many(scene):
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    default = spec.default.geom
    default.solref = SOLREF
    default.solimp = HEAP_SOLIMP if many(scene) else SOLIMP
    default.friction = (settings.friction, 0.0, 0.0)
    default.condim = 3
    default.contype, default.conaffinity = 0, THING | LINK
    default.density = settings.density


def colour(code: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return the parts red, green, blue, opacity of six hex digits, 0 to 1."""
    red, green, blue = (int(code[k : k + 2], 16) / 255.0 for k in (0, 2, 4))
    return red, green, blue, alpha


def _floor(spec: mujoco.MjSpec, border: Border | None) -> None:
    world = spec.worldbody
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    floor = world.add_geom(name="floor", type=plane, size=(0.0, 0.0, 1.0))
    floor.rgba, floor.conaffinity = colour(FLOOR_COLOUR), THING | FLOOR
    if border is None:
        return
    (low_x, low_y), (high_x, high_y) = border.low, border.high
    walls = {
        "border_left": ((low_x, 0.0, 0.0), (1.0, 0.0, 0.0)),
        "border_right": ((high_x, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        "border_front": ((0.0, low_y, 0.0), (0.0, 1.0, 0.0)),
        "border_back": ((0.0, high_y, 0.0), (0.0, -1.0, 0.0)),
    }
    for name, (point, inwards) in walls.items():
        wall = world.add_geom(name=name, type=plane, size=(0.0, 0.0, 1.0), pos=point)
        wall.alt.type, wall.alt.zaxis = mujoco.mjtOrientation.mjORIENTATION_ZAXIS, inwards
        wall.conaffinity = BORDER
        wall.rgba = (0.0, 0.0, 0.0, 0.0)  # a wall nobody sees


def _inside(border: Border | None, centre: tuple[float, float, float]) -> bool:
    """Whether the border holds a thing; one that starts outside is left alone."""
    if border is None:
        return False
    return all(border.low[k] <= centre[k] <= border.high[k] for k in range(2))


def _thing(
    spec: mujoco.MjSpec,
    name: str,
    thing: Ball | Cuboid,
    settings: SimulationSettings,
    border: Border | None,
) -> None:
    allowed = mujoco.mjtSleepPolicy.mjSLEEP_ALLOWED
    inside = thing_name(name)
    body = spec.worldbody.add_body(name=inside, pos=thing.centre, sleep=allowed)
    body.add_freejoint(name=inside)
    if isinstance(thing, Compound):
        _compound(spec, body, name, thing, border)
        return
    geom = body.add_geom(name=inside, rgba=colour(thing.colour))
    if isinstance(thing, Ball):
        _positive(name, "radius", thing.radius)
        geom.type, geom.size = mujoco.mjtGeom.mjGEOM_SPHERE, (thing.radius, 0.0, 0.0)
    else:
        _positive(name, "size", min(thing.size))
        geom.type, geom.size = mujoco.mjtGeom.mjGEOM_BOX, tuple(0.5 * side for side in thing.size)
        geom.priority = 1  # so that the belt's grip on turning balls does not keep it from tipping
    geom.contype = THING | (BORDER if _inside(border, thing.centre) else 0)
    geom.conaffinity = THING | TOUCH | BAR
    if thing.mass is not None and thing.density is not None:
        raise DescriptionError(
            "has both a mass and a density",
            element=f"'{name}'",
            value=f"{thing.mass:g} kg, {thing.density:g} kg/m³",
            allowed="one of the two",
        )
    if thing.mass is not None:
        geom.mass = stated(name, "mass", thing.mass, 1e-6, 1e4, "kg")
    elif thing.density is not None:
        geom.density = stated(name, "density", thing.density, 1e-3, 1e5, "kg/m³")
    else:
        geom.density = settings.density
    stated(name, "bounce", thing.bounce, 0.0, 1.0, "")


def _compound(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, thing: Compound, border: Border | None
) -> None:
    if thing.mass is None or thing.density is not None:
        raise DescriptionError(
            "needs a mass, and no density", element=f"'{name}'", allowed="a mass in kg"
        )
    body.quat, body.explicitinertial = thing.turn, True
    body.mass = stated(name, "mass", thing.mass, 1e-6, 1e5, "kg")
    body.ipos, body.iquat, body.inertia = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), thing.inertia
    stated(name, "bounce", thing.bounce, 0.0, 1.0, "")
    names = (thing_name(name, piece) for piece in count())
    for geom in add_solids(spec, body, thing.solids, names, fixed=False):
        geom.rgba, geom.priority = colour(thing.colour), 1
        geom.contype = THING | (BORDER if _inside(border, thing.centre) else 0)
        geom.conaffinity = THING | TOUCH | BAR


def stated(name: str, what: str, value: float, low: float, high: float, unit: str) -> float:
    """Return what a body states of itself, if it is within bounds."""
    if not low <= value <= high:
        raise DescriptionError(
            "out of range",
            element=f"'{name}', {what}",
            value=value,
            allowed=f"{low:g} to {high:g} {unit}".strip(),
        )
    return value


def _positive(name: str, what: str, value: float) -> None:
    if not (math.isfinite(value) and value >= MIN_SIZE):
        raise DescriptionError(
            "too small",
            element=f"'{name}', {what}",
            value=value,
            allowed=f"{MIN_SIZE:g} m or more",
        )


def _obstacle(
    spec: mujoco.MjSpec, name: str, obstacle: Obstacle, settings: SimulationSettings, rolling: float
) -> None:
    rgba = colour(obstacle.colour)
    match obstacle:
        case FixedSphere():
            size = (obstacle.radius, 0.0, 0.0)
            sphere = mujoco.mjtGeom.mjGEOM_SPHERE
            spec.worldbody.add_geom(
                name=obstacle_name(name), type=sphere, size=size, pos=obstacle.centre, rgba=rgba
            )
        case Step():
            _upright(spec, name, obstacle.outline, 0.0, obstacle.height, rgba)
        case Slice():
            _upright(spec, name, obstacle.outline, obstacle.bottom, obstacle.top, rgba)
        case Slope():
            _slanting(spec, name, obstacle, obstacle.heights, (0.0, 0.0), rgba)
        case Wedge():
            _slanting(spec, name, obstacle, obstacle.upper, obstacle.lower, rgba)
        case Conveyor():
            belt = _slanting(spec, name, obstacle, obstacle.heights, (0.0, 0.0), rgba)
            if belt is not None:
                belt.condim = 6
                belt.friction = (settings.friction, 0.1 * rolling, rolling)


def _upright(
    spec: mujoco.MjSpec,
    name: str,
    outline: Outline,
    bottom: float,
    top: float,
    rgba: tuple[float, ...],
) -> None:
    half, middle = 0.5 * (top - bottom), 0.5 * (top + bottom)
    if half < 0.5 * MIN_SIZE:
        return  # flat on the floor: only seen
    match outline:
        case Rectangle():
            spec.worldbody.add_geom(
                name=obstacle_name(name),
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=(0.5 * outline.size[0], 0.5 * outline.size[1], half),
                pos=(*outline.centre, middle),
                rgba=rgba,
            )
        case Circle():
            spec.worldbody.add_geom(
                name=obstacle_name(name),
                type=mujoco.mjtGeom.mjGEOM_CYLINDER,
                size=(outline.radius, half, 0.0),
                pos=(*outline.centre, middle),
                rgba=rgba,
            )
        case Polygon():
            for k, piece in enumerate(convex_pieces(outline.corners)):
                _prism(spec, obstacle_name(name, k), piece, bottom, top, rgba)


def _prism(
    spec: mujoco.MjSpec,
    name: str,
    corners: Corners,
    bottom: float,
    top: float,
    rgba: tuple[float, ...],
) -> None:
    points = [(x, y, z) for z in (bottom, top) for x, y in corners]
    _hull(spec, name, np.array(points), rgba)


def _slanting(
    spec: mujoco.MjSpec,
    name: str,
    obstacle: Slope | Wedge | Conveyor,
    upper: tuple[float, float],
    lower: tuple[float, float],
    rgba: tuple[float, ...],
) -> mujoco.MjsGeom | None:
    """Add the hull of a plate with slanting top and bottom; a flat one becomes a box."""
    (x, y), (width, depth) = obstacle.outline.centre, obstacle.outline.size
    if max(upper[0] - lower[0], upper[1] - lower[1]) < MIN_SIZE:
        return None
    if upper[0] == upper[1] and lower[0] == lower[1]:
        return spec.worldbody.add_geom(
            name=obstacle_name(name),
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(0.5 * width, 0.5 * depth, 0.5 * (upper[0] - lower[0])),
            pos=(x, y, 0.5 * (upper[0] + lower[0])),
            rgba=rgba,
        )
    points = []
    for i, sx in enumerate((-0.5, 0.5)):
        for j, sy in enumerate((-0.5, 0.5)):
            side = i if obstacle.direction == "x" else j
            points += [(x + sx * width, y + sy * depth, z[side]) for z in (lower, upper)]
    return _hull(spec, obstacle_name(name), np.array(points), rgba)


def _hull(spec: mujoco.MjSpec, name: str, points: Array, rgba: tuple[float, ...]) -> mujoco.MjsGeom:
    centre = points.mean(axis=0)
    vertices = np.unique(points - centre, axis=0)
    spec.add_mesh(name=name, uservert=vertices.ravel())
    return spec.worldbody.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, pos=centre, rgba=rgba
    )
