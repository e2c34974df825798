"""What suction cups and magnets pull: forces on both sides, found anew in every step.

The face of a cup or magnet is looked at in `SPOTS` points that stand for equal areas, and in `RIM`
points of its rim. From each a ray along the axis finds the nearest thing in front.

- A **cup** with the pressure p over the area A pulls a thing with p A s q. The share s is that of
  the area in front of the thing, so a cup that hangs over an edge holds by what is covered. The
  seal q is the mean over the rim points in front of the thing of 1 - d/r, at least 0: d is the
  distance from the round lip to the thing, r how far the lip bends (`SuctionCup.reach`).
  Where less than the least share of the whole rim seals, there is no vacuum. What bulges into
  the cup deeper than its hollow stands off its rim, and is not sealed: a cup of radius R and depth
  h holds balls from the radius (R² + h²) / 2h on.
- A **magnet** pulls with the mean of F / (1 + x/g)² over its area, x being the gap to what is
  magnetic in front.
- Over a gap of more than 0.1 mm nothing is pulled with more than 80 m/s²: what is light would be
  through the face before a contact is noticed.

The force acts along the axis in the middle of what is covered, on the thing and against it on the
gripper: no momentum comes from nowhere. Contact and friction do the rest. So a pull beyond the
force takes the thing off, shear beyond friction times force slips, and a moment beyond force
times radius tips it over the rim. Fixed bodies are not pulled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.step_view import Small
from armwerk.physics.robots.builder import LIP_RADIUS
from armwerk.physics.sleeping import AWAKE
from armwerk.robot.holding import HoldingFace, Magnet, SuctionCup
from armwerk.scene.scene import Ball, Scene, Thing

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody

# columns of a face: its radius [m], 1 of a magnet, its largest force [N], the gap at which it
# fades [m], the least share of its rim, change of its level per second
RADIUS, IS_MAGNET, FORCE, FADE, LEAST, RATE = range(6)
GOAL, LEVEL, PULL = range(6, 9)  # how far it is to be switched on, and is, 0 to 1; its force [N]
# columns of a thing: half its edges or its radius [m], 1 of a ball, 1 where it is magnetic, mass
HALF, ROUND, MAGNETIC, MASS = 0, 3, 4, 5
BODY, SITE = range(2)  # columns of the places of a face
RINGS, SECTORS, RIM = 16, 16, 32
SPOTS = RINGS * SECTORS
FAR = 9.0  # gaps, from which on less than a hundredth of a magnet's force is left
NOTHING = 1e9  # [m] a gap without anything
TOUCHES = 1e-4  # [m] gap up to which a face counts as touching
MOST_SWING = 80.0  # [m/s²] over a wider gap, so that nothing passes the face within a step


def _samples() -> Array:
    """Return x and y of all points of a face of radius 1, those of the rim last."""
    radii = np.sqrt((np.arange(RINGS) + 0.5) / RINGS)
    inside = (radii[:, None, None] * _circle(SECTORS)).reshape(-1, 2)
    return np.ascontiguousarray(np.vstack((inside, _circle(RIM))))


def _circle(points: int) -> Array:
    """Return points of a circle of radius 1, none on an axis, where edges may lie."""
    angles = 2.0 * np.pi * (np.arange(points) + 0.5) / points
    return np.column_stack((np.cos(angles), np.sin(angles)))


SAMPLES = _samples()


@inner
def _gap(shape: Array, start: Array, along: Array) -> float:
    """Return how far in front of a point, along a unit vector, a thing begins; both in its frame.

    Negative where the point is beyond its near surface, `NOTHING` where the ray misses it.
    """
    if shape[ROUND] != 0.0:
        middle, square = 0.0, -shape[HALF] * shape[HALF]
        for k in range(3):
            middle -= start[k] * along[k]
            square += start[k] * start[k]
        inside = middle * middle - square
        return middle - math.sqrt(inside) if inside >= 0.0 else NOTHING
    near, far = -NOTHING, NOTHING
    for k in range(3):
        if abs(along[k]) < 1e-12:
            if abs(start[k]) > shape[HALF + k]:
                return NOTHING
            continue
        one = (-shape[HALF + k] - start[k]) / along[k]
        two = (shape[HALF + k] - start[k]) / along[k]
        near, far = max(near, min(one, two)), min(far, max(one, two))
    return near if near <= far else NOTHING


@inner
def _distance(shape: Array, point: Array) -> float:
    """Return the distance of a point from a thing, in its frame [m]; 0: it is inside."""
    total = 0.0
    for k in range(3):
        off = point[k] if shape[ROUND] != 0.0 else max(abs(point[k]) - shape[HALF + k], 0.0)
        total += off * off
    total = math.sqrt(total)
    return max(total - shape[HALF], 0.0) if shape[ROUND] != 0.0 else total


@inner
def _into(place: Array, turn: Array, point: Array, out: Array) -> None:
    """Write a point of the world in the frame of a body."""
    for i in range(3):
        out[i] = 0.0
        for k in range(3):
            out[i] += turn[3 * k + i] * (point[k] - place[k])


@inner
def _look(
    face: Array,
    place: Array,
    turn: Array,
    shapes: Array,
    xpos: Array,
    xmat: Array,
    samples: Array,
    gaps: Array,
    nearest: Integers,
) -> None:
    """Find what is in front of every point of a face, and how far; -1: nothing."""
    radius, magnet = face[RADIUS], face[IS_MAGNET] != 0.0
    most = FAR * face[FADE] if magnet else radius
    axis, along = np.empty(3), np.empty(3)
    point, inside = np.empty(3), np.empty(3)
    for k in range(3):
        axis[k] = turn[3 * k + 2]
    for s in range(samples.shape[0]):
        gaps[s], nearest[s] = most, -1
    for thing in range(shapes.shape[0]):
        shape, body = shapes[thing], thing + 1
        if magnet and shape[MAGNETIC] == 0.0:
            continue
        size = shape[HALF]
        if shape[ROUND] == 0.0:
            size = math.sqrt(shape[0] ** 2 + shape[1] ** 2 + shape[2] ** 2)
        away = 0.0
        for k in range(3):
            away += (xpos[body, k] - place[k]) ** 2
        if away > (size + radius + most) ** 2:
            continue
        T = xmat[body]
        for i in range(3):
            along[i] = T[i] * axis[0] + T[3 + i] * axis[1] + T[6 + i] * axis[2]
        for s in range(samples.shape[0]):
            x, y = radius * samples[s, 0], radius * samples[s, 1]
            for k in range(3):
                point[k] = place[k] + turn[3 * k] * x + turn[3 * k + 1] * y
            _into(xpos[body], T, point, inside)
            gap = _gap(shape, inside, along)
            if -2.0 * size - radius < gap < gaps[s] and gap > -radius:
                gaps[s], nearest[s] = gap, thing


@inner
def _sealed(
    face: Array,
    place: Array,
    turn: Array,
    shapes: Array,
    xpos: Array,
    xmat: Array,
    samples: Array,
    nearest: Integers,
    seals: Array,
    sums: Array,
) -> float:
    """Write the seal of a cup at every thing (0 to 1); return the share of the rim that seals.

    Args:
        face: The cup, as the following as in `adhere`.
        place: Of the face [m].
        turn: Its rotation.
        shapes: Of the things.
        xpos: Of the bodies.
        xmat: Of the bodies.
        samples: Points of a face.
        nearest: Thing in front of each.
        seals: Written. Shape (n,).
        sums: Scratch. Shape (n,).
    """
    total, point, inside = 0.0, np.empty(3), np.empty(3)
    seals[:], sums[:] = 0.0, 0.0
    for s in range(SPOTS, samples.shape[0]):
        thing = nearest[s]
        if thing < 0:
            continue
        x, y = face[RADIUS] * samples[s, 0], face[RADIUS] * samples[s, 1]
        for k in range(3):
            point[k] = place[k] + turn[3 * k] * x + turn[3 * k + 1] * y
            point[k] -= turn[3 * k + 2] * LIP_RADIUS
        _into(xpos[thing + 1], xmat[thing + 1], point, inside)
        off = max(_distance(shapes[thing], inside) - LIP_RADIUS, 0.0)
        seal = max(1.0 - off / face[FADE], 0.0)
        seals[thing] += seal
        sums[thing] += 1.0
        total += seal
    for thing in range(seals.shape[0]):
        if sums[thing] > 0.0:
            seals[thing] /= sums[thing]
    return total / RIM


@inner
def _push(xfrc: Array, xipos: Array, body: int, point: Array, force: Array) -> None:
    """Add a force at a point to what is applied to a body."""
    x, y, z = (
        point[0] - xipos[body, 0],
        point[1] - xipos[body, 1],
        point[2] - xipos[body, 2],
    )
    for k in range(3):
        xfrc[body, k] += force[k]
    xfrc[body, 3] += y * force[2] - z * force[1]
    xfrc[body, 4] += z * force[0] - x * force[2]
    xfrc[body, 5] += x * force[1] - y * force[0]


@entry(
    "b1(f8[:,::1], i8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1],"
    " f8[:,::1], f8[:,::1], f8[:,::1], i4[::1], f8[:,::1], f8)"
)
def adhere(
    faces: Array,
    places: Integers,
    shapes: Array,
    samples: Array,
    site_xpos: Array,
    site_xmat: Array,
    xpos: Array,
    xmat: Array,
    xipos: Array,
    xfrc: Array,
    asleep: Small,
    pulls: Array,
    dt: float,
) -> bool:
    """Switch all faces by one step, and write what they pull.

    Args:
        faces: Cups and magnets, by columns.
        places: Their bodies and sites.
        shapes: Things, by columns.
        samples: Points of a face of radius 1, those of the rim last. Shape (s, 2).
        site_xpos: MuJoCo's, as all up to ``asleep``.
        site_xmat: Shape (k, 9).
        xpos: Of the bodies; thing i is body i + 1.
        xmat: Shape (b, 9).
        xipos: Centres of their masses.
        xfrc: Force and torque on them; written.
        asleep: Those that are pulled do not fall asleep.
        pulls: Force of each face on each thing [N]; written. Shape (faces, n).
        dt: Step of time [s].

    Returns:
        Whether something is pulled that sleeps, and must be woken first.
    """
    sleeps, count = False, shapes.shape[0]
    gaps, nearest = np.empty(samples.shape[0]), np.empty(samples.shape[0], dtype=np.int64)
    weights, seals, sums = np.empty(count), np.empty(count), np.empty(count)
    least = np.empty(count)
    middles, point, force = np.empty((count, 2)), np.empty(3), np.empty(3)
    xfrc[1 : count + 1] = 0.0
    for f in range(faces.shape[0]):
        xfrc[places[f, BODY]] = 0.0
    for f in range(faces.shape[0]):
        face = faces[f]
        change = face[RATE] * dt
        face[LEVEL] += min(max(face[GOAL] - face[LEVEL], -change), change)
        face[PULL], pulls[f] = 0.0, 0.0
        if face[LEVEL] <= 0.0:
            continue
        place, turn = site_xpos[places[f, SITE]], site_xmat[places[f, SITE]]
        _look(face, place, turn, shapes, xpos, xmat, samples, gaps, nearest)
        weights[:], middles[:], least[:] = 0.0, 0.0, NOTHING
        for s in range(SPOTS):
            thing = nearest[s]
            if thing >= 0:
                weight = 1.0
                if face[IS_MAGNET] != 0.0:
                    weight = 1.0 / (1.0 + max(gaps[s], 0.0) / face[FADE]) ** 2
                weights[thing] += weight
                least[thing] = min(least[thing], gaps[s])
                middles[thing, 0] += weight * face[RADIUS] * samples[s, 0]
                middles[thing, 1] += weight * face[RADIUS] * samples[s, 1]
        seals[:] = 1.0
        if face[IS_MAGNET] == 0.0:
            share = _sealed(face, place, turn, shapes, xpos, xmat, samples, nearest, seals, sums)
            if share < face[LEAST]:
                continue
        for thing in range(count):
            pull = face[LEVEL] * face[FORCE] * seals[thing] * weights[thing] / SPOTS
            if least[thing] > TOUCHES:
                pull = min(pull, MOST_SWING * shapes[thing, MASS])
            if pull <= 0.0:
                continue
            if asleep[thing] >= 0:
                sleeps = True
                continue
            x, y = middles[thing, 0] / weights[thing], middles[thing, 1] / weights[thing]
            for k in range(3):
                point[k] = place[k] + turn[3 * k] * x + turn[3 * k + 1] * y
                force[k] = -pull * turn[3 * k + 2]
            _push(xfrc, xipos, thing + 1, point, force)
            for k in range(3):
                force[k] = -force[k]
            _push(xfrc, xipos, places[f, BODY], point, force)
            pulls[f, thing] = pull
            face[PULL] += pull
            asleep[thing] = AWAKE
    return sleeps


@dataclass(frozen=True, slots=True, eq=False)
class AdhesionState:
    """How far cups and magnets are switched on, and what they pull; arrays are copies."""

    faces: Array
    pulls: Array


class Adhesion:
    """All cups and magnets of a simulation.

    Args:
        model: Compiled.
        data: Its state; forces go to ``xfrc_applied``.
        scene: Its things come first in the model.
        robots: Those with faces get them.

    Attributes:
        faces: Numbers of the faces of all robots, by columns.
        pulls: Force of each face on each thing [N]. Shape (faces, n).
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        scene: Scene,
        robots: Sequence[RobotBody],
    ) -> None:
        parts: list[HoldingFace] = []
        places: list[tuple[int, int]] = []
        for robot in robots:
            first = len(parts)
            for face in robot.plan.faces:
                site = model.site(face.site).id
                parts.append(face.part)
                places.append((int(model.site_bodyid[site]), site))
            if robot.faces is not None:
                robot.faces.attach(self, slice(first, len(parts)))
        self.faces = np.array([_face(part) for part in parts]).reshape(-1, PULL + 1)
        self.pulls = np.zeros((len(parts), len(scene.things)))
        masses = model.body_mass[1 : len(scene.things) + 1].tolist()
        things = zip(scene.things, masses, strict=True)
        shapes = np.array([[*_shape(thing), mass] for thing, mass in things]).reshape(-1, MASS + 1)
        self._arguments = (
            self.faces,
            np.array(places, dtype=np.int64).reshape(-1, 2),
            shapes,
            SAMPLES,
            data.site_xpos,
            data.site_xmat,
            data.xpos,
            data.xmat,
            data.xipos,
            data.xfrc_applied,
            data.tree_asleep,
            self.pulls,
            float(model.opt.timestep),
        )

    def apply(self) -> bool:
        """Write the forces of this step; call between mj_step1 and mj_step2.

        Returns:
            Whether something is to be woken after the step.
        """
        return adhere(*self._arguments)

    def capture(self) -> AdhesionState:
        """Return a copy of everything that decides what comes next."""
        copies = self.faces.copy(), self.pulls.copy()
        for array in copies:
            array.setflags(write=False)
        return AdhesionState(*copies)

    def restore(self, state: AdhesionState) -> None:
        """Go on from a captured state."""
        self.faces[:] = state.faces
        self.pulls[:] = state.pulls


def _face(part: HoldingFace) -> list[float]:
    """Return the numbers of a face that is switched off."""
    fade = part.gap if isinstance(part, Magnet) else 0.0
    least = 0.0
    if isinstance(part, SuctionCup):
        fade, least = part.reach, part.least_share
    magnet = float(isinstance(part, Magnet))
    return [part.radius, magnet, part.max_force, fade, least, 1.0 / part.switch_time, 0.0, 0.0, 0.0]


def _shape(thing: Thing) -> list[float]:
    """Return the numbers of a thing."""
    magnetic = float(thing.magnetic is not False)
    if isinstance(thing, Ball):
        return [thing.radius, 0.0, 0.0, 1.0, magnetic]
    x, y, z = thing.size
    return [0.5 * x, 0.5 * y, 0.5 * z, 0.0, magnetic]
