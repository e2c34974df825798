"""Files of tables: TOML with units where one likes, CSV with units in the header.

TOML:

    [settings]
    speed = 0.2                      # m/s
    blend = "10 mm"
    shape = "cubic"                  # of blends: smooth, arc, quadratic, cubic
    near = "20 mm"                   # up to here from a body
    near_speed = 0.2                 # this share of the speed
    far = "100 mm"                   # and from here on
    far_speed = 1.0                  # this one

    [[help_point]]
    name = "H1"
    point = [0.4, 0.1, 0.5]          # m

    [[trajectory]]
    kind = "circle"                  # start, linear, circle, bezier, spline, ptp
    point = [0.5, 0.2, 0.4]          # or cylindrical = [r, h, phi]
    inclination = "-60 deg"          # or angles = [a, b, c]
    help = "H1"

    [[trajectory]]
    kind = "ptp"
    joints = [0.5, "30 deg", "200 mm"]   # rad or m, one for each joint, in place of a point

CSV has one row per trajectory or help point (kind "help_point") under the header of `COLUMNS`;
empty cells are left out. Joint values stand in one cell, with spaces between. A row of kind
"settings" holds the settings.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple, TypeVar

from armwerk.errors import DescriptionError
from armwerk.files import write_text
from armwerk.motion.options import PROFILE_OF, SHAPE_OF
from armwerk.motion.path.goals import Cylindrical
from armwerk.motion.table.rows import KINDS, HelpPoint, RowKind, TableRow, TableSettings
from armwerk.robot.dimension import number, number_in
from armwerk.robot.reading import TomlDocument, check_text, parse_toml, read_text

ENDINGS = (".toml", ".csv")
COLUMNS = (
    "kind",
    "name",
    "x [m]",
    "y [m]",
    "z [m]",
    "inclination [deg]",
    "roll [deg]",
    "a [deg]",
    "b [deg]",
    "c [deg]",
    "phi [deg]",
    "points",
    "help",
    "speed [m/s]",
    "blend [m]",
    "acceleration [m/s²]",
    "jerk [m/s³]",
    "profile",
    "near [m]",
    "near_speed",
    "far [m]",
    "far_speed",
    "shape",
    "joints [rad or m]",
)
_NEARNESS = ("near", "near_speed", "far", "far_speed")
# columns that are left out when they are empty
_SELDOM = ("near [m]", "near_speed", "far [m]", "far_speed", "shape", "joints [rad or m]")
_TEXTS = ("kind", "name", "help", "profile", "shape")
_QUANTITIES = {
    "inclination": "angle",
    "roll": "angle",
    "phi": "angle",
    "speed": "speed",
    "blend": "length",
    "acceleration": "acceleration",
    "jerk": "jerk",
    "near": "length",
    "near_speed": "number",
    "far": "length",
    "far_speed": "number",
}
_Entry = TypeVar("_Entry", TableRow, HelpPoint)
_Word = TypeVar("_Word", bound=str)
_KINDS: dict[str, RowKind] = {kind: kind for kind in KINDS}
_SETTINGS = tuple(f.name for f in fields(TableSettings))
_ROW_KEYS = (*(f.name for f in fields(TableRow) if f.name != "line"), "cylindrical")


class TableContent(NamedTuple):
    """What a file of a table holds.

    Args:
        rows: In the order they are driven.
        help_points: Named points.
        settings: Defaults.
        file: Where it is from.
    """

    rows: tuple[TableRow, ...]
    help_points: tuple[HelpPoint, ...]
    settings: TableSettings
    file: str | None


def load(path: str | Path) -> TableContent:
    """Return the table in a file.

    Raises:
        DescriptionError: For anything wrong with it; names file and line.
    """
    path = _known(path)
    text = read_text(path)
    if path.suffix.lower() == ".toml":
        return _from_toml(parse_toml(text, path))
    return _from_csv(text, path)


def parse(text: str, ending: str) -> TableContent:
    """Return the table of a text, as a file with that ending would have it.

    Raises:
        DescriptionError: For anything wrong with it; names the line.
    """
    path = _known(f"table{ending}")
    if path.suffix.lower() == ".toml":
        return _from_toml(parse_toml(text))
    return _from_csv(check_text(text, path), path)


def written(table: TableContent, ending: str) -> str:
    """Return a table as a file with that ending has it."""
    path = _known(f"table{ending}")
    return _to_toml(table) if path.suffix.lower() == ".toml" else _to_csv(table)


def save(
    path: str | Path,
    rows: tuple[TableRow, ...],
    help_points: tuple[HelpPoint, ...],
    settings: TableSettings,
) -> Path:
    """Write a table and return its path; the ending names the format."""
    path = _known(path)
    table = TableContent(rows, help_points, settings, None)
    return write_text(path, written(table, path.suffix), "table")


def _known(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise DescriptionError(
            "unknown ending of a table",
            element="file",
            value=path.suffix,
            allowed=", ".join(ENDINGS),
            file=path,
        )
    return path


def _from_toml(document: TomlDocument) -> TableContent:
    table = document.table
    document.only((), table, ("settings", "help_point", "trajectory"))
    settings = _settings(document, table.get("settings", {}))
    points = _each(document, "help_point", _help_point)
    rows = _each(document, "trajectory", _row)
    if not rows:
        raise document.error("missing", (), "trajectory", None, "at least one [[trajectory]]")
    return TableContent(tuple(rows), tuple(points), settings, document.file)


def _each(
    document: TomlDocument, key: str, build: Callable[[Mapping[str, object], int], _Entry]
) -> list[_Entry]:
    given = document.table.get(key, [])
    known = _ROW_KEYS if key == "trajectory" else ("name", "point", "cylindrical")
    if not isinstance(given, list):
        raise document.error("not a list of tables", (key,), key, given, f"[[{key}]]")
    out = []
    for index, entry in enumerate(given):
        within = f"{key} {index + 1}"
        document.only((key, index), entry, known, within)
        try:
            out.append(build(entry, document.line(key, index)))
        except DescriptionError as error:
            raise document.place(error, (key, index), within) from None
    return out


def _settings(document: TomlDocument, given: object) -> TableSettings:
    document.only(("settings",), given, _SETTINGS, "settings")
    assert isinstance(given, dict)
    try:
        return _read_settings(given)
    except DescriptionError as error:
        raise document.place(error, ("settings",), "settings") from None


def _read_settings(given: Mapping[str, object]) -> TableSettings:
    usual = TableSettings()
    values = {
        key: number_in(value, _QUANTITIES[key], key)
        for key, value in given.items()
        if key in _QUANTITIES
    }
    return TableSettings(
        speed=values.get("speed", usual.speed),
        blend=values.get("blend", usual.blend),
        points=_whole(given.get("points", usual.points), "points"),
        acceleration=values.get("acceleration", usual.acceleration),
        jerk=values.get("jerk", usual.jerk),
        profile=_word(given["profile"], PROFILE_OF, "profile") if "profile" in given else None,
        **{key: values[key] for key in _NEARNESS if key in values},
        shape=_word(given["shape"], SHAPE_OF, "shape") if "shape" in given else usual.shape,
    )


def _help_point(entry: Mapping[str, object], line: int) -> HelpPoint:
    point, _ = _place(entry)
    return HelpPoint(_text(entry.get("name"), "name"), point, line)


def _row(entry: Mapping[str, object], line: int) -> TableRow:
    joints = _joints(entry["joints"]) if "joints" in entry else None
    lonely = joints is not None and "point" not in entry and "cylindrical" not in entry
    point, phi = (None, None) if lonely else _place(entry)
    values = {
        key: number_in(entry[key], _QUANTITIES[key], key)
        for key in ("inclination", "roll", "phi", "speed", "blend")
        if entry.get(key) is not None
    }
    return TableRow(
        kind=_word(entry.get("kind"), _KINDS, "kind"),
        point=point,
        inclination=values.get("inclination"),
        roll=values.get("roll", 0.0),
        angles=_three(entry["angles"], "angle", "angles") if "angles" in entry else None,
        phi=values.get("phi", phi),
        points=_whole(entry["points"], "points") if "points" in entry else None,
        help=_text(entry.get("help", ""), "help"),
        speed=values.get("speed"),
        blend=values.get("blend"),
        name=_text(entry.get("name", ""), "name"),
        joints=joints,
        line=line,
    )


def _place(entry: Mapping[str, object]) -> tuple[tuple[float, float, float], float | None]:
    """Return x y z [m], and the direction of a point given by cylindrical coordinates."""
    if "cylindrical" in entry:
        if "point" in entry:
            raise DescriptionError(
                "both given", element="cylindrical and point", allowed="one of the two"
            )
        given = entry["cylindrical"]
        if not isinstance(given, list) or len(given) != 3:
            raise DescriptionError(
                "wrong length", element="cylindrical", value=given, allowed="r, h, phi"
            )
        r, h = (number_in(value, "length", "cylindrical") for value in given[:2])
        phi = number_in(given[2], "angle", "cylindrical")
        if r < 0.0:
            raise DescriptionError(
                "negative", element="cylindrical", value=r, allowed="r of at least 0 m"
            )
        x, y, z = (float(value) for value in Cylindrical(r, h, phi).point)
        return (x, y, z), phi
    return _three(entry.get("point"), "length", "point"), None


def _joints(value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or not value:
        raise DescriptionError(
            "no joint values",
            element="joints",
            value=value,
            allowed="a list with a number for each joint [rad or m]",
        )
    return tuple(number_in(part, "joint value", "joints") for part in value)


def _three(value: object, quantity: str, element: str) -> tuple[float, float, float]:
    if not isinstance(value, list) or len(value) != 3:
        raise DescriptionError(
            "not three numbers", element=element, value=value, allowed="a list of three numbers"
        )
    a, b, c = (number_in(part, quantity, element) for part in value)
    return a, b, c


def _text(value: object, element: str) -> str:
    if not isinstance(value, str):
        raise DescriptionError("not a text", element=element, value=value, allowed="a text")
    return value


def _word(value: object, known: Mapping[str, _Word], element: str) -> _Word:
    """Return one of the words that are known."""
    text = _text(value, element)
    if text not in known:
        raise DescriptionError(
            f"unknown {element}", element=element, value=text, allowed=", ".join(known)
        )
    return known[text]


def _whole(value: object, element: str) -> int:
    found = number(value, element)
    if found != int(found):
        raise DescriptionError("not whole", element=element, value=value, allowed="1, 2, 3, …")
    return int(found)


def _from_csv(text: str, path: Path) -> TableContent:
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: list[TableRow] = []
    points: list[HelpPoint] = []
    settings: TableSettings | None = None
    try:
        header = [cell.strip() for cell in next(reader)]
        _check_header(header, path)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = reader.line_num
            try:
                entry = _csv_entry(header, cells)
                if entry["kind"] == "settings":
                    settings = _csv_settings(entry, settings)
                elif entry["kind"] == "help_point":
                    points.append(_help_point(entry, line))
                else:
                    rows.append(_row(entry, line))
            except DescriptionError as error:
                raise error.at(path, line) from None
    except csv.Error as error:
        raise DescriptionError(
            f"not CSV ({error})", element="row", file=path, line=reader.line_num
        ) from None
    if not rows:
        raise DescriptionError(
            "missing", element="trajectories", allowed="at least one row", file=path, line=1
        )
    return TableContent(tuple(rows), tuple(points), settings or TableSettings(), str(path))


def _csv_settings(entry: dict[str, object], before: TableSettings | None) -> TableSettings:
    if before is not None:
        raise DescriptionError("given twice", element="settings", allowed="one row")
    given = {key: value for key, value in entry.items() if key != "kind"}
    for key, value in given.items():
        if key not in _SETTINGS:
            raise DescriptionError(
                "not a setting", element=key, value=value, allowed=", ".join(_SETTINGS)
            )
    return _read_settings(given)


def _check_header(header: list[str], path: Path) -> None:
    for cell in header:
        if cell not in COLUMNS:
            raise DescriptionError(
                "unknown column",
                element="header",
                value=cell,
                allowed=", ".join(COLUMNS),
                file=path,
                line=1,
            )
    for cell in (*("kind", "x [m]", "y [m]", "z [m]"), *header):
        if header.count(cell) != 1:
            raise DescriptionError(
                "column missing or doubled", element="header", value=cell, file=path, line=1
            )


def _csv_entry(header: list[str], cells: list[str]) -> dict[str, object]:
    """Return a row of CSV as the table that TOML would have there."""
    if len(cells) > len(header):
        raise DescriptionError(
            "too many cells", element="row", value=len(cells), allowed=f"at most {len(header)}"
        )
    entry: dict[str, object] = {"kind": ""}
    for column, cell in zip(header, cells, strict=False):
        if not cell.strip():
            continue
        name, _, unit = column.partition(" [")
        if name in _TEXTS:
            entry[name] = cell.strip()
            continue
        if name == "joints":
            entry[name] = [_csv_number(part, name) for part in cell.split()]
            continue
        value = _csv_number(cell, name)
        entry[name] = math.radians(value) if unit == "deg]" else value
    if entry["kind"] == "settings":
        return entry
    for name in ("acceleration", "jerk", "profile", "shape", *_NEARNESS):
        if name in entry:
            raise DescriptionError(
                "out of place", element=name, value=entry[name], allowed="in the row 'settings'"
            )
    if "joints" not in entry or any(name in entry for name in "xyz"):
        entry["point"] = _gathered(entry, "xyz", "point")
    if any(name in entry for name in "abc"):
        entry["angles"] = _gathered(entry, "abc", "angles")
    return entry


def _csv_number(cell: str, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DescriptionError(
            "not a number", element=name, value=cell.strip(), allowed="a finite number"
        )
    return value


def _gathered(entry: dict[str, object], names: str, what: str) -> list[float]:
    missing = [name for name in names if name not in entry]
    if missing:
        raise DescriptionError("missing", element=", ".join(missing), allowed=f"all of the {what}")
    return [number(entry.pop(name), name) for name in names]


def _to_csv(table: TableContent) -> str:
    lines: list[dict[str, str]] = []
    if table.settings != TableSettings():
        lines.append(_settings_cells(table.settings))
    for point in table.help_points:
        lines.append({"kind": "help_point", "name": point.name, **_spot_cells(point.point)})
    lines += [_row_cells(row) for row in table.rows]
    columns = [
        name for name in COLUMNS if name not in _SELDOM or any(line.get(name) for line in lines)
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()


def _settings_cells(settings: TableSettings) -> dict[str, str]:
    cells = {"kind": "settings", "points": str(settings.points)}
    for name in COLUMNS:
        key = name.partition(" [")[0]
        if key in ("speed", "blend", "acceleration", "jerk", *_NEARNESS):
            cells[name] = _cell(getattr(settings, key))
    cells["profile"] = settings.profile or ""
    if settings.shape != TableSettings().shape:
        cells["shape"] = settings.shape
    return cells


def _row_cells(row: TableRow) -> dict[str, str]:
    cells = {
        "kind": row.kind,
        "name": row.name,
        "inclination [deg]": _degrees(row.inclination),
        "roll [deg]": _degrees(row.roll) if row.roll else "",
        "phi [deg]": _degrees(row.phi),
        "points": _cell(row.points),
        "help": row.help,
        "speed [m/s]": _cell(row.speed),
        "blend [m]": _cell(row.blend),
    }
    if row.point is not None:
        cells |= _spot_cells(row.point)
    if row.joints is not None:
        cells["joints [rad or m]"] = " ".join(map(repr, row.joints))
    if row.angles is not None:
        turns = zip("abc", row.angles, strict=True)
        cells |= {f"{name} [deg]": _degrees(angle) for name, angle in turns}
    return cells


def _spot_cells(point: tuple[float, float, float]) -> dict[str, str]:
    return {f"{name} [m]": repr(value) for name, value in zip("xyz", point, strict=True)}


def _cell(value: float | None) -> str:
    return "" if value is None else repr(value)


def _degrees(angle: float | None) -> str:
    return "" if angle is None else repr(math.degrees(angle))


def _to_toml(table: TableContent) -> str:
    lines = ["[settings]"]
    for entry in fields(TableSettings):
        value = getattr(table.settings, entry.name)
        if value is not None:
            lines.append(f"{entry.name} = {_toml(value)}")
    for point in table.help_points:
        lines += ["", "[[help_point]]", f"name = {_toml(point.name)}"]
        lines.append(f"point = {_toml(list(point.point))}")
    for row in table.rows:
        lines += ["", "[[trajectory]]"]
        for entry in fields(TableRow):
            value = getattr(row, entry.name)
            if entry.name == "line" or value == entry.default:
                continue
            lines.append(f"{entry.name} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        escaped = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped)
        return f'"{escaped}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return repr(value)
