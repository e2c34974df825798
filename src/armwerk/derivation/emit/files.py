"""The files of a derivation, by format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.derivation.emit import FORMATS, Format
from armwerk.derivation.emit.c import header, source_file
from armwerk.derivation.emit.latex import document
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
        formats: Any of "latex", "c", "python".

    Raises:
        UnsupportedError: For another format, or for C and Python of an arm with symbols.
    """
    return write_texts(folder, texts(derivation, formats))


def texts(derivation: Derivation, formats: Sequence[Format]) -> dict[str, str]:
    """Return the texts by file name."""
    for name in formats:
        if name not in FORMATS:
            raise UnsupportedError(f"no format is called '{name}' (known: {', '.join(FORMATS)})")
    prefix = prefix_of(derivation.arm.name)
    found: dict[str, str] = {}
    if "c" in formats or "python" in formats:
        numbers = models(derivation)
        if "c" in formats:
            found[f"{prefix}.h"] = header(numbers)
            found[f"{prefix}.c"] = source_file(numbers)
        if "python" in formats:
            found[f"{prefix}.py"] = python_module(numbers)
    if "latex" in formats:
        found[f"{prefix}.tex"] = document(derivation)
    return found
