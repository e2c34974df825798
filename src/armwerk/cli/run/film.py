"""Films and frames of a run or of a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from armwerk.cell.moments import Moments, drawn_robots
from armwerk.cell.observers import Observer
from armwerk.cell.record import Recording
from armwerk.pictures.cell import (
    AZIMUTH,
    ELEVATION,
    CellPicture,
    Flags,
    Moment,
    Pixels,
    camera_of,
    target_of,
)
from armwerk.pictures.film import Film, FrameFolder, captioned, film_path, open_film
from armwerk.scene.scene import Scene

if TYPE_CHECKING:
    from armwerk.arrays import Array
    from armwerk.cell.world import World
    from armwerk.cli.run.options import CameraAngles


@dataclass(frozen=True, slots=True)
class FilmOptions:
    """What is to be filmed, and how.

    Args:
        video: File; None: none.
        frames: Folder; None: none.
        rate: Pictures per simulated second.
        size: [pixel].
        camera: Azimuth and elevation [rad], distance [m], target, as far as chosen.
        flags: What stands out.
        renderer: "native", or "fx" for OpenGL where the machine can.
    """

    video: Path | None
    frames: Path | None
    rate: float
    size: tuple[int, int]
    camera: CameraAngles
    flags: Flags
    renderer: Literal["native", "fx"] = "native"

    @property
    def wanted(self) -> bool:
        """Whether anything is to be filmed."""
        return self.video is not None or self.frames is not None

    def check(self) -> None:
        """Raise before anything is computed when the film could not be written."""
        if self.video is not None:
            film_path(self.video)


class FilmCamera(Observer):
    """Films a cell while it runs; also used for the moments of a recording.

    Args:
        scene: The cell.
        options: What is wanted.
        title: Name of the cell, written into the pictures.
        seen: More points that must be in the picture [m]. Shape (m, 3).
        moments: Of the running world; None: only `take` is used.
    """

    def __init__(
        self,
        scene: Scene,
        options: FilmOptions,
        title: str,
        seen: Array | None = None,
        moments: Moments | None = None,
    ) -> None:
        robots, self.missing = drawn_robots(scene)
        self.period = 1.0 / options.rate
        self.title = title
        self.moments = moments
        looking = options.camera
        wanted = looking.get("target")
        target = None if wanted is None else target_of(scene, robots, wanted)
        eye = camera_of(
            scene,
            robots,
            options.size,
            looking.get("azimuth", AZIMUTH),
            looking.get("elevation", ELEVATION),
            looking.get("distance"),
            seen,
            None if target is None else target.start,
        )
        follow = target if looking.get("follow") else None
        picture = CellPicture(scene, robots, options.size, eye, options.flags, follow)
        self._draw: Callable[[Moment], Pixels] = picture.draw
        self._close_picture: Callable[[], None] = _nothing
        if options.renderer == "fx":
            self._use_opengl(picture)
        self._films: list[Film] = []
        if options.video is not None:
            self._films.append(open_film(options.video, options.rate))
        if options.frames is not None:
            self._films.append(FrameFolder(options.frames))

    def _use_opengl(self, picture: CellPicture) -> None:
        from armwerk.pictures.opengl import OpenGLPicture, opengl_platform

        if opengl_platform() is None:
            self.missing.append(
                "this machine has no OpenGL without a screen; drawn by armwerk itself"
            )
            return
        drawn = OpenGLPicture(picture)
        self._draw, self._close_picture = drawn.draw, drawn.close

    def look(self, world: World) -> None:
        """Take a picture of the running world."""
        if self.moments is not None:
            self.take(self.moments.now())

    def take(self, moment: Moment) -> None:
        """Add the picture of a moment to the films."""
        pixels = captioned(self._draw(moment), f"{moment.time:.2f} s", self.title)
        for film in self._films:
            film.add(pixels)

    def close(self) -> list[Path]:
        """Finish the films and return where they are."""
        self._close_picture()
        return [film.close() for film in self._films]


def _nothing() -> None:
    pass


def film_recording(
    recording: Recording,
    scene: Scene,
    options: FilmOptions,
    is_enough: Callable[[], bool] = lambda: False,
) -> tuple[list[Path], list[str]]:
    """Film a recording; return what was written, and what could not be drawn.

    Args:
        recording: What happened.
        scene: Where.
        options: What is wanted.
        is_enough: Asked after every picture; the film ends there, whole.
    """
    seen = recording.positions.reshape(-1, 3)
    seen = seen[np.isfinite(seen).all(axis=1)]
    if len(seen):
        # where things roll far away, the picture stays with most of them
        low, high = np.percentile(seen, [2, 98], axis=0)
        seen = np.stack([low, high])
    camera = FilmCamera(scene, options, recording.header.cell, seen if len(seen) else None)
    times = recording.times
    wanted = np.arange(0.0, (times[-1] if len(times) else -1.0) + 1e-9, camera.period)
    try:
        for index in np.searchsorted(times, wanted - 1e-9):
            camera.take(recording.moment(int(min(index, len(times) - 1))))
            if is_enough():
                break
    finally:
        written = camera.close()
    return written, camera.missing
