"""The option spelling of ArmBot, translated word by word into long options.

    -man1-3 puma560 -c ball.Pick -simtime 50   ->   --manipulator=1-3=puma560 ...

A parser of long options takes ``-man1-3`` for five short ones, so the words are translated before
it sees them. A value is joined to its option by an equals sign, since it may begin with a dash.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Literal, NamedTuple

import typer

Numbered = Literal["no", "one", "many"]
_ONE = r"\d\d?"
_MANY = r"\d+|\d\d?-\d\d?|\d\d?(?:-\d\d?)?(?:,\d\d?(?:-\d\d?)?)+"
_SUFFIX: dict[Numbered, str] = {"no": "", "one": f"({_ONE}|)", "many": f"({_MANY}|)"}
_ABSENT: dict[Numbered, str] = {"no": "", "one": "0", "many": "*"}


class Spelling(NamedTuple):
    """One option in both spellings.

    Args:
        short: With its dash, without a number.
        long: What it is called here.
        value: What follows it, for the help; empty: nothing does.
        numbered: Whether robot numbers may stand behind it: one, or what `robot_numbers` takes.
            Without any, "one" means 0 and "many" means all robots.
        all: What is put before a value that is not numbered, so that its text is not searched for
            a number.
    """

    short: str
    long: str
    value: str = ""
    numbered: Numbered = "no"
    all: str = ""

    def pattern(self) -> str:
        """Return the regular expression of the short spelling."""
        return re.escape(self.short) + _SUFFIX[self.numbered]


SPELLINGS = (
    Spelling("-?", "--help"),
    Spelling("-e", "--environment", "FILE"),
    Spelling("-man", "--manipulator", "ARM", "many"),
    Spelling("-gri", "--gripper", "GRIPPER", "many"),
    Spelling("-ik", "--ik", "METHOD"),
    Spelling("-c", "--controller", "CLASS", "many"),
    Spelling("-tp", "--trigger-processor", "INST:CLASS"),
    Spelling("-tpcfg", "--trigger-processor-config", "TEXT", all="*="),
    Spelling("-simst", "--log-threads"),
    Spelling("-logstate", "--log-state"),
    Spelling("-logdebug", "--log-debug"),
    Spelling("-logsys", "--log-system"),
    Spelling("-logmss", "--log-messages"),
    Spelling("-logall", "--log-all"),
    Spelling("-logdir", "--log-dir", "DIR"),
    Spelling("-lognames", "--log-names", "TEXT"),
    Spelling("-cfg", "--config", "TEXT", "one"),
    Spelling("-robot", "--robot", '"x y angle"', "one"),
    Spelling("-render", "--render", "native|fx"),
    Spelling("-renderms", "--render-ms", "MS"),
    Spelling("-simtime", "--sim-time", "MS"),
    Spelling("-renderflags", "--render-flags", "TTF"),
    Spelling("-skills", "--skills", "+NAME,-NAME"),
)
_OWN = ("-h",)


def translate(words: Sequence[str], valued: Collection[str] = ()) -> list[str]:
    """Return the words with every short option in its long spelling.

    Args:
        words: What stands behind ``armwerk run``.
        valued: Long options that take the next word as their value, which is left alone even when
            it begins with a dash.

    Raises:
        typer.BadParameter: For an unknown short option, or one whose value is missing.
    """
    known = set(valued) | {row.long for row in SPELLINGS if row.value}
    result: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*result, word, *rest]
        if word.startswith("--") or not word.startswith("-") or word in (*_OWN, "-"):
            result.append(word)
            if word in known and rest:
                result.append(rest.pop(0))
            continue
        row, numbers = _found(word)
        if not row.value:
            result.append(row.long)
            continue
        if not rest:
            raise typer.BadParameter(f"{word}: needs {row.value} behind it")
        prefix = f"{numbers}=" if row.numbered != "no" else row.all
        result.append(f"{row.long}={prefix}{rest.pop(0)}")
    return result


def _found(word: str) -> tuple[Spelling, str]:
    """Return the row of a short option, and the robot numbers behind it."""
    for row in SPELLINGS:
        match = re.fullmatch(row.pattern(), word)
        if match:
            return row, (match.group(1) if match.groups() else "") or _ABSENT[row.numbered]
    raise typer.BadParameter(f"no option is called '{word}'{_hint(word)}")


def _hint(word: str) -> str:
    stem = re.match(r"-[^\d=]*", word)
    name = stem.group() if stem else word
    shorts = [row.short for row in SPELLINGS]
    row = next((row for row in SPELLINGS if row.short == name), None)
    if row is not None and row.numbered == "one":
        return f"; {name} takes one robot number, as in {name}3"
    if row is not None and row.numbered == "many":
        return f"; {name} takes robot numbers as in {name}5, {name}1-3, {name}2357 or {name}4,12"
    if row is not None:
        return f"; {name} takes no number"
    close = get_close_matches(name.lower(), shorts, n=3, cutoff=0.5)
    longs = get_close_matches(f"-{name}".lower(), [row.long for row in SPELLINGS], n=1, cutoff=0.8)
    return f"; did you mean {' or '.join([*close, *longs])}?" if close or longs else ""


def robot_numbers(text: str) -> tuple[int, ...]:
    """Return the robots meant by a digit, a range or a list, ascending.

    Digits in a row ("2357") are a list of robots 0 to 9, as ArmBot has it. Numbers above are meant
    where there is a dash or a comma: "10-29", "3,12", "1,10-19"; robot 12 alone is "12-12".

    Raises:
        ValueError: For any other text, or a range that runs backwards.
    """
    if re.fullmatch(r"\d+", text):
        return tuple(sorted({int(digit) for digit in text}))
    found: set[int] = set()
    if re.fullmatch(_MANY, text):
        for part in text.split(","):
            first, _, last = part.partition("-")
            meant = range(int(first), int(last or first) + 1)
            if not meant:
                found.clear()
                break
            found.update(meant)
    if not found:
        raise ValueError(f"'{text}' names no robots (allowed: 5, 1-3, 2357, or 4,12 or 10-19)")
    return tuple(sorted(found))


def split_numbers(value: str, numbered: Numbered) -> tuple[str | None, str]:
    """Return what stands before and behind the equals sign of "1-3=puma560"; None: no numbers.

    A text such as "speed=3" has none: only numbers count, for "one" a single one of one or two
    digits. A star means all robots.
    """
    pattern = rf"({_ONE})=(.*)" if numbered == "one" else rf"({_MANY}|\*)=(.*)"
    match = re.fullmatch(pattern, value, re.DOTALL)
    return (match.group(1), match.group(2)) if match else (None, value)
