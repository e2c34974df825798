"""Writing descriptions to files: the ending names the writer, the file is complete or untouched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import DescriptionError
from armwerk.files import write_text
from armwerk.robot.formats.toml_writer import arm_to_toml, assembly_to_toml
from armwerk.robot.formats.urdf_writer import arm_to_urdf
from armwerk.robot.formats.xml_writer import arm_to_xml

if TYPE_CHECKING:
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

ARM_WRITERS: Mapping[str, Callable[[Arm], str]] = {
    ".xml": arm_to_xml,
    ".toml": arm_to_toml,
    ".urdf": arm_to_urdf,
}
ENDINGS = tuple(ARM_WRITERS)


def save_arm(arm: Arm, path: str | Path) -> None:
    """Write an arm to ``path`` in the format that the ending names.

    Raises:
        DescriptionError: For an ending that is none of `ENDINGS`.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ARM_WRITERS:
        raise unknown_ending(path)
    write_text(path, ARM_WRITERS[ending](arm))


def save_assembly(assembly: Assembly, path: str | Path) -> None:
    """Write an assembly of parts to ``path``, which must end in .toml.

    Raises:
        DescriptionError: For another ending.
    """
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise DescriptionError(
            "an assembly of parts cannot be written in this format",
            element="file",
            value=path.suffix.lower(),
            allowed=".toml",
            file=path,
        )
    write_text(path, assembly_to_toml(assembly))


def unknown_ending(path: str | Path) -> DescriptionError:
    """Return the error for a file whose ending names no format."""
    return DescriptionError(
        "unknown file ending",
        element="file",
        value=Path(path).suffix.lower(),
        allowed=", ".join(ENDINGS),
        file=path,
    )
