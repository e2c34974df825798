"""Mutated programs give located problems, a fault with its line, or a run; nothing else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from armwerk.errors import ExecutionError
from armwerk.language import Rehearsal, formatted, irl, parse
from armwerk.language.checking.units import check
from armwerk.language.keywords import KEYWORDS
from armwerk.language.running.interpreter import Interpreter

PROGRAMS = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "programs").glob("*.irl"))
]
SIGNS = [*list("()[]{};:,.@+-*/=<>'\""), ":=", "..", "**"]
WORDS = [*sorted(KEYWORDS), *SIGNS, "0", "1.5", "x", "i", "a", "ä"]
PARTS = 20


def mutated(text: str, chance: random.Random) -> str:
    """Return a program with one to three changes: half of them exchange words of one kind."""
    for _ in range(chance.randint(1, 3)):
        pieces = re.findall(r"\w+|\s+|.", text)
        at = chance.randrange(len(pieces))
        match chance.randrange(12):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, f" {chance.choice(WORDS)} ")
            case 2:
                pieces[at] = chance.choice(WORDS)
            case 3:
                other = chance.randrange(len(pieces))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 4:
                pieces[at:at] = pieces[at : at + chance.randint(1, 20)]
            case 5:
                text = "".join(pieces)
                donor = chance.choice(PROGRAMS)
                cut, start = chance.randrange(len(text) + 1), chance.randrange(len(donor))
                pieces = [text[:cut], donor[start : start + 60], text[cut:]]
            case _:
                kind = chance.choice((r"[a-z_]\w*", r"[a-z_]\w*", r"\d+", r"[-+*/<>=]"))
                same = [k for k, piece in enumerate(pieces) if re.fullmatch(kind, piece)]
                same = [k for k in same if pieces[k] not in KEYWORDS]
                if same:
                    pieces[chance.choice(same)] = pieces[chance.choice(same)]
        text = "".join(pieces)[:4000]
        if not text.strip():
            text = ";"
    return text


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_programs(part: int, tmp_path: Path) -> None:
    chance = random.Random(part)
    for _ in range(10_000 // PARTS):
        text = mutated(chance.choice(PROGRAMS), chance)
        parsed = parse(text)
        lines = text.count("\n") + 1
        if parsed.source.problems:
            assert all(1 <= problem.line <= lines for problem in parsed.source.problems)
            continue
        assert formatted(text)
        checked, problems = check([parsed])
        if checked is None:
            assert problems
            assert all(1 <= problem.line <= lines for problem in problems)
            continue
        run = Interpreter(checked, Rehearsal({"there": [(1.0, True)]}, robots=2), folder=tmp_path)
        place = run.line
        try:
            while run.run(20_000) == "paused" and run.count < 20_000:
                pass
        except ExecutionError as error:
            place = error.problem.line
        assert 1 <= place <= lines


def test_the_mutations_are_of_all_kinds() -> None:
    chance = random.Random(1)
    kinds = {"problems": 0, "wrong": 0, "right": 0}
    for _ in range(300):
        text = mutated(chance.choice(PROGRAMS), chance)
        if parse(text).source.problems:
            kinds["problems"] += 1
        elif irl.problems(text):
            kinds["wrong"] += 1
        else:
            kinds["right"] += 1
    assert min(kinds.values()) > 20, kinds
