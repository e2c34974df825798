"""Films and frames of a run or of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armwerk.cell.moments import Moments, drawn_robots
from armwerk.cell.record import Recording
from armwerk.cli.run_watchers import Quiet
from armwerk.pictures.cell import CellPicture, Flags, Moment, camera_of
from armwerk.pictures.film import Film, FrameFolder, captioned, film_path, open_film
from armwerk.scene.scene import Scene


@dataclass(frozen=True, slots=True)
class Shooting:
    """What is to be filmed, and how.

    Args:
        video: File; None: none.
        frames: Folder; None: none.
        rate: Pictures per simulated second.
        size: [pixel].
        camera: Azimuth and elevation [rad], distance [m], as far as chosen.
        flags: What stands out.
        renderer: "native", or "fx" for OpenGL where the machine can.
    """

    video: Path | None
    frames: Path | None
    rate: float
    size: tuple[int, int]
    camera: dict[str, Any]
    flags: Flags
    renderer: str = "native"

    @property
    def wanted(self) -> bool:
        """Whether anything is to be filmed."""
        return self.video is not None or self.frames is not None

    def check(self) -> None:
        """Raise before anything is computed when the film could not be written."""
        if self.video is not None:
            film_path(self.video)


class Camera(Quiet):
    """Films a cell while it runs; also used for the moments of a recording.

    Args:
        scene: The cell.
        shooting: What is wanted.
        title: Name of the cell, written into the pictures.
        seen: More points that must be in the picture [m]. Shape (m, 3).
        moments: Of the running world; None: only `take` is used.
    """

    def __init__(
        self,
        scene: Scene,
        shooting: Shooting,
        title: str,
        seen: Any = None,
        moments: Moments | None = None,
    ) -> None:
        robots, self.missing = drawn_robots(scene)
        self.period = 1.0 / shooting.rate
        self.title = title
        self.moments = moments
        eye = camera_of(scene, robots, shooting.size, seen=seen, **shooting.camera)
        self._picture: Any = CellPicture(scene, robots, shooting.size, eye, shooting.flags)
        if shooting.renderer == "fx":
            self._picture, notice = _by_opengl(self._picture)
            self.missing += [notice] if notice else []
        self._films: list[Film] = []
        if shooting.video is not None:
            self._films.append(open_film(shooting.video, shooting.rate))
        if shooting.frames is not None:
            self._films.append(FrameFolder(shooting.frames))

    def look(self, world: Any) -> None:
        """Take a picture of the running world."""
        if self.moments is not None:
            self.take(self.moments.now())

    def take(self, moment: Moment) -> None:
        """Add the picture of a moment to the films."""
        pixels = captioned(self._picture.draw(moment), f"{moment.time:.2f} s", self.title)
        for film in self._films:
            film.add(pixels)

    def close(self) -> list[Path]:
        """Finish the films and return where they are."""
        if hasattr(self._picture, "close"):
            self._picture.close()
        return [film.close() for film in self._films]


def _by_opengl(picture: CellPicture) -> tuple[Any, str]:
    """Return the same picture drawn by OpenGL, or itself and why it cannot be."""
    from armwerk.pictures.opengl import OpenGLPicture, opengl_platform

    platform = opengl_platform()
    if platform is None:
        return picture, "this machine has no OpenGL without a screen; drawn by armwerk itself"
    return OpenGLPicture(picture), ""


def film_recording(
    recording: Recording, scene: Scene, shooting: Shooting
) -> tuple[list[Path], list[str]]:
    """Film a recording; return what was written, and what could not be drawn."""
    seen = recording.positions.reshape(-1, 3)
    seen = seen[np.isfinite(seen).all(axis=1)]
    if len(seen):
        # where things roll far away, the picture stays with most of them
        low, high = np.percentile(seen, [2, 98], axis=0)
        seen = np.stack([low, high])
    camera = Camera(scene, shooting, recording.header.cell, seen if len(seen) else None)
    times = recording.times
    wanted = np.arange(0.0, (times[-1] if len(times) else -1.0) + 1e-9, camera.period)
    try:
        for index in np.searchsorted(times, wanted - 1e-9):
            camera.take(recording.moment(int(min(index, len(times) - 1))))
    finally:
        written = camera.close()
    return written, camera.missing
