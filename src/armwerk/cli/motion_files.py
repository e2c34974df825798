"""What the commands that plan a motion write: its samples and its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armwerk.motion import Trajectory

from pathlib import Path

from armwerk.cli.console import put, working


def check_files(plot: Path | None, save: Path | None) -> None:
    """Refuse wrong endings before anything is computed."""
    if plot is not None:
        from armwerk.pictures.file import picture_path

        picture_path(plot)
    if save is not None:
        from armwerk.motion.trajectory.storage import trajectory_path

        trajectory_path(save)


def write_files(
    trajectory: Trajectory, plot: Path | None, save: Path | None, cycle: float | None, quiet: bool
) -> None:
    """Write what was asked for and, unless quiet, say where it is.

    Args:
        trajectory: The motion.
        plot: Picture; None for none.
        save: Samples; None for none.
        cycle: Time between samples [s]; None: as the trajectory chooses.
        quiet: Whether nothing is to be said.
    """
    if save is not None:
        written = trajectory.save(save, cycle)
        if not quiet:
            put(f"trajectory: {written}")
    if plot is not None:
        with working("drawing"):
            written = trajectory.plot(plot)
        if not quiet:
            put(f"picture: {written}")
