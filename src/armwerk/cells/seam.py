"""A table and an arm on a rail with one plan: each follows its part of it, started by a trigger."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.geometry import relative
from armwerk.motion import Trajectory
from armwerk.stations import FlatSeam, StationModel, station_parts

RADIUS = 0.08  # [m] of the ring
LEAN = np.deg2rad(65)  # of the torch from level: the table tilts by the rest
MAGNET = 0.08  # [m] from the table's plate to the magnet's face
RIDE = (-0.15, 0.15)  # [m] of the rail while the ring is welded
NEAR = 0.004  # [m] by which drives and magnet may be off in the end


def shift(x: float = 0.0, z: float = 0.0) -> Array:
    """Return a pose that is moved along x and z [m]. Shape (4, 4)."""
    pose = np.eye(4)
    pose[[0, 2], 3] = x, z
    return pose


@cache
def the_station(away: float, thick: float) -> StationModel:
    """Return the station: the work piece's frame lies on its upper face; lengths in metres."""
    torch = shift(z=0.35)
    arm, table = aw.load_arm("kr16_rail"), aw.load_arm("turn_tilt")
    table = replace(table, base=shift(x=away) @ table.base, tool=shift(z=MAGNET + thick))
    return StationModel(aw.Station(arm.with_tool(torch), table, name="seam"))


def torch_at(angle: float) -> Array:
    """Return the pose of the torch on the ring, its z axis inwards and down. Shape (4, 4)."""
    inwards = -np.array([np.cos(angle), np.sin(angle), 0.0])
    x = np.array([-np.sin(angle), np.cos(angle), 0.0])
    z = np.cos(LEAN) * inwards - np.sin(LEAN) * np.array([0.0, 0.0, 1.0])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = -RADIUS * inwards
    return pose


@cache
def the_plan(away: float, thick: float) -> Trajectory:
    """Return the motion of all axes: the ring once round, the torch straight down."""
    station = the_station(away, thick)
    seam = aw.Path(torch_at(0.0), speed=0.08).spiral(
        [0, 0, 0], 2 * np.pi, orientation="constant", reference="path"
    )
    flat = station.plan(seam, external=FlatSeam(others=(("rail", RIDE[0]),)))
    turn, tilt = flat.sample(0.0)[0][:2]
    end = flat.sample(flat.duration)[0][0]
    given = {"turn": [turn, end], "tilt": [tilt, tilt], "rail": list(RIDE)}
    return station.plan(seam, external=given)


class SeamPartner(aw.RobotController):
    """What both have in common: the plan, and waiting for each other."""

    requires_configuration = True
    patience = 60.0  # [s] for an answer

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.partner = int(words["partner"])
        self.sizes = (words["away"] / 100, words["thick"] / 100)
        the_plan(*self.sizes)  # before the clock runs: on a new machine it has kernels compiled

    def both(self, word: str) -> None:
        """Go on when the partner is as far."""
        self.send_trigger(self.partner, word)
        if self.wait_trigger(word, timeout=self.patience) is None:
            raise RuntimeError(f"robot {self.partner} did not say {word}")


class Turner(SeamPartner):
    """Holds the ring by its magnet and turns it."""

    description = "turns and tilts the work piece"

    def run(self) -> None:
        self.grip.close()
        if self.grip.held != {"ring"}:
            raise RuntimeError("the magnet does not hold the ring")
        motion = station_parts(the_station(*self.sizes).station, the_plan(*self.sizes)).table
        assert motion is not None
        self.move(motion.sample(0.0)[0], speed=0.3)
        self.both("READY")
        self.follow(motion)
        self.both("ROUND")


class Welder(SeamPartner):
    """Rides along its rail and keeps the torch on the ring."""

    description = "welds"

    def run(self) -> None:
        station = the_station(*self.sizes)
        motion = station_parts(station.station, the_plan(*self.sizes)).arm
        self.move(motion.sample(0.0)[0], speed=0.5)
        self.both("READY")
        self.follow(motion)
        self.wait(0.3)
        ring = self.see("ring")
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = ring.rotation, ring.position
        pose = pose @ shift(z=0.5 * self.sizes[1])
        tool = self.base @ station.world(np.append([0.0, 0.0], self.q)).tool
        off = np.linalg.norm(relative(pose, tool)[:3, 3] - torch_at(0.0)[:3, 3])
        self.debug(f"the torch is {1e3 * off:.1f} mm off the ring")
        if off > NEAR:
            raise RuntimeError(f"the torch is {1e3 * off:.1f} mm off the ring")
        self.both("ROUND")
