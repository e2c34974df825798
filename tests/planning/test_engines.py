"""Engines: the same sum for any number of workers, also when one of them is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from subprocess import DEVNULL
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, Sphere
from armwerk.planning import engines, problem
from armwerk.planning.engines import run_chunks
from armwerk.planning.maps import mapping
from armwerk.planning.reachability import chunks as reach_chunks
from armwerk.planning.reachability.result import Reach

BOXES = [Box((0.3, 0.3, 0.4), (0.5, 0.1, 0.3)), Box((0.3, 0.8, 0.05), (-0.5, 0.1, 0.3))]
FEW = 400_000


def square(task: int, chunk: int) -> int:
    return task * chunk * chunk


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_threads_add_all_chunks_once(workers: int | None) -> None:
    seen: list[float] = []
    found = run_chunks(3, range(100), square, workers=workers, progress=seen.append)
    assert found == 3 * sum(k * k for k in range(100))
    assert seen == sorted(seen)
    assert len(seen) == 100
    assert seen[-1] == 1.0


def test_threads_run_at_the_same_time_and_not_far_ahead() -> None:
    both = threading.Barrier(2, timeout=20)
    started: list[int] = []

    def work(task: int, chunk: int) -> int:
        started.append(chunk)
        both.wait()
        return task

    shares = engines._local(1, range(1000), work, 2)
    assert next(shares) == 1
    assert len(started) < 10
    shares.close()  # type: ignore[attr-defined]


def test_a_fault_in_a_chunk_comes_out_and_ends_the_sweep() -> None:
    done: list[int] = []

    def work(_: int, chunk: int) -> int:
        done.append(chunk)
        if chunk == 3:
            raise DescriptionError("broken", element="chunk", value=chunk)
        return chunk

    with pytest.raises(DescriptionError, match="broken"):
        run_chunks(0, range(10_000), work, workers=2)
    assert len(done) < 5000


@pytest.mark.parametrize(
    ("engine", "workers", "words"),
    [
        ("ray", None, "engine: unknown, got 'ray'"),
        (3, None, "engine: unknown"),
        ("local", 0, "workers: no number of workers, got 0"),
        ("local", 1.5, "workers"),
        ("local", True, "workers"),
        ("local", 10**6, "1 to 1024"),
    ],
)
def test_what_is_no_engine_is_refused(engine: Any, workers: Any, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        run_chunks(0, range(3), square, engine, workers=workers)


def test_no_chunks_are_refused() -> None:
    with pytest.raises(DescriptionError, match="nothing to do"):
        run_chunks(0, [], square)


def test_missing_distributed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnsupportedError, match=r"pip install .distributed"):
        aw.reach("planar_rr", engine="dask")


def same(one: Reach, two: Reach) -> bool:
    arrays = ("counts", "manipulability", "corner")
    return (one.tried, one.touching) == (two.tried, two.touching) and all(
        np.array_equal(getattr(one, name), getattr(two, name)) for name in arrays
    )


@pytest.mark.parametrize("samples", [True, False])
def test_any_number_of_threads_gives_the_same(
    samples: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {"samples": FEW} if samples else {"steps": (6, 6, 6, 5, 4, 3)}
    one = aw.reach("ur5e", BOXES, **asked, workers=1)
    assert 0 < one.touching < one.tried
    assert same(one, aw.reach("ur5e", BOXES, **asked, workers=3))
    monkeypatch.setattr(reach_chunks, "_SPHERES", 1234)  # a grid may be cut in any way
    assert same(one, aw.reach("ur5e", BOXES, **asked, workers=2))


class Cluster:
    """Two worker processes behind an address."""

    def __init__(self) -> None:
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
        )
        self.client = Client(self.cluster, set_as_default=False)
        self.address = self.cluster.scheduler_address

    def workers(self) -> list[int]:
        """Return their process numbers."""
        return list(self.client.run(os.getpid).values())

    def close(self) -> None:
        self.client.close()
        self.cluster.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    made = Cluster()
    yield made
    made.close()


def test_a_killed_worker_costs_only_its_chunk(cluster: Cluster) -> None:
    alone = aw.reach("ur5e", BOXES, samples=10 * reach_chunks.SAMPLED, workers=1)
    before = cluster.workers()
    killed: list[int] = []

    def progress(share: float) -> None:
        if not killed:
            assert share < 0.5
            killed.append(before[0])
            os.kill(before[0], signal.SIGKILL)

    found = aw.reach(
        "ur5e",
        BOXES,
        samples=10 * reach_chunks.SAMPLED,
        engine=cluster.address,
        progress=progress,
    )
    assert killed
    assert same(alone, found)
    assert found.engine == cluster.address


def test_exact_contact_and_inverse_sweeps_travel_too(cluster: Cluster) -> None:
    bodies = [*BOXES, Sphere(0.2, (0.0, 0.5, 0.2))]
    for asked in ({"steps": 4}, {"method": "inverse", "cell": 0.25, "orientations": 3}):
        here = aw.reach("ur5e", bodies, **asked)
        there = aw.reach("ur5e", bodies, **asked, engine=cluster.address)
        assert here.contact == there.contact == "exact"
        assert here.reached > 0
        assert same(here, there)


def test_dask_starts_and_stops_its_own_processes() -> None:
    pytest.importorskip("distributed")
    asked: dict[str, Any] = {"samples": 3 * reach_chunks.SAMPLED, "cell": 0.1}
    found = aw.reach("planar_rr", engine="dask", workers=1, **asked)
    assert same(found, aw.reach("planar_rr", **asked))


@pytest.mark.parametrize(
    "engine",
    ["tcp://", "tcp://host", "tcp://host:", "tcp://host:port", "tcp://:1", "tcp://h:70000"],
)
def test_an_address_without_host_or_port_is_refused(engine: str) -> None:
    """Dask would wait for ever."""
    with pytest.raises(DescriptionError, match="engine: unknown"):
        engines.check_engine(engine)


def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "_PATIENCE", 0.5)
    with pytest.raises(UnsupportedError, match=r"no scheduler answers at 'tcp://127.0.0.1:9'"):
        aw.reach("planar_rr", engine="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    "greeting",
    [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n", bytes(64), b"\xff" * 64],
    ids=["silent", "web", "shell", "zeros", "ones"],
)
def test_what_answers_and_is_no_scheduler_is_said(
    greeting: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "_PATIENCE", 2.0)
    calls: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    calls.append(server.accept()[0])
                    calls[-1].sendall(greeting)

        threading.Thread(target=answer, daemon=True).start()
        engine = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(UnsupportedError, match=f"no scheduler answers at '{engine}': ."):
            aw.reach("planar_rr", engine=engine)
        assert time.monotonic() - begin < 8.0
        for call in calls:
            call.close()


def test_maps_in_pieces_are_the_maps(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    rr = problem("rr")
    whole = rr.make()
    for asked in ({"engine": "local", "workers": 3}, {"engine": cluster.address}):
        monkeypatch.setattr(mapping, "_TESTS", 100_000)
        found = rr.make(**asked)
        assert (found.cells == whole.cells).all()
        assert found.hits == whole.hits
        volume: dict[str, Any] = {"axes": (0, 1, 2), "shape": (9, 8, 7)}
        monkeypatch.setattr(mapping, "_TESTS", 2000)
        slices = aw.cspace("ur5e", BOXES, **volume, **asked)
        assert (slices.cells == aw.cspace("ur5e", BOXES, **volume).cells).all()
    for axes in ((1, 0), (0, 1)):
        for method in ("slabs", "planar", "boxes"):
            monkeypatch.setattr(mapping, "_TESTS", 5000)
            given: dict[str, Any] = {"axes": axes, "shape": (50, 41), "method": method}
            found, whole = rr.make(**given, workers=2), rr.make(**given)
            assert (found.cells == whole.cells).all()
            assert found.hits == whole.hits > 0


SCHEDULER = """
import asyncio
from distributed import Scheduler

async def main():
    async with Scheduler(port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(main())
"""
WORKER = """
import asyncio, sys
from distributed import Worker

async def main():
    async with Worker(sys.argv[1], nthreads=1) as worker:
        await worker.finished()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("dies", "words"),
    [
        ("scheduler", "scheduler of the workers is gone"),
        ("workers", "been no worker for 2 s"),
        ("stopped", "no worker has been heard of for 2 s"),
    ],
)
def test_who_is_left_alone_is_told_soon(
    monkeypatch: pytest.MonkeyPatch, dies: str, words: str
) -> None:
    """A sweep on workers whose scheduler dies, or who all die, ends with one sentence."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("armwerk.planning.engines._PATIENCE", 2.0)
    scheduler = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, stderr=DEVNULL, text=True
    )
    assert scheduler.stdout is not None
    address = scheduler.stdout.readline().strip()
    worker = subprocess.Popen([sys.executable, "-c", WORKER, address], stderr=DEVNULL)
    victim = scheduler if dies == "scheduler" else worker
    how = signal.SIGSTOP if dies == "stopped" else signal.SIGKILL
    try:
        with pytest.raises(UnsupportedError, match=f"{words}.*given up.*engine local"):
            run_chunks(0, range(1000), pow, address, progress=lambda _: victim.send_signal(how))
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
        scheduler.stdout.close()


def test_chunks_of_a_worker_that_stands_still_are_worked_out_by_another(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A worker that is stopped keeps its chunks for minutes, unless these are handed out anew."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("armwerk.planning.engines._PATIENCE", 2.0)
    made = Cluster()
    stopped: list[int] = []

    def progress(_: float) -> None:
        if not stopped:
            stopped.append(made.workers()[0])
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        found = run_chunks(2, range(200), pow, made.address, progress=progress)
    finally:
        for number in stopped:
            os.kill(number, signal.SIGCONT)
        made.close()
    assert stopped
    assert found == sum(2**k for k in range(200))
    assert not capfd.readouterr().err
