"""Assemblies as TOML, the form people write by hand.

    kind = "assembly"
    name = "two_joints"
    tip = "hand"

    [[part]]
    kind = "body"

    [[part]]
    kind = "servo"
    name = "shoulder"
    position = [0, 0, "300 mm"]     # of the connection point on the part that carries it
    turn = [0, 0, "90 deg"]         # a, b, c: about z, then y, then x
    limits = ["-90 deg", "90 deg"]

    [[part]]
    kind = "segment"
    length = 0.25

    [[part]]
    kind = "touch_point"
    name = "hand"

A part hangs on the one above it, or on the one that ``on`` names, which must stand above. What
hangs on a segment with a length hangs at its end. Passive elements have the kinds "fullrot",
"axisrot" and "linear". ``[[union]]`` tables have ``name``, ``points`` and ``branch``;
``[[platform]]`` tables have ``name``, ``legs`` (a list of ``{end = "…", anchor = [x, y, z]}``),
``start_position``, ``start_turn`` and ``branch``. Numbers are SI; texts carry a unit.
"""

from __future__ import annotations

import re
from pathlib import Path

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import QUANTITIES, number_in
from armwerk.robot.formats.toml_writer import ASSEMBLY_TEXTS, OWN_KEYS
from armwerk.robot.holding import FACE_KINDS
from armwerk.robot.loops import Platform, Tie, Union
from armwerk.robot.part import (
    FREEDOMS,
    PART_KINDS,
    Body,
    Connection,
    LinearMotor,
    Part,
    Passive,
    RotoTranslation,
    SeveralTails,
    SingleTail,
)
from armwerk.robot.parts import MOST_PARTS, Assembly
from armwerk.robot.reading import Fields, KeyPath, TomlDocument, parse_toml

_TOP = ("kind", *ASSEMBLY_TEXTS, "assumed", "part", "union", "platform")
_PLACING = ("on", "position", "turn")
_FREEDOMS = {freedom.lower(): freedom for freedom in FREEDOMS}
KINDS = (*(kind for kind in PART_KINDS if kind != "passive"), *FACE_KINDS, *_FREEDOMS)
_PLATFORM_KEYS = ("name", "legs", "start_position", "start_turn", "branch", "mass")
_QUANTITIES = {
    "length": "length",
    "radius": "length",
    "width": "length",
    "mass": "mass",
    "depth": "length",
    "gap": "length",
    "force": "force",
    "switch_time": "time",
    "pressure": "pressure",
    "stiffness": "stiffness",
    "least_share": "number",
}


def assembly_from_toml(text: str, file: str | Path | None = None) -> Assembly:
    """Return the assembly that a TOML text describes.

    Raises:
        DescriptionError: With file, line, element, value and what is allowed.
    """
    return assembly_from_document(parse_toml(text, file))


def assembly_from_document(document: TomlDocument) -> Assembly:
    """Return the assembly that a parsed TOML document describes."""
    document.only((), document.table, _TOP)
    kind = document.table.get("kind")
    if kind != "assembly":
        raise document.error("wrong kind of file", ("kind",), "kind", kind, '"assembly"')
    reader = _Reader(document)
    try:
        return reader.assembly()
    except DescriptionError as error:
        if error.file is not None or error.line is not None:
            raise
        raise reader.placed(error) from None


class _Reader:
    """Builds the tree from the tables, leaves first."""

    def __init__(self, document: TomlDocument) -> None:
        self.document = document
        self.paths: dict[str, KeyPath] = {}  # where each named thing stands
        self.tails: dict[str, list[Connection]] = {}
        self.names: list[str] = []

    def assembly(self) -> Assembly:
        document, table = self.document, self.document.table
        texts = {key: self.text((key,), table[key]) for key in ASSEMBLY_TEXTS if key in table}
        if not texts.get("name"):
            raise document.error("missing", ("name",), "name", allowed="a short name")
        assumed = table.get("assumed", [])
        if not isinstance(assumed, list):
            raise document.error("not a list", ("assumed",), "assumed", assumed, "texts")
        notes = tuple(self.text(("assumed", k), one) for k, one in enumerate(assumed))
        unions, platforms = self.tables("union"), self.tables("platform")
        for kind, tables in (("union", unions), ("platform", platforms)):
            for k, one in enumerate(tables):
                self.paths.setdefault(str(one.get("name", "")), (kind, k))
        body = self.body(self.tables("part"))
        ties: list[Tie] = [
            *(self.union(k, one) for k, one in enumerate(unions)),
            *(self.platform(k, one) for k, one in enumerate(platforms)),
        ]
        return Assembly(body=body, unions=tuple(ties), assumed=notes, **texts)

    def body(self, tables: list[Fields]) -> Body:
        document = self.document
        bodies = [k for k, table in enumerate(tables) if table.get("kind") == "body"]
        if len(bodies) != 1:
            path: KeyPath = ("part", bodies[1]) if bodies else ("part",)
            raise document.error(
                "wrong number of bodies", path, "part", len(bodies), 'one part of kind "body"'
            )
        if len(tables) > MOST_PARTS:
            raise document.error(
                "too many parts", ("part",), "part", len(tables), f"at most {MOST_PARTS}"
            )
        carriers = [self.carrier(k, table, bodies[0]) for k, table in enumerate(tables)]
        body: Part | None = None
        for k in reversed(range(len(tables))):
            part, at = self.part(k, tables[k])
            if k == bodies[0]:
                body = part
                continue
            self.tails.setdefault(carriers[k], []).insert(0, Connection(part, at))
        if not isinstance(body, Body):
            raise document.error("missing", ("part",), "part", allowed='one part of kind "body"')
        return body

    def carrier(self, k: int, table: Fields, body: int) -> str:
        """Return the name of the part that carries part ``k``, after noting the name of ``k``."""
        path: KeyPath = ("part", k)
        name = self.text((*path, "name"), table.get("name", ""))
        if name in self.paths:
            raise self.document.error("name used twice", (*path, "name"), f"part '{name}'")
        carrier = ""
        if k == body and "on" in table:
            raise self.document.error("the body hangs on nothing", (*path, "on"), "on", table["on"])
        if k != body:
            above = self.names[-1] if self.names else ""
            carrier = self.text((*path, "on"), table["on"]) if "on" in table else above
            known = [one for one in self.names if not one.startswith("\0")]
            platforms = [one for one, place in self.paths.items() if place[0] == "platform"]
            if not carrier or carrier not in (*self.names, *platforms):
                raise self.document.error(
                    "no part above has that name" if carrier else "no part stands above",
                    (*path, "on"),
                    f"part '{name}', on" if name else f"part {k + 1}, on",
                    carrier or None,
                    ", ".join((*known, *platforms)),
                )
        # a part without a name gets a key that no file can write, as its carrier may need one
        self.names.append(name or f"\0{k}")
        self.paths[self.names[-1]] = path
        return carrier

    def part(self, k: int, table: Fields) -> tuple[Part, RotoTranslation]:
        document, path = self.document, ("part", k)
        name = table.get("name", "")
        within = f"part '{name}'" if name else f"part {k + 1}"
        kind = table.get("kind")
        if kind not in KINDS:
            problem = "missing" if kind is None else "unknown kind of part"
            where: KeyPath = path if kind is None else (*path, "kind")
            raise document.error(problem, where, f"{within}, kind", kind, ", ".join(KINDS))
        sort = {**PART_KINDS, **FACE_KINDS}.get(kind, Passive)
        keys = OWN_KEYS.get(sort, ())
        document.only(path, table, ("kind", "name", *_PLACING, "mass", *keys), within)
        at = self.roto_translation(table, path, within, "position", "turn")
        try:
            given: Fields = {}
            for key in keys:
                if key in table:
                    given[key] = self.in_si(sort, key, table[key])
            if "mass" in table:
                given["mass"] = number_in(table["mass"], "mass", "mass")
            if sort is Passive:
                given["freedom"] = _FREEDOMS[kind]
            part = sort(name, **given, **self.carried(sort, self.names[k], within))
        except DescriptionError as error:
            raise document.place(error, path) from None
        return part, at

    def carried(self, sort: type[Part], key: str, within: str) -> Fields:
        tails = tuple(self.tails.get(key, ()))
        if issubclass(sort, SeveralTails):
            return {"tails": tails}
        if not tails:
            return {}
        most = 1 if issubclass(sort, SingleTail) else 0
        if len(tails) > most:
            extra = tails[most].part
            named = next((k for k, name in enumerate(self.names) if name == extra.name), None)
            path: KeyPath = self.paths[key] if named is None else ("part", named, "on")
            raise self.document.error(
                "carries too many parts",
                path,
                within,
                [tail.part.name or tail.part.kind for tail in tails],
                f"{most} part{'s' * (most != 1)}; a t_connector splits a chain",
            )
        return {"tail": tails[0]}

    def in_si(self, sort: type[Part], key: str, value: object) -> object:
        if key in _QUANTITIES:
            return number_in(value, _QUANTITIES[key], key)
        joint_kind = "prismatic" if sort is LinearMotor else "revolute"
        quantity = QUANTITIES[joint_kind][key]
        if key == "limits":
            return (
                tuple(number_in(one, quantity, key) for one in value)
                if isinstance(value, list)
                else value
            )
        return number_in(value, quantity, key)

    def union(self, k: int, table: Fields) -> Union:
        path: KeyPath = ("union", k)
        self.document.only(path, table, ("name", "points", "branch"), f"union {k + 1}")
        points = table.get("points", [])
        if not isinstance(points, list):
            points = []
        try:
            name = self.text((*path, "name"), table.get("name", ""))
            return Union(name, tuple(points), table.get("branch", 1))
        except DescriptionError as error:
            raise self.document.place(error, path) from None

    def platform(self, k: int, table: Fields) -> Platform:
        path: KeyPath = ("platform", k)
        name = self.text((*path, "name"), table.get("name", ""))
        within = f"platform '{name}'"
        self.document.only(path, table, _PLATFORM_KEYS, within)
        legs = table.get("legs", [])
        if not isinstance(legs, list):
            raise self.document.error("not a list", (*path, "legs"), f"{within}, legs", legs)
        pairs = [self.leg((*path, "legs", i), leg, within) for i, leg in enumerate(legs)]
        start = None
        if "start_position" in table or "start_turn" in table:
            start = self.roto_translation(table, path, within, "start_position", "start_turn")
        try:
            mass = number_in(table.get("mass", 0.0), "mass", "mass")
            tail = self.carried(Platform, name, within)
            return Platform(
                name, tuple(pairs), start=start, branch=table.get("branch", 1), mass=mass, **tail
            )
        except DescriptionError as error:
            raise self.document.place(error, path) from None

    def leg(
        self, path: KeyPath, leg: object, within: str
    ) -> tuple[str, tuple[float, float, float]]:
        within = f"{within}, leg {int(path[-1]) + 1}"
        self.document.only(path, leg, ("end", "anchor"), within)
        table: Fields = dict(leg)  # type: ignore[call-overload]
        for key in ("end", "anchor"):
            if key not in table:
                raise self.document.error("missing", path, f"{within}, {key}")
        anchor = self.triple((*path, "anchor"), table["anchor"], "length", f"{within}, anchor")
        return self.text((*path, "end"), table["end"]), anchor

    def roto_translation(
        self, table: Fields, path: KeyPath, within: str, position: str, turn: str
    ) -> RotoTranslation:
        numbers: list[float] = []
        for key, quantity in ((position, "length"), (turn, "angle")):
            value = table.get(key, [0.0, 0.0, 0.0])
            numbers += self.triple((*path, key), value, quantity, f"{within}, {key}")
        return RotoTranslation(*numbers)

    def triple(
        self, path: KeyPath, value: object, quantity: str, element: str
    ) -> tuple[float, float, float]:
        if not isinstance(value, list) or len(value) != 3:
            raise self.document.error("wrong shape", path, element, value, "three numbers")
        try:
            x, y, z = (number_in(one, quantity, element) for one in value)
        except DescriptionError as error:
            raise error.at(self.document.file, self.document.line(*path)) from None
        return x, y, z

    def tables(self, key: str) -> list[Fields]:
        tables = self.document.table.get(key, [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise self.document.error("wrong type", (key,), key, tables, f"[[{key}]] tables")
        return tables

    def text(self, path: KeyPath, value: object) -> str:
        if not isinstance(value, str) or value.startswith("\0"):
            raise self.document.error("not a text", path, str(path[-1]), value, "a text in quotes")
        return value

    def placed(self, error: DescriptionError) -> DescriptionError:
        """Put an error of the whole assembly at the part or union that it names."""
        for name in re.findall(r"'([^']*)'", error.element):
            if name in self.paths:
                return self.document.place(error, self.paths[name])
        return self.document.place(error, ())
