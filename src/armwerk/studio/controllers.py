"""Which controllers a cell could use: found by reading Python files, never by running them."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

_BASE = "RobotController"
_MOST_FILES = 200
_MOST_BYTES = 1_000_000  # of a file that is read


def controllers_beside(cell: Path) -> tuple[str, ...]:
    """Return the programs beside a cell: classes derived from `RobotController`, and IRL files.

    Args:
        cell: The environment file, which finds its programs as "module.Class" beside itself.
    """
    try:
        files = sorted((*cell.parent.glob("*.py"), *cell.parent.glob("*.irl")))[:_MOST_FILES]
        seen = [(file, file.stat()) for file in files]
    except OSError:
        return ()
    return _controllers(tuple((file, one.st_mtime_ns, one.st_size) for file, one in seen))


@lru_cache(maxsize=8)
def _controllers(seen: tuple[tuple[Path, int, int], ...]) -> tuple[str, ...]:
    found: list[str] = []
    files = [file for file, _, size in seen if size <= _MOST_BYTES]
    found += [file.name for file in files if file.suffix == ".irl"]
    modules = {file.stem: tree for file in files if (tree := _parsed(file)) is not None}
    known = {_BASE}
    grows = True
    while grows:  # a class may be derived from one of another module
        grows = False
        for tree in modules.values():
            for one in _classes(tree):
                if one.name not in known and any(_last(base) in known for base in one.bases):
                    known.add(one.name)
                    grows = True
    for module, tree in modules.items():
        for one in _classes(tree):
            if one.name in known - {_BASE} and not one.name.startswith("_") and _runs(one):
                found.append(f"{module}.{one.name}")
    return tuple(sorted(found))


def _parsed(file: Path) -> ast.Module | None:
    try:
        if file.suffix != ".py" or not file.stem.isidentifier():
            return None
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [one for one in tree.body if isinstance(one, ast.ClassDef)]


def _last(base: ast.expr) -> str:
    """Return the last part of a name such as "aw.RobotController"; empty: it is no name."""
    if isinstance(base, ast.Attribute):
        return base.attr
    return base.id if isinstance(base, ast.Name) else ""


def _runs(one: ast.ClassDef) -> bool:
    """Say whether a class has something of its own to do; one for others to derive from may not."""
    return any(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in one.body)
