"""Derivations of arms: what a viewer may ask for in closed form, and gets line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

DerivationStage: TypeAlias = Literal[
    "direct", "equations", "inverse", "velocity", "dynamics", "operations"
]
"""Models of an arm, in the order in which they are derived."""
DerivedFormat: TypeAlias = Literal["latex", "pdf", "c", "python"]
"""What a derivation can be written as."""
DerivedKind: TypeAlias = Literal["heading", "text", "formula", "table", "tree", "singular"]
"""What stands on a line of a derivation."""


@dataclass(frozen=True, slots=True)
class DeriveArm:
    """Ask for one model in closed form; symbols stay symbols.

    Args:
        text: The description.
        stage: Which model.
    """

    text: str
    stage: DerivationStage


@dataclass(frozen=True, slots=True)
class DerivedLine:
    """One thing of a derivation.

    Args:
        kind: What it is.
        text: A sentence with short formulas between dollar signs; or a formula, as LaTeX.
        rows: Of a table, its head first; of a solution tree, what is found and how many values.
        joints: Of a singular configuration, an example [rad or m].
    """

    kind: DerivedKind
    text: str
    rows: tuple[tuple[str, ...], ...] = ()
    joints: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DerivedModel:
    """A model in closed form, step by step.

    Args:
        stage: Which model.
        lines: From top to bottom.
        seconds: What it took.
    """

    stage: DerivationStage
    lines: tuple[DerivedLine, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class WriteDerivation:
    """Ask for a derivation as files."""

    text: str
    format: DerivedFormat


@dataclass(frozen=True, slots=True)
class DerivedFile:
    """A file of a derivation.

    Args:
        name: Of the file.
        text: Its content; of a PDF in base 64.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DerivedFiles:
    """A derivation as files."""

    files: tuple[DerivedFile, ...]
