"""The TOML file beside a mesh file: the whole scene's values, and those of its objects."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.files.attributes import (
    ObjectAttributes,
    flag,
    number,
    numbers,
    object_attributes,
    text,
)
from armwerk.mobile.files.reading import READERS, read_bytes
from armwerk.mobile.scene import GoalArea, ImpactLaw

_SCENE = ("file", "name", "unit", "up", "gravity", "floor", "floor_friction", "impact", "step")
_GOAL = ("name", "low", "high", "bodies", "back_to")


@dataclass(frozen=True, slots=True, eq=False)
class SceneDescription:
    """What the TOML file says; every value has a default.

    Args:
        file: The mesh file.
        name: Of the scene.
        unit: Metres in one unit of the mesh file.
        up: Axis of the mesh file that points upwards, "y" or "z".
        gravity: [m/s²].
        floor: Whether an endless floor lies at height 0.
        floor_friction: 0 to 1.
        impact: Which law impacts obey.
        step: Between two steps of the programs [s].
        goals: Where bodies count as goals.
        objects: By name.
    """

    file: Path
    name: str
    unit: float = 1.0
    up: str = "z"
    gravity: float = 9.81
    floor: bool = True
    floor_friction: float = 1.0
    impact: ImpactLaw = "contact"
    step: float = 0.05
    goals: tuple[GoalArea, ...] = ()
    objects: Mapping[str, ObjectAttributes] = field(default_factory=dict)


def read_description(path: str | Path) -> SceneDescription:
    """Return what is said about a scene.

    Args:
        path: The TOML file, or a mesh file, beside which a TOML file of the same name may lie.

    Raises:
        DescriptionError: With the file, and line or key that is wrong.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending == ".toml":
        return _described(read_toml(file), file)
    if ending not in READERS:
        raise DescriptionError(
            "no scene file",
            element="scene",
            value=file.suffix,
            allowed=", ".join((*READERS, ".toml")),
            file=file,
        )
    beside = file.with_suffix(".toml")
    if not beside.is_file():
        return SceneDescription(file, file.stem, up=_up(file))
    return _described(read_toml(beside), beside, file)


def read_toml(file: Path) -> dict[str, object]:
    """Return the tables of a TOML file.

    Raises:
        DescriptionError: With the line that is wrong.
    """
    content = read_bytes(file)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise DescriptionError("is no UTF-8", element="scene", file=file) from None
    except tomllib.TOMLDecodeError as error:
        raise DescriptionError(f"is no TOML ({error})", element="scene", file=file) from None
    except RecursionError:
        raise DescriptionError("is nested too deeply", element="scene", file=file) from None


def _described(
    tables: Mapping[str, object], file: Path, mesh: Path | None = None
) -> SceneDescription:
    try:
        return _read(tables, file, mesh)
    except UnknownNameError as error:
        raise DescriptionError(str(error), file=file) from None
    except DescriptionError as error:
        raise error.at(file) from None


def _read(tables: Mapping[str, object], file: Path, mesh: Path | None) -> SceneDescription:
    for key in tables:
        if key not in {"scene", "objects", "goals"}:
            raise UnknownNameError("table", key, ["scene", "objects", "goals"])
    scene = _table(tables.get("scene", {}), "scene", _SCENE)
    mesh = mesh or _mesh(scene.get("file"), file)
    up = scene.get("up", _up(mesh))
    if up not in {"y", "z"}:
        raise DescriptionError("unknown axis", element="scene, up", value=up, allowed="y, z")
    impact: ImpactLaw = "contact"
    if scene.get("impact", impact) == "source":
        impact = "source"
    elif scene.get("impact", impact) != "contact":
        raise DescriptionError(
            "unknown impact law",
            element="scene, impact",
            value=scene["impact"],
            allowed="contact, source",
        )
    objects = tables.get("objects", {})
    if not isinstance(objects, Mapping):
        raise DescriptionError("no table", element="objects", value=objects)
    return SceneDescription(
        file=mesh,
        name=text(scene.get("name", file.stem), "scene, name"),
        unit=number(scene.get("unit", 1.0), "scene, unit", 1e-6, 1e6, "m"),
        up=str(up),
        gravity=number(scene.get("gravity", 9.81), "scene, gravity", 0.0, 1e3, "m/s²"),
        floor=flag(scene.get("floor", True), "scene, floor"),
        floor_friction=number(scene.get("floor_friction", 1.0), "scene, floor_friction", 0.0, 1.0),
        impact=impact,
        step=number(scene.get("step", 0.05), "scene, step", 1e-3, 10.0, "s"),
        goals=_goals(tables.get("goals", [])),
        objects={
            str(name): object_attributes(table, f"object '{name}'")
            for name, table in objects.items()
        },
    )


def _table(value: object, element: str, known: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise DescriptionError("no table", element=element, value=value)
    for key in value:
        if key not in known:
            raise UnknownNameError(f"value ({element})", str(key), known)
    return value


def _up(mesh: Path) -> str:
    return "z" if mesh.suffix.lower() == ".obj" else "y"


def _mesh(named: object, file: Path) -> Path:
    if named is not None:
        return file.parent / text(named, "scene, file")
    for ending in READERS:
        if file.with_suffix(ending).is_file():
            return file.with_suffix(ending)
    raise DescriptionError(
        "no mesh file lies beside it",
        element="scene",
        allowed=f'file = "…" below [scene], or {file.stem} with {", ".join(READERS)}',
    )


def _goals(rows: object) -> tuple[GoalArea, ...]:
    if not isinstance(rows, list):
        raise DescriptionError("no list of tables", element="goals", value=rows)
    goals = []
    for place, row in enumerate(rows):
        element = f"goal {place + 1}"
        table = _table(row, element, _GOAL)
        low, high = (numbers(table.get(key), 3, f"{element}, {key}", "m") for key in _GOAL[1:3])
        if not (low < high).all():
            raise DescriptionError(
                "its lowest corner is not below its highest", element=element, value=low.tolist()
            )
        names = table.get("bodies")
        if not isinstance(names, list) or not names:
            raise DescriptionError(
                "names no bodies", element=f"{element}, bodies", value=names, allowed='["ball"]'
            )
        back = table.get("back_to")
        goals.append(
            GoalArea(
                text(table.get("name", element), f"{element}, name"),
                _point(low),
                _point(high),
                tuple(text(name, f"{element}, bodies") for name in names),
                None if back is None else _point(numbers(back, 3, f"{element}, back_to", "m")),
            )
        )
    return tuple(goals)


def _point(row: Array) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])
