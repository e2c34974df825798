"""What README and the pages in docs show works as they say; see page_blocks for the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from page_blocks import code_blocks, commands, complaints, data_files, program
from test_examples import run_python

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

# Pages with blocks that are not run yet; an entry that is no longer needed must go.
NOT_YET: set[str] = set()


def title(page: Path) -> str:
    """Return the path of a page from the root."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if program(page.read_text())], ids=title)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    """They are run one after the other, as a reader would type them."""
    text = page.read_text(encoding="utf-8")
    for name, data in data_files(text).items():
        (tmp_path / name).write_text(data)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "page.py").write_text(program(text))
    result = run_python([str(tmp_path / "page.py")], tmp_path)
    assert result.returncode == 0, result.stderr
    for block in code_blocks(text):
        for line, _ in commands(block) if block.language == "console" else ():
            for written in re.findall(r"--(?:plot|out|save|video|record) (\S+)", line):
                assert (tmp_path / written).exists(), line


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_every_block_of_a_page_is_run(page: Path) -> None:
    wrong = complaints(page.read_text(encoding="utf-8"))
    if title(page) in NOT_YET:
        assert wrong, "mended: take it off the list"
        return
    assert not wrong


def test_blocks_that_are_not_run_are_seen() -> None:
    page = """Words

    armwerk arms

```bash
ls
```

- a list

    goes on

```console
$ armwerk arms  # all
name … reach
$ rm all
```

```text
from armwerk import Arm
```
"""
    kinds = [block.language for block in code_blocks(page)]
    assert kinds == ["indented", "bash", "console", "text"]
    assert [line.split(":")[0] for line in complaints(page)] == [
        "line 3, indented",
        "line 5, bash",
        "line 13, console",
        "line 19, text",
    ]
    assert "_console('armwerk arms', ['name … reach'])" in program(page)


def test_a_page_that_promises_too_much_fails(tmp_path: Path) -> None:
    lie = "```console\n$ armwerk --version\narmwerk 99\n```\n"
    for text, code in ((lie, 1), (lie.replace("99", "…"), 0)):
        (tmp_path / "page.py").write_text(program(text))
        assert run_python([str(tmp_path / "page.py")], tmp_path).returncode == code


def test_readme_is_short() -> None:
    assert len(README.read_text().splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    # Pages of the reference and the gallery are made when the site is built.
    assert [link for link in missing if not re.search(r"\b(reference|gallery)\b", link)] == []


def test_the_index_names_every_page() -> None:
    text = (ROOT / "docs" / "index.md").read_text() + (ROOT / "mkdocs.yml").read_text()
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES[2:]]
    assert [page for page in pages if page not in text] == []
