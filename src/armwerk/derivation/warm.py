"""Compiles what is used first, once: ``python -m armwerk.derivation.warm``.

Set-up calls this, so that the first command is as quick as every later one.
"""

from __future__ import annotations

import importlib
import sys

from armwerk.mechanics import warm
from armwerk.robot import load_arm

FIRST_USED = ("puma560",)  # the arm of the demo


def main() -> None:
    """Compile the kernels of mechanics and the closed forms that are used first."""
    warm.warm()
    from armwerk.derivation.runtime.find import closed_form

    for name in ("polish", "choose"):
        importlib.import_module(f"armwerk.derivation.runtime.{name}")
    for name in FIRST_USED:
        closed_form(load_arm(name), progress=_tell)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text} …\n")


if __name__ == "__main__":
    main()
