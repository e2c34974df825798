"""The words of IRL as grammars of other programs have them, so that nobody writes them twice.

`scripts/syntax.py` writes the files; a test tells when they are out of date.
"""

from __future__ import annotations

import json
import re

from armwerk.language.checking.symbols import PROCEDURES, RUNNING, SYSTEM_VARIABLES, WORLD_VALUES
from armwerk.language.keywords import (
    CLOSERS,
    ENDS,
    KEYWORDS,
    MOVE_PARAMETERS,
    OPERATOR_WORDS,
    PATH_KINDS,
    ROUTINES,
    SECTIONS,
)
from armwerk.language.operators import FUNCTIONS
from armwerk.language.types import PREDEFINED

_DECLARING = SECTIONS | ROUTINES | {"program", "module", "record", "array", "begin"}
_DECLARING |= {
    word for opener in (*ROUTINES, "program", "module", "record") for word in ENDS[opener]
}
_TRUTHS = frozenset({"true", "false"})
_MOVING = MOVE_PARAMETERS | PATH_KINDS | {"move", "move_inc"}
GROUPS: dict[str, tuple[str, frozenset[str]]] = {
    "declaring": ("storage.type.irl", frozenset(_DECLARING | {"in", "out", "inout", "of"})),
    "moving": ("support.function.motion.irl", frozenset(_MOVING - {"until", "time"})),
    "operators": ("keyword.operator.word.irl", OPERATOR_WORDS),
    "truths": ("constant.language.irl", _TRUTHS),
    "types": ("support.type.irl", frozenset(PREDEFINED)),
    "functions": ("support.function.irl", frozenset({*FUNCTIONS, *PROCEDURES, RUNNING})),
    "system": ("variable.language.irl", frozenset({*SYSTEM_VARIABLES, *WORLD_VALUES})),
}
"""Words with the scope that TextMate gives them; all other keywords control the program."""
CONTROL = KEYWORDS - frozenset(word for _, words in GROUPS.values() for word in words)
OPENERS = tuple(sorted(set(ENDS) - {"program", "module"}))
"""Words after which lines stand further in."""


def _either(words: frozenset[str]) -> str:
    return r"(?i)\b(?:" + "|".join(sorted(words)) + r")\b"


def textmate() -> str:
    """Return the grammar of VS Code and others."""
    patterns: list[dict[str, str]] = [{"include": "#comments"}, {"include": "#strings"}]
    patterns.append(
        {"name": "constant.numeric.irl", "match": r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b"}
    )
    patterns.append({"name": "variable.other.member.irl", "match": r"(?<=\.)\s*[A-Za-z_]\w*"})
    patterns += [{"name": scope, "match": _either(words)} for scope, words in GROUPS.values()]
    patterns.append({"name": "keyword.control.irl", "match": _either(CONTROL)})
    patterns.append({"name": "entity.name.function.irl", "match": r"\b[A-Za-z_]\w*(?=\s*\()"})
    patterns.append({"name": "keyword.operator.irl", "match": r":=|<>|<=|>=|\*\*|[-+*/=<>@]"})
    braces: dict[str, object] = {
        "name": "comment.block.irl",
        "begin": r"\{",
        "end": r"\}",
        "patterns": [{"include": "#braces"}],
    }
    grammar: dict[str, object] = {
        "name": "IRL",
        "scopeName": "source.irl",
        "fileTypes": ["irl", "decl"],
        "patterns": patterns,
        "repository": {
            "braces": braces,
            "comments": {
                "patterns": [
                    {"include": "#braces"},
                    {"name": "comment.block.irl", "begin": r"\(\*", "end": r"\*\)"},
                    {"name": "comment.line.double-slash.irl", "match": "//.*$"},
                ]
            },
            "strings": {
                "patterns": [
                    {"name": "string.quoted.single.irl", "match": "'(?:[^'\n]|'')*'"},
                    {"name": "string.quoted.double.irl", "match": '"(?:[^"\n]|"")*"'},
                ]
            },
        },
    }
    return json.dumps(grammar, indent=2) + "\n"


def codemirror() -> str:
    """Return the words for the studio's editor, as a TypeScript module."""
    rows = ["// Written by scripts/syntax.py; a test tells when it is out of date.", ""]
    named = {**{name: words for name, (_, words) in GROUPS.items()}, "control": CONTROL}
    for name, words in named.items():
        rows += _constant(name, sorted(words))
    rows += _constant("openers", list(OPENERS))
    rows += _constant("closers", sorted(CLOSERS))
    return "\n".join(rows)


def _constant(name: str, words: list[str]) -> list[str]:
    text = " ".join(words)
    lines = re.findall(r".{1,88}(?:\s|$)", text)
    joined = '" +\n  "'.join(lines)
    return [f"export const {name} = new Set(", f'  ("{joined}").split(" "),', ");", ""]
