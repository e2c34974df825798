"""One name for one thing, and one way for each job."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from source_tree import ROOT, modules

MAX_ANY = 70  # `Any` in src: libraries without types, and few other places

# Where code says a thing that one module owns, and why.
KERNEL_TEXT = {
    "armwerk.numba_kernels": "what the decorators do",
    "armwerk.derivation.runtime.templates": "text of generated modules, which stand alone",
    "armwerk.derivation.emit.compiled_dynamics": "text of generated modules, which stand alone",
    "armwerk.derivation.runtime.interpreted": "what stands for numba where Python runs it",
}
FILE_WRITING = {
    "armwerk.files": "the one way to replace a file",
    "armwerk.derivation.runtime.compile": "moves a broken folder aside, writes nothing",
    "armwerk.derivation.emit.printing": "takes over the document that pdflatex wrote",
}


def defined_classes() -> dict[str, list[str]]:
    """Return the modules in which each class name is defined."""
    found = defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return found


def mentions(*words: str) -> Iterator[tuple[str, str]]:
    """Yield (module, source) of every name, attribute or text that holds one of the words."""
    pattern = re.compile(rf"(?<![\w.])({'|'.join(words)})\b")
    for module, tree in modules().items():
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            text = ""
            match node:
                case ast.Name() | ast.Attribute():
                    text = ast.unparse(node)
                case ast.Constant(value=str(value)) if id(node) not in docstrings:
                    text = value
                case ast.alias(name=name):
                    text = name
            if pattern.search(text):
                yield module, text


def test_a_class_name_stands_for_one_thing() -> None:
    twice = {name: places for name, places in defined_classes().items() if len(places) > 1}
    assert not twice


def test_any_is_rare() -> None:
    count = sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for tree in modules().values()
        for node in ast.walk(tree)
    )
    assert count <= MAX_ANY


def test_kernels_are_compiled_in_one_way() -> None:
    users = {module for module, _ in mentions("njit", "numba.njit", "jit", "numba.jit")}
    assert users == set(KERNEL_TEXT)


def test_files_are_replaced_in_one_way() -> None:
    words = ("mkstemp", "tempfile.mkstemp", "os.replace", "os.rename", "NamedTemporaryFile")
    users = {module for module, _ in mentions(*words)}
    assert users == set(FILE_WRITING)


def test_arrays_are_named_in_one_place() -> None:
    named = {
        f"{module}: {ast.unparse(node)}"
        for module, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.value is not None
        and re.search(r"\bNDArray\[np\.(float64|int64|bool_)\]", ast.unparse(node.value))
    }
    assert {line.split(":")[0] for line in named} == {"armwerk.arrays"}


def drawn_packages() -> set[str]:
    """Return the packages that the tree of docs/architecture.md draws, by their path."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found: set[str] = set()
    room = ""
    for bars, name, words in re.findall(r"^([│ ]*)[├└]── (\w+)/(.*)$", text, re.MULTILINE):
        room = room if bars else name
        place = f"{room}/{name}" if bars else name
        found |= {place, *(f"{place}/{part}" for part in re.findall(r"(\w+)/", words))}
    return found


def test_the_tree_of_packages_is_drawn_as_it_is() -> None:
    source = ROOT / "src" / "armwerk"
    folders = {path.parent.relative_to(source).as_posix() for path in source.rglob("__init__.py")}
    parts = {place for place in folders if "/" in place}
    assert drawn_packages() == parts | {place.split("/")[0] for place in parts}
