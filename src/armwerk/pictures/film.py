"""Films: pictures come in one by one, a file or a folder of frames goes out.

GIF, WebP and APNG are written by Pillow, MP4 and WebM by PyAV where it is installed. A film file
appears under its name only when it is complete.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from fractions import Fraction
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.video.stream import VideoStream
    from PIL import Image

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.extras import pip_line
from armwerk.files import replacing, unwritable

Pixels = NDArray[np.uint8]
STILLS = (".gif", ".webp", ".apng", ".png")  # what Pillow writes
CODECS = {".mp4": ("libx264", "h264", "mpeg4"), ".webm": ("libvpx-vp9", "libvpx", "vp8")}
ENDINGS = (".gif", ".webp", ".apng", *CODECS)
_SAMPLES = 12  # frames of which the colours of a GIF are chosen
_GIF_TICK = 10  # a GIF counts its durations in these [ms]


class Film(Protocol):
    """Takes pictures of one size until it is closed."""

    def add(self, pixels: Pixels) -> None:
        """Take the next picture. Shape (height, width, 3)."""
        ...

    def close(self) -> Path:
        """Finish, and return where it is."""
        ...


def film_path(path: str | Path) -> Path:
    """Return the path when a film can be written there, before anything is computed.

    Raises:
        DescriptionError: When its ending is unknown or it is a folder.
        UnsupportedError: When its format needs a library that is not installed.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise DescriptionError(
            "unknown film format",
            element=f"film '{path}'",
            value=path.suffix,
            allowed=", ".join(ENDINGS),
        )
    if path.is_dir():
        raise DescriptionError("is a folder", element=f"film '{path}'", allowed="a file name")
    if ending in CODECS:
        _av(ending)
    return path


def open_film(path: str | Path, rate: float = 20.0) -> Film:
    """Return an empty film.

    Args:
        path: Ends in .gif, .webp, .apng, .mp4 or .webm; its folder is made when missing.
        rate: Pictures per second.
    """
    path = film_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error, "film") from None
    return CodedFilm(path, rate) if path.suffix.lower() in CODECS else PillowFilm(path, rate)


class FrameFolder:
    """Writes frame_00000.png, frame_00001.png, … into a folder, which is made when missing."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.count = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error, "folder") from None

    def add(self, pixels: Pixels) -> None:
        """Write the next picture."""
        from PIL import Image

        Image.fromarray(pixels).save(self.folder / f"frame_{self.count:05d}.png", compress_level=4)
        self.count += 1

    def close(self) -> Path:
        """Return the folder."""
        return self.folder


class PillowFilm:
    """A GIF, WebP or APNG; pictures are kept compressed until the end, when all are known."""

    def __init__(self, path: Path, rate: float) -> None:
        self.path = path
        self.rate = rate
        self.shape: tuple[int, ...] = ()
        self._frames: list[tuple[int, int]] = []  # place and length in the store
        # unlinked by the system when it is closed, or when the process dies
        self._store: IO[bytes] = tempfile.TemporaryFile(prefix="armwerk-film-")  # noqa: SIM115

    def add(self, pixels: Pixels) -> None:
        """Take the next picture; all have the size of the first."""
        self.shape = self.shape or pixels.shape
        packed = zlib.compress(np.ascontiguousarray(pixels).tobytes(), 1)
        self._frames.append((self._store.tell(), len(packed)))
        self._store.write(packed)

    def close(self) -> Path:
        """Write the file; one without pictures is an error."""
        try:
            if not self._frames:
                raise UnsupportedError(f"film '{self.path}' has no pictures: nothing was simulated")
            with replacing(self.path, "film") as passing:
                self._save(passing)
            return self.path
        finally:
            self._store.close()

    def _save(self, half: Path) -> None:
        ending = self.path.suffix.lower()
        show = self._palettes if ending == ".gif" else self._images
        first = next(show())
        options: dict[str, list[int] | int] = {"duration": self._durations(), "loop": 0}
        if ending == ".webp":
            options |= {"quality": 82, "method": 3}
        elif ending == ".gif":
            options |= {"optimize": False, "disposal": 1}
        kind = {".gif": "GIF", ".webp": "WEBP"}.get(ending, "PNG")
        first.save(half, format=kind, save_all=True, append_images=_Rest(show), **options)

    def _durations(self) -> list[int]:
        """Return the milliseconds of each picture, rounded so that the whole stays in time."""
        tick = _GIF_TICK if self.path.suffix.lower() == ".gif" else 1
        ends = np.round(np.arange(len(self._frames) + 1) * 1000.0 / self.rate / tick).astype(int)
        return [int(step) for step in np.maximum(np.diff(ends), 1) * tick]

    def _pixels(self, index: int) -> Pixels:
        place, length = self._frames[index]
        self._store.seek(place)
        data = zlib.decompress(self._store.read(length))
        return np.frombuffer(data, dtype=np.uint8).reshape(self.shape)

    def _images(self) -> Iterator[Image.Image]:
        from PIL import Image

        for index in range(len(self._frames)):
            yield Image.fromarray(self._pixels(index))

    def _palettes(self) -> Iterator[Image.Image]:
        """Give all pictures in one set of colours, so that what stands still does not flicker."""
        from PIL import Image

        palette = self._palette()
        for image in self._images():
            yield image.quantize(palette=palette, dither=Image.Dither.NONE)

    def _palette(self) -> Image.Image:
        from PIL import Image

        counts = np.zeros(2**18, dtype=np.int64)  # of colours with six bits each
        for index in np.unique(np.linspace(0, len(self._frames) - 1, _SAMPLES).round().astype(int)):
            red, green, blue = np.moveaxis(self._pixels(int(index)).astype(np.int64) >> 2, -1, 0)
            counts += np.bincount((red << 12 | green << 6 | blue).ravel(), minlength=len(counts))
        codes = np.flatnonzero(counts)
        # a small red ball shall keep its red although most of the picture is floor
        codes = np.repeat(codes, np.ceil(np.sqrt(counts[codes])).astype(int))
        colours = np.stack([codes >> 12, codes >> 6 & 63, codes & 63], axis=-1) << 2 | 2
        mosaic = Image.fromarray(colours[:, None].astype(np.uint8))
        return mosaic.quantize(256, method=Image.Quantize.MEDIANCUT)


class _Rest:
    """All pictures but the first, as often as they are asked for: Pillow looks twice."""

    def __init__(self, show: Callable[[], Iterator[Image.Image]]) -> None:
        self._show = show

    def __iter__(self) -> Iterator[Image.Image]:
        return islice(self._show(), 1, None)


class CodedFilm:
    """An MP4 or WebM, coded as the pictures come."""

    def __init__(self, path: Path, rate: float) -> None:
        self.path = path
        self.rate = Fraction(rate).limit_denominator(1000)
        self._file = ExitStack()
        self._passing = self._file.enter_context(replacing(path, "film"))
        self._container: OutputContainer | None = None
        self._stream: VideoStream | None = None

    def add(self, pixels: Pixels) -> None:
        """Code the next picture; its sides are cut to even numbers."""
        av = _av(self.path.suffix.lower())
        pixels = np.ascontiguousarray(pixels[: len(pixels) // 2 * 2, : pixels.shape[1] // 2 * 2])
        container, stream = self._container, self._stream
        if container is None or stream is None:
            container, stream = self._open(av, pixels)
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        for packet in stream.encode(frame):
            container.mux(packet)

    def _open(self, av: ModuleType, pixels: Pixels) -> tuple[OutputContainer, VideoStream]:
        container: OutputContainer = av.open(str(self._passing), mode="w")
        self._container = container
        for codec in CODECS[self.path.suffix.lower()]:
            with suppress(Exception):  # each library is built with other codecs
                stream = cast("VideoStream", container.add_stream(codec, rate=self.rate))
                break
        else:
            raise UnsupportedError(
                f"film '{self.path}': this PyAV has no codec for {self.path.suffix}; try .gif"
            )
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = int(4e6)
        self._stream = stream
        return container, stream

    def close(self) -> Path:
        """Finish the file."""
        with self._file:
            if self._container is None or self._stream is None:
                raise UnsupportedError(f"film '{self.path}' has no pictures: nothing was simulated")
            for packet in self._stream.encode():
                self._container.mux(packet)
            self._container.close()
        return self.path


def _av(ending: str) -> ModuleType:
    try:
        return import_module("av")
    except ImportError:
        raise UnsupportedError(
            f"films ending in {ending} need PyAV: {pip_line('video')}"
            f" (without it: {', '.join(STILLS[:3])})"
        ) from None


def captioned(pixels: Pixels, text: str, more: str = "") -> Pixels:
    """Return a picture with a text in its lower left corner, and another in its lower right."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(11, round(image.height / 32)))
    edge = round(image.height / 40)
    ink = (52, 62, 72)
    draw.text((edge, image.height - edge), text, ink, font=font, anchor="ls")
    if more:
        place = (image.width - edge, image.height - edge)
        draw.text(place, more, ink, font=font, anchor="rs")
    return np.asarray(image, dtype=np.uint8)
