"""Options of commands that sweep joint values: what stands around the arm, and who computes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

BodiesOption = Annotated[
    Path | None,
    typer.Option("--bodies", metavar="FILE", help="Table of the bodies around it, .toml."),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine", metavar="local|dask|ADDRESS", help="Threads, processes, or a scheduler."
    ),
]
