"""Output of a derivation: LaTeX, C and Python files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import UnsupportedError
from armwerk.files import write_texts

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation

FORMATS = ("latex", "c", "python")


def write(derivation: Derivation, folder: str | Path, formats: Sequence[str]) -> list[Path]:
    """Write the derivation into a folder; return the files.

    Args:
        derivation: What to write.
        folder: Made when it does not exist.
        formats: Any of "latex", "c", "python".

    Raises:
        UnsupportedError: For another format, or for C and Python of an arm with symbols.
    """
    return write_texts(folder, texts(derivation, formats))


def texts(derivation: Derivation, formats: Sequence[str]) -> dict[str, str]:
    """Return the texts by file name."""
    for name in formats:
        if name not in FORMATS:
            raise UnsupportedError(f"no format is called '{name}' (known: {', '.join(FORMATS)})")
    from armwerk.derivation.emit.models import models, prefix_of

    prefix = prefix_of(derivation.arm.name)
    found: dict[str, str] = {}
    if "c" in formats or "python" in formats:
        numbers = models(derivation)
        if "c" in formats:
            from armwerk.derivation.emit.c import header, source_file

            found[f"{prefix}.h"] = header(numbers)
            found[f"{prefix}.c"] = source_file(numbers)
        if "python" in formats:
            from armwerk.derivation.emit.python import python_module

            found[f"{prefix}.py"] = python_module(numbers)
    if "latex" in formats:
        from armwerk.derivation.emit.latex import document

        found[f"{prefix}.tex"] = document(derivation)
    return found
