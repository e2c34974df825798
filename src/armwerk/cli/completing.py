"""What a shell offers at the Tab key: a half-written word becomes the words it may be.

Options and commands are known to the program itself. Here stand the words of a user: arms, cells,
grippers, problems and the files that may take their place. Where nothing fits, a shell offers
files of its own accord.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from typer.core import TyperCommand

_ARM_FILES = (".toml", ".xml", ".urdf", ".xacro", ".mjcf")
_CELL_FILES = (".env", ".jsonl", ".jsonl.gz")


def arm_words(begun: str) -> list[str]:
    """Return the arms of the library, and files of arms, that begin so."""
    from armwerk.robot import library

    return _beginning(begun, library(), _ARM_FILES)


def gripper_words(begun: str) -> list[str]:
    """Return the shipped grippers, and files of grippers, that begin so."""
    from armwerk.robot import grippers

    return _beginning(begun, grippers(), _ARM_FILES)


def cell_words(begun: str) -> list[str]:
    """Return the shipped cells, environment files and recordings that begin so."""
    from armwerk.scene.files import cells

    return _beginning(begun, cells(), _CELL_FILES)


def station_words(begun: str) -> list[str]:
    """Return the shipped stations, and files of stations, that begin so."""
    from armwerk.stations import station_names

    return _beginning(begun, station_names(), (".toml",))


def map_words(begun: str) -> list[str]:
    """Return the problems of configuration spaces, and arms, that begin so."""
    from armwerk.planning.example_problems import problems

    return _beginning(begun, problems(), ()) + arm_words(begun)


def studio_words(begun: str) -> list[str]:
    """Return the cells and arms that begin so."""
    return cell_words(begun) + arm_words(begun)


def _beginning(begun: str, names: Iterable[str], endings: tuple[str, ...]) -> list[str]:
    """Return names, and files with these endings, that begin so; folders are left to the shell."""
    folder, _, rest = begun.rpartition("/")
    try:
        inside = sorted(os.listdir(folder or ".")) if endings else []
    except OSError:
        inside = []
    place = begun[: len(begun) - len(rest)]
    files = [place + name for name in inside if name.startswith(rest) and name.endswith(endings)]
    return [*(name for name in names if name.startswith(begun)), *files]


Completer = Callable[[str], list[str]]

# By command and parameter; "" stands for all commands that have no row of their own.
WORDS: dict[tuple[str, str], Completer] = {
    ("", "name"): arm_words,
    ("", "arm"): arm_words,
    ("cspace", "name"): map_words,
    ("station", "name"): station_words,
    ("", "cell"): cell_words,
    ("reach", "cell"): lambda _: [],  # there it is a length
    ("studio", "cell"): studio_words,
    ("", "environment"): cell_words,
    ("", "manipulator"): lambda begun: _behind_numbers(begun, arm_words),
    ("", "gripper"): lambda begun: _behind_numbers(begun, gripper_words),
}


def _behind_numbers(begun: str, words: Completer) -> list[str]:
    """Complete what stands behind the numbers of robots, as in "0-2=puma560"."""
    numbers, equals, rest = begun.rpartition("=")
    return [f"{numbers}{equals}{word}" for word in words(rest)]


class CompletingCommand(TyperCommand):
    """A command whose words a shell can complete."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for parameter in self.params:
            own = WORDS.get((self.name or "", parameter.name or ""))
            words = own or WORDS.get(("", parameter.name or ""))
            if words is not None:
                # what typer sets from a parameter's ``autocompletion``, here for all in one table
                parameter._custom_shell_complete = _offered(words)


def _offered(words: Completer) -> Callable[[object, object, str], list[str]]:
    """Return what the parser calls for the words of a parameter."""
    return lambda context, parameter, begun: words(begun)
