"""Which controllers a cell could use: found by reading Python files, never by running them."""

from __future__ import annotations

import ast
from pathlib import Path

_BASE = "RobotController"
_MOST_FILES = 200
_MOST_BYTES = 1_000_000  # of a file that is read


def controllers_beside(cell: Path) -> tuple[str, ...]:
    """Return the classes derived from `RobotController` in modules beside a cell, in order.

    Args:
        cell: The environment file, which finds its programs as "module.Class" beside itself.
    """
    found: list[str] = []
    try:
        files = sorted(cell.parent.glob("*.py"))[:_MOST_FILES]
    except OSError:
        return ()
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
        if not file.stem.isidentifier() or file.stat().st_size > _MOST_BYTES:
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
