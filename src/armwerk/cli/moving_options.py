"""Options of commands that know bodies that move: when a motion begins, and how it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwerk.cli.console import progress_bar, put, working
from armwerk.cli.units import Units

if TYPE_CHECKING:
    from armwerk.collision.bodies_around import BodiesAround
    from armwerk.collision.motion_check import Verdict
    from armwerk.collision.motion_picture import MotionPicture
    from armwerk.collision.open_mesh import OpenMesh

StartOption = Annotated[
    float,
    typer.Option("--start", help="When the motion may begin by the clock of what moves [s]."),
]
VideoOption = Annotated[
    Path | None,
    typer.Option(
        "--video",
        metavar="FILE",
        help="Film of the motion among the bodies: .gif, .webp, .apng, .mp4, .webm.",
    ),
]
MomentsOption = Annotated[
    Path | None,
    typer.Option(
        "--moments",
        metavar="FILE",
        help="Draw moments of the motion among the bodies, and the distance over time, .png or "
        ".svg.",
    ),
]


def bodies_around(path: Path | None, open_meshes: OpenMesh) -> BodiesAround:
    """Return what a bodies file holds, standing and moving; nothing without one."""
    from armwerk.collision.bodies_around import BodiesAround

    return BodiesAround() if path is None else BodiesAround.load(path, open_meshes)


def check_pictures(video: Path | None, moments: Path | None) -> None:
    """Refuse wrong endings before anything is computed."""
    if video is not None:
        from armwerk.pictures.film import film_path

        film_path(video)
    if moments is not None:
        from armwerk.pictures.file import picture_path

        picture_path(moments)


def write_pictures(
    picture: MotionPicture, video: Path | None, moments: Path | None, quiet: bool
) -> None:
    """Write what was asked for and, unless quiet, say where it is."""
    if moments is not None:
        with working("drawing"):
            written = picture.moments(moments)
        if not quiet:
            put(f"moments: {written}")
    if video is not None:
        with progress_bar("filming") as progress:
            written = picture.film(video, progress=progress)
        if not quiet:
            put(f"film: {written}")


def moving_words(beside: Verdict, units: Units, start: float) -> str:
    """Return how near a motion comes to what moves, and when by its own and the world's clock."""
    near = beside.distance
    clock = f" (clock {start + beside.time:.3f} s)" if start else ""
    return (
        f"to what moves: {near.value * units.scale('prismatic'):.4g} {units.length}, "
        f"{near.part} to {near.body} at {beside.time:.3f} s{clock}"
    )


def distance_json(verdict: Verdict) -> dict[str, object] | None:
    """Return the smallest distance of a motion as plain data [m, s]; None: there is nothing."""
    near = verdict.distance
    if not near.part:
        return None
    return {
        "value": near.value,
        "part": near.part,
        "body": near.body,
        "time": verdict.time,
        "points": [near.point_a.tolist(), near.point_b.tolist()],
    }
