"""What the studio costs: ten arms and a hundred cuboids, sent to four viewers 60 times a second.

Times are processor time of the thread of the server, beyond the simulation; the viewers are
processes of their own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from math import inf

from measure import Row

from armwerk.protocol.configuring import PoseArm, PosedArm
from armwerk.robot.files import library_file
from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.wire import FramePacker

VIEWERS = 4
SECONDS = 8.0
REPEATS = 300
SOLUTIONS = 8
VIEWER = """
import sys, time
from websockets.sync.client import connect
port, token, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
host = f"127.0.0.1:{port}"
url = f"ws://{host}/ws?token={token}"
with connect(url, origin=f"http://{host}", compression=None, max_size=None) as socket:
    end, frames, size = None, 0, 0
    while end is None or time.monotonic() < end:
        message = socket.recv(60)
        if isinstance(message, bytes) and end is None:
            end = time.monotonic() + seconds
        frames += isinstance(message, bytes)
        size += len(message)
print(frames, size)
"""


def run() -> list[Row]:
    """Measure the server with four viewers, and one frame."""
    session = StudioSession("ten_arms", StudioFolder(tempfile.mkdtemp()))
    with StudioServer(session) as server:
        session.cell.clock.run()
        words = [str(server.doors.port), server.doors.token, str(SECONDS)]
        viewers = [
            subprocess.Popen(
                [sys.executable, "-c", VIEWER, *words], stdout=subprocess.PIPE, text=True
            )
            for _ in range(VIEWERS)
        ]
        while session.viewers < VIEWERS:
            time.sleep(0.01)
        time.sleep(1.0)
        begin, before = time.perf_counter(), processor_time("armwerk studio")
        time.sleep(SECONDS / 2)
        spent = processor_time("armwerk studio") - before
        share = spent / (time.perf_counter() - begin)
        counted = [viewer.communicate()[0].split() for viewer in viewers]
        rate = min(int(frames) for frames, _ in counted) / SECONDS
        traffic = max(int(size) for _, size in counted) / SECONDS * 8 / 1e6
        session.cell.clock.pause()
        frame, copy = _one_frame(session)
        dragged = _one_drag(session)
    note = f"the copy in the thread that steps: {copy * 1e6:.1f} µs"
    return [
        Row(
            "a frame, worked out and packed",
            frame * 1e3,
            "promised",
            0.1,
            "ms",
            wanted=1.0,
            note=note,
        ),
        Row("frames to each of 4 viewers", rate, "wished", 60.0, "1/s", lower_is_better=False),
        Row("traffic to each", traffic, "promised", 2.0, "Mbit/s", wanted=1.0),
        Row("server beyond the simulation", share, "promised", 0.5, "cores", wanted=1.0),
        Row(
            "the tool dragged, 8 solutions, in the server",
            dragged * 1e3,
            "promised with drawing",
            50.0,
            "ms",
            wanted=10.0,
        ),
    ]


def _one_frame(session: StudioSession) -> tuple[float, float]:
    """Return processor time of a frame and of the copy it is made of [s]."""
    feed, packer = session.cell.feed, FramePacker()
    frame = copy = inf
    for _ in range(REPEATS):
        begin = time.thread_time()
        feed.take()
        taken = time.thread_time()
        packer.pack(feed.frame())
        frame = min(frame, time.thread_time() - taken)
        copy = min(copy, taken - begin)
    return frame, copy


def _one_drag(session: StudioSession) -> float:
    """Return processor time from the goal of a Puma's tool to the answer with eight ghosts [s]."""
    text = library_text("puma560")
    joints = (0.1, 0.5, -1.2, 0.3, 0.8, 0.0)

    def asked(goal: tuple[float, ...]) -> PosedArm:
        answer = session.obey(1, PoseArm(text, "", joints, goal, solutions=True))
        assert isinstance(answer.result, PosedArm)
        return answer.result

    while (posed := asked(())).preparing:
        time.sleep(0.1)
    assert len(posed.solutions) == SOLUTIONS
    best = inf
    for number in range(REPEATS):
        x, *rest = posed.tool
        goal = (x + 1e-4 * number, *rest)
        begin = time.thread_time()
        session.answer(1, PoseArm(text, "", joints, goal, solutions=True))
        best = min(best, time.thread_time() - begin)
    return best


def library_text(name: str) -> str:
    """Return the description of an arm of the library."""
    path = library_file(name)
    assert path is not None
    return path.read_text(encoding="utf-8")


def processor_time(name: str) -> float:
    """Return the processor time of a thread of this process [s]."""
    for thread in threading.enumerate():
        if thread.name == name and thread.ident is not None:
            return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    raise LookupError(name)
