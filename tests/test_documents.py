"""What README and the pages in docs show works as they say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from test_examples import run_python

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def command_lines(text: str) -> list[str]:
    """Return the commands that README shows, without their explanations."""
    lines = re.findall(r"^    (armwerk .*)$", text, re.MULTILINE)
    return [re.split(r"\s{3,}", line)[0] for line in lines]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text()], ids=lambda page: page.name
)
def test_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """The blocks of a page are read one after the other, as a reader would type them."""
    for number, toml in enumerate(blocks(page.read_text(), "toml")):
        found = re.match(r"# (\S+\.toml)\n", toml)
        (tmp_path / (found.group(1) if found else f"block{number}.toml")).write_text(toml)
    result = run_python(["-c", "\n".join(blocks(page.read_text(), "python"))], tmp_path)
    assert result.returncode == 0, result.stderr
    if page.name == "README.md":
        written = {path.suffix for path in (tmp_path / "out" / "puma560").iterdir()}
        assert written >= {".tex", ".c", ".h", ".py"}


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("line", command_lines(README))
def test_commands_of_the_readme(line: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    result = subprocess.run(
        [sys.executable, "-m", *shlex.split(line)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout
    words = shlex.split(line)
    for option in {"--plot", "--out"} & set(words):
        assert (tmp_path / words[words.index(option) + 1]).exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    missing = [page.name for page in PAGES[1:] if f"({page.name})" not in index]
    assert [name for name in missing if name != "index.md"] == []
