"""Python modules beside a cell: each cell has its own, whatever they are called.

The modules of a folder are loaded under a package name that exists once, so that two cells with
a ``pick.py`` each do not meet. ``import helper`` in such a module finds ``helper.py`` in the same
folder first. A module is read anew for every world, and no bytecode is left beside it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import NoReturn

_PREFIX = "armwerk_cell_"
_numbers = count()


class Folder:
    """The modules of one folder, as one world sees them.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.package = f"{_PREFIX}{next(_numbers)}"
        root = ModuleType(self.package, f"Modules beside a cell in {self.path}.")
        root.__path__ = [str(self.path)]
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        sys.modules[self.package] = root
        _finder.folders[self.package] = self

    def has(self, name: str) -> bool:
        """Whether the folder has a module of that name; for "a.b.c" the first part counts."""
        head = name.partition(".")[0]
        if not head.isidentifier():
            return False
        return (self.path / f"{head}.py").is_file() or (self.path / head).is_dir()

    def load(self, name: str) -> ModuleType:
        """Return the module of that name, loaded once."""
        return import_module(f"{self.package}.{name}")

    def close(self) -> None:
        """Forget the modules; what was made of their classes lives on."""
        _finder.folders.pop(self.package, None)
        for name in [key for key in sys.modules if key.partition(".")[0] == self.package]:
            del sys.modules[name]

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Stand in for ``__import__`` in the modules of the folder: neighbours come first."""
        own = f"{self.package}.{name}"
        if level == 0 and (own in sys.modules or self._is_neighbour(name)):
            found = builtins.__import__(own, globals, locals, fromlist or (), 0)
            return found if fromlist else sys.modules[f"{self.package}.{name.partition('.')[0]}"]
        return builtins.__import__(name, globals, locals, fromlist or (), level)

    def _is_neighbour(self, name: str) -> bool:
        head = name.partition(".")[0]
        if (self.path / f"{head}.py").is_file():
            return True
        return (self.path / head / "__init__.py").is_file()


class _Loader(SourceFileLoader):
    """Gives a module its folder's own ``import``, and keeps no bytecode."""

    def __init__(self, fullname: str, path: str, folder: Folder) -> None:
        super().__init__(fullname, path)
        self._folder = folder

    def exec_module(self, module: ModuleType) -> None:
        own = dict(vars(builtins))
        own["__import__"] = self._folder.import_
        module.__dict__["__builtins__"] = own
        super().exec_module(module)

    def path_stats(self, path: object) -> NoReturn:
        raise OSError  # an edited file would pass for the old one within the same second


class _Finder(MetaPathFinder):
    """Finds modules under the package names of folders."""

    def __init__(self) -> None:
        self.folders: dict[str, Folder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        folder = self.folders.get(fullname.partition(".")[0])
        if folder is None or path is None:
            return None
        PathFinder.invalidate_caches()
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader) and spec.origin:
            spec.loader = _Loader(fullname, spec.origin, folder)
        return spec


_finder = _Finder()
