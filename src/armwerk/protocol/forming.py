"""Descriptions of arms as forms: fields, tables with a row for each joint or part, and edits.

What is typed goes into the text of the description, one field at a time; everything else stays as
it was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ArmEdit: TypeAlias = Literal["set", "add", "remove", "earlier", "later"]
"""What is done to a description: a field set, a row added, removed, or moved up or down."""


@dataclass(frozen=True, slots=True)
class ArmProblem:
    """Something wrong with a description.

    Args:
        place: The field, as in "joint/2/limits", counted from 0; empty: the whole.
        line: Of the text, counted from 1; 0: not known.
        message: What is wrong, and what would be right.
    """

    place: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of the form of an arm.

    Args:
        place: As in `ArmProblem`.
        label: Its name.
        hint: Unit and what can be written.
        text: As it stands in the description; empty: it is left out.
        choices: What it can be; empty: anything.
    """

    place: str
    label: str
    hint: str
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormColumn:
    """A column of a table.

    Args:
        field: Of a row, as in "link/mass".
        label: Its name.
        hint: Unit and what can be written.
        choices: What it can be; empty: anything.
    """

    field: str
    label: str
    hint: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormOffer:
    """A row that can be added.

    Args:
        kind: Value of the `EditArm` that adds it.
        label: On its button.
        hint: What it is.
    """

    kind: str
    label: str
    hint: str


@dataclass(frozen=True, slots=True)
class FormTable:
    """A table with a row for each joint, part, union or platform.

    Args:
        title: Above it.
        array: What its rows are: "joint", "part", "union" or "platform".
        columns: From left to right.
        rows: Texts of the fields for each row.
        offers: Rows that can be added.
    """

    title: str
    array: str
    columns: tuple[FormColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    offers: tuple[FormOffer, ...]


@dataclass(frozen=True, slots=True)
class ArmForm:
    """A description as a form."""

    fields: tuple[FormField, ...]
    tables: tuple[FormTable, ...]


@dataclass(frozen=True, slots=True)
class EditArm:
    """Ask for a description with one thing changed; comments and everything else stay.

    Args:
        text: The description.
        action: What to do.
        place: The field to set, as in `ArmProblem`, or the row, as in "joint/2" or "part/0"; a row
            is added behind it.
        value: What to write there; empty: leave it out. Of an added row its kind.
    """

    text: str
    action: ArmEdit
    place: str
    value: str


@dataclass(frozen=True, slots=True)
class ConvertArm:
    """Ask for a description in another format.

    Args:
        text: The description.
        ending: ".toml", ".xml" or ".urdf".
    """

    text: str
    ending: str


@dataclass(frozen=True, slots=True)
class ArmText:
    """A description, edited or converted."""

    text: str
