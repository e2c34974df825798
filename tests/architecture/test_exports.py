"""What packages offer, what pages teach and what the reference lists is the same."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest
from source_tree import ROOT, home, modules, stubs

import armwerk

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE: dict[str, str] = runpy.run_path(str(ROOT / "scripts/site_pages.py"))["reference_pages"]()
LAZY = sorted(stubs())


def public_definitions() -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yield (module.name, definition) of every function and class that a stub names."""
    for package, names in stubs().items():
        for name in names:
            module = home(package, name)
            for node in modules()[module].body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                    yield f"{module}.{name}", node


PUBLIC = dict(public_definitions())


@pytest.mark.parametrize("package", LAZY)
def test_an_editor_completes_every_name(package: str) -> None:
    loaded = import_module(package)
    assert set(stubs()[package]) == set(vars(loaded)["__all__"])
    assert set(stubs()[package]) <= set(dir(loaded))


@pytest.mark.parametrize("package", LAZY)
def test_every_name_of_a_stub_can_be_loaded(package: str) -> None:
    loaded = import_module(package)
    for name, module in stubs()[package].items():
        value = getattr(loaded, name)
        if module == package:
            assert isinstance(value, ModuleType), name
        else:
            assert value is getattr(import_module(module), name), name


@pytest.mark.parametrize("package", LAZY)
def test_a_name_that_is_not_there_is_refused(package: str) -> None:
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'nothing'"):
        import_module(package).nothing  # noqa: B018 it must fail


@pytest.mark.parametrize("package", sorted(name for name in modules() if name.count(".") == 1))
def test_every_room_lists_its_names(package: str) -> None:
    loaded = import_module(package)
    if hasattr(loaded, "__path__") and not package.endswith((".cli", ".cells")):
        assert vars(loaded)["__all__"]


@pytest.mark.parametrize("name", sorted(stubs()["armwerk"]))
def test_pages_and_reference_know_the_name(name: str) -> None:
    assert f"[`aw.{name}`]" in REFERENCE["reference/armwerk.md"]
    module = stubs()["armwerk"][name]
    if module != "armwerk":
        page = REFERENCE[f"reference/{module.split('.')[1]}.md"]
        assert re.search(rf"^::: armwerk\.[\w.]+\.{name}$", page, re.MULTILINE)
    assert any(re.search(rf"\b(aw|armwerk)\.{name}\b", page.read_text()) for page in PAGES)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_functions_have_types_and_docstrings(name: str) -> None:
    node = PUBLIC[name]
    assert ast.get_docstring(node), "no docstring"
    functions = [node] if isinstance(node, ast.FunctionDef) else node.body
    for function in functions:
        if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
            continue
        decorators = {ast.unparse(one).split(".")[-1] for one in function.decorator_list}
        if not decorators & {"overload", "setter"}:
            assert ast.get_docstring(function), f"{function.name}: no docstring"
        assert function.returns is not None, f"{function.name}: no type of its result"
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        untyped = [
            a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")
        ]
        assert not untyped, f"{function.name}: no types of {untyped}"


def test_importing_armwerk_loads_no_heavy_library() -> None:
    source = inspect.getsource(armwerk)
    assert source.count("import") == 3, "the package holds its docstring and attach alone"


def test_every_room_with_public_names_has_its_page_in_the_reference() -> None:
    """The site is built strictly, which takes minutes; this tells it in a moment."""
    named = set(re.findall(r"(reference/\w+\.md)", (ROOT / "mkdocs.yml").read_text("utf-8")))
    assert named == set(REFERENCE)
    stubs = (ROOT / "src" / "armwerk").glob("*/__init__.pyi")
    assert {f"reference/{stub.parent.name}.md" for stub in stubs} <= named
