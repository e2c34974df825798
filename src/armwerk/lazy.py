"""Packages whose names are loaded when they are first used.

What a package offers stands once, in its stub ``__init__.pyi``, as imports that editors and type
checkers read too:

    from armwerk.robot.arm import Arm as Arm

and its ``__init__.py`` holds no more than

    __getattr__, __dir__, __all__ = attach(__name__, __file__)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub beside it.

    A name that its module has too is loaded at once: as soon as anyone imports that module, the
    package's attribute of this name would be the module.

    Args:
        package: ``__name__`` of the package.
        file: ``__file__`` of the package.
    """
    homes = _read(Path(file).with_suffix(".pyi"))
    names = sorted(homes)

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        home = homes[name]
        if home == package:  # a package or module inside
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home), name)
        vars(sys.modules[package])[name] = value
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    for name, home in homes.items():
        if home == f"{package}.{name}":
            load(name)
    if homes.get("notebook") == package and "IPython" in sys.modules:
        # a notebook, or a console like one, is told how to show what this package makes
        import_module(f"{package}.notebook").register()
    return load, listed, names


def use_later(name: str) -> None:
    """Have a module that others import loaded when something of it is first used.

    Args:
        name: Of the module; nothing happens where it is loaded already, or is not there.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None:
        later = _LaterModule(name)
        later.__spec__ = spec  # importing it again asks for no more than this
        sys.modules[name] = later


class _LaterModule(ModuleType):
    """Stands for a module until something of it is used."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _read(stub: Path) -> dict[str, str]:
    """Return the module of every name that a stub imports as itself."""
    homes: dict[str, str] = {}
    for statement in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            for name in statement.names:
                if name.asname == name.name:
                    homes[name.name] = statement.module
    return homes
