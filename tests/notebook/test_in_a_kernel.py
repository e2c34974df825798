"""Cells of a notebook, run by a real kernel as a user runs them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

# What a user types, and how the last line of the cell must be shown.
CELLS = [
    ("import armwerk as aw\nimport sys", ""),
    ("aw.load('puma560')", "html img Unimation Puma 560"),
    ("model = aw.model('planar_rr')\nmodel", "html img Planar arm, RR"),
    ("aw.load('tripod')", "html closed chains"),
    ("t = aw.ptp(model, [0, 0], [1, 0.5])\nt", "html img velocity"),
    ("t.plot()", "png"),
    (
        "space = aw.cspace('planar_rr', [aw.Sphere(0.1, (0.3, 0.2, 0))], shape=(20, 20))\nspace",
        "html img hits",
    ),
    ("reach = aw.reach('planar_rr', samples=200)\nreach", "html img voxels"),
    ("d = aw.derive('puma560')\nd", "html d.inverse derives"),
    ("assert 'inverse' not in vars(d), 'showing it has derived it'", ""),
    ("d = aw.derive('planar_rr')\nd.inverse\nd", "html solutions by rules"),
    ("d.forward", "latex"),
    ("world = aw.World.load('pick_and_place')\nworld.run(seconds=0.05)\nworld", "html robot"),
    ("symbolic = aw.Arm.from_dh([aw.Joint('revolute', a='a1')], name='s')\nsymbolic", "html a1"),
    ("'<b>' in aw.notebook.arm_html(aw.load('scara'))", "plain True"),
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What each cell has shown, by type of content."""
    folder = tmp_path_factory.mktemp("notebook")
    cells = [nbformat.v4.new_code_cell(code) for code, _ in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries about each other
        client = nbclient.NotebookClient(
            book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
    assert list(folder.iterdir()) == []  # nothing is written beside the notebook
    shown = []
    for cell in book.cells:
        found = [one for one in cell.outputs if one.output_type == "execute_result"]
        shown.append(dict(found[-1].data) if found else {})
    return shown


@pytest.mark.parametrize("place", range(len(CELLS)))
def test_a_cell_shows_its_last_line(outputs: list[dict[str, str]], place: int) -> None:
    kind, _, words = CELLS[place][1].partition(" ")
    shown = outputs[place]
    if kind == "png":
        assert shown["image/png"].startswith("iVBOR")
    elif kind == "html":
        text = shown["text/html"]
        words, wants_picture = words.removeprefix("img "), words.startswith("img ")
        assert words in text
        assert ("data:image/png;base64,iVBOR" in text) == wants_picture
        assert "text/plain" in shown
    elif kind == "latex":
        assert "\\cos" in shown["text/latex"]
    elif kind == "plain":
        assert shown["text/plain"] == words
    else:
        assert shown == {}


def test_user_text_cannot_bring_html(tmp_path: Path) -> None:
    import armwerk as aw
    from armwerk.notebook import arm_html

    arm = aw.Arm.from_dh([aw.Joint("revolute", a=0.1)], name="x", title="<script>alert(1)</script>")
    assert "<script>" not in arm_html(arm)
    picture = aw.ptp("planar_rr", [0, 0], [0.1, 0.1]).plot()
    assert re.match(r"<InlinePicture, PNG of \d+ kB", repr(picture))
    assert picture.save(tmp_path / "a.png").read_bytes() == picture.png


def test_a_view_is_a_frame_without_a_server() -> None:
    import armwerk as aw
    from armwerk.errors import UnsupportedError
    from armwerk.notebook import view
    from armwerk.studio.server import bundle_folder

    with pytest.raises(UnsupportedError, match="not int"):
        view(7)  # type: ignore[arg-type]
    if not (bundle_folder() / "standalone.html").exists():
        pytest.skip("the studio's page has not been built")
    for thing in ("puma560", aw.model("puma560"), aw.ptp("puma560", [0] * 6, [0.1] * 6)):
        shown = view(thing, height=300)
        frame = shown._repr_html_()
        assert frame.startswith("<iframe srcdoc=")
        assert "height:300px" in frame
