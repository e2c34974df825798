"""What a name is: its declaration, its type, its value, and what it means."""

from __future__ import annotations

from typing import NamedTuple

from armwerk.editors.analysis import Analysis, Declared
from armwerk.editors.explanations import (
    FUNCTION_TEXTS,
    PROCEDURE_TEXTS,
    TYPE_TEXTS,
    VARIABLE_TEXTS,
    WORD_TEXTS,
)
from armwerk.editors.positions import TextRange
from armwerk.language.arithmetic import shown_value
from armwerk.language.checking.symbols import SYSTEM_VARIABLES, TRUTHS, WORLD_VALUES
from armwerk.language.frames import angle_about
from armwerk.language.operators import FUNCTIONS, Signature
from armwerk.language.types import (
    JOINT,
    MAIN_AXES,
    ORIENTATION,
    POSE,
    POSITION,
    PREDEFINED,
    ROBTARGET,
    IrlType,
    RecordType,
    Value,
)

LONGEST = 300  # letters of a value that is shown


class PlaceInSpace(NamedTuple):
    """A value that a robot can be moved to.

    Attributes:
        kind: Its type.
        value: Its value [mm, deg].
    """

    kind: IrlType
    value: Value


class HoverText(NamedTuple):
    """What is shown beside a word.

    Attributes:
        range: The word.
        code: Its declaration, in IRL.
        text: What it means; empty: the code says it.
        place: Where a robot would be; None: it is no place.
    """

    range: TextRange
    code: str
    text: str = ""
    place: PlaceInSpace | None = None


def hover(analysis: Analysis, offset: int) -> HoverText | None:
    """Return what is known of the word at an offset; None: nothing."""
    if analysis.in_comment(offset):
        return None
    at = analysis.word_at(offset)
    if at is None:
        return None
    where = analysis.range(analysis.own, at)
    declared = analysis.declared(analysis.own, at)
    if declared is not None:
        return _declared(analysis, declared, where)
    source = analysis.source
    word = source.words[at]
    if at and source.words[at - 1] == ".":
        return _field(analysis, at, where)
    if word in WORD_TEXTS:
        return HoverText(where, word, WORD_TEXTS[word])
    if word in FUNCTIONS:
        heads = "\n".join(signature_text(word, one) for one in FUNCTIONS[word])
        return HoverText(where, heads, FUNCTION_TEXTS.get(word, ""))
    if word in PROCEDURE_TEXTS:
        return HoverText(where, *PROCEDURE_TEXTS[word])
    if word in PREDEFINED:
        return HoverText(where, f"type {kind_text(PREDEFINED[word])}", TYPE_TEXTS[word])
    return _system(word, where)


def _system(word: str, where: TextRange) -> HoverText | None:
    if word in SYSTEM_VARIABLES:
        kind, first = SYSTEM_VARIABLES[word]
        code = f"var {kind.name}: {word} := {value_text(kind, first)};"
        return HoverText(where, code, VARIABLE_TEXTS[word])
    if word in WORLD_VALUES:
        return HoverText(where, f"{WORLD_VALUES[word].name}: {word}", VARIABLE_TEXTS[word])
    if word in TRUTHS:
        kind, value = TRUTHS[word]
        code = f"const {kind.name}: {word} = {shown_value(value)};"
        return HoverText(where, code, VARIABLE_TEXTS[word])
    if word == "running":
        return HoverText(where, "running(process): bool", FUNCTION_TEXTS[word])
    return None


def _declared(analysis: Analysis, one: Declared, where: TextRange) -> HoverText:
    code = declaration_text(analysis, one)
    kind = analysis.kind(one)
    value = analysis.first_value(one) if one.kind in ("variable", "constant") else None
    place = None
    if kind in (POSE, POSITION, JOINT, ROBTARGET) and value is not None and kind is not None:
        place = PlaceInSpace(kind, value)
    parts = []
    if one.kind == "variable" and value is not None:
        parts.append("The value it begins with; statements may change it.")
    comment = comment_of(analysis, one)
    if comment:
        parts.insert(0, comment)
    if one.unit != analysis.own:
        parts.append(f"Declared in {analysis.file(one.unit) or 'a module'}.")
    return HoverText(where, code, "\n\n".join(parts), place)


def comment_of(analysis: Analysis, one: Declared) -> str:
    """Return the comment that stands before, or on the line of, a declaration; empty: none."""
    source = analysis.units[one.unit].source
    line = source.line(one.at)
    for comment in source.comments:
        first = source.text.count("\n", 0, comment.start) + 1
        last = first + comment.text.count("\n")
        begins = not source.text[
            source.text.rfind("\n", 0, comment.start) + 1 : comment.start
        ].strip()
        if (last == line - 1 and begins) or first == line:
            text = comment.text
            for opening, closing in (("{", "}"), ("(*", "*)"), ("//", "")):
                if text.startswith(opening):
                    return text.removeprefix(opening).removesuffix(closing).strip()
    return ""


def _field(analysis: Analysis, at: int, where: TextRange) -> HoverText | None:
    kind = analysis.kind_before(analysis.own, at - 1)
    word = analysis.source.words[at]
    if not isinstance(kind, RecordType) or word not in kind.fields:
        return None
    part = kind.types[kind.fields.index(word)]
    return HoverText(where, f"{part.name}: {kind.name}.{word}")


def declaration_text(analysis: Analysis, one: Declared) -> str:
    """Return a declaration as IRL has it."""
    source = analysis.units[one.unit].source
    name = source.spelling(one.at)
    if one.routine is not None:
        first, last = one.routine.at, one.routine.name_at
        words = source.words
        depth = 0
        while last + 1 < len(words) and (depth or words[last + 1] != ";") and words[last + 1]:
            last += 1
            depth += (words[last] == "(") - (words[last] == ")")
        start, end = source.starts[first], source.starts[last] + len(words[last])
        return " ".join(source.text[start:end].split())
    kind = analysis.kind(one)
    shown = "?" if kind is None else kind.name
    match one.kind:
        case "label":
            return f"{name}:"
        case "program":
            return f"{analysis.units[one.unit].unit.kind} {name}"
        case "type":
            return f"type {name}" if kind is None else f"type {name} = {kind_text(kind)}"
        case "field":
            form = one.form
            shown = "" if form is None else source.words[form.at]
            return f"{shown}: {one.owner}.{name}"
    value = analysis.first_value(one)
    text = "" if value is None or kind is None else value_text(kind, value)
    word = {"variable": "var", "constant": "const", "signal": "signal"}.get(one.kind, one.kind)
    sign = "=" if one.kind == "constant" else ":="
    return f"{word} {shown}: {name}" + (f" {sign} {text}" if text else "") + ";"


def kind_text(kind: IrlType) -> str:
    """Return a type with its parts."""
    if isinstance(kind, RecordType):
        fields = "; ".join(
            f"{part.name}: {name}" for name, part in zip(kind.fields, kind.types, strict=True)
        )
        return f"record {fields} endrecord"
    return kind.name


def signature_text(name: str, signature: Signature) -> str:
    """Return the head of a predefined function."""
    given = ", ".join(part.name for part in signature.parameters)
    return f"{name}({given}): {signature.result.name}"


def value_text(kind: IrlType, value: Value) -> str:
    """Return a value as a program would write it; long ones are cut."""
    text = _written(kind, value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _written(kind: IrlType, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if not isinstance(value, list):
        return str(value)
    if kind is ORIENTATION:
        return _turn_text([float(part) for part in value if isinstance(part, int | float)])
    if kind is JOINT and isinstance(value[0], list):
        main = value[0]
        while len(main) > MAIN_AXES // 2 and not main[-1]:
            main = main[:-1]
        return f"joint({', '.join(_written(kind, part) for part in main)})"
    if isinstance(kind, RecordType):
        parts = [_written(part, one) for part, one in zip(kind.types, value, strict=False)]
    else:
        element = getattr(kind, "element", kind)
        parts = [_written(element, one) for one in value[:100]]
    opening, closing = "()" if isinstance(kind, RecordType) else "[]"
    return opening + ", ".join(parts) + closing


def _turn_text(turn: list[float]) -> str:
    """Return a turn by three angles [deg]; of the two ways there are, the one that turns less."""
    z, y, x = (angle_about(axis, "ZYX", turn) for axis in "zyx")
    ways = [(z, y, x), (z - 180.0, 180.0 - y, x - 180.0)]
    short = [[180.0 - (180.0 - angle) % 360.0 for angle in way] for way in ways]
    best = min(short, key=lambda way: round(sum(map(abs, way)), 6))
    shown = ", ".join(f"{round(angle, 4) + 0.0:.6g}" for angle in best)
    return f"orizyx({shown})"
