"""A scene of mobile robots as viewers see it: its geometry once, then poses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.mobile.picture import RAY, MobilePicture, piece_solids
from armwerk.mobile.scene import MobileRobot, MobileScene
from armwerk.pictures.cell_solids import Solid, rod
from armwerk.protocol.viewing import FIXED, SolidRole, ViewedBody, ViewedGeometry
from armwerk.wire.frames import Frame, frame_of
from armwerk.wire.geometry import GeometryBuilder, viewed_solid

_GLASS = 0.35  # of a sensor's ray
_THIN = 0.08  # of a robot's wheels, the radius of a ray


class MobileStage:
    """A scene of mobile robots.

    Args:
        scene: What stands and drives.
        rays: Whether the rays of distance sensors are seen, as far as they reach.
        version: Of the geometry.

    Attributes:
        geometry: What is seen.
        names: Of what moves, in the order of frames.
    """

    def __init__(self, scene: MobileScene, *, rays: bool = True, version: int = 1) -> None:
        self.scene, self.version = scene, version
        picture = MobilePicture(scene)
        movable = [body.name for body in scene.bodies if body.kind == "movable"]
        robots = [robot.name for robot in scene.robots]
        self.names: tuple[str, ...] = (*movable, *robots)
        self._start = {body.name: body.pose for body in scene.bodies}
        self._start |= {robot.name: robot.pose for robot in scene.robots}
        builder = GeometryBuilder()
        number = {name: place for place, name in enumerate(self.names)}
        builder.bodies += [ViewedBody(name, name, FIXED) for name in self.names]
        for piece in picture.still:
            builder.add_still(
                piece_solids(piece, self._start[piece.owner]), "obstacle", piece.owner
            )
        for piece in picture.moving:
            role: SolidRole = "robot" if piece.owner in robots else "thing"
            builder.solids += [
                viewed_solid(solid, role, piece.owner, number[piece.owner])
                for solid in piece_solids(piece, np.eye(4))
            ]
        for robot in scene.robots if rays else ():
            builder.solids += [
                viewed_solid(solid, "zone", robot.name, number[robot.name])
                for solid in _rays(robot)
            ]
        self.geometry: ViewedGeometry = builder.build(
            version, scene.name, picture.floor() if scene.floor else None, picture.eye
        )

    def frame(self, step: int, time: float, poses: Mapping[str, Array]) -> Frame:
        """Return where everything is.

        Args:
            step: Its number.
            time: Simulated [s].
            poses: T_world_body by name; those left out are where the scene has them.
        """
        here = np.stack([poses.get(name, self._start[name]) for name in self.names])
        return frame_of(
            *(self.version, step, 0, time),
            here[:, :3, 3],
            quaternion_from_rotation(here[:, :3, :3]),
            np.zeros(0),
            np.zeros(0, dtype=np.uint8),
        )


def _rays(robot: MobileRobot) -> list[Solid]:
    radius = _THIN * robot.base.wheel_radius
    found: list[Solid] = []
    for sensor in robot.sensors:
        start = sensor.pose[:3, 3]
        end = start + sensor.reach * sensor.pose[:3, 0]
        found += [one._replace(alpha=_GLASS) for one in rod(start, end, radius, RAY)]
    return found
