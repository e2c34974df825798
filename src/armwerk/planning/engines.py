"""`run_chunks`: a sweep on the threads of this process, on processes, or on other machines.

A sweep is a task, chunks of it, and a function that returns what a chunk finds. Findings add up.
The layout of the chunks does not depend on who runs them; where their sum does not depend on its
order either (counts add, maxima are taken), the result is the same for any number of workers. A
chunk whose worker dies is run again by another one.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.extras import pip_line
from armwerk.planning.options import Progress

if TYPE_CHECKING:
    from distributed import Client

TaskType = TypeVar("TaskType")
ChunkType = TypeVar("ChunkType")
_SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "inproc://")
_PATIENCE = 10.0  # [s] that a scheduler has for its first answer
_LOOK = 1.0  # [s] after which somebody looks whether anybody still works
_AHEAD = 2  # chunks waiting for each worker, so that none is idle
_MAX_WORKERS = 1024


class Summable(Protocol):
    """What a chunk returns."""

    def __add__(self, other: Self, /) -> Self:
        """Return both together."""
        ...


SumType = TypeVar("SumType", bound=Summable)


def run_chunks(
    task: TaskType,
    chunks: Sequence[ChunkType],
    work: Callable[[TaskType, ChunkType], SumType],
    engine: str = "local",
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> SumType:
    """Return the sum of what all chunks find.

    Args:
        task: What all chunks have in common; it travels with each of them, so it should be small.
        chunks: At least one. A second of work each is a good size: handing one to another
            process takes some milliseconds.
        work: Function of a module, so that other processes find it.
        engine: "local": threads of this process; "dask": processes of this machine, started and
            stopped here; an address such as "tcp://host:8786": the workers of that scheduler,
            which need armwerk installed.
        workers: How many threads or processes; None: one per core. An address has its own.
        progress: Called with the fraction done, 0 to 1, after each chunk.

    Raises:
        UnsupportedError: When dask.distributed is missing, or no scheduler answers.
        DescriptionError: For another engine, or a number of workers that is none.
    """
    check_engine(engine, workers)
    if not chunks:
        raise DescriptionError("nothing to do", element="chunks", value=0, allowed="at least one")
    count = min(workers or os.cpu_count() or 1, len(chunks))
    if engine == "local":
        return _sum(_local(task, chunks, work, count), len(chunks), progress)
    with _client(engine, count) as client:
        return _sum(_dask(client, task, chunks, work), len(chunks), progress)


def check_engine(engine: str, workers: int | None = None) -> None:
    """Refuse what is no engine or no number of workers, before anything is computed."""
    named = isinstance(engine, str)
    if not named or (engine not in {"local", "dask"} and not _is_address(engine)):
        raise DescriptionError(
            "unknown", element="engine", value=engine, allowed="local, dask, or tcp://host:port"
        )
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and not (whole and 1 <= workers <= _MAX_WORKERS):
        raise DescriptionError(
            "no number of workers",
            element="workers",
            value=workers,
            allowed=f"1 to {_MAX_WORKERS}",
        )
    if engine != "local":
        _distributed()


def _is_address(engine: str) -> bool:
    """Whether a scheduler may be there; dask waits for ever for one at a port without a number."""
    if not engine.startswith(_SCHEMES):
        return False
    place = engine.partition("://")[2].rstrip("/")
    host, _, port = place.rpartition(":")
    if engine.startswith("inproc://"):
        return bool(place)
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) < 65536


def _sum(parts: Iterator[SumType], count: int, progress: Progress | None) -> SumType:
    total = next(parts)
    if progress is not None:
        progress(1 / count)
    for number, part in enumerate(parts, start=2):
        total = total + part
        if progress is not None:
            progress(number / count)
    return total


def _local(
    task: TaskType,
    chunks: Sequence[ChunkType],
    work: Callable[[TaskType, ChunkType], SumType],
    workers: int,
) -> Iterator[SumType]:
    """Run chunks on threads, only so many ahead that what they find does not pile up."""
    if workers == 1:
        for chunk in chunks:
            yield work(task, chunk)
        return
    rest = iter(chunks)
    pool = ThreadPoolExecutor(workers)
    running: set[Future[SumType]] = set()
    try:
        for chunk in rest:
            running.add(pool.submit(work, task, chunk))
            if len(running) < _AHEAD * workers:
                continue
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(cancel_futures=True)


def _dask(
    client: Client,
    task: TaskType,
    chunks: Sequence[ChunkType],
    work: Callable[[TaskType, ChunkType], SumType],
) -> Iterator[SumType]:
    """Run chunks on the workers of a client; dask runs those of a dead worker again."""
    import distributed

    rest = iter(chunks)
    heard = _Heard(client)
    ahead = _AHEAD * max(1, len(heard.workers()))

    def hand_out(chunk: ChunkType) -> distributed.Future:
        chosen = sorted(heard.awake) if heard.silent else None
        return client.submit(work, task, chunk, pure=False, workers=chosen)

    running = {hand_out(chunk): chunk for chunk in islice(rest, ahead)}
    alone = 0.0  # [s] for which there has been no worker
    while running:
        with _explained():
            try:
                with client.as_current():
                    done = distributed.wait(list(running), _LOOK, "FIRST_COMPLETED").done
                future = next(iter(done))
                found: SumType = future.result(
                    timeout=_LOOK
                )  # which may lie on a worker that is gone
            except TimeoutError:
                known, before = heard.workers(), heard.silent
                alone = 0.0 if known else alone + _LOOK
                if alone > _PATIENCE:
                    raise _LeftAloneError(f"there has been no worker for {_PATIENCE:g} s") from None
                heard.listen()
                if known and not heard.awake:
                    raise _LeftAloneError(
                        f"no worker has been heard of for {_PATIENCE:g} s"
                    ) from None
                if heard.silent - before:  # what they hold is worked out by those who answer
                    waiting = list(running.values())
                    for future in running:
                        future.release()
                    running = {hand_out(chunk): chunk for chunk in waiting}
                continue
        yield found
        del running[future]
        future.release()
        chunk = next(rest, None)
        if chunk is not None:
            running[hand_out(chunk)] = chunk


class _Heard:
    """When workers were last heard of: a worker that stands still keeps its place for minutes.

    Kernels leave the interpreter to the worker's heartbeat, so that hard work is no silence.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._signs: dict[str, tuple[float, float]] = {}  # last sign, and when it was new here [s]
        self.awake: frozenset[str] = frozenset()
        self.silent: frozenset[str] = frozenset()

    def workers(self) -> dict[str, float]:
        """Ask the scheduler, which may have gone, for its workers and their last signs [s]."""
        scheduler = self._client.scheduler
        try:
            known = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=_PATIENCE)
        except (OSError, TimeoutError):
            raise _LeftAloneError("the scheduler of the workers is gone") from None
        signs = {address: float(one["last_seen"]) for address, one in known["workers"].items()}
        now = time.monotonic()
        self._signs = {
            address: self._signs[address]
            if self._signs.get(address, (None,))[0] == sign
            else (sign, now)
            for address, sign in signs.items()
        }
        return signs

    def listen(self) -> None:
        """Tell those who gave a new sign of late from those who did not."""
        now = time.monotonic()
        self.silent = frozenset(
            address for address, (_, since) in self._signs.items() if now - since > _PATIENCE
        )
        self.awake = frozenset(self._signs) - self.silent


class _LeftAloneError(UnsupportedError):
    """Nobody is left who could finish a sweep."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"{why}: the sweep was given up. Start scheduler and workers again, or use the engine "
            "local"
        )


@contextmanager
def _explained() -> Iterator[None]:
    """Say what a worker lacks that cannot load a module, and that nobody is there any more."""
    from distributed import CancelledError as FutureCancelled
    from distributed.comm import CommClosedError

    try:
        yield
    except ArmwerkError:
        raise
    except (FutureCancelled, CancelledError, CommClosedError):
        raise _LeftAloneError("the scheduler of the workers is gone") from None
    except ImportError as error:
        raise UnsupportedError(
            f"a worker cannot load '{error.name}': workers need armwerk and what it needs"
        ) from None


@contextmanager
def _client(engine: str, workers: int) -> Iterator[Client]:
    import logging

    distributed = _distributed()
    if engine != "dask":
        # what becomes of scheduler and workers is said by an error, once
        with _silenced(logging.CRITICAL), _connected(engine) as client:
            yield client
        return
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def _connected(engine: str) -> Client:
    """Return a client of the scheduler at an address.

    Dask waits for ever for the greeting of one that takes the call and says nothing, and stumbles
    in many ways over the words of what is no scheduler.
    """
    found: Future[Client] = Future()

    def connect() -> None:
        try:
            found.set_result(_distributed().Client(engine, timeout=_PATIENCE, set_as_default=False))
            return
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
        except Exception:  # frames that are none: sizes beyond all memory, too few bytes, …
            reason = "what answers there does not speak as one"
        # half a client is left; it stops its loop here, not while the next one holds dask's lock
        gc.collect()
        found.set_exception(UnsupportedError(f"no scheduler answers at '{engine}': {reason}"))

    Thread(target=connect, daemon=True).start()
    try:
        return found.result(_PATIENCE + _LOOK)
    except TimeoutError:
        found.add_done_callback(_closed)
        reason = f"nothing was said for {_PATIENCE + _LOOK:g} s"
        raise UnsupportedError(f"no scheduler answers at '{engine}': {reason}") from None


def _closed(late: Future[Client]) -> None:
    """Close a client that nobody waits for any more."""
    if late.exception() is None:
        late.result().close()


@contextmanager
def _silenced(level: int) -> Iterator[None]:
    """Keep dask from writing what is less than ``level`` to the terminal."""
    import logging

    handlers = logging.getLogger("distributed").handlers
    before = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(level)
    try:
        yield
    finally:
        for handler, old in zip(handlers, before, strict=True):
            handler.setLevel(old)


def _distributed() -> ModuleType:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UnsupportedError(
            f"this engine needs dask.distributed, and '{error.name}' is not installed"
            f" ({pip_line('cluster')}, or use the engine local)"
        ) from None
