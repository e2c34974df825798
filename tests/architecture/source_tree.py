"""The sources of armwerk as syntax trees: modules, what they import, cycles among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"


def module_name(path: Path) -> str:
    """Return the dotted name of a file below ``src``."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its name."""
    files = sorted((SRC / "armwerk").rglob("*.py"))
    return {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in files}


@cache
def stubs() -> dict[str, dict[str, str]]:
    """Return, for each lazy package, the module that each of its names comes from."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted((SRC / "armwerk").rglob("__init__.pyi")):
        statements = ast.parse(path.read_text(encoding="utf-8")).body
        found[module_name(path)] = {
            alias.name: statement.module
            for statement in statements
            if isinstance(statement, ast.ImportFrom) and statement.module
            for alias in statement.names
        }
    return found


def home(package: str, name: str) -> str:
    """Return the module that ``from package import name`` loads in the end."""
    seen: set[str] = set()
    while package not in seen:
        seen.add(package)
        next_package = stubs().get(package, {}).get(name, package)
        if next_package == package and f"{package}.{name}" in modules():
            return f"{package}.{name}"
        package = next_package
    return package


def imports(node: ast.AST) -> Iterator[str]:
    """Yield the modules of armwerk that run-time code imports, inside functions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for statement in child.orelse:
                yield from imports(ast.Module([statement], []))
            continue
        match child:
            case ast.ImportFrom(module=str(module), names=names):
                yield from (home(module, alias.name) for alias in names)
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.Call(args=[ast.Constant(value=str(module)), *_]):
                if ast.unparse(child.func).endswith("import_module"):
                    yield module
        yield from imports(child)


@cache
def import_graph() -> dict[str, set[str]]:
    """Return which modules of armwerk each of them imports."""
    known = modules()
    return {
        name: {other for other in imports(tree) if other in known and other != name}
        for name, tree in known.items()
    }


def cycles(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Return the groups of two or more nodes that reach one another (Tarjan, 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[frozenset[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            place = stack.index(node)
            group, stack[place:] = frozenset(stack[place:]), []
            if len(group) > 1:
                groups.append(group)

    for node in graph:
        if node not in order:
            visit(node)
    return groups
