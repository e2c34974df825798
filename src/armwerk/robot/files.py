"""The one door to descriptions: the library, and files in all formats."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias, overload

from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.robot.arm import Arm
from armwerk.robot.formats.parts_reader import assembly_from_document
from armwerk.robot.formats.saving import ENDINGS, save_arm, save_assembly, unknown_ending
from armwerk.robot.formats.toml_reader import arm_from_document
from armwerk.robot.formats.urdf_reader import arm_from_urdf
from armwerk.robot.formats.xml_reader import arm_from_xml
from armwerk.robot.parts import Assembly
from armwerk.robot.reading import read_text, read_toml

LIBRARY = Path(__file__).parent / "library"
GRIPPERS = LIBRARY / "grippers"

ArmName: TypeAlias = Literal[
    "articulated",
    "cartesian",
    "cylindrical",
    "five_axis",
    "gen3",
    "iiwa7",
    "irb120",
    "irb1200",
    "irb140",
    "kr16",
    "kr6_r900",
    "lrmate200id",
    "panda",
    "planar_rr",
    "planar_tt",
    "puma560",
    "scara",
    "scara2",
    "simple_arm",
    "stanford",
    "tx60",
    "typ1",
    "typ2",
    "ur10e",
    "ur16e",
    "ur3e",
    "ur5e",
    "xarm6",
]
"""Names of the serial arms of the library, for type checkers."""
AssemblyName: TypeAlias = Literal[
    "excavator_arm",
    "magnet_gripper",
    "measured_arm",
    "parallel_gripper",
    "simple_arm_gripper",
    "slider_crank",
    "stewart",
    "suction_gripper",
    "three_finger_gripper",
    "tripod",
    "two_finger_gripper",
]
"""Names of the assemblies and grippers of the library, for type checkers."""


def library() -> tuple[str, ...]:
    """Return the names of all shipped arms and assemblies, sorted; opens none of them."""
    return _names(LIBRARY)


def grippers() -> tuple[str, ...]:
    """Return the names of all shipped grippers, sorted; opens none of them."""
    return _names(GRIPPERS)


def library_file(name: str) -> Path | None:
    """Return the data file of an arm or a gripper; None when there is no such name."""
    for folder in (LIBRARY, GRIPPERS):
        if name in _names(folder):
            return folder / f"{name}.toml"
    return None


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


@overload
def load(what: ArmName | Arm, *, tip: None = None, base_link: None = None) -> Arm: ...
@overload
def load(
    what: AssemblyName | Assembly, *, tip: None = None, base_link: None = None
) -> Assembly: ...
@overload
def load(what: str | Path, *, tip: str, base_link: str | None = None) -> Arm: ...
@overload
def load(what: str | Path, *, tip: str | None = None, base_link: str) -> Arm: ...
@overload
def load(
    what: str | Path | Arm | Assembly, *, tip: str | None = None, base_link: str | None = None
) -> Arm | Assembly: ...
def load(
    what: str | Path | Arm | Assembly, *, tip: str | None = None, base_link: str | None = None
) -> Arm | Assembly:
    """Return the arm of that name or file; for a description from parts, its assembly.

    A type checker knows what a name of the library holds. Of a file it cannot know: `load_arm`
    and `load_assembly` insist on one of the two.

    Args:
        what: Library name ("puma560"), a file ending in .xml, .toml or .urdf, or something
            already loaded, which is returned as it is.
        tip: URDF only: the link at which the chain ends; None: the longest chain.
        base_link: URDF only: the link at which the chain starts; None: the root.

    Raises:
        UnknownNameError: For a name that the library does not have; lists those it has.
        DescriptionError: When the file is wrong; says where.
    """
    if isinstance(what, Arm | Assembly):
        return what
    if not isinstance(what, str | Path):
        raise DescriptionError(
            "cannot be loaded",
            element=type(what).__name__,
            value=what,
            allowed="a name of the library, a file, an Arm or an Assembly",
        )
    ending = Path(what).suffix.lower()
    if ending in ENDINGS:
        return _from_file(Path(what), ending, tip, base_link)
    path = library_file(what) if isinstance(what, str) else None
    if path is not None:
        return _from_toml(path)
    is_file = isinstance(what, Path) or ending or os.sep in what
    if is_file or (what and Path(what).exists()):
        raise unknown_ending(what)
    raise UnknownNameError("arm of the library", str(what), library())


def load_arm(
    what: str | Path | Arm | Assembly, *, tip: str | None = None, base_link: str | None = None
) -> Arm:
    """Return what `load` returns, but only if it is a serial arm.

    Args:
        what: As for `load`, likewise tip and base_link.

    Raises:
        UnsupportedError: When the description is an assembly of parts.
    """
    loaded = load(what, tip=tip, base_link=base_link)
    if isinstance(loaded, Arm):
        return loaded
    raise UnsupportedError(
        f"{what} is an assembly of parts, not a serial arm; Arm.from_parts takes one chain of it"
    )


def load_assembly(what: str | Path | Arm | Assembly) -> Assembly:
    """Return what `load` returns, but only if it is an assembly of parts.

    Args:
        what: As for `load`.

    Raises:
        UnsupportedError: When the description is a serial arm.
    """
    loaded = load(what)
    if isinstance(loaded, Assembly):
        return loaded
    raise UnsupportedError(f"{what} is a serial arm, not an assembly of parts; load_arm takes it")


def save(arm: Arm | Assembly, path: str | Path) -> None:
    """Write ``arm`` to ``path``; the ending (.xml, .toml, .urdf) names the format.

    An assembly of parts goes to TOML only. The file is complete or untouched: the text goes to
    a temporary file beside it, which then takes its name.
    """
    if isinstance(arm, Arm):
        save_arm(arm, path)
    else:
        save_assembly(arm, path)


def _from_file(path: Path, ending: str, tip: str | None, base_link: str | None) -> Arm | Assembly:
    if ending == ".toml":
        return _from_toml(path)
    if ending == ".xml":
        return arm_from_xml(read_text(path), path)
    return arm_from_urdf(read_text(path), path, tip=tip, base_link=base_link)


def _from_toml(path: Path) -> Arm | Assembly:
    document = read_toml(path)
    if document.table.get("kind") == "assembly":
        return assembly_from_document(document)
    return arm_from_document(document)
