"""Pages of the site that are made when it is built: the reference, the gallery, files of the root.

A hook of mkdocs. What a room offers is read from its stub, so the reference cannot disagree with
what `import armwerk` gives; the gallery shows the examples with the pictures that
`scripts/gallery.py` had them write.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "armwerk"
PICTURES = ROOT / "out" / "gallery"
ROOMS = [
    "errors",
    "geometry",
    "robot",
    "scene",
    "protocol",
    "mechanics",
    "modelling",
    "pictures",
    "motion",
    "derivation",
    "collision",
    "planning",
    "stations",
    "physics",
    "language",
    "control",
    "motors",
    "operation",
    "cell",
    "mobile",
    "wire",
    "studio",
    "editors",
    "notebook",
]
OF_THE_ROOT = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def exports(package: Path) -> dict[str, str]:
    """Return the names that a package or module offers, each with the module it comes from."""
    if package.with_suffix(".py").exists():
        tree = ast.parse(package.with_suffix(".py").read_text())
        home = f"armwerk.{package.name}"
        defined = (node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
        return {node.name: home for node in defined if not node.name.startswith("_")}
    stub = package / "__init__.pyi"
    tree = ast.parse((stub if stub.exists() else package / "__init__.py").read_text())
    return {
        alias.asname or alias.name: statement.module
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
        if statement.module.startswith("armwerk") and statement.module != "armwerk.lazy"
    }


def definition(module: str, name: str) -> str:
    """Return where a name is defined, through packages that hand it on."""
    for _ in range(5):
        package = SRC.joinpath(*module.split(".")[1:])
        onward = exports(package).get(name) if package.is_dir() else None
        if onward in (None, module):
            return f"{module}.{name}"
        module = onward or module
    raise RecursionError(f"{module}.{name} is handed round in a ring")


def reference_pages() -> dict[str, str]:
    """Return the pages of the reference by their place in the site."""
    pages = {"reference/armwerk.md": _front_door()}
    for room in ROOMS:
        lines = [f"# armwerk.{room}", "", _docstring(room), ""]
        names = exports(SRC / room)
        for name, module in sorted(names.items(), key=lambda item: item[0].lower()):
            is_module = (SRC / room / f"{name}.py").exists()
            if module != f"armwerk.{room}" or is_module or not (SRC / room).is_dir():
                lines += [f"::: {definition(module, name)}", ""]
        pages[f"reference/{room}.md"] = "\n".join(lines)
    return pages


def _front_door() -> str:
    lines = ["# armwerk", "", "What `import armwerk as aw` gives; each name leads to its page.", ""]
    for name, module in exports(SRC).items():
        room = name if module == "armwerk" else module.split(".")[1]
        anchor = "" if module == "armwerk" else f"#{definition(module, name)}"
        lines.append(f"- [`aw.{name}`]({room}.md{anchor})")
    return "\n".join(lines) + "\n"


def _docstring(room: str) -> str:
    path = SRC / f"{room}.py" if (SRC / f"{room}.py").exists() else SRC / room / "__init__.py"
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return re.sub(r"((?:^    .*\n?|^\s*\n)+)", _fenced, text, flags=re.MULTILINE)


def _fenced(found: re.Match[str]) -> str:
    block = found.group(1)
    return f"\n```text\n{block.strip(chr(10))}\n```\n\n" if block.strip() else block


def gallery_page() -> str:
    """Return the page that shows every example with what it draws."""
    lines = [
        "# Gallery",
        "",
        "Every example, with the pictures it writes. `make gallery` runs them.",
        "",
    ]
    for path in sorted((ROOT / "examples").glob("*/*.py")):
        source = path.read_text()
        text = ast.get_docstring(ast.parse(source)) or path.stem
        title, _, rest = text.partition("\n")
        place = path.relative_to(ROOT / "examples").with_suffix("")
        lines += [f"## {title.rstrip('.')}", ""]
        lines += [line.strip() for line in rest.splitlines() if line.strip().startswith("- ")]
        lines.append("")
        for picture in sorted((PICTURES / place).glob("*.png")):
            lines += [
                f"![{picture.stem}](gallery/{place.as_posix()}/{picture.name}){{ width=480 }}",
                "",
            ]
        code = "\n".join("    " + line for line in source.splitlines())
        lines += [
            f'??? example "examples/{place.as_posix()}.py"',
            "",
            "    ```python",
            code,
            "    ```",
            "",
        ]
    return "\n".join(lines)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and the pictures of the examples."""
    from mkdocs.structure.files import File

    pages = {**reference_pages(), "gallery.md": gallery_page()}
    pages |= {place: (ROOT / name).read_text() for place, name in OF_THE_ROOT.items()}
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    for picture in sorted(PICTURES.rglob("*.png")):
        place = f"gallery/{picture.relative_to(PICTURES).as_posix()}"
        files.append(File.generated(config, place, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to files of the root lead to their pages in the site, and leave out the others."""
    up = "../" * page.file.src_uri.count("/")
    markdown = re.sub(r"\]\((\.\./)*README\.md\)", f"]({up}index.md)", markdown)
    markdown = re.sub(r"\]\((\.\./)*examples[^)]*\)", f"]({up}gallery.md)", markdown)
    for place, name in OF_THE_ROOT.items():
        markdown = re.sub(rf"\]\((\.\./)*{re.escape(name)}\)", f"]({up}{place})", markdown)
    if page.file.src_uri in OF_THE_ROOT:
        markdown = markdown.replace("](docs/", "](")
    first = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))[0]
    markdown = re.sub(r"\]\(decisions/?\)", f"](decisions/{first})", markdown)
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)*(?:src|tests|benchmarks)/[^)]*\)", r"\1", markdown)
