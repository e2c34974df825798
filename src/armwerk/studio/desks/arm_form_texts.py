"""Fields of a form as a person would type them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from armwerk.protocol.forming import FormColumn, FormField, FormOffer, FormTable
from armwerk.robot.reading import Fields

MOST_ROWS = 200  # of a table; a description with more is edited as text


def fields_of(fields: Iterable[FormField], table: Fields) -> tuple[FormField, ...]:
    """Return fields with what stands in a description."""
    return tuple(
        FormField(one.place, one.label, one.hint, _text_at(table, one.place), one.choices)
        for one in fields
    )


def rows_of(table: Fields, array: str) -> list[Fields]:
    """Return the tables of an array; none where it is something else."""
    found = table.get(array)
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return rows[:MOST_ROWS]


def table_of(
    title: str,
    array: str,
    columns: tuple[FormColumn, ...],
    rows: Sequence[Fields],
    offers: tuple[FormOffer, ...],
) -> FormTable:
    """Return a table with the texts of its rows."""
    texts = tuple(tuple(_text_at(row, one.field) for one in columns) for row in rows)
    return FormTable(title, array, columns, texts, offers)


def _text_at(table: Fields, place: str) -> str:
    value: object = table
    for part in place.split("/"):
        value = value.get(part) if isinstance(value, dict) else None
    return _text(value)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:.12g}" if float(f"{value:.12g}") == value else repr(value)
    return str(value)
