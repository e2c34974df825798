"""Arms as viewers name them: a name comes in, what is loaded and where its meshes may lie go out.

A viewer names an arm as the command line does: by the library, by a file with "#tip" behind it, or
as a robot of an installed package. Files are those below the folder of the studio; of a package,
those that it has installed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from armwerk.errors import DescriptionError
from armwerk.robot import library
from armwerk.robot.installed import installed_folder, is_installed_name
from armwerk.robot.references import MARK, ArmReference, arm_reference
from armwerk.studio.folder import ARMS, StudioFolder

_NAMED_FILE = re.compile(r'\bfile\s*=\s*["\']([^"\']*)["\']')
_NAMED_FOLDER = re.compile(r'\b(?:mesh|texture|asset)dir\s*=\s*["\']([^"\']*)["\']')
_MOST_FILES = 200  # that one file may include


@dataclass(frozen=True, slots=True)
class ArmSource:
    """An arm that was found.

    Args:
        reference: Its file or library name, and the chain that is meant.
        root: Folder that its meshes must be in; None: it has none.
    """

    reference: ArmReference
    root: Path | None = None

    @property
    def words(self) -> str:
        """What `armwerk.load` takes."""
        return str(self.reference)

    @property
    def is_tree(self) -> bool:
        """Whether it is a chain of a tree of links, which may have meshes."""
        return self.reference.is_tree

    @property
    def changed(self) -> float:
        """When its file was changed; 0: it is one of the library."""
        return 0.0 if self.root is None else self.reference.path.stat().st_mtime


def is_arm_name(name: str) -> bool:
    """Whether a name has the form of an arm's file or of a robot of a package."""
    before = name.partition(MARK)[0]
    return is_installed_name(before) or name.endswith(ARMS) or before.endswith(ARMS)


def arm_source(name: str, folder: StudioFolder) -> ArmSource:
    """Return the arm that a viewer means.

    Args:
        name: Of the library; a file from the folder, "robot.urdf#tool0"; a robot of an installed
            package, "rtb-data:irb140#link_5".
        folder: Below which files are.

    Raises:
        DescriptionError: For a file that is not below the folder, or is none.
        UnsupportedError: For a package that is not installed.
        UnknownNameError: For a robot that it does not have; names those it has.
    """
    if name in library():
        return ArmSource(ArmReference(Path(name), is_name=True))
    if "\x00" in name:
        raise _no_arm(name)
    meant = arm_reference(name, folder=folder.root)
    if meant.installed:
        return ArmSource(meant, installed_folder(meant.installed))
    if meant.is_name or meant.path.suffix.lower() not in ARMS:
        raise _no_arm(name)
    file = name.rpartition(MARK)[0] if _has_ends(meant) else name
    path = folder.arm(file)
    if not path.is_file():
        raise DescriptionError("not found", element=f"file '{file[:80]}'")
    found = ArmReference(path, meant.tip, meant.base_link)
    if found.is_tree:
        _refuse_files_elsewhere(path, folder.root)
    return ArmSource(found, folder.root)


def _has_ends(meant: ArmReference) -> bool:
    return meant.tip is not None or meant.base_link is not None


def _no_arm(name: str) -> DescriptionError:
    return DescriptionError(
        "neither an arm of the library nor a file of one",
        element=f"'{name[:80]}'",
        allowed=f"a library name; a file ending in {', '.join(ARMS)}, with #tip "
        "behind it for one arm of several; or a robot of an installed package, rtb-data:irb140",
    )


def _refuse_files_elsewhere(path: Path, root: Path) -> None:
    """Refuse MJCF that would have files outside a folder read: its meshes, what it includes."""
    waiting, known = [path], {path}
    while waiting:
        file = waiting.pop()
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it is said where it is read
        if "<mujoco" not in text:
            continue
        folders = {"", *_NAMED_FOLDER.findall(text)}
        for named in _NAMED_FILE.findall(text):
            for between in folders:
                found = Path(os.path.realpath(path.parent / between / named))
                if not found.is_relative_to(root):
                    raise DescriptionError(
                        "not below the folder the studio was started in",
                        element=f"file '{named[:80]}'",
                        allowed="a path from there",
                        file=path.name,
                    )
                if found.suffix.lower() in (".xml", ".mjcf") and found not in known:
                    known.add(found)
                    waiting.append(found)
        if len(known) > _MOST_FILES:
            raise DescriptionError("includes too many files", element=f"file '{path.name}'")
