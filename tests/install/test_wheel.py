"""What a new user tries first, from an installed wheel in an empty folder."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from wheel import ROOT, Installed, add_notebooks, install, once

TASKS = Path(__file__).parent / "tasks"
NEEDS = {"document_for_teaching": "pdflatex", "code_on_a_small_machine": "cc"}


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all workers of this run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own


@pytest.fixture(scope="session")
def installed(shared: Path) -> Installed:
    return Installed(once(shared / "wheel", install) / "environment")


def test_the_wheel_holds_what_is_needed_and_nothing_else(installed: Installed) -> None:
    (wheel,) = (installed.folder.parent / "wheels").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "armwerk/py.typed",
        "armwerk/__init__.pyi",
        "armwerk/studio/bundle/index.html",
        "armwerk/robot/library/puma560.toml",
        "armwerk/cells/pick_and_place.env",
    ):
        assert needed in names, needed
    assert {name.split("/")[0] for name in names} <= {"armwerk", names[-1].split("/")[0]}
    assert wheel.stat().st_size < 5_000_000


def test_the_ten_lines_of_the_readme(installed: Installed, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    (tmp_path / "ten.py").write_text(first, encoding="utf-8")
    done = installed.run(tmp_path, "ten.py")
    assert "At most 8 solutions" in done.stdout
    assert (tmp_path / "out" / "puma560").is_dir()


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1"])
def test_the_ten_lines_in_another_locale(installed: Installed, tmp_path: Path, locale: str) -> None:
    """An arm that nobody has seen, so that its closed form is written and read in that locale."""
    folder = tmp_path / "Übung für Ärzte"
    folder.mkdir()
    shutil.copy(TASKS / "arm_from_a_data_sheet.py", folder)
    settings = {"LC_ALL": locale, "ARMWERK_CACHE": str(folder / "kept")}
    settings |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"}
    kernels = Path(installed.run(folder, "-c", WHERE).stdout.strip())
    (folder / "kept").mkdir()
    (folder / "kept" / "kernels").symlink_to(kernels)  # all but the new arm is compiled already
    installed.run(folder, "arm_from_a_data_sheet.py", **settings)


WHERE = "from armwerk.caching import cache_folder; print(cache_folder() / 'kernels')"


@pytest.mark.parametrize("task", sorted(path.stem for path in TASKS.glob("*.py")))
def test_a_task(installed: Installed, shared: Path, tmp_path: Path, task: str) -> None:
    settings = {}
    if task == "notebook":
        settings["PYTHONPATH"] = str(once(shared / "jupyter", add_notebooks))
    if (tool := NEEDS.get(task)) and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    script = shutil.copy(TASKS / f"{task}.py", tmp_path)
    installed.run(tmp_path, Path(script).name, **settings)
    for written in tmp_path.rglob("*"):
        assert not written.is_file() or written.stat().st_size > 0, f"{written} is empty"


def test_there_are_ten_tasks() -> None:
    assert len(list(TASKS.glob("*.py"))) == 10
