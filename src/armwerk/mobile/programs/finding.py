"""Programs by their names: those that come with the robots, and classes of one's own.

A text names a program and, behind it, values for its constructor: ``football role=keeper`` or
``my_module:Explorer speed=0.2``.
"""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.program import MobileProgram
from armwerk.mobile.programs.braitenberg import Braitenberg
from armwerk.mobile.programs.collector import Collector
from armwerk.mobile.programs.football import FootballPlayer
from armwerk.mobile.programs.straight import Straight
from armwerk.mobile.programs.wall_follower import WallFollower

PROGRAMS: dict[str, Callable[..., MobileProgram]] = {
    "braitenberg": Braitenberg,
    "collector": Collector,
    "football": FootballPlayer,
    "straight": Straight,
    "wall follower": WallFollower,
}


def find_program(text: str, folder: Path | None = None) -> MobileProgram:
    """Return a new program.

    Args:
        text: A name from `PROGRAMS` or ``module:Class``, then values as ``key=value``.
        folder: Where a module may lie, such as that of the scene; None: only where Python looks.

    Raises:
        DescriptionError: When it cannot be made.
        UnknownNameError: When there is none of this name.
    """
    words, values = _split(text)
    name = " ".join(words)
    if ":" in name:
        maker = _own(name, folder)
    elif name in PROGRAMS:
        maker = PROGRAMS[name]
    else:
        raise UnknownNameError("program of a mobile robot", name, PROGRAMS)
    return _made(maker, name, values)


def _split(text: str) -> tuple[list[str], dict[str, str]]:
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise DescriptionError(f"cannot be read ({error})", element="program", value=text) from None
    words = [part for part in parts if "=" not in part]
    values = dict(part.split("=", 1) for part in parts if "=" in part)
    if not words:
        raise DescriptionError(
            "names no program", element="program", value=text, allowed=", ".join(PROGRAMS)
        )
    return words, values


def _made(maker: Callable[..., MobileProgram], name: str, values: dict[str, str]) -> MobileProgram:
    known = inspect.signature(maker).parameters
    given: dict[str, str | float] = {}
    for key, value in values.items():
        if key not in known:
            raise UnknownNameError(f"value (program '{name}')", key, known)
        given[key] = value
        if isinstance(known[key].default, float | int):
            try:
                given[key] = float(value)
            except ValueError:
                raise DescriptionError(
                    "no number", element=f"program '{name}', {key}", value=value
                ) from None
    try:
        program = maker(**given)
    except TypeError as error:
        raise DescriptionError(f"cannot be made ({error})", element=f"program '{name}'") from None
    for verb in ("start", "step"):
        if not callable(getattr(program, verb, None)):
            raise DescriptionError(
                f"has no method '{verb}'",
                element=f"program '{name}'",
                allowed="a class with start(robot) and step(senses)",
            )
    return program


def _own(name: str, folder: Path | None) -> Callable[..., MobileProgram]:
    """Return what ``module:Class`` names, from a file in the folder or from Python's path."""
    module_name, _, kind = name.partition(":")
    element = f"program '{name}'"
    if not all(part.isidentifier() for part in (*module_name.split("."), kind)):
        raise DescriptionError("is no name of a class", element=element, allowed="module:Class")
    beside = None if folder is None else folder / f"{module_name.replace('.', '/')}.py"
    try:
        if beside is not None and beside.is_file():
            private = f"_mobile_program_{abs(hash(beside))}"
            spec = spec_from_file_location(private, beside)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            sys.modules[private] = module  # dataclasses look their module up
            spec.loader.exec_module(module)
        else:
            module = import_module(module_name)
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise DescriptionError(
            f"module '{module_name}' cannot be loaded: {told}", element=element
        ) from error
    found = getattr(module, kind, None)
    if not callable(found):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise UnknownNameError(f"class (module '{module_name}')", kind, classes)
    return found  # type: ignore[no-any-return]
