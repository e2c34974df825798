"""The one door to descriptions: the library, and files in all formats."""

from __future__ import annotations

import os
from dataclasses import replace
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
from armwerk.robot.references import ArmReference, arm_reference
from armwerk.robot.robot_tree import open_tree

LIBRARY = Path(__file__).parent / "library"
GRIPPERS = LIBRARY / "grippers"

ArmName: TypeAlias = Literal[
    "articulated",
    "cartesian",
    "coupled_puma",
    "cylindrical",
    "five_axis",
    "gen3",
    "iiwa7",
    "irb120",
    "irb1200",
    "irb140",
    "irb2400",
    "irb660",
    "kr16",
    "kr16_rail",
    "kr30_l16",
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
    "turn_tilt",
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
def load(
    what: ArmName | Arm, *, tip: None = None, base_link: None = None, srdf: None = None
) -> Arm: ...
@overload
def load(
    what: AssemblyName | Assembly, *, tip: None = None, base_link: None = None, srdf: None = None
) -> Assembly: ...
@overload
def load(
    what: str | Path, *, tip: str, base_link: str | None = None, srdf: str | Path | None = None
) -> Arm: ...
@overload
def load(
    what: str | Path, *, tip: str | None = None, base_link: str, srdf: str | Path | None = None
) -> Arm: ...
@overload
def load(
    what: str | Path | Arm | Assembly,
    *,
    tip: str | None = None,
    base_link: str | None = None,
    srdf: str | Path,
) -> Arm: ...
@overload
def load(
    what: str | Path | Arm | Assembly,
    *,
    tip: str | None = None,
    base_link: str | None = None,
    srdf: str | Path | None = None,
) -> Arm | Assembly: ...
def load(
    what: str | Path | Arm | Assembly,
    *,
    tip: str | None = None,
    base_link: str | None = None,
    srdf: str | Path | None = None,
) -> Arm | Assembly:
    """Return the arm of that name or file; for a description from parts, its assembly.

    A type checker knows what a name of the library holds. Of a file it cannot know: `load_arm`
    and `load_assembly` insist on one of the two.

    Args:
        what: Library name ("puma560"); a file ending in .toml, .xml (also MJCF), .urdf or .xacro,
            with "#tip" behind it where a chain of a tree is meant ("robot.urdf#tool0"); a robot of
            an installed package ("rtb-data:irb140"); or something already loaded, which is
            returned as it is.
        tip: Of a tree of links: the link, site or SRDF group at which the chain ends; None: the
            longest chain.
        base_link: Of a tree of links: where the chain starts; None: the root.
        srdf: Of a tree of links: the file with its groups, poses, and pairs of links that may
            touch; None: the one that is found beside it, if any.

    Raises:
        UnknownNameError: For a name that the library does not have; lists those it has.
        DescriptionError: When the file is wrong; says where.
    """
    if isinstance(what, Arm | Assembly):
        return what if srdf is None else _with_srdf(what, srdf)
    if not isinstance(what, str | Path):
        raise DescriptionError(
            "cannot be loaded",
            element=type(what).__name__,
            value=what,
            allowed="a name of the library, a file, an Arm or an Assembly",
        )
    meant = arm_reference(what, tip, base_link)
    path, ending = meant.path, meant.path.suffix.lower()
    if meant.is_tree:
        return _from_tree(meant, "" if srdf is None else str(Path(srdf).absolute()))
    if ending in ENDINGS:
        _refuse_tip(meant, srdf)
        return _from_toml(path) if ending == ".toml" else arm_from_xml(read_text(path), path)
    known = library_file(str(path)) if meant.is_name else None
    if known is not None:
        _refuse_tip(meant, srdf)
        return _from_toml(known)
    is_file = isinstance(what, Path) or ending or os.sep in what
    if is_file or (what and path.exists()):
        raise unknown_ending(path)
    raise UnknownNameError("arm of the library", str(path) if what else "", library())


def load_arm(
    what: str | Path | Arm | Assembly,
    *,
    tip: str | None = None,
    base_link: str | None = None,
    srdf: str | Path | None = None,
) -> Arm:
    """Return what `load` returns, but only if it is a serial arm.

    Args:
        what: As for `load`, likewise tip, base_link and srdf.

    Raises:
        UnsupportedError: When the description is an assembly of parts.
    """
    loaded = load(what, tip=tip, base_link=base_link, srdf=srdf)
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


def _from_tree(meant: ArmReference, srdf: str = "") -> Arm:
    opened = open_tree(meant.path, meant.tip, meant.base_link, srdf)
    arm = arm_from_urdf(opened.text, meant.path, opened.tip, opened.base_link)
    ends = ArmReference(meant.path.absolute(), opened.tip, opened.base_link)
    return replace(arm, file=str(ends), srdf=srdf)


def _with_srdf(arm: Arm | Assembly, srdf: str | Path) -> Arm:
    """Return an arm with another SRDF than the one beside its file."""
    if not isinstance(arm, Arm) or not arm.file:
        raise _no_links(arm.name, srdf, "srdf")
    meant = arm_reference(arm.file)
    given = str(Path(srdf).absolute())
    open_tree(meant.path, meant.tip, meant.base_link, given)
    return replace(arm, srdf=given)


def _refuse_tip(meant: ArmReference, srdf: str | Path | None) -> None:
    said = meant.tip or meant.base_link or srdf
    if said is not None:
        raise _no_links(str(meant.path), said, "tip, base_link and srdf")


def _no_links(element: str, value: object, what: str) -> DescriptionError:
    return DescriptionError(
        "has no links to choose from",
        element=element,
        value=value,
        allowed=f"{what} with files of trees: .urdf, .xacro, MJCF",
    )


def _from_toml(path: Path) -> Arm | Assembly:
    document = read_toml(path)
    if document.table.get("kind") == "assembly":
        return assembly_from_document(document)
    return arm_from_document(document)
