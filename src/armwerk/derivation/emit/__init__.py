"""Output of a derivation: LaTeX, C and Python files."""

from __future__ import annotations

from typing import Literal, TypeAlias

Format: TypeAlias = Literal["latex", "short", "c", "python", "motion"]
FORMATS: tuple[Format, ...] = ("latex", "c", "python")
KNOWN_FORMATS: tuple[Format, ...] = (*FORMATS, "short", "motion")
