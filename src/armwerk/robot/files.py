"""Loading and saving: one door for the library and for all file formats."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.files import write_text
from armwerk.robot.arm import Arm
from armwerk.robot.catalogue import library, library_file
from armwerk.robot.reading import parse_toml, read_text
from armwerk.robot.toml_file import arm_from_document, arm_to_toml

if TYPE_CHECKING:
    from armwerk.robot.parts import Assembly

ENDINGS = (".xml", ".toml", ".urdf")


def load(
    what: str | Path | Arm | Assembly, *, tip: str | None = None, base_link: str | None = None
) -> Any:
    """Return the arm of that name or file; for a description from parts, its assembly.

    The type is open because the file decides whether it holds an `Arm` or an `Assembly`;
    `load_arm` insists on an arm.

    Args:
        what: Library name ("puma560"), a file ending in .xml, .toml or .urdf, or something
            already loaded, which is returned as it is.
        tip: URDF only: the link at which the chain ends; None: the longest chain.
        base_link: URDF only: the link at which the chain starts; None: the root.

    Raises:
        UnknownNameError: For a name that the library does not have; lists those it has.
        DescriptionError: For a file that is missing or wrong.
    """
    if not isinstance(what, str | Path):
        return _loaded(what)
    ending = Path(what).suffix.lower()
    if ending in ENDINGS:
        return _from_file(Path(what), ending, tip, base_link)
    path = library_file(str(what)) if isinstance(what, str) else None
    if path is None:
        is_file = isinstance(what, Path) or ending or os.sep in what
        if is_file or (what and Path(what).exists()):
            raise DescriptionError(
                "unknown file ending",
                element="file",
                value=ending,
                allowed=", ".join(ENDINGS),
                file=what,
            )
        raise UnknownNameError("arm of the library", str(what), library())
    return _from_toml(path)


def _loaded(what: Any) -> Any:
    if not isinstance(what, Arm):
        from armwerk.robot.parts import Assembly

        if not isinstance(what, Assembly):
            raise DescriptionError(
                "cannot be loaded",
                element=type(what).__name__,
                value=what,
                allowed="a name of the library, a file, an Arm or an Assembly",
            )
    return what


def load_arm(what: str | Path | Arm, *, tip: str | None = None) -> Arm:
    """Return what `load` returns, but only if it is an arm.

    Raises:
        UnsupportedError: When the description is an assembly of parts.
    """
    loaded = load(what, tip=tip)
    if isinstance(loaded, Arm):
        return loaded
    raise UnsupportedError(
        f"{what} is an assembly of parts, not a serial arm; Arm.from_parts takes one chain of it"
    )


def save(arm: Arm | Assembly, path: str | Path) -> None:
    """Write ``arm`` to ``path``; the ending (.xml, .toml, .urdf) names the format.

    An assembly of parts goes to TOML only. The file is complete or untouched: the text goes to
    a temporary file beside it, which then takes its name.
    """
    path = Path(path)
    text = _written(arm, path)
    write_text(path, text)


def _from_file(path: Path, ending: str, tip: str | None, base_link: str | None) -> Any:
    if ending == ".toml":
        return _from_toml(path)
    text = read_text(path)
    if ending == ".xml":
        from armwerk.robot.xml_file import arm_from_xml

        return arm_from_xml(text, path)
    from armwerk.robot.urdf_file import arm_from_urdf

    return arm_from_urdf(text, path, tip=tip, base_link=base_link)


def _from_toml(path: Path) -> Any:
    text = read_text(path)
    document = parse_toml(text, path)
    if document.table.get("kind") == "assembly":
        from armwerk.robot.parts_toml import assembly_from_toml

        return assembly_from_toml(text, path)
    return arm_from_document(document)


def _written(arm: Arm | Assembly, path: Path) -> str:
    ending = path.suffix.lower()
    if not isinstance(arm, Arm):
        from armwerk.robot.parts_toml import assembly_to_toml

        if ending != ".toml":
            raise DescriptionError(
                "an assembly of parts cannot be written in this format",
                element="file",
                value=ending,
                allowed=".toml",
                file=path,
            )
        return assembly_to_toml(arm)
    if ending == ".toml":
        return arm_to_toml(arm)
    if ending == ".xml":
        from armwerk.robot.xml_file import arm_to_xml

        return arm_to_xml(arm)
    if ending == ".urdf":
        from armwerk.robot.urdf_file import arm_to_urdf

        return arm_to_urdf(arm)
    raise DescriptionError(
        "unknown file ending",
        element="file",
        value=ending,
        allowed=", ".join(ENDINGS),
        file=path,
    )
