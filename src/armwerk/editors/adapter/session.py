"""A debugging session: requests are answered at once, the program runs in a thread beside."""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from armwerk.editors.adapter.breakpoints import PlacedBreakpoint, at_routine, placed
from armwerk.editors.adapter.inspection import Inspection
from armwerk.editors.adapter.launch import LaunchedRun, launched
from armwerk.editors.adapter.messages import (
    Json,
    MessageWriter,
    number_in,
    objects_in,
    read_message,
    text_in,
)
from armwerk.errors import ArmwerkError, DescriptionError, ProgramError
from armwerk.language.arithmetic import Fault
from armwerk.language.debugging.debugger import Breakpoint, CallFrame, Debugger, RunStop, Way
from armwerk.language.running.process import Process

CAPABILITIES: dict[str, Json] = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsEvaluateForHovers": True,
    "supportsStepBack": True,
    "supportsSetVariable": True,
    "supportsSetExpression": True,
    "supportsRestartRequest": True,
    "supportsTerminateRequest": True,
    "supportTerminateDebuggee": True,
    "supportsExceptionInfoRequest": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsClipboardContext": True,
    "supportsDelayedStackTraceLoading": True,
    "exceptionBreakpointFilters": [
        {"filter": "faults", "label": "Faults of the program", "default": True}
    ],
}
_WAYS: dict[str, Way] = {"next": "over", "stepIn": "in", "stepOut": "out"}
_PATIENCE = 5.0  # [s] that a run has to end when the editor goes


class DebugSession:
    """One editor that debugs one program.

    Args:
        send: Takes messages for the editor, from any thread.
    """

    def __init__(self, send: Callable[[Mapping[str, Json]], None]) -> None:
        self._send = send
        self._work: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._worker = threading.Thread(target=self._labour, name="program", daemon=True)
        self._worker.start()
        self._run: LaunchedRun | None = None
        self._inspection: Inspection | None = None
        self._given: dict[str, Json] = {}
        self._files: dict[str, list[dict[str, Json]]] = {}
        self._functions: list[dict[str, Json]] = []
        self._numbers: dict[Breakpoint, int] = {}
        self._count = 0
        self._is_running = False
        self._stands = False  # and the editor has been told so
        self._is_configured = False
        self._has_ended = False
        self._is_restarting = False
        self.is_over = False
        """Whether the editor has gone."""
        self._handlers: dict[str, Callable[[dict[str, Json]], dict[str, Json]]] = {
            "initialize": self._initialize,
            "setBreakpoints": self._set_breakpoints,
            "setFunctionBreakpoints": self._set_functions,
            "setExceptionBreakpoints": lambda given: {},
            "breakpointLocations": self._locations,
            "configurationDone": self._configured,
            "threads": self._threads,
            "stackTrace": self._stack,
            "scopes": self._scopes,
            "variables": self._variables,
            "setVariable": self._set_variable,
            "setExpression": self._set_expression,
            "evaluate": self._evaluate,
            "continue": lambda given: self._go(given, lambda run, process: run.resume()),
            "next": self._step("next"),
            "stepIn": self._step("stepIn"),
            "stepOut": self._step("stepOut"),
            "stepBack": lambda given: self._go(given, lambda run, one: run.move_back(one)),
            "reverseContinue": lambda given: self._go(given, lambda run, one: run.resume_back()),
            "pause": self._pause,
            "exceptionInfo": self._exception,
            "terminate": self._terminate,
        }

    # messages

    def handle(self, request: dict[str, Json]) -> None:
        """Answer a request."""
        command, given = text_in(request, "command"), request.get("arguments")
        arguments = given if isinstance(given, dict) else {}
        if command in ("launch", "restart"):
            self._is_restarting = command == "restart"
            self._work.put(lambda: self._answer(request, self._launch(command), arguments))
            if command == "restart":
                self._stop_run()
            return
        if command in ("disconnect", "attach"):
            self._answer(request, self._gone if command == "disconnect" else _no_attach, arguments)
            return
        handler = self._handlers.get(command)
        if handler is None:
            self._reply(request, False, {}, f"'{command[:40]}' is not known here")
            return
        self._answer(request, handler, arguments)
        if command == "configurationDone":
            self._work.put(self._begin)

    def _answer(
        self,
        request: dict[str, Json],
        handler: Callable[[dict[str, Json]], dict[str, Json]],
        given: dict[str, Json],
    ) -> None:
        try:
            self._reply(request, True, handler(given))
        except ProgramError as error:
            if request.get("command") in ("launch", "restart"):
                shown = [problem.shown(error.file) for problem in error.problems]
                self._say("\n".join(shown) + "\n", "stderr")
            self._reply(request, False, {}, _first(error))
        except (ArmwerkError, Fault, OSError) as error:
            self._reply(request, False, {}, str(error))

    def _reply(
        self, request: dict[str, Json], success: bool, body: dict[str, Json], message: str = ""
    ) -> None:
        answer: dict[str, Json] = {
            "type": "response",
            "request_seq": request.get("seq"),
            "command": request.get("command"),
            "success": success,
            "body": body,
        }
        if not success:
            answer["message"] = message
            answer["body"] = {"error": {"id": 1, "format": _escaped(message), "showUser": True}}
        self._send(answer)

    def _event(self, name: str, body: dict[str, Json] | None = None) -> None:
        self._send({"type": "event", "event": name, "body": body or {}})

    def _say(self, text: str, category: str = "stdout") -> None:
        self._event("output", {"category": category, "output": text})

    # the thread of the program

    def _labour(self) -> None:
        while (act := self._work.get()) is not None:
            try:
                act()
            except Exception:  # the editor must not wait for a thread that is gone
                self._is_running = False
                self._say(traceback.format_exc(), "stderr")
                self._event("terminated")

    def _launch(self, command: str) -> Callable[[dict[str, Json]], dict[str, Json]]:
        def launch(given: dict[str, Json]) -> dict[str, Json]:
            inner = given.get("arguments")
            if command == "launch":
                self._given = given
            elif isinstance(inner, dict):
                self._given = inner
            self._leave_cell()
            self._run = launched(self._given, self._say, lambda text: self._say(text, "console"))
            self._inspection = Inspection(self._run.debugger, self._run.names)
            self._has_ended = self._is_restarting = self._stands = False
            if self._run.cell is not None:
                self._event("capabilities", {"capabilities": {"supportsStepBack": False}})
            if command == "launch":
                self._event("initialized")
            else:
                self._place()
                self._work.put(self._begin)
            return {}

        return launch

    def _begin(self) -> None:
        if self._run is None or not self._is_configured:
            return
        run = self._run.debugger
        if self._given.get("noDebug") is True:
            run.set_stops([])
        if self._given.get("stopOnEntry") is True:
            self._stopped(RunStop("entry", run.processes[0]))
            return
        self._post(lambda: self._carry_out(run.resume))

    def _post(self, act: Callable[[], None]) -> None:
        """Let the thread of the program act: our own, or that of a cell."""
        cell = None if self._run is None else self._run.cell
        if cell is None:
            self._work.put(act)
        else:
            cell.post(act)

    def _carry_out(self, act: Callable[[], RunStop]) -> None:
        self._is_running = True
        if self._inspection is not None:
            self._inspection.forget()
        try:
            stop = act()
            while stop.reason == "statement" and self._given.get("noDebug") is True:
                stop = act()
        except ArmwerkError as error:
            self._say(f"{error}\n", "stderr")
            stop = RunStop("pause", self._debugger().processes[0])
        self._is_running = False
        if not self.is_over and not self._is_restarting:
            self._stopped(stop)

    def _stopped(self, stop: RunStop) -> None:
        run = self._debugger()
        ends = stop.reason in ("done", "stopped")
        if stop.reason == "exception" and run.error is not None:
            self._say(f"{run.error}\n", "stderr")
            ends = self._given.get("noDebug") is True
        if ends and not (stop.reason == "done" and self._given.get("stopAtEnd") is True):
            self._has_ended = True
            self._event("exited", {"exitCode": 0 if run.error is None else 1})
            self._event("terminated")
            return
        self._stands = True
        reason, text = _REASONS[stop.reason]
        body: dict[str, Json] = {
            "reason": reason,
            "threadId": run.thread(stop.process) + 1,
            "allThreadsStopped": True,
        }
        if stop.reason == "exception" and run.error is not None:
            text = run.error.problem.message
            body["text"] = text
        if text:
            body["description"] = text
        if stop.breakpoints:
            body["hitBreakpointIds"] = [self._numbers.get(one, 0) for one in stop.breakpoints]
        self._event("stopped", body)

    def _debugger(self) -> Debugger:
        if self._run is None:
            raise DescriptionError("no program is launched")
        return self._run.debugger

    def _still(self) -> tuple[Debugger, Inspection]:
        """Return a run that stands still."""
        run = self._debugger()
        if self._is_running or self._inspection is None:
            raise DescriptionError("the program runs; pause it first")
        return run, self._inspection

    def _process(self, given: Mapping[str, Json]) -> Process:
        run = self._debugger()
        thread = number_in(given, "threadId", 1) - 1
        for process in run.processes:
            if run.thread(process) == thread:
                return process
        return run.processes[0]

    def _go(
        self, given: dict[str, Json], act: Callable[[Debugger, Process], RunStop]
    ) -> dict[str, Json]:
        run, _ = self._still()
        process = self._process(given)
        self._is_running, self._stands = True, False
        self._post(lambda: self._carry_out(lambda: act(run, process)))
        return {"allThreadsContinued": True}

    def _step(self, command: str) -> Callable[[dict[str, Json]], dict[str, Json]]:
        way = _WAYS[command]
        return lambda given: self._go(given, lambda run, process: run.move(process, way))

    # requests

    def _initialize(self, given: dict[str, Json]) -> dict[str, Json]:
        return dict(CAPABILITIES)

    def _configured(self, given: dict[str, Json]) -> dict[str, Json]:
        self._is_configured = True
        return {}

    def _place(self) -> dict[str, list[PlacedBreakpoint]]:
        """Give all breakpoints to the run; return them by file, functions under no name."""
        if self._run is None:
            return {}
        run, names = self._run.debugger, self._run.names
        found: dict[str, list[PlacedBreakpoint]] = {}
        for file, rows in self._files.items():
            found[file] = [placed(run, names, file, one, self._number()) for one in rows]
        found[""] = [at_routine(run, names, one, self._number()) for one in self._functions]
        made = [one for rows in found.values() for one in rows]
        self._numbers = {
            one.breakpoint: number_in(one.answer, "id")
            for one in made
            if one.breakpoint is not None
        }
        run.set_stops([one.breakpoint for one in made if one.breakpoint is not None])
        return found

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _set_breakpoints(self, given: dict[str, Json]) -> dict[str, Json]:
        source = given.get("source")
        file = text_in(source, "path") if isinstance(source, dict) else ""
        self._files[file] = objects_in(given, "breakpoints")
        answers: list[Json] = [one.answer for one in self._place().get(file, [])]
        return {"breakpoints": answers}

    def _set_functions(self, given: dict[str, Json]) -> dict[str, Json]:
        self._functions = objects_in(given, "breakpoints")
        answers: list[Json] = [one.answer for one in self._place().get("", [])]
        return {"breakpoints": answers}

    def _locations(self, given: dict[str, Json]) -> dict[str, Json]:
        source = given.get("source")
        file = text_in(source, "path") if isinstance(source, dict) else ""
        first = number_in(given, "line", 1)
        last = number_in(given, "endLine", first)
        wanted = str(Path(file).resolve())
        run = self._debugger()
        lines = {
            place.line
            for place in run.places
            if first <= place.line <= last
            and str(Path(run.program.sources[place.source].file).resolve()) == wanted
        }
        return {"breakpoints": [{"line": line} for line in sorted(lines)]}

    def _threads(self, given: dict[str, Json]) -> dict[str, Json]:
        if self._run is None:
            return {"threads": []}
        run = self._run.debugger
        found: list[Json] = []
        for process in list(run.processes):
            number = run.thread(process)
            name = run.program.routines[number].name or run.program.name
            found.append({"id": number + 1, "name": name})
        return {"threads": found}

    def _stack(self, given: dict[str, Json]) -> dict[str, Json]:
        run, inspection = self._still()
        frames = run.frames(self._process(given))
        start = number_in(given, "startFrame")
        count = number_in(given, "levels") or len(frames)
        shown: list[Json] = [
            self._shown_frame(run, inspection, frame) for frame in frames[start : start + count]
        ]
        return {"stackFrames": shown, "totalFrames": len(frames)}

    @staticmethod
    def _shown_frame(run: Debugger, inspection: Inspection, frame: CallFrame) -> dict[str, Json]:
        index, at = run.program.places[frame.instruction]
        source = run.program.sources[index]
        shown: dict[str, Json] = {
            "id": inspection.frame_number(frame),
            "name": frame.name,
            "line": source.line(at),
            "column": source.column(at),
        }
        if source.file:
            path = Path(source.file).resolve()
            shown["source"] = {"name": path.name, "path": str(path)}
        return shown

    def _scopes(self, given: dict[str, Json]) -> dict[str, Json]:
        _, inspection = self._still()
        return {"scopes": inspection.scopes(number_in(given, "frameId"))}

    def _variables(self, given: dict[str, Json]) -> dict[str, Json]:
        _, inspection = self._still()
        return {"variables": inspection.variables(given)}

    def _set_variable(self, given: dict[str, Json]) -> dict[str, Json]:
        _, inspection = self._still()
        return inspection.set_variable(given)

    def _set_expression(self, given: dict[str, Json]) -> dict[str, Json]:
        _, inspection = self._still()
        frame = inspection.frame(number_in(given, "frameId"))
        expression = text_in(given, "expression")
        found = inspection.assign(expression, text_in(given, "value"), frame)
        return inspection.shown(expression, found.kind, found.value, frame)

    def _evaluate(self, given: dict[str, Json]) -> dict[str, Json]:
        _, inspection = self._still()
        frame = inspection.frame(number_in(given, "frameId"))
        text = text_in(given, "expression")
        found = inspection.evaluate(text, frame)
        shown = inspection.shown(text.partition(":=")[0].strip(), found.kind, found.value, frame)
        return {**shown, "result": shown["value"]}

    def _exception(self, given: dict[str, Json]) -> dict[str, Json]:
        run, _ = self._still()
        if run.error is None:
            raise DescriptionError("the program has not failed")
        return {
            "exceptionId": "fault",
            "description": run.error.problem.message,
            "breakMode": "always",
            "details": {"message": run.error.problem.message, "stackTrace": str(run.error)},
        }

    def _pause(self, given: dict[str, Json]) -> dict[str, Json]:
        if not self._stands:  # it runs, or is about to
            self._debugger().pause()
        return {}

    def _stop_run(self) -> None:
        if self._run is not None:
            self._run.debugger.stop()

    def _leave_cell(self) -> None:
        if self._run is not None and self._run.cell is not None:
            self._run.cell.close()

    def _terminate(self, given: dict[str, Json]) -> dict[str, Json]:
        was_running = self._is_running
        self._stop_run()
        if not was_running and not self._has_ended:
            self._has_ended = True
            self._event("terminated")
        return {}

    def _gone(self, given: dict[str, Json]) -> dict[str, Json]:
        self.close()
        return {}

    def close(self) -> None:
        """End the run: the editor has gone."""
        self.is_over = True
        self._stop_run()
        self._leave_cell()
        self._work.put(None)
        self._worker.join(timeout=_PATIENCE)


_REASONS: dict[str, tuple[str, str]] = {
    "entry": ("entry", ""),
    "step": ("step", ""),
    "breakpoint": ("breakpoint", ""),
    "pause": ("pause", ""),
    "statement": ("pause", "Paused by the program"),
    "exception": ("exception", ""),
    "done": ("pause", "End of the program"),
    "stopped": ("pause", "Stopped"),
    "start": ("entry", "Start of the program"),
}
"""What a reason is called by the protocol, and what is shown."""


def _no_attach(given: dict[str, Json]) -> dict[str, Json]:
    raise DescriptionError("a program that runs elsewhere cannot be joined", allowed="launch")


def _first(error: ProgramError) -> str:
    problem = error.problems[0]
    more = len(error.problems) - 1
    others = f" (and {more} more)" if more else ""
    return f"line {problem.line}: {problem.message}{others}" if error.file else problem.message


def _escaped(message: str) -> str:
    """Return a message as the protocol takes it: braces would be places to fill in."""
    return message.replace("{", "(").replace("}", ")")


def serve(given: BinaryIO, said: BinaryIO) -> None:
    """Serve one editor until it goes.

    Args:
        given: What it says.
        said: What it hears.
    """
    writer = MessageWriter(said)
    session = DebugSession(writer.send)
    try:
        while not session.is_over:
            try:
                message = read_message(given)
            except DescriptionError as error:
                writer.send({"type": "event", "event": "output", "body": {"output": f"{error}\n"}})
                continue
            if message is None:
                break
            if message.get("type") == "request":
                session.handle(message)
    finally:
        if not session.is_over:
            session.close()
