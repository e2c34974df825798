"""Files of the studio: those of armwerk below the folder it was started in, and no others."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from armwerk.errors import DescriptionError
from armwerk.files import write_text
from armwerk.scene.files import ENDING
from armwerk.scene.reader import MOST_BYTES

ENDINGS = (
    ENDING,
    ".toml",
    ".xml",
    ".urdf",
    ".irl",
    ".csv",
    ".src",
    ".dat",
    ".mod",
    ".script",
    ".log",
)
"""Of files that may be opened and saved: cells, arms, tables, programs, logs."""
ARMS = (".toml", ".xml", ".urdf", ".xacro", ".mjcf")
"""Of files that may describe an arm. Xacro is opened and never saved: it runs expressions."""
MOBILE_SCENES = (".toml", ".glb", ".gltf", ".obj")
"""Of files that may hold a scene of mobile robots."""
RECORDINGS = (".jsonl", ".jsonl.gz")
MOST_RECORDED = 200_000_000  # bytes of a recording that is played
_XACRO = re.compile(r"<\s*xacro:|wiki/xacro|wiki\.ros\.org/xacro|\$[{(]")
_LONGEST_NAME = 400  # characters of a path
_MOST_FILES = 500
_LONGEST = 1.0  # [s] for which files are looked for


class StudioFolder:
    """A folder, and what below it can be opened and saved; links are not followed out of it.

    Args:
        root: The folder.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(os.path.realpath(root))

    def cells(self) -> tuple[str, ...]:
        """Return the environment files below it, by their paths from it; not all of very many."""
        return self.files((ENDING,))

    def files(self, endings: tuple[str, ...]) -> tuple[str, ...]:
        """Return the files below it with one of some endings; not all of very many."""
        return self._found(tuple(ending for ending in endings if ending in ENDINGS))

    def _found(self, wanted: tuple[str, ...]) -> tuple[str, ...]:
        found: list[str] = []
        end = time.monotonic() + _LONGEST
        for folder, inner, names in os.walk(self.root):
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
            found += [
                (Path(folder) / name).relative_to(self.root).as_posix()
                for name in sorted(names)
                if name.endswith(wanted) and not name.startswith(".")
            ]
            if len(found) > _MOST_FILES or time.monotonic() > end:
                break
        return tuple(found[:_MOST_FILES])

    def arms(self) -> tuple[str, ...]:
        """Return the files below it that may describe an arm; not all of very many."""
        return self._found(ARMS)

    def arm(self, name: str) -> Path:
        """Return the file of an arm.

        Raises:
            DescriptionError: When it is of another kind, or not below the folder.
        """
        return self._below(name, ARMS)

    def path(self, name: str) -> Path:
        """Return the file of a name.

        Raises:
            DescriptionError: When it is of another kind, or not below the folder.
        """
        return self._below(name, ENDINGS)

    def recordings(self) -> tuple[str, ...]:
        """Return the recordings below it; not all of very many."""
        return self._found(RECORDINGS)

    def recording(self, name: str) -> Path:
        """Return the file of a recording, which need not exist.

        Raises:
            DescriptionError: When it is of another kind, too large, or not below the folder.
        """
        path = self._below(name, RECORDINGS)
        most = MOST_RECORDED // (8 if name.endswith(".gz") else 1)  # compressed about eightfold
        if path.is_file() and path.stat().st_size > most:
            raise DescriptionError(
                "too large",
                element=f"recording '{name}'",
                value=f"{path.stat().st_size / 1e6:.0f} MB",
                allowed=f"at most {most / 1e6:.0f} MB",
            )
        return path

    def mobile_scenes(self) -> tuple[str, ...]:
        """Return the mesh files below it, each of which may be a scene of mobile robots."""
        return self._found(MOBILE_SCENES[1:])

    def mobile_scene(self, name: str) -> Path:
        """Return the file of a scene of mobile robots.

        Raises:
            DescriptionError: When it is of another kind, or not below the folder.
        """
        return self._below(name, MOBILE_SCENES)

    def name_of(self, path: Path) -> str:
        """Return how a file is called from the folder; one that is elsewhere only by its name."""
        path = Path(os.path.realpath(path))
        inside = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if inside else path.name

    def _below(self, name: str, endings: tuple[str, ...]) -> Path:
        wrong = DescriptionError(
            "not below the folder the studio was started in",
            element=f"file '{name[:80]}'",
            allowed=f"a path from there, ending in {', '.join(endings)}",
        )
        if not name.endswith(endings) or "\x00" in name or len(name) > _LONGEST_NAME:
            raise wrong
        path = Path(os.path.realpath(self.root / name))
        if not path.is_relative_to(self.root) or not path.name.endswith(endings):
            raise wrong
        return path

    def read(self, name: str) -> tuple[str, Path]:
        """Return the text of a file, and the file.

        Raises:
            DescriptionError: When it cannot be read, or is too large.
        """
        path = self.path(name)
        try:
            with path.open("rb") as stream:
                content = stream.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                raise DescriptionError("too large", element=f"file '{name}'")
            return content.decode("utf-8"), path
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "no text"
            raise DescriptionError(f"cannot be read: {reason}", element=f"file '{name}'") from None

    def write(self, name: str, text: str) -> Path:
        """Write a file, which is complete or untouched; return it.

        Raises:
            DescriptionError: When it cannot be written.
        """
        path = self.path(name)
        if _XACRO.search(text) and path.suffix in ARMS:
            raise DescriptionError(
                "xacro runs expressions, so it is not saved from here",
                element=f"file '{name[:80]}'",
                allowed="a description without xacro; write this one with an editor",
            )
        write_text(path, text)
        return path
