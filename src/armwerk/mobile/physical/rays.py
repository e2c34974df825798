"""Rays into a physical world: distance sensors and cameras."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.mobile.devices import RobotCamera
from armwerk.mobile.physical.tables import MobileTables
from armwerk.mobile.program import Picture
from armwerk.mobile.scene import MobileRobot

PAST = 1e-9  # [m] by which a ray that met its own robot goes on behind that
SKY = (205.0, 222.0, 240.0)
SHADE = 0.55  # of the colour that is seen on surfaces along the view


class Rays:
    """Measures and sees in one simulation.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data.
        tables: Say which geom belongs to which robot.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, tables: MobileTables) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._geom = np.zeros(1, dtype=np.int32)
        self._eyes: dict[int, tuple[Array, Array]] = {}

    def distances(self, robot: MobileRobot, number: int) -> list[float]:
        """Return what the sensors of a robot measure [m]."""
        if not robot.sensors:
            return []
        if number not in self._eyes:
            poses = np.array([sensor.pose for sensor in robot.sensors])
            self._eyes[number] = poses[:, :3, 3].copy(), poses[:, :3, 0].copy()
        body = int(self._tables.body[number])
        turn = self._data.xmat[body].reshape(3, 3).T
        places, looks = self._eyes[number]
        starts, ways = places @ turn + self._data.xpos[body], looks @ turn
        return [
            self._measure(number, body, start, way, sensor.reach)
            for sensor, start, way in zip(robot.sensors, starts, ways, strict=True)
        ]

    def _measure(self, number: int, body: int, start: Array, way: Array, reach: float) -> float:
        model, data, geom = self._model, self._data, self._geom
        gone = 0.0
        while gone < reach:
            origin = start + gone * way if gone else start
            found = mujoco.mj_ray(model, data, origin, way, None, True, body, geom)
            if found < 0.0 or gone + found >= reach:
                return reach
            if self._tables.robot[geom[0]] != number:
                return gone + float(found)
            gone += float(found) + PAST
        return reach

    def picture(self, camera: RobotCamera, number: int) -> Picture:
        """Return what a camera on a robot sees, every pixel one ray. Shape (rows, columns, 3)."""
        columns, rows = camera.size
        body = int(self._tables.body[number])
        turn = self._data.xmat[body].reshape(3, 3)
        start = turn @ camera.pose[:3, 3] + self._data.xpos[body]
        half = math.tan(0.5 * camera.angle)
        across = half * (1.0 - 2.0 * (np.arange(columns) + 0.5) / columns)
        up = half * rows / columns * (1.0 - 2.0 * (np.arange(rows) + 0.5) / rows)
        ways = np.empty((rows, columns, 3))
        ways[..., 0], ways[..., 1], ways[..., 2] = 1.0, across[None, :], up[:, None]
        ways /= np.linalg.norm(ways, axis=2, keepdims=True)
        ways = (ways @ (turn @ camera.pose[:3, :3]).T).reshape(-1, 3)
        count = rows * columns
        geoms, far = np.full(count, -1, dtype=np.int32), np.empty(count)
        normals = np.zeros(3 * count)
        mujoco.mj_multiRay(
            self._model, self._data, start, ways.ravel(), None, True, body, geoms, far, normals,
            count, 1e6,
        )  # fmt: skip
        facing = np.abs(np.einsum("ij,ij->i", normals.reshape(-1, 3), ways))
        seen = 255.0 * self._model.geom_rgba[geoms, :3] * (SHADE + (1.0 - SHADE) * facing)[:, None]
        seen[geoms < 0] = SKY
        picture: Picture = np.clip(seen, 0.0, 255.0).astype(np.uint8).reshape(rows, columns, 3)
        return picture
