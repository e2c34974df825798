"""Robots in installed packages: "rtb-data:irb140" comes in, the file of that robot goes out.

Nothing is copied and nothing is imported: what a package has installed is read from its record. The
name of a robot is that of its file, or of its folder where the file is called "robot" or "model".
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path, PurePosixPath

from armwerk.errors import UnknownNameError, UnsupportedError

PACKAGES = ("example-robot-data", "pybullet", "robosuite", "rtb-data")
"""Packages of PyPI that bring robots; any other that is installed can be named as well."""
_REFERENCE = re.compile(r"([A-Za-z0-9][\w.-]+):([\w./-]+)")
_GENERAL = ("robot", "model", "urdf", "mjcf")  # names of files that say nothing
_ENDINGS = (".urdf", ".urdf.xacro", ".xacro", ".xml")  # the plainest first
_SHOWN = 60


def is_installed_name(text: str) -> bool:
    """Whether a text has the form "package:robot"; a drive with its letter has not."""
    return _REFERENCE.fullmatch(text) is not None


def installed_file(text: str) -> Path:
    """Return the file of a robot in an installed package.

    Args:
        text: Package and robot, "rtb-data:irb140"; where names are not enough, the end of the
            path, "robosuite:panda_description/urdf/panda_arm".

    Raises:
        UnsupportedError: When the package is not installed; says how it is.
        UnknownNameError: When it has no such robot; names those it has.
    """
    from importlib import metadata  # it loads the whole of email

    found = _REFERENCE.fullmatch(text)
    assert found is not None
    package, name = found.groups()
    files = _files(package)
    key = name.lower()
    hits = [path for path, names in files if key in names]
    if not hits:
        ending = f"/{key}"
        hits = [path for path, _ in files if f"/{_bare(path)}".lower().endswith(ending)]
    if not hits:
        raise UnknownNameError(f"robot of the package '{package}'", name, installed_robots(package))
    place = metadata.distribution(package).locate_file
    plain = [path for path in hits if _rank(path) == _rank(hits[0])]
    if len(plain) > 1:
        whole = [path for path in plain if not _is_macro(Path(str(place(str(path)))))]
        plain = whole or plain
    if len(plain) > 1:
        raise UnknownNameError(
            f"robot of the package '{package}' by that name alone",
            name,
            ["/".join(PurePosixPath(_bare(path)).parts[-3:]) for path in plain],
        )
    return Path(str(place(str(plain[0]))))


def installed_packages() -> tuple[str, ...]:
    """Return those of `PACKAGES` that are installed."""
    return tuple(name for name in PACKAGES if _is_there(name))


def installed_folder(text: str) -> Path:
    """Return the folder that a package put its files of a robot below.

    Args:
        text: Package and robot, "rtb-data:irb140".

    Raises:
        UnsupportedError: As `installed_file`.
        UnknownNameError: Likewise.
    """
    from importlib import metadata  # it loads the whole of email

    home = Path(str(metadata.distribution(text.partition(":")[0]).locate_file(""))).resolve()
    file = installed_file(text).resolve()
    return home / file.relative_to(home).parts[0] if file.is_relative_to(home) else file.parent


def names_robot(text: str) -> bool:
    """Whether a text means a robot of a package, and not a class "module:Class" of Python."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return False
    package = found.group(1)
    return not package.isidentifier() or (_is_there(package) and bool(_files(package)))


def installed_robots(package: str) -> tuple[str, ...]:
    """Return the names of the robots in an installed package, sorted.

    Raises:
        UnsupportedError: When the package is not installed; says how it is.
    """
    return tuple(sorted({names[0] for _, names in _files(package)}))[:_SHOWN]


def _rank(path: PurePosixPath) -> tuple[int, int]:
    """Return how plain a file is: its ending, then how short its path."""
    ending = next(k for k, end in enumerate(_ENDINGS) if path.name.lower().endswith(end))
    return ending, len(path.parts)


def _bare(path: PurePosixPath) -> str:
    """Return a path without its ending."""
    name = re.sub(r"(\.urdf)?\.\w+$", "", path.name)
    return str(path.with_name(name))


@lru_cache
def _files(package: str) -> list[tuple[PurePosixPath, tuple[str, ...]]]:
    """Return the robot files of a package, the plainest first, and the names of each."""
    from importlib import metadata  # it loads the whole of email

    try:
        recorded = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        have = installed_packages()
        wanted = package if package in PACKAGES else "|".join(PACKAGES)
        raise UnsupportedError(
            f"the package '{package}' is not installed; pip install {wanted} brings robots "
            f"(installed of these: {', '.join(have) or 'none'})"
        ) from None
    paths = [PurePosixPath(str(path)) for path in recorded]
    robots = sorted((path for path in paths if _is_robot(path)), key=lambda p: (_rank(p), str(p)))
    return [(path, _names(path)) for path in robots]


def _is_there(package: str) -> bool:
    from importlib import metadata  # it loads the whole of email

    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _is_macro(path: Path) -> bool:
    """Whether a file holds a part that others build a robot from."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return "<xacro:macro" in text or "<joint" not in text


def _is_robot(path: PurePosixPath) -> bool:
    name = path.name.lower()
    if name.endswith(".urdf"):
        return True
    if name.endswith(".xacro"):
        return "macro" not in name and not name.startswith("common_")
    return name.endswith(".xml") and path.parent.parent.name == "robots"


def _names(path: PurePosixPath) -> tuple[str, ...]:
    """Return what a robot may be called, the best first, in small letters."""
    stem = PurePosixPath(_bare(path)).name.lower()
    if stem in _GENERAL:
        return (path.parent.name.lower(),)
    short = stem.removesuffix("_robot")
    return (short, stem) if short != stem else (stem,)
