"""Options that say how a command shows its answer and writes it down."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RadiansOption = Annotated[
    bool, typer.Option("--radians", help="Angles are given and shown in radians.")
]
MillimetresOption = Annotated[
    bool, typer.Option("--mm", help="Lengths are given and shown in millimetres.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON, in metres and radians.")]
CurvesOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw curves and path, .png or .svg."),
]
SaveOption = Annotated[
    Path | None,
    typer.Option("--save", metavar="FILE", help="Write the trajectory, .csv or .npz."),
]
CycleOption = Annotated[
    float | None,
    typer.Option("--cycle", help="Of the samples saved [s]. Without it: the arm's clock."),
]
