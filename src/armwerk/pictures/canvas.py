"""The canvas: solids in space, painted from the far ones to the near ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.palette import INK, SHADOW, Colour
from armwerk.pictures.solids import Faces
from armwerk.pictures.stage import STEEP, Stage, draw_floor, draw_rulers

_AZIMUTHS = tuple(float(angle) for angle in np.deg2rad([-52.0, 38.0, -142.0, 128.0]))
ELEVATION = np.deg2rad(21.0)
_FROM_ABOVE = (float(np.deg2rad(-90.01)), float(np.deg2rad(89.9)))  # x to the right, y upwards
_LEVEL = float(np.deg2rad(3.0))  # just above the floor
_FAR = 60.0  # likewise, for what is flat: no perspective
_DISTANCE = 7.5  # eye to target in units of the scene's half diagonal: a mild perspective


@dataclass(slots=True, eq=False)
class Canvas:
    """Collects what is to be seen, then paints it once.

    The faces of all solids are sorted together, so that arms drawn over each other hide each
    other rightly.
    """

    faces: list[tuple[Array, Colour, float]] = field(default_factory=list)
    shadows: list[Array] = field(default_factory=list)
    texts: list[tuple[Array, str, Colour, float]] = field(default_factory=list)

    def add(self, faces: Faces, colour: Colour, shadow: bool = True, nearer: float = 0.0) -> None:
        """Add one convex solid; it counts as ``nearer`` [m] to the eye than it is.

        A joint whose link sticks in it is drawn over the link with a little of this.
        """
        self.faces += [(face, colour, nearer) for face in faces]
        if shadow and faces:
            self.shadows.append(np.vstack(faces))

    def write(self, point: ArrayLike, text: str, colour: Colour = INK, size: float = 9.0) -> None:
        """Add a text at a point of space; texts are never hidden."""
        self.texts.append((np.asarray(point, dtype=np.float64), text, colour, size))

    def frame(self, camera: Camera, stage: Stage, margin: float = 0.07) -> Array:
        """Return the smallest and largest picture coordinates of all there is. Shape (2, 2).

        Args:
            camera: Who sees it.
            stage: On which it stands.
            margin: Room for the figures along the rulers, as a share of the picture.
        """
        post = stage.post(camera)
        points = [
            stage.corners()[::2],
            post,
            *(face for face, *_ in self.faces),
            *(row[0][None] for row in self.texts),
        ]
        flat = camera.project(np.vstack(points))
        low, high = flat.min(axis=0), flat.max(axis=0)
        margin *= float((high - low).max())
        # from above both rulers stand outside of the floor, at its left and below it
        sides = [-2.2, -1.7] if camera.elevation > STEEP else [-1.2, -1.0]
        return np.stack([low, high]) + margin * np.array([sides, [1.0, 0.6]])

    def paint(
        self, axes: Axes, camera: Camera, stage: Stage, frame: Array, fontsize: float = 8.0
    ) -> None:
        """Paint everything into flat matplotlib axes that show ``frame``, see there."""
        hulls = [hull(points[:, :2]) for points in self.shadows]
        floor = [np.column_stack([hull, np.full(len(hull), stage.low[2])]) for hull in hulls]
        draw_floor(axes, camera, stage, floor, SHADOW)
        draw_rulers(axes, camera, stage, fontsize)
        self._paint_faces(axes, camera)
        for point, text, colour, size in self.texts:
            halo = [withStroke(linewidth=2.5, foreground="white")]
            where = camera.project(point[None])[0]
            axes.text(
                where[0],
                where[1],
                text,
                color=colour,
                fontsize=size * fontsize / 8,
                fontweight="bold",
                ha="center",
                va="center",
                zorder=6,
                path_effects=halo,
            )
        low, high = frame
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_aspect("equal", adjustable="box")
        axes.set_axis_off()

    def _paint_faces(self, axes: Axes, camera: Camera) -> None:
        if not self.faces:
            return
        light = camera.frame.T @ np.array([-0.45, 0.75, 0.55])
        light /= np.linalg.norm(light)
        corners = np.stack([face[:3] for face, *_ in self.faces])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1])
        towards = camera.eye - np.stack([face.mean(axis=0) for face, *_ in self.faces])
        lengths = np.linalg.norm(normals, axis=1)
        seen = (lengths > 1e-15) & (np.einsum("ij,ij->i", normals, towards) > 0)
        bright = 0.66 + 0.42 * (normals @ light) / np.maximum(lengths, 1e-15)
        tints = np.array([colour for _, colour, _ in self.faces])
        shaded = np.clip(tints * bright[:, None], 0.0, 1.0)
        nearer = np.array([amount for *_, amount in self.faces])
        order = np.argsort(nearer - np.linalg.norm(towards, axis=1), kind="stable")
        order = order[seen[order]]
        ends = np.cumsum([len(face) for face, *_ in self.faces])
        flat = np.split(camera.project(np.vstack([face for face, *_ in self.faces])), ends[:-1])
        axes.add_collection(
            PolyCollection(
                [flat[index] for index in order],
                facecolors=shaded[order],
                edgecolors=shaded[order],
                linewidths=0.35,
                zorder=4,
            )
        )


def camera_for(
    stage: Stage, points: Array, azimuth: float | None = None, normal: Array | None = None
) -> Camera:
    """Return the camera that sees the whole stage.

    Args:
        stage: What to look at.
        points: Of the mechanism [m]. Shape (m, 3).
        azimuth: Where to look from [rad]; None: where the mechanism spreads widest, of a few.
        normal: Of the plane the mechanism moves in; it is then looked at straight, unless an
            azimuth is given. None: it moves in space.
    """
    target = (stage.low + stage.high) / 2
    half = float(np.linalg.norm(stage.high - stage.low)) / 2
    if normal is not None and azimuth is None:
        if abs(normal[2]) > 0.99:
            return Camera(target, _FAR * half, *_FROM_ABOVE)
        if abs(normal[2]) < 0.01:
            side = normal if normal[1] < 0 or (normal[1] == 0 and normal[0] > 0) else -normal
            return Camera(target, _FAR * half, float(np.arctan2(side[1], side[0])), _LEVEL)
    choices = _AZIMUTHS if azimuth is None else (azimuth,)
    cameras = [Camera(target, _DISTANCE * half, choice, ELEVATION) for choice in choices]
    spread = np.array([np.std(points @ camera.frame[0]) for camera in cameras])
    spread[0] *= 1.3  # the first view is the usual one; another must be clearly better
    return cameras[int(np.argmax(spread))]


def hull(points: Array) -> Array:
    """Return the convex hull of points in a plane, counter-clockwise. (m, 2) to (k, 2)."""
    rows = sorted(set(map(tuple, np.round(points, 9).tolist())))
    if len(rows) < 3:
        return np.array(rows)
    chains: list[list[tuple[float, float]]] = []
    for ordered in (rows, rows[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in ordered:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = chain[-2:]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        chains.append(chain[:-1])
    return np.array(chains[0] + chains[1])
