"""Output of a derivation: LaTeX, C and Python files."""

from __future__ import annotations

from typing import Literal, TypeAlias

Format: TypeAlias = Literal["latex", "c", "python"]
FORMATS: tuple[Format, ...] = ("latex", "c", "python")
