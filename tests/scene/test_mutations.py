"""Broken environment files: never anything but located problems or a scene, and soon."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from armwerk.errors import SceneError
from armwerk.scene import Scene, parse_scene, read_scene, write_scene
from armwerk.scene.keywords import ALL_ENDS, SHAPES, USAGE

EVERYTHING = (Path(__file__).parent / "everything.env").read_text()
SEEDS = [
    EVERYTHING,
    write_scene(parse_scene(EVERYTHING)),
    "NUMBER A 5 BALL A A 2*A 1 0 0.5 FF0000\nCUBOID (A + 1) 2 3 1 1 1 00FF00\n"
    "TRIGGER BALLBARRIER 1 GO 0 0 1 1 1 * TILE 0~3 1~2 ABCDEF CONVEYOR 1 STOP 1 2 x 5 0 000000"
    " RECT 0 0 10 10 ENDCONVEYOR",
]
ODD = [
    "nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "0", "-0", "-1", "99999999999999999999",
    "0.1e3", "((((", "))))", "1/0", "--", "~", "3~1", "*", "/*", "*/", "//", "_I{", "}_",
    "_S{TRIG}_", "_D{1/0}_", "\x00", "\ufeff", "\u00a0", "é", "\U0001f916", "FFFFFF", "12E345", "x",
    "A" * 5000, "1+" * 500 + "1", "TARGET_X", "_", "{", "}", "\r", "\t", '"', "'", "\\", "%s",
    "{0}", "٣", "OBO", "ROBO", "ILE",
    *USAGE, *SHAPES, *ALL_ENDS,
]  # fmt: skip
Tokens = list[str]


def _delete(tokens: Tokens, rng: random.Random) -> None:
    del tokens[rng.randrange(len(tokens))]


def _repeat(tokens: Tokens, rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    tokens[at:at] = tokens[at : at + rng.randint(1, 8)]


def _swap(tokens: Tokens, rng: random.Random) -> None:
    i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[i], tokens[j] = tokens[j], tokens[i]


def _replace(tokens: Tokens, rng: random.Random) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(ODD)


def _insert(tokens: Tokens, rng: random.Random) -> None:
    tokens.insert(rng.randrange(len(tokens)), rng.choice(ODD) + rng.choice(["", " ", "\n"]))


def _truncate(tokens: Tokens, rng: random.Random) -> None:
    del tokens[rng.randrange(1, len(tokens)) :]


def _edit(tokens: Tokens, rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    word = list(tokens[at])
    word[rng.randrange(len(word))] = chr(rng.choice([rng.randrange(256), rng.randrange(0x3000)]))
    tokens[at] = "".join(word)


MUTATIONS: list[Callable[[Tokens, random.Random], None]] = [
    _delete,
    _repeat,
    _swap,
    _replace,
    _insert,
    _truncate,
    _edit,
]


def mutated(seed: int) -> str:
    """Return a good text with one to six mutations."""
    rng = random.Random(seed)
    tokens = re.findall(r"\s+|[A-Za-z0-9_.]+|.", rng.choice(SEEDS))
    for _ in range(rng.randint(1, 6)):
        if len(tokens) > 1:
            rng.choice(MUTATIONS)(tokens, rng)
    return "".join(tokens)


def outcome(text: str) -> Scene | SceneError:
    """Return what reading comes to, after checking what is said about it."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    try:
        return parse_scene(text, "cell.env")
    except SceneError as error:
        found = error
    for problem in found.problems:
        assert problem.source == lines[problem.line - 1]
        assert 1 <= problem.column <= len(problem.source) + 1
        assert problem.message
    assert len(str(found)) < 20_000
    return found


def test_the_seeds_are_good() -> None:
    for text in SEEDS:
        assert isinstance(outcome(text), Scene)


@pytest.mark.parametrize("half", range(2))
def test_mutated_files(half: int) -> None:
    """Half of the thousand; those that are still good also come back when written."""
    good = bad = 0
    for seed in range(500 * half, 500 * half + 500):
        start = time.perf_counter()
        result = outcome(mutated(seed))
        if isinstance(result, Scene):
            assert parse_scene(write_scene(result)) == result
            good += 1
        else:
            bad += 1
        assert time.perf_counter() - start < 5.0
    assert good >= 20
    assert bad >= 300


def test_random_bytes_in_files(tmp_path: Path) -> None:
    path = tmp_path / "cell.env"
    wrong = 0
    for seed in range(200):
        rng = random.Random(seed)
        content = bytearray(EVERYTHING.encode())
        for _ in range(rng.randint(1, 5)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
        try:
            read_scene(path)
        except SceneError:
            wrong += 1
    assert wrong > 100


def test_every_prefix_of_a_good_file() -> None:
    """Cut anywhere, a file is a scene or wrong at its end or at what the end leaves open."""
    left_open = ("comment without end", "no body comes for ")
    scenes = waiting = 0
    for end in range(0, len(EVERYTHING), 7):
        text = EVERYTHING[:end]
        result = outcome(text)
        if isinstance(result, Scene):
            scenes += 1
            continue
        for problem in result.problems:
            is_at_the_end = problem.line == text.count("\n") + 1
            assert is_at_the_end or problem.message.startswith(left_open), problem
            waiting += not is_at_the_end
    assert scenes >= 40
    assert waiting >= 5
