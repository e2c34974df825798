"""The studio's server, as a viewer without a browser sees it."""

from __future__ import annotations

import http.client
import json
import random
import string
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from viewer import Viewer, studio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from armwerk.errors import DescriptionError
from armwerk.studio import Doors, StudioFolder, StudioServer, StudioSession


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that was built."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "index.html").write_text('<meta name="token" content="{{token}}">')
    (folder / "main.js").write_text("console.log(1);\n" * 100)
    return folder


@pytest.fixture
def server(tmp_path: Path, page: Path) -> Iterator[StudioServer]:
    """A studio with two balls and a cuboid; time stands."""
    with studio(tmp_path, bundle=page) as server:
        yield server


def get(server: StudioServer, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.doors.port, timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", path, headers=named)
    answer = connection.getresponse()
    result = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return result


def heard(viewer: Viewer, text: str) -> bool:
    """Say whether a viewer was told of something."""
    return any(event["text"] == text for event in viewer.events)


def knows_version(viewer: Viewer, version: int) -> bool:
    """Say whether a viewer has text and frames of a geometry."""
    frame = viewer.frame
    told: int = viewer.said["CellText"]["version"]
    return told == version and frame is not None and frame.version == version


# what a viewer sees -----------------------------------------------------------------------------


def test_a_viewer_is_greeted_and_sees_the_cell(server: StudioServer) -> None:
    with Viewer(server) as viewer:
        viewer.until(lambda: viewer.frame is not None and "CellStatus" in viewer.said)
        viewer.until(lambda: "Greeting" in viewer.said)
        assert "pick_and_place" in viewer.said["Greeting"]["cells"]
        assert viewer.said["Greeting"]["files"] == ["cell.env"]
        geometry = viewer.said["ViewedGeometry"]
        assert [body["name"] for body in geometry["bodies"]] == ["ball0", "ball1", "cuboid0"]
        assert viewer.frame is not None
        np.testing.assert_allclose(viewer.frame.places[0], [0, 0, 0.5], atol=1e-6)
        assert "// two balls" in str(viewer.said["CellText"]["text"])


def test_time_is_steered(server: StudioServer) -> None:
    with Viewer(server) as viewer:
        assert viewer.ask("RunClock")["problem"] == ""
        viewer.until(lambda: viewer.frame is not None and viewer.frame.time > 0.2)
        viewer.ask("PauseClock")
        viewer.until(lambda: viewer.said["CellStatus"]["clock"]["state"] == "paused")
        viewer.ask("ResetWorld")
        viewer.until(lambda: viewer.frame is not None and viewer.frame.time == 0.0)
        viewer.ask("StepClock", steps=5)
        dt = server.session.cell.world.dt
        viewer.until(lambda: viewer.frame is not None and viewer.frame.time > 4.5 * dt)
        assert viewer.frame is not None
        assert viewer.frame.time == pytest.approx(5 * dt)
        viewer.ask("SetSpeed", speed=0.25)
        viewer.until(lambda: viewer.said["CellStatus"]["clock"]["speed"] == 0.25)


def test_triggers_come_back_as_events_to_everybody(server: StudioServer) -> None:
    with Viewer(server) as one, Viewer(server) as other:
        one.ask("SendTrigger", instance=5, text="HELLO")
        one.ask("StepClock", steps=20)
        for viewer in (one, other):
            viewer.until(partial(heard, viewer, "HELLO"))


def test_a_cell_is_edited_and_everybody_sees_it(server: StudioServer) -> None:
    with Viewer(server) as one, Viewer(server) as other:
        one.ask("MoveBody", name="cuboid0", position=[0.5, 0.5, 0.05], angle=None)
        for viewer in (one, other):
            viewer.until(partial(knows_version, viewer, 2))
            assert viewer.frame is not None
            np.testing.assert_allclose(viewer.frame.places[2], [0.5, 0.5, 0.05], atol=1e-6)
        assert one.ask("UndoEdit")["problem"] == ""
        assert "nothing to undo" in str(one.ask("UndoEdit")["problem"])
        assert one.ask("RedoEdit")["problem"] == ""
        assert one.ask("ResizeBody", name="ball0", size=[0.1])["problem"] == ""
        assert one.ask("RemoveBody", name="ball1")["problem"] == ""
        assert one.ask("AddLines", lines="SPHERE 0 0 10 5 AAAAAA")["problem"] == ""


def test_problems_of_a_text_come_with_their_places(server: StudioServer) -> None:
    with Viewer(server) as viewer:
        answer = viewer.ask("RewriteCell", text="BORDER 0 0 100 100\nBALL 1 2 x 4\n")
        (first, *_) = answer["problems"]
        assert (first["line"], first["column"]) == (2, 10)
        assert answer["problem"]
        assert "// two balls" in server.session.cell.text


def test_robots_are_added_steered_and_jogged(server: StudioServer) -> None:
    with Viewer(server) as viewer:
        answer = viewer.ask(
            "AddRobot", position=[0.5, 0.5], angle=0, manipulator="irb120", gripper=None
        )
        assert answer["problem"] == ""
        viewer.until(lambda: bool(viewer.said["CellStatus"]["robots"]))
        assert viewer.ask("JogMotor", robot=0, motor="axis_1", value=0.5)["problem"] == ""
        assert "limits" in str(viewer.ask("JogMotor", robot=0, motor="axis_1", value=99)["problem"])
        assert viewer.ask("JogMotor", robot=7, motor="axis_1", value=0)["problem"]
        viewer.ask("SetSpeed", speed=0)
        viewer.ask("RunClock")
        viewer.until(lambda: abs(viewer.said["CellStatus"]["values"][0] - 0.5) < 1e-3)
        assert viewer.ask("SteerProgram", action="start", robot=None)["problem"] == ""


def test_the_line_of_a_robot_program_is_told_while_it_runs(tmp_path: Path) -> None:
    program = "program P;\nbegin\nwait 0.2 sec;\nwait 0.2 sec;\nwait 900 sec;\nendprogram;\n"
    (tmp_path / "wait.irl").write_text(program)
    text = "ROBOT0 0 0 0\nMANIPULATOR0 irb120\nCONTROLLER0 wait.irl\n"
    with studio(tmp_path, text) as server, Viewer(server) as viewer:
        told = viewer.ask("ReadRobotProgram", robot=0)["result"]
        assert (told["file"], told["text"]) == ("wait.irl", program)
        assert "no robot program" not in viewer.ask("ReadRobotProgram", robot=0)["problem"]
        assert "robot" in viewer.ask("ReadRobotProgram", robot=7)["problem"]
        viewer.ask("SetSpeed", speed=0)
        viewer.ask("RunClock")
        viewer.until(lambda: viewer.said["CellStatus"]["robots"][0]["line"] == 5)
        viewer.ask("SteerProgram", action="stop", robot=0)
        viewer.until(lambda: viewer.said["CellStatus"]["robots"][0]["line"] == 0)


def test_a_robot_without_a_program_has_no_line(tmp_path: Path) -> None:
    text = "ROBOT0 0 0 0\nMANIPULATOR0 irb120\n"
    with studio(tmp_path, text) as server, Viewer(server) as viewer:
        viewer.until(lambda: viewer.said["CellStatus"]["robots"][0]["line"] == -1)
        assert "no robot program" in viewer.ask("ReadRobotProgram", robot=0)["problem"]


def test_a_cell_is_opened_and_saved(server: StudioServer, tmp_path: Path) -> None:
    with Viewer(server) as viewer:
        assert viewer.ask("OpenCell", name="tower")["problem"] == ""
        viewer.until(lambda: viewer.said["ViewedGeometry"]["title"] == "tower")
        viewer.until(lambda: viewer.frame is not None and viewer.frame.version == 2)
        assert viewer.ask("SaveCell", file="mine.env")["problem"] == ""
        assert (tmp_path / "mine.env").read_text() == server.session.cell.text
        assert viewer.ask("OpenCell", name="cell.env")["problem"] == ""
        viewer.until(lambda: "two balls" in str(viewer.said["CellText"]["text"]))
        assert viewer.said["CellText"]["file"] == "cell.env"
        assert viewer.ask("OpenCell", name="nothing")["problem"]


def test_an_arm_of_the_library_is_shown(tmp_path: Path) -> None:
    session = StudioSession("planar_rr", StudioFolder(tmp_path))
    with StudioServer(session) as server, Viewer(server) as viewer:
        viewer.until(lambda: "ViewedGeometry" in viewer.said)
        assert len(viewer.said["ViewedGeometry"]["motors"]) == 2


def test_viewers_that_go_are_forgotten(server: StudioServer) -> None:
    for _ in range(5):
        with Viewer(server) as viewer:
            viewer.until(partial(knows_version, viewer, 1))
    end = time.monotonic() + 10
    while server.session.viewers:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_viewer_that_does_not_read_stops_nobody(server: StudioServer) -> None:
    with Viewer(server), Viewer(server) as awake:
        awake.ask("SetSpeed", speed=0)
        awake.ask("RunClock")
        awake.until(lambda: awake.frame is not None and awake.frame.time > 2.0)


# who may come in --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1"},
        {"token": "guess"},
        {"token": ""},
    ],
)
def test_others_are_kept_out_of_the_websocket(server: StudioServer, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        Viewer(server, **wrong)


def test_a_name_that_is_made_to_point_here_is_refused(server: StudioServer) -> None:
    for path in ("/", "/token", "/assets/main.js"):
        assert get(server, path, Host=f"evil.example:{server.doors.port}")[0] == 421
        assert get(server, path, Host="127.0.0.1:1")[0] == 421


def test_every_answer_has_a_policy(server: StudioServer) -> None:
    for path in ("/", "/assets/main.js", "/assets/none", "/token"):
        _, headers, _ = get(server, path)
        rules = headers["content-security-policy"]
        assert "default-src 'none'" in rules
        assert "unsafe" not in rules
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_brings_the_token_and_small_files(server: StudioServer) -> None:
    status, _, content = get(server, "/")
    assert status == 200
    assert server.doors.token in content.decode()
    status, headers, small = get(server, "/assets/main.js", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert len(small) < 200
    assert get(server, "/assets/main.js")[2].startswith(b"console")


def test_another_site_is_not_told_the_token(server: StudioServer) -> None:
    status, _, content = get(server, "/token", Sec_Fetch_Site="same-origin")
    assert json.loads(content)["token"] == server.doors.token
    assert status == 200
    assert get(server, "/token", Sec_Fetch_Site="cross-site")[0] == 403


@pytest.mark.parametrize(
    "path", ["/assets/../server.py", "/assets/%2e%2e%2fserver.py", "/x", "/ws"]
)
def test_there_is_nothing_else_to_be_had(server: StudioServer, path: str) -> None:
    assert get(server, path)[0] in {400, 403, 404, 426}


def test_an_address_others_can_reach_needs_a_token(server: StudioServer) -> None:
    for token in ("", "short"):
        with pytest.raises(DescriptionError, match="token"):
            StudioServer(server.session, "0.0.0.0", 0, token)
    doors = Doors("0.0.0.0", 8000, "x" * 20)
    assert doors.is_open
    assert "token=" in doors.url
    assert doors.knows_host("localhost:8000")
    assert not doors.knows_host("other:8000")


def test_a_port_that_is_taken_is_told(server: StudioServer) -> None:
    with pytest.raises(DescriptionError, match="--port"):
        StudioServer(server.session, port=server.doors.port)


@pytest.mark.parametrize(
    "name",
    [
        "../up.env",
        "/etc/passwd",
        "a.txt",
        "link.env",
        "sub/../../x.env",
        "a\x00.env",
        "folder.env/..",
    ],
)
def test_files_stay_below_the_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "up.env").write_text("secret")
    (root / "link.env").symlink_to(tmp_path / "up.env")
    folder = StudioFolder(root)
    with pytest.raises(DescriptionError, match="below the folder"):
        folder.read(name)
    with pytest.raises(DescriptionError, match="below the folder"):
        folder.write(name, "x")
    assert (tmp_path / "up.env").read_text() == "secret"


# what is no command -----------------------------------------------------------------------------


VALUES: list[object] = [
    *(None, True, -1, 1e308, 10**400, [], {}, [1, 2, 3], [[]] * 5, {"a": {"b": []}}),
    *("x", "../../etc/passwd", "\ud800", "\x00", "9" * 300),
]
KINDS = ["SetSpeed", "StepClock", "MoveBody", "OpenCell", "SendTrigger", "Greeting", "eval", ""]


def hostile(draw: random.Random) -> str | bytes:
    """Return a message that is no command, or nearly one."""
    kinds, values = KINDS, VALUES
    choice = draw.randrange(6)
    if choice == 0:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(50)))
    if choice == 1:
        return "".join(draw.choice(string.printable) for _ in range(draw.randrange(80)))
    if choice == 2:
        return draw.choice(["[" * 5000, '{"type":' * 300, "NaN", "1e999", "null", '"x"', "{}", ""])
    fields = {draw.choice(["speed", "steps", "name", "text", "q"]): draw.choice(values)}
    if choice == 3:
        return json.dumps({"type": draw.choice(values), **fields})
    wrong = {"type": draw.choice(kinds), "unknown": draw.choice(values), **fields}
    return json.dumps(wrong)[: draw.randrange(1, 400)]


def test_ten_thousand_hostile_messages_change_nothing(server: StudioServer) -> None:
    draw = random.Random(12)
    cell = server.session.cell
    before = cell.text, cell.world
    with Viewer(server) as viewer:
        sent = 0
        for _ in range(100):
            for _ in range(100):
                viewer.socket.send(hostile(draw))
                sent += 1
            answered = viewer.ask("PauseClock")
            assert answered["problem"] == ""
        assert sent == 10_000
    assert (cell.text, cell.world) == before
    assert cell.world.time == 0.0
    assert not cell.can_undo
    with Viewer(server) as viewer:
        viewer.until(lambda: viewer.frame is not None)


def test_a_message_that_is_too_large_ends_its_own_viewer_only(server: StudioServer) -> None:
    with Viewer(server) as other:
        with Viewer(server) as viewer, pytest.raises(ConnectionClosed):
            send_too_much(viewer)
        other.ask("StepClock", steps=1)
        other.until(lambda: other.frame is not None and other.frame.time > 0)


def send_too_much(viewer: Viewer) -> None:
    """Send a message that is too large, and look on."""
    viewer.socket.send("x" * 5_000_000)
    for _ in range(10_000):
        viewer.take()
