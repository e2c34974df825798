"""No module imports itself by a detour, function-level imports counted."""

from __future__ import annotations

import ast

from source_tree import cycles, home, import_graph, imports


def test_no_cycle_among_modules() -> None:
    assert not [" <-> ".join(sorted(group)) for group in cycles(import_graph())]


def test_cycles_are_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert set(cycles(graph)) == {frozenset("bc"), frozenset("ef")}


def test_imports_inside_functions_count_and_those_for_types_do_not() -> None:
    text = """
if TYPE_CHECKING:
    from armwerk.cell.world import World
else:
    import armwerk.files
def load():
    from armwerk import Arm
    import_module("armwerk.errors")
"""
    found = set(imports(ast.parse(text)))
    assert found == {"armwerk.files", home("armwerk", "Arm"), "armwerk.errors"}


def test_names_of_lazy_packages_lead_to_their_modules() -> None:
    assert home("armwerk", "Arm") == "armwerk.robot.arm"
    assert home("armwerk", "errors") == "armwerk.errors"
    assert "armwerk.robot" not in import_graph()["armwerk"]
