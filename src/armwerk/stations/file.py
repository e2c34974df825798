"""Station files: TOML that names or holds an arm, a rail and a table, and says where they stand.

In: the name of a shipped station or a file. Out: a `Station`; and back.

    kind = "station"
    name = "mine"

    [arm]                       # of the library, a file beside this one, or all keys of an arm file
    description = "kr16"

    [rail]                      # what carries the arm, an arm itself; may be left out
    description = "rail.toml"

    [table]                     # what carries the work piece; may be left out
    description = "turn_tilt"
    position = [1.4, 0.0, 0.0]  # where its own world stands, and "rotation" or "matrix"

    [piece]                     # the frame of the work piece on the plate
    position = [0.0, 0.0, 0.1]

    [tool]                      # the tool in place of the arm's own
    position = [0.0, 0.0, 0.3]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from armwerk.errors import ArmwerkError, DescriptionError, UnknownNameError
from armwerk.files import write_text
from armwerk.robot.arm import Arm
from armwerk.robot.files import load_arm
from armwerk.robot.formats.toml_reader import ARM_KEYS, arm_from_document, pose_from_table
from armwerk.robot.formats.toml_writer import LISTS, TEXTS, arm_to_toml, quoted, written
from armwerk.robot.reading import Fields, TomlDocument, parse_toml, read_text
from armwerk.stations.description import Station
from armwerk.stations.joining import mounted

LIBRARY = Path(__file__).parent / "library"
KIND = "station"
_CHAINS = ("arm", "rail", "table")
_POSES = ("piece", "tool")
_PLACE = ("position", "rotation", "matrix")
_KEYS = ("kind", *TEXTS, *LISTS, "external", *_CHAINS, *_POSES)


def station_names() -> tuple[str, ...]:
    """Return the names of all shipped stations, sorted."""
    return tuple(sorted(path.stem for path in LIBRARY.glob("*.toml")))


def load_station(what: str | Path | Station | Arm) -> Station:
    """Return a shipped station, the station of a file, or one made of an arm on a rail.

    Args:
        what: A name ("welding_station"), a file ending in .toml, the name or description of an arm
            with more than six joints (those before the last six are external axes), or a station,
            which is returned as it is.

    Raises:
        UnknownNameError: For a name that is neither a station nor an arm; lists the stations.
        DescriptionError: When the file is wrong, with its line, or the arm has no external axes.
    """
    if isinstance(what, Station):
        return what
    if isinstance(what, Arm):
        return Station(what, name=what.name, title=what.title, source=what.source)
    if not isinstance(what, (str, Path)):
        raise DescriptionError(
            "no station", element="station", value=what, allowed="a name, a file, a Station, an Arm"
        )
    name = str(what)
    if name in station_names():
        return station_from_toml(read_text(LIBRARY / f"{name}.toml"), LIBRARY / f"{name}.toml")
    path = Path(what)
    if path.suffix.lower() == ".toml":
        text = read_text(path)
        if parse_toml(text, path).table.get("kind") == KIND:
            return station_from_toml(text, path)
    try:
        arm = load_arm(what)
    except UnknownNameError:
        raise UnknownNameError("station, nor arm of the library", name, station_names()) from None
    return load_station(arm)


def station_from_toml(text: str, file: str | Path | None = None) -> Station:
    """Return the station that a TOML text describes.

    Args:
        text: The whole document.
        file: Its name, for error messages and to find files beside it; None: not from a file.

    Raises:
        DescriptionError: Naming file, line, element, value and what is allowed.
    """
    document = parse_toml(text, file)
    table = document.table
    document.only((), table, _KEYS)
    if table.get("kind") != KIND:
        raise document.error("not a station", ("kind",), "kind", table.get("kind"), KIND)
    if "name" not in table:
        raise document.error("missing", (), "name", allowed="a short name")
    if "arm" not in table:
        raise document.error("missing", (), "arm", allowed="a table [arm]")
    for key in TEXTS:
        if not isinstance(table.get(key, ""), str):
            raise document.error("not a text", (key,), key, table[key], "a text in quotes")
    for key in LISTS:
        texts = table.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise document.error("not a list of texts", (key,), key, texts, "texts in brackets")
    chains = {key: _chain(document, key) for key in _CHAINS if key in table}
    poses = {
        key: pose_from_table(document, (key,), table[key], key) for key in _POSES if key in table
    }
    arm = chains["arm"]
    if "tool" in poses:
        arm = arm.with_tool(poses["tool"])
    external = table.get("external")
    if "rail" in chains:
        rail = chains["rail"]
        external = rail.dof if external is None else external
        arm = _placed_error(document, "rail", lambda: mounted(rail, arm, arm.name))
    carried = chains.get("table")
    if "piece" in poses:
        if carried is None:
            raise document.error("no table carries it", ("piece",), "piece", allowed="a [table]")
        carried = carried.with_tool(carried.tool @ poses["piece"])
    given: Fields = {key: table[key] for key in (*TEXTS, *LISTS) if key in table}
    try:
        return Station(arm, carried, external, **given)
    except DescriptionError as error:
        raise document.place(error, ()) from None


def _placed_error(document: TomlDocument, key: str, make: Callable[[], Arm]) -> Arm:
    try:
        return make()
    except DescriptionError as error:
        raise document.place(error, (key,)) from None


def _chain(document: TomlDocument, key: str) -> Arm:
    """Return the arm of a table: named, or with all keys of an arm file."""
    table = document.table[key]
    if not isinstance(table, dict) or "description" not in table:
        document.only((key,), table, ARM_KEYS, key)
        lines = {path[1:]: line for path, line in document.lines.items() if path[0] == key}
        return arm_from_document(TomlDocument(table, lines, document.file))
    document.only((key,), table, ("description", *_PLACE), key)
    named, where = table["description"], (key, "description")
    if not isinstance(named, str):
        raise document.error("not a text", where, f"{key}, description", named, "a name or a file")
    beside = Path(document.file).parent / named if document.file else Path(named)
    try:
        arm = load_arm(beside if beside.is_file() else named)
    except ArmwerkError as error:
        raise document.error(
            f"cannot be loaded ({error})", where, f"{key}, description", named, "an arm"
        ) from None
    place = {name: table[name] for name in _PLACE if name in table}
    return replace(arm, base=pose_from_table(document, (key,), place, key) @ arm.base)


def station_to_toml(station: Station) -> str:
    """Return a station as TOML that holds its arms whole; `station_from_toml` reads it equal."""
    lines = [f'kind = "{KIND}"']
    lines += [f"{key} = {quoted(getattr(station, key))}" for key in TEXTS if getattr(station, key)]
    lines += [
        f"{key} = {written(list(getattr(station, key)))}" for key in LISTS if getattr(station, key)
    ]
    lines.append(f"external = {station.carrying}")
    for key, arm in (("arm", station.arm), ("table", station.table)):
        if arm is not None:
            lines += ["", f"[{key}]", *(_inside(key, line) for line in _arm_lines(arm))]
    return "\n".join(lines) + "\n"


def _arm_lines(arm: Arm) -> list[str]:
    return arm_to_toml(arm).splitlines()


def _inside(key: str, line: str) -> str:
    """Return a line of an arm file as it stands in the table of a station."""
    if line.startswith("[["):
        return f"[[{key}.{line[2:]}"
    return f"[{key}.{line[1:]}" if line.startswith("[") else line


def save_station(station: Station, path: str | Path) -> None:
    """Write a station to a file that ends in .toml; the file is complete or untouched.

    Raises:
        DescriptionError: For another ending, or a file that cannot be written.
    """
    if Path(path).suffix.lower() != ".toml":
        raise DescriptionError(
            "a station cannot be written in this format",
            element="file",
            value=Path(path).suffix.lower(),
            allowed=".toml",
            file=path,
        )
    write_text(path, station_to_toml(station))
