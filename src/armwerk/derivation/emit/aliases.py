"""Definitions that only rename something are taken out, and what nobody uses then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import symengine

from armwerk.derivation.program import Expression
from armwerk.derivation.runtime.flow import Definition

RESULT = "out_"  # what names of results start with; they are no better than x0
_SHARED = re.compile(r"x\d+")  # names that the search for common sub-expressions gives


def without_aliases(
    definitions: Sequence[Definition],
) -> tuple[list[Definition], dict[str, Expression]]:
    """Return the definitions in which no name stands for another name or a number.

    A sub-expression that has a name of its own elsewhere gets that name.

    Args:
        definitions: In order of execution.

    Returns:
        What is left, and what stands for the names that are gone.
    """
    swap = _better_names(definitions)
    gone: dict[str, Expression] = {old: symengine.Symbol(new) for old, new in swap.items()}
    kept: list[Definition] = []
    for one in definitions:
        names = tuple(swap.get(name, name) for name in one.names)
        mapping = {symengine.Symbol(name): value for name, value in gone.items()}
        expressions = tuple(value.xreplace(mapping) for value in one.expressions)
        if one.kind == "value" and is_plain(expressions[0]):
            if expressions[0] != symengine.Symbol(names[0]):
                gone[names[0]] = expressions[0]
            continue
        kept.append(replace(one, names=names, expressions=expressions))
    return kept, gone


def needed(definitions: Sequence[Definition], results: Iterable[str]) -> list[Definition]:
    """Return the definitions that the results need."""
    wanted = set(results)
    kept: list[Definition] = []
    for one in reversed(definitions):
        if wanted.intersection(one.names):
            wanted |= one.uses()
            kept.append(one)
    return kept[::-1]


def is_plain(value: Expression) -> bool:
    """Whether a value is a number or a name, with or without a sign."""
    return bool(value.is_Number or value.is_Symbol or (-value).is_Symbol)


def resolved(name: str, gone: Mapping[str, Expression]) -> Expression:
    """Return what stands for a name now."""
    return gone.get(name, symengine.Symbol(name))


def _better_names(definitions: Sequence[Definition]) -> dict[str, str]:
    defined = {name for one in definitions for name in one.names}
    found: dict[str, str] = {}
    for one in definitions:
        if one.kind != "value" or not one.expressions[0].is_Symbol:
            continue
        old = one.expressions[0].name
        new = one.names[0]
        is_free = old in defined and old not in found and bool(_SHARED.fullmatch(old))
        if is_free and not new.startswith(RESULT):
            found[old] = new
    return found
