"""The table of makers' languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from armwerk.errors import UnknownNameError
from armwerk.language.exporting.krl import KrlWriter
from armwerk.language.exporting.rapid import RapidWriter
from armwerk.language.exporting.urscript import UrScriptWriter
from armwerk.language.exporting.writer import ProgramWriter
from armwerk.language.parsing.units import ParsedUnit, parse

ExportTarget: TypeAlias = Literal["krl", "rapid", "urscript"]
WRITERS: dict[str, tuple[type[ProgramWriter], str]] = {
    "krl": (KrlWriter, ".src"),
    "rapid": (RapidWriter, ".mod"),
    "urscript": (UrScriptWriter, ".script"),
}


def exported(units: Sequence[ParsedUnit], target: str) -> dict[str, str]:
    """Return the files of a program in another language, by their names.

    Args:
        units: Modules and the program.
        target: One of `WRITERS`.

    Raises:
        ProgramError: With every statement that the language cannot say.
        UnknownNameError: For another language.
    """
    if target not in WRITERS:
        raise UnknownNameError("language", target, WRITERS)
    writer_class, ending = WRITERS[target]
    # read anew: what the language cannot say is noted in the texts
    units = [parse(parsed.source.text, parsed.source.file) for parsed in units]
    writer = writer_class(units)
    name = units[-1].source.spelling(units[-1].unit.name_at)
    files = {f"{name}{ending}": writer.write()}
    if isinstance(writer, KrlWriter):
        files[f"{name}.dat"] = writer.data
    return files
