"""Films: as many pictures as were taken, in time, and the same again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.pictures.film import FrameFolder, captioned, film_path, open_film


def pictures(count: int = 7, size: tuple[int, int] = (48, 64)) -> Iterator[NDArray[np.uint8]]:
    """A red square that wanders over a grey gradient."""
    for index in range(count):
        pixels = np.tile(
            np.linspace(180, 240, size[1], dtype=np.uint8)[None, :, None], (size[0], 1, 3)
        )
        pixels[20:26, 4 * index : 4 * index + 6] = (220, 30, 20)
        yield pixels


def red_columns(image: Image.Image) -> float:
    pixels = np.asarray(image.convert("RGB"), dtype=int)
    red = (pixels[..., 0] - pixels[..., 1] > 100) & (pixels[..., 0] - pixels[..., 2] > 100)
    return float(np.argwhere(red)[:, 1].mean())


@pytest.mark.parametrize("ending", ["gif", "webp", "apng"])
def test_films(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "new" / f"film.{ending}"
    film = open_film(path, rate=25.0)
    for pixels in pictures():
        film.add(pixels)
    assert not path.exists()
    assert film.close() == path
    with Image.open(path) as shown:
        assert getattr(shown, "n_frames") == 7  # noqa: B009 Pillow types single pictures only
        assert shown.size == (64, 48)
        for index in range(7):
            shown.seek(index)
            assert red_columns(shown) == pytest.approx(4 * index + 2.5, abs=0.6)
            if ending != "webp":
                assert shown.info["duration"] == pytest.approx(40.0)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_rates_that_do_not_fit_a_gif_stay_in_time(tmp_path: Path) -> None:
    film = open_film(tmp_path / "a.gif", rate=30.0)
    for pixels in pictures(31, (40, 140)):
        film.add(pixels)
    with Image.open(film.close()) as shown:
        total = 0
        for index in range(30):
            shown.seek(index)
            total += shown.info["duration"]
    assert total == pytest.approx(1000, abs=10)


def test_frames(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "a" / "b")
    made = list(pictures(3))
    for pixels in made:
        folder.add(pixels)
    assert folder.close() == tmp_path / "a" / "b"
    for index, pixels in enumerate(made):
        with Image.open(tmp_path / "a" / "b" / f"frame_{index:05d}.png") as shown:
            assert (np.asarray(shown) == pixels).all()


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_coded_films(tmp_path: Path, ending: str) -> None:
    av = pytest.importorskip("av")
    film = open_film(tmp_path / f"a.{ending}", rate=10.0)
    for pixels in pictures(8, (65, 97)):
        film.add(pixels)
    path = film.close()
    with av.open(str(path)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) == 8
    assert frames[0].shape == (64, 96, 3)
    assert red_columns(Image.fromarray(frames[-1])) == pytest.approx(30.5, abs=2)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_without_the_library_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(UnsupportedError, match=r"pip install .av"):
        film_path(tmp_path / "a.mp4")


def test_wrong_places(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"\.gif"):
        film_path(tmp_path / "a.avi")
    (tmp_path / "folder.gif").mkdir()
    with pytest.raises(DescriptionError, match="folder"):
        film_path(tmp_path / "folder.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(DescriptionError, match="cannot be written"):
        open_film(tmp_path / "file" / "a.gif")
    with pytest.raises(DescriptionError, match="cannot be written"):
        FrameFolder(tmp_path / "file" / "b")
    with pytest.raises(UnsupportedError, match="no pictures"):
        open_film(tmp_path / "a.gif").close()
    assert not (tmp_path / "a.gif").exists()


def test_captions() -> None:
    pixels = np.full((120, 200, 3), 255, dtype=np.uint8)
    shown = captioned(pixels, "1.25 s", "cell")
    assert (pixels == 255).all()
    rows, columns = np.nonzero((shown < 120).all(axis=-1))
    assert rows.min() > 90
    assert columns.min() < 20
    assert columns.max() > 180
