"""The grammars of VS Code and the studio have the words of the language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from armwerk.editors.explanations import (
    FUNCTION_TEXTS,
    PROCEDURE_TEXTS,
    SNIPPETS,
    TYPE_TEXTS,
    VARIABLE_TEXTS,
    WORD_TEXTS,
)
from armwerk.editors.syntax import CONTROL, GROUPS, codemirror, textmate
from armwerk.language.checking.symbols import PROCEDURES, SYSTEM_VARIABLES, TRUTHS, WORLD_VALUES
from armwerk.language.keywords import KEYWORDS, MOVE_PARAMETERS, PATH_KINDS, STATEMENT_WORDS
from armwerk.language.operators import FUNCTIONS
from armwerk.language.types import PREDEFINED

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("editors/vscode/syntaxes/irl.tmLanguage.json", textmate()),
        ("studio/src/program/words.ts", codemirror()),
    ],
)
def test_the_files_are_those_that_the_script_writes(name: str, text: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == text, "run scripts/syntax.py"


def test_every_word_has_one_colour() -> None:
    words = [word for _, group in GROUPS.values() for word in group]
    assert len(words) == len(set(words))
    assert {*CONTROL, *words} >= KEYWORDS
    assert not CONTROL & set(words)


def test_the_studio_has_every_keyword() -> None:
    text = (ROOT / "studio/src/program/words.ts").read_text(encoding="utf-8")
    found = set(re.findall(r"[a-z_][a-z_0-9]*", "".join(re.findall(r'"([^"]*)"', text))))
    assert found >= KEYWORDS
    assert found >= set(FUNCTIONS)


def test_what_the_extension_names_is_there() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    gives = package["contributes"]
    files = [gives["languages"][0]["configuration"], gives["grammars"][0]["path"], package["main"]]
    assert all((EXTENSION / file).is_file() for file in files)
    code = (EXTENSION / "extension.js").read_text(encoding="utf-8")
    for setting in gives["configuration"]["properties"]:
        assert f'get("{setting.removeprefix("armwerk.")}")' in code
    for command in gives["commands"]:
        assert f'"{command["command"]}"' in code
    assert '"language-server"' in code
    assert '"debug-adapter"' in code
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["packages"][""]["dependencies"] == package["dependencies"]


def test_every_predefined_name_is_explained() -> None:
    assert set(FUNCTION_TEXTS) == {*FUNCTIONS, "running"}
    assert set(PROCEDURE_TEXTS) == set(PROCEDURES)
    assert set(VARIABLE_TEXTS) == {*SYSTEM_VARIABLES, *WORLD_VALUES, *TRUTHS}
    assert set(TYPE_TEXTS) == set(PREDEFINED)
    assert set(WORD_TEXTS) >= STATEMENT_WORDS | MOVE_PARAMETERS | PATH_KINDS
    assert {*WORD_TEXTS, *SNIPPETS} <= KEYWORDS
