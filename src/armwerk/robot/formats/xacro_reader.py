"""Xacro files as URDF texts, by the package ``xacro`` where it is installed."""

from __future__ import annotations

import contextlib
import io
import re
import threading
from collections.abc import Mapping
from pathlib import Path

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.robot.formats.ros_packages import package_folders

_FOUND = r"\$\(find\s+{}\)/([^\s\"'<>$]+)"  # what a file wants of a package
_LAYOUT = ("package.xml", "urdf", "meshes", "robots")  # one of these is in every package
_lock = threading.Lock()  # xacro keeps what it is doing in its module


def expanded(path: Path, arguments: Mapping[str, str] | None = None) -> str:
    """Return the URDF that a xacro file describes.

    Packages it mentions are looked for as `package_folders` does. Xacro evaluates expressions of
    Python: open files of people you trust.

    Args:
        path: The file.
        arguments: Values of its arguments, by name; None: its defaults.

    Raises:
        UnsupportedError: When xacro is not installed.
        DescriptionError: When xacro cannot read the file.
    """
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise UnsupportedError(
            f"{path} is a xacro file, and the package xacro is not installed: "
            "pip install 'armwerk[xacro]', or expand it yourself: xacro robot.xacro > robot.urdf"
        ) from None
    if not path.is_file():
        raise DescriptionError(
            "does not exist", element="file", allowed="an existing file", file=path
        )

    def find(name: str) -> str:
        return str(_package(name, path))

    with _lock, contextlib.redirect_stderr(io.StringIO()):
        kept = substitution_args._eval_find
        substitution_args._eval_find = find
        try:
            document = xacro.process_file(str(path.absolute()), mappings=dict(arguments or {}))
            text: str = document.toxml()
        except Exception as error:
            words = " ".join(str(error).split()) or type(error).__name__
            raise DescriptionError(
                f"xacro cannot read it ({words})", element="file", allowed="xacro", file=path
            ) from None
        finally:
            substitution_args._eval_find = kept
    return text


def _package(name: str, path: Path) -> Path:
    """Return the folder of a package: the first with a file that is wanted of it, else likely."""
    folders = [*package_folders(name, path)]
    text = path.read_text(encoding="utf-8", errors="replace")
    wanted = re.findall(_FOUND.format(re.escape(name)), text)
    for folder in folders:
        if folder.name == name or any((folder / rest).exists() for rest in wanted):
            return folder
    for folder in folders:
        if any((folder / one).exists() for one in _LAYOUT):
            return folder
    return folders[0]
