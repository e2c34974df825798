"""Another name for a thing, everywhere it is used."""

from __future__ import annotations

import re

from armwerk.editors.analysis import Analysis, Declared
from armwerk.editors.positions import TextRange
from armwerk.errors import DescriptionError
from armwerk.language.checking.symbols import SYSTEM_VARIABLES, TRUTHS, WORLD_VALUES
from armwerk.language.keywords import KEYWORDS
from armwerk.language.types import PREDEFINED

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def renamable(analysis: Analysis, offset: int) -> Declared | None:
    """Return what a word at an offset means, where a program declares it; None: it does not."""
    at = analysis.word_at(offset)
    if at is None or analysis.in_comment(offset):
        return None
    return analysis.declared(analysis.own, at)


def renamed(analysis: Analysis, one: Declared, new: str) -> dict[int, list[TextRange]]:
    """Return where a new name is to be written, by text.

    Raises:
        DescriptionError: When the name cannot be one, or means something else somewhere.
    """
    small = new.lower()
    if not _NAME.fullmatch(new):
        raise DescriptionError(
            f"'{new}' is no name", allowed="letters, digits and '_', no digit first"
        )
    if small in KEYWORDS:
        raise DescriptionError(f"'{new}' is a reserved word", allowed="another name")
    if small in {*PREDEFINED, *SYSTEM_VARIABLES, *WORLD_VALUES, *TRUTHS} and one.kind != "field":
        raise DescriptionError(f"'{new}' is known to every program", allowed="another name")
    other = None if small == one.name else _clash(analysis, one, small)
    if other is not None:
        line = analysis.units[other.unit].source.line(other.at)
        raise DescriptionError(
            f"'{new}' is declared in line {line} already", allowed="another name"
        )
    places: dict[int, list[TextRange]] = {}
    for unit, at in analysis.uses(one):
        places.setdefault(unit, []).append(analysis.range(unit, at))
    return places


def _clash(analysis: Analysis, one: Declared, new: str) -> Declared | None:
    """Return what has the new name where the old one is used; None: nothing."""
    scopes = analysis.scopes
    if one.kind == "field":
        return scopes.fields.get((one.owner, new))
    if one.kind == "label":
        return scopes.labels.get((one.unit, one.owner, new))
    if one.owner:
        found = scopes.routines.get(one.owner, {}).get(new)
        if found is not None or new not in scopes.program:
            return found
        used = [at for unit, at in analysis.uses(scopes.program[new]) if unit == one.unit]
        inside = any(analysis.routine_at(one.unit, at) == one.owner for at in used)
        return scopes.program[new] if inside else None
    if new in scopes.program:
        return scopes.program[new]
    routines = {analysis.routine_at(unit, at) for unit, at in analysis.uses(one)}
    hidden = [
        scopes.routines[name][new] for name in routines if new in scopes.routines.get(name, {})
    ]
    return hidden[0] if hidden else None
