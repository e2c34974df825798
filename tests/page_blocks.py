"""The code blocks of a Markdown page, and a program that does what they say, in their order.

A fenced block of one of these languages is run:

    python   Python; all blocks of a page belong to one program
    console  lines that begin with `$ `; the lines below one are its output, as far as shown: each
             must be printed, `…` stands for anything

Blocks of data (toml, xml, env, urdf, csv) whose first line is a comment with a file name are
written to that file before the program begins.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

RUN = {"python", "console"}
DATA = {"toml", "xml", "env", "irl", "urdf", "csv", "yaml", "makefile"}
SHOWN = {"text", "mermaid", "c", "latex", "json", "lua", "lisp"}  # results, drawings, settings

# Commands that set a machine up; CI itself runs them.
NOT_RUN = {"make", "git", "pip", "uv", ".", "cd", "pre-commit"}

RUNNER = """
import os as _os, re as _re, shlex as _shlex, subprocess as _subprocess, sys as _sys
def _console(line, shown):
    words = _shlex.split(line)
    words = [_sys.executable, *(["-m", *words] if words[0] == "armwerk" else words[1:])]
    wide = {**_os.environ, "COLUMNS": "160"}
    done = _subprocess.run(words, stdout=-1, stderr=-2, text=True, env=wide)
    said = " ".join(done.stdout.split())
    assert done.returncode == 0, f"{line} ends with {done.returncode}: {done.stdout}"
    for want in shown:
        parts = [_re.escape(" ".join(part.split())) for part in want.split("…")]
        assert _re.search(".*".join(parts), said), f"{line} does not print {want!r}: {done.stdout}"
"""


@dataclass(frozen=True)
class CodeBlock:
    """A block of a page.

    Args:
        language: Word behind the fence; "indented" for a block without one.
        text: What stands in it.
        line: Line of the page on which it begins.
    """

    language: str
    text: str
    line: int


def code_blocks(page: str) -> Iterator[CodeBlock]:
    """Yield the blocks of a page, fenced and indented ones."""
    lines = page.splitlines()
    number, before, in_list = 0, "", False
    while number < len(lines):
        line = lines[number]
        fence = re.match(r" *```+ *([\w-]*)", line)
        if fence:
            end = number + 1
            while end < len(lines) and not re.match(r" *```+ *$", lines[end]):
                end += 1
            text = textwrap.dedent("\n".join(lines[number + 1 : end]) + "\n")
            yield CodeBlock(fence.group(1) or "no language", text, number + 1)
            number, before = end + 1, ""
            continue
        if re.match(r"([-*]|\d+\.) ", line):
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = line.startswith(("!!!", "???", "===")) or (in_list and bool(before.strip()))
        if line.startswith("    ") and not before.strip() and not in_list:
            yield CodeBlock("indented", line, number + 1)
        number, before = number + 1, line
    return


def data_files(page: str) -> dict[str, str]:
    """Return the blocks of data that name the file they are in."""
    found: dict[str, str] = {}
    for number, block in enumerate(code_blocks(page)):
        if block.language in DATA:
            name = re.match(r"(?:#|//|<!--|;|\{)\s*(\S+\.\w+)\b", block.text)
            found[name.group(1) if name else f"block{number}.{block.language}"] = block.text
    return found


def commands(block: CodeBlock) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block, each with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((re.split(r"\s+# ", line[2:])[0], []))
        elif line.strip() and found:
            found[-1][1].append(line)
    return found


def program(page: str) -> str:
    """Return the Python program that does what the blocks of a page say."""
    parts = []
    for block in code_blocks(page):
        if block.language == "python":
            parts.append(block.text)
        elif block.language == "console":
            for line, shown in commands(block):
                if shlex.split(line)[0] not in NOT_RUN:
                    parts.append(f"_console({line!r}, {shown!r})\n")
    return RUNNER + "".join(parts) if parts else ""


def complaints(page: str) -> list[str]:
    """Return what is wrong with the blocks of a page: every one is run, or is no program."""
    found = []
    for block in code_blocks(page):
        where = f"line {block.line}, {block.language}"
        if block.language not in RUN | DATA | SHOWN:
            found.append(f"{where}: neither run nor data nor a result")
        elif block.language == "console":
            if not block.text.startswith("$ "):
                found.append(f"{where}: commands begin with '$ '")
            for line, _ in commands(block):
                if shlex.split(line)[0] not in {"armwerk", "python", *NOT_RUN}:
                    found.append(f"{where}: {line!r} is not run")
        elif block.language in SHOWN and re.search(
            r"^\s*(\$ |armwerk |import |from \w+ import |>>> )", block.text, re.MULTILINE
        ):
            found.append(f"{where}: a program in disguise")
    return found
