"""Files below the folder the studio was started in: what a viewer may ask of them, and gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ListFiles:
    """Ask for the files with one of some endings, such as ".toml"."""

    endings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Ask for the text of a file."""

    file: str


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write a text to a file, which is complete or untouched."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class FileList:
    """Files, by their paths from the folder."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class RecordingSaved:
    """A recording that was begun or ended.

    Args:
        file: Its path from the folder.
        seconds: How long it is [s]; 0: it was begun.
    """

    file: str
    seconds: float


FileCommand: TypeAlias = ListFiles | ReadFile | WriteFile
"""Anything a viewer may ask of files."""
FileResult: TypeAlias = FileList | FileText | RecordingSaved
"""Anything it gets of them."""
