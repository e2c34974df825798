"""Editing a description as it is written: one value or joint changes, everything else stays.

A TOML text, a path and what a person typed come in, the changed text goes out. Comments, units and
the order of keys are kept. What was typed need not be right: the reader complains afterwards, and
nothing is lost.
"""

from __future__ import annotations

import re

from armwerk.errors import DescriptionError
from armwerk.robot.formats.toml_writer import quoted
from armwerk.robot.joint import KINDS
from armwerk.robot.reading import KeyPath, check_text, key_spans, parse_toml

LIST_KEYS = frozenset(
    {
        "limits",
        "com",
        "inertia",
        "coulomb_friction",
        "gravity",
        "position",
        "rotation",
        "cartesian_motions",
        "assumed",
        "tasks",
        "turn",
        "points",
        "start_position",
        "start_turn",
    }
)
"""Keys whose values are lists; they are typed with commas."""
TEXT_KEYS = frozenset(
    {"name", "title", "source", "kind", "joint_motion", "profile"}
    | {"cartesian_motions", "assumed", "tasks", "on", "points", "tip"}
)
"""Keys whose values are texts, even where they look like numbers."""
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LOOSE_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ARRAYS = ("joint", "part", "union", "platform")
"""Tables of which there are several, in the order in which they stand in a text."""
_WAYS = {"earlier": -1, "later": 1}
_NEW_LENGTH = 0.2  # [m] of the link of a joint that is added


def set_value(text: str, path: KeyPath, typed: str) -> str:
    """Return a text with another value for a key.

    Args:
        text: Valid TOML.
        path: Of the key, such as ("joint", 1, "link", "mass").
        typed: What a person typed; lists with commas between. Empty: the key is left out.

    Raises:
        DescriptionError: When the text is no TOML, or has no such table.
    """
    text, spans = _scanned(text)
    typed = typed.strip()
    if path in spans:
        start, end = spans[path]
        if not typed:
            return _without_lines(text, start, end)
        return text[:start] + written_value(str(path[-1]), typed) + text[end:]
    if not typed:
        return text
    line = f"{path[-1]} = {written_value(str(path[-1]), typed)}\n"
    table = path[:-1]
    if table and table not in spans:
        header = _new_header(table, spans)
        at = _block_end(text, spans, table)
        if table[0] not in ARRAYS:
            return f"{text[:at]}{header}\n{line}\n{text[at:]}"
        return _inserted(text, at, f"{header}\n{line}")
    return _inserted(text, _table_end(text, spans, table), line)


def with_joint(text: str, after: int, kind: str) -> str:
    """Return a text with one more joint.

    Args:
        text: Valid TOML.
        after: Place of the joint it follows, counted from 0; -1: it becomes the first.
        kind: "revolute", "prismatic" or "fixed".

    Raises:
        DescriptionError: When the text is no TOML, or for another kind.
    """
    if kind not in KINDS:
        raise DescriptionError("unknown joint kind", value=kind, allowed=", ".join(KINDS))
    lines = f'kind = "{kind}"\nd = 0.0\na = {_NEW_LENGTH}\nalpha = 0.0\noffset = 0.0\n'
    return with_table(text, "joint", after, lines)


def with_table(text: str, array: str, after: int, lines: str) -> str:
    """Return a text with one more joint, part, union or platform.

    Args:
        text: Valid TOML.
        array: One of `ARRAYS`.
        after: Place of the table it follows, counted from 0; -1: it becomes the first.
        lines: What stands in it.

    Raises:
        DescriptionError: When the text is no TOML.
    """
    text, spans = _scanned(text)
    blocks = _blocks(text, spans, array)
    block = f"[[{array}]]\n{lines}"
    if not blocks:
        return _inserted(text, _array_start(text, spans, array), f"\n{block}")
    after = min(after, len(blocks) - 1)
    if after < 0:
        start = blocks[0][0]
        return f"{text[:start]}{block}\n{text[start:]}"
    end = blocks[after][1]
    return _inserted(text, end, f"\n{block}" + ("" if end == len(text) else "\n"))


def without_table(text: str, array: str, place: int) -> str:
    """Return a text without a joint, part, union or platform, which is counted from 0."""
    text, spans = _scanned(text)
    start, end = _block_of(text, spans, array, place)
    return text[:start] + text[end:]


def moved_table(text: str, array: str, place: int, way: str) -> str:
    """Return a text with a table one place "earlier" or "later"; at an end it stays."""
    text, spans = _scanned(text)
    _block_of(text, spans, array, place)
    blocks = _blocks(text, spans, array)
    other = place + _WAYS[way]
    if not 0 <= other < len(blocks):
        return text
    first, second = blocks[min(place, other)], blocks[max(place, other)]
    one, two = text[slice(*first)].rstrip("\n"), text[slice(*second)].rstrip("\n")
    tail = text[second[1] :]
    between = text[first[1] : second[0]]
    return f"{text[: first[0]]}{two}\n\n{between}{one}\n" + (f"\n{tail}" if tail else "")


def written_value(key: str, typed: str) -> str:
    """Return what was typed for a key as TOML: a number, a text in quotes, or a list of these."""
    if key == "legs":
        return f"[{', '.join(_leg(part) for part in typed.split(';') if part.strip())}]"
    if key in LIST_KEYS:
        parts = [part.strip() for part in typed.strip("[]() ").split(",")]
        return f"[{', '.join(_scalar(key, part) for part in parts if part)}]"
    return _scalar(key, typed)


def _leg(typed: str) -> str:
    """Return a leg of a platform, typed as "end1: 0.3, 0, 0", as an inline table."""
    end, _, anchor = typed.partition(":")
    return f"{{end = {quoted(end.strip())}, anchor = {written_value('position', anchor)}}}"


def _scalar(key: str, typed: str) -> str:
    if key not in TEXT_KEYS:
        if _NUMBER.fullmatch(typed):
            return typed
        if _LOOSE_NUMBER.fullmatch(typed):
            return repr(float(typed))
    return quoted(typed)


def _scanned(text: str) -> tuple[str, dict[KeyPath, tuple[int, int]]]:
    text = check_text(text).replace("\r\n", "\n")
    parse_toml(text)  # refuses what is no TOML, with the line
    text += "" if text.endswith("\n") else "\n"
    return text, key_spans(text)


def _new_header(table: KeyPath, spans: dict[KeyPath, tuple[int, int]]) -> str:
    if table[0] == "joint":
        if len(table) != 3 or table[:2] not in spans or table[2] != "link":
            raise DescriptionError("there is no such joint", value=_shown(table))
        return "[joint.link]"
    if table[0] in ARRAYS:
        raise DescriptionError(f"there is no such {table[0]}", value=_shown(table))
    if table not in {("base",), ("tool",), ("motion",)}:
        raise DescriptionError(
            "there is no such table", value=_shown(table), allowed="base, tool, motion, joint"
        )
    return f"[{table[0]}]"


def _block_end(text: str, spans: dict[KeyPath, tuple[int, int]], table: KeyPath) -> int:
    """Return where a new table is to stand: at the end of its joint, or before the joints."""
    if table[0] == "joint":
        return _block_of(text, spans, "joint", int(table[1]))[1]
    return min((_blocks(text, spans, one) or [(len(text), 0)])[0][0] for one in ARRAYS)


def _table_end(text: str, spans: dict[KeyPath, tuple[int, int]], table: KeyPath) -> int:
    """Return where the line after the last key of a table begins."""
    own = [
        end for path, (_, end) in spans.items() if path[:-1] == table and _is_key(text, spans, path)
    ]
    if table in spans:
        own.append(spans[table][1])
    if not own:
        heads = [start for path, (start, _) in spans.items() if not _is_key(text, spans, path)]
        return min(heads, default=0)
    return _line_end(text, max(own))


def _is_key(text: str, spans: dict[KeyPath, tuple[int, int]], path: KeyPath) -> bool:
    """Say whether a path is that of a key with a value, and not of a table with a header."""
    start = spans[path][0]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return bool(before.strip())


def _blocks(text: str, spans: dict[KeyPath, tuple[int, int]], array: str) -> list[tuple[int, int]]:
    """Return where the text of each table begins and ends; comments above it are its own."""
    starts: list[int] = []
    while (array, len(starts)) in spans:
        starts.append(_with_comments(text, spans[array, len(starts)][0]))
    if not starts:
        return []
    heads = sorted(
        _with_comments(text, start)
        for path, (start, _) in spans.items()
        if path[0] != array and not _is_key(text, spans, path)
    )
    nexts = [*starts[1:], len(text)]
    return [
        (start, min((head for head in heads if start < head < end), default=end))
        for start, end in zip(starts, nexts, strict=True)
    ]


def _array_start(text: str, spans: dict[KeyPath, tuple[int, int]], array: str) -> int:
    """Return where the first table of a kind is to stand: behind those that come before it."""
    for other in reversed(ARRAYS[: ARRAYS.index(array)]):
        blocks = _blocks(text, spans, other)
        if blocks:
            return blocks[-1][1]
    return len(text)


def _block_of(
    text: str, spans: dict[KeyPath, tuple[int, int]], array: str, place: int
) -> tuple[int, int]:
    blocks = _blocks(text, spans, array)
    if not 0 <= place < len(blocks):
        raise DescriptionError(
            f"there is no such {array}", value=place + 1, allowed=f"1 to {len(blocks)}"
        )
    return blocks[place]


def _with_comments(text: str, start: int) -> int:
    """Return where the comment lines directly above a line begin."""
    while start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _without_lines(text: str, start: int, end: int) -> str:
    return text[: text.rfind("\n", 0, start) + 1] + text[_line_end(text, end) :]


def _line_end(text: str, place: int) -> int:
    found = text.find("\n", place)
    return len(text) if found < 0 else found + 1


def _inserted(text: str, at: int, lines: str) -> str:
    """Return a text with lines put in, not between blank lines but above them."""
    while at > 1 and text[at - 2 : at] == "\n\n" and not lines.startswith("\n"):
        at -= 1
    return text[:at] + lines + text[at:]


def _shown(path: KeyPath) -> str:
    return "/".join(str(part) for part in path)
