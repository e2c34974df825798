"""The line that a message tells people to type is one that pip can read."""

from __future__ import annotations

import shlex
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from armwerk.extras import pip_line

PACKAGES = {"planning": {"ompl"}, "can": {"canopen", "python-can"}, "editors": {"pygls"}}


@pytest.mark.parametrize("extra", PACKAGES)
def test_a_line_names_the_packages_of_an_extra(extra: str) -> None:
    pip, install, *packages = shlex.split(pip_line(extra))
    assert (pip, install) == ("pip", "install")
    assert {Requirement(package).name for package in packages} == PACKAGES[extra]


def test_without_an_installed_armwerk_the_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> list[str]:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "requires", missing)
    assert pip_line("planning") == "pip install '.[planning]'"
