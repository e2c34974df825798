"""The files of a derivation, by format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.derivation.emit import KNOWN_FORMATS, Format
from armwerk.derivation.emit.c import header, source_file
from armwerk.derivation.emit.c.motion import motion_header, motion_source
from armwerk.derivation.emit.latex import document, short_document
from armwerk.derivation.emit.models import models, prefix_of
from armwerk.derivation.emit.python import python_module
from armwerk.errors import UnsupportedError
from armwerk.files import write_texts

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation


def write(derivation: Derivation, folder: str | Path, formats: Sequence[Format]) -> list[Path]:
    """Write the derivation into a folder; return the files.

    Args:
        derivation: What to write.
        folder: Made when it does not exist.
        formats: Any of "latex", "short", "c", "python", "motion"; "short" is the inverse
            kinematics on two pages, the last gives trajectory generators in C that stand beside
            those of "c".

    Raises:
        UnsupportedError: For another format, or for symbols that the code cannot take.
    """
    return write_texts(folder, texts(derivation, formats))


def texts(derivation: Derivation, formats: Sequence[Format]) -> dict[str, str]:
    """Return the texts by file name."""
    for name in formats:
        if name not in KNOWN_FORMATS:
            raise UnsupportedError(
                f"no format is called '{name}' (known: {', '.join(KNOWN_FORMATS)})"
            )
    prefix = prefix_of(derivation.arm.name)
    found: dict[str, str] = {}
    if {"c", "python", "motion"} & set(formats):
        numbers = models(derivation)
        if "c" in formats:
            found[f"{prefix}.h"] = header(numbers)
            found[f"{prefix}.c"] = source_file(numbers)
        if "motion" in formats:
            found[f"{prefix}_motion.h"] = motion_header(numbers)
            found[f"{prefix}_motion.c"] = motion_source(numbers)
        if "python" in formats:
            found[f"{prefix}.py"] = python_module(numbers)
    if "latex" in formats:
        found[f"{prefix}.tex"] = document(derivation)
    if "short" in formats:
        found[f"{prefix}_inverse.tex"] = short_document(derivation)
    return found
