"""A seam round a pipe, welded by an arm and a turn-tilt table together.

Shows:
    - poses of the tool on the work piece, every solution for given table angles
    - a seam with the torch pointing down all the while: the table turns, the arm stands
    - the same seam with table angles of one's own, and with all axes free
    - an arm on a rail: where the carriage may stand for a pose

Run: python examples/stations/01_seam_round_a_pipe.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.stations import draw_station

RADIUS, HEIGHT, LEAN = 0.15, 0.2, np.deg2rad(30)


def torch(angle: float) -> Array:
    """A torch at the pipe: z inwards and leaning down, x along the seam."""
    inwards = -np.array([np.cos(angle), np.sin(angle), 0.0])
    x = np.array([-np.sin(angle), np.cos(angle), 0.0])
    z = np.cos(LEAN) * inwards - np.sin(LEAN) * np.array([0.0, 0.0, 1.0])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = -RADIUS * inwards + np.array([0.0, 0.0, HEIGHT])
    return pose


def main(folder: Path) -> None:
    station = aw.StationModel("welding_station")
    print("axes:", ", ".join(station.names))

    start = torch(0.0)
    turn, tilt = station.flat(start)
    print(f"torch down at turn {np.rad2deg(turn):.1f} deg, tilt {np.rad2deg(tilt):.1f} deg")
    solutions = station.ik(start, {"turn": turn, "tilt": tilt}, within_limits=True)
    print(f"{len(solutions)} solutions of the arm there")

    seam = aw.Path(start, speed=0.02)
    seam = seam.spiral([0, 0, HEIGHT], np.deg2rad(350), orientation="constant", reference="path")
    given = {"turn": [turn, turn - np.deg2rad(300)], "tilt": [tilt, tilt]}
    for name, t in (
        ("flat", station.plan(seam, external="flat")),
        ("given", station.plan(seam, external=given)),
        ("free", station.plan(seam, external="free")),
    ):
        q = t.sampled(0.01)[1]
        poses = station.fk(q)
        off = np.abs(np.hypot(poses[:, 0, 3], poses[:, 1, 3]) - RADIUS).max()
        down = np.rad2deg(np.arccos(np.clip(-station.world(q).tool[:, 2, 2], -1, 1)).max())
        travel = ", ".join(
            f"{axis} {np.rad2deg(way):.0f}"
            for axis, way in zip(station.names, np.ptp(q, axis=0), strict=True)
        )
        print(
            f"{name}: {t.duration:.1f} s, off the seam {off:.0e} m, torch {down:.1f} deg off down"
        )
        print(f"  travel [deg]: {travel}")
        if name == "given":
            moments = q[:: len(q) // 3]
            print("picture:", draw_station(station, moments, folder / "seam.png"))

    rail = aw.StationModel("kr16_rail")
    pose = rail.fk([0.5, 0.0, -1.5, 1.5, 0.0, 0.6, 0.0])
    for low, high in rail.reaching(pose, "rail"):
        print(f"the carriage may stand between {low:.3f} and {high:.3f} m")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
