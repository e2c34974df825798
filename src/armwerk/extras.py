"""Packages that armwerk needs for some of its work only, and how to get them."""

from __future__ import annotations

import re

_EXTRA = re.compile(r"""^(?P<package>[^;]+?)\s*;.*\bextra\s*==\s*["'](?P<extra>[\w-]+)["']""")


def pip_line(extra: str) -> str:
    """Return the line to type for the packages of an extra.

    The packages themselves are named, not the extra, so that the line is right however armwerk
    was installed.
    """
    from importlib.metadata import PackageNotFoundError, requires  # it loads the whole of email

    try:
        wanted = requires("armwerk") or []
    except PackageNotFoundError:  # run from the sources alone
        wanted = []
    found = [match for text in wanted if (match := _EXTRA.match(text))]
    packages = [match["package"] for match in found if match["extra"] == extra]
    return " ".join(["pip install", *(f"'{one}'" for one in packages or [f".[{extra}]"])])
