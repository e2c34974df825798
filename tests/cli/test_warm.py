"""Set-up compiles every kernel that says its types."""

from __future__ import annotations

from importlib.util import find_spec

from armwerk.cli.warm import kernel_modules


def test_every_room_with_kernels_is_made_ready() -> None:
    found = kernel_modules()
    assert all(find_spec(name) for name in found)
    rooms = {name.split(".")[1] for name in found}
    assert rooms == {
        *("collision", "derivation", "mechanics", "mobile", "motion", "physics"),
        *("pictures", "planning"),
    }
