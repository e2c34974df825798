"""A look at generated source before it is compiled: is every name defined where it is used?

numba finds an undefined name only while it compiles, after seconds and in words about its own
inside. Generated functions are straight-line code and plain loops, so that one pass from top to
bottom decides.
"""

from __future__ import annotations

import ast
import builtins


def undefined_names(source: str) -> tuple[str, ...]:
    """Return "function: name" for every name that is read before anything defines it.

    Args:
        source: A module of functions without inner functions, generated or written by hand.
    """
    module = ast.parse(source)
    known = set(dir(builtins))
    found: list[str] = []
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef):
            known.add(statement.name)
        else:
            known |= _names(statement, ast.Store)
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef):
            own = {argument.arg for argument in statement.args.args}
            unknown = _unknown(statement.body, known, own)
            found += [f"{statement.name}: {name}" for name in unknown]
    return tuple(dict.fromkeys(found))


def _unknown(body: list[ast.stmt], known: set[str], own: set[str]) -> list[str]:
    """Return what statements read that is not known yet; adds to ``own`` what they define."""
    found: list[str] = []
    for statement in body:
        head: list[ast.AST] = [statement]
        blocks: list[list[ast.stmt]] = []
        if isinstance(statement, ast.For):
            head, blocks = [statement.iter], [statement.body, statement.orelse]
        elif isinstance(statement, ast.If | ast.While):
            head, blocks = [statement.test], [statement.body, statement.orelse]
        for part in head:
            found += sorted(_names(part, ast.Load) - known - own)
        if isinstance(statement, ast.For):
            own |= _names(statement.target, ast.Store)
        elif not blocks:
            own |= _names(statement, ast.Store)
        for block in blocks:
            found += _unknown(block, known, own)
    return found


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    names = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, context)
    }
    if context is ast.Store:
        for one in ast.walk(node):
            if isinstance(one, ast.Import | ast.ImportFrom):
                names |= {alias.asname or alias.name for alias in one.names}
    return names
