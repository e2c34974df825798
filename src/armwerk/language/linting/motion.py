"""Warnings that need an arm: the program is run, and every motion is planned and looked at."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import ExecutionError
from armwerk.language.code import CheckedProgram, MoveRobot
from armwerk.language.linting.warning import Lint, LintKind, warning_at
from armwerk.language.running.arms import ArmMachine
from armwerk.language.running.interpreter import Interpreter
from armwerk.language.running.machine import MotionCommand, MotionRefused
from armwerk.language.running.signals import SignalState
from armwerk.language.types import BOOL
from armwerk.motion import Trajectory

if TYPE_CHECKING:
    from armwerk.collision import Bodies
    from armwerk.language.types import Value
    from armwerk.mechanics import ArmModel

SINGULAR = 0.02  # [m and rad per rad] smallest singular value of the Jacobian that is no warning
MOST_OPERATIONS = 1_000_000
MOST_MOTIONS = 500
_LOOKS = 60  # at the Jacobian, along one motion


class LintMachine(ArmMachine):
    """Arms that note what is wrong with a motion and go on; inputs change whenever one waits.

    Args:
        program: The program that is run.
        models: The arms.
        bodies: What stands around them; None: nothing.
    """

    def __init__(
        self, program: CheckedProgram, models: list[ArmModel], bodies: Bodies | None = None
    ) -> None:
        super().__init__(models)
        self.lints: list[Lint] = []
        self._program = program
        self._models = models
        self._bodies = bodies
        self._told: set[tuple[str, int]] = set()
        self._count = 0
        self._flips = 0

    def move(self, command: MotionCommand) -> None:
        """Put a motion behind those that are ordered; what is wrong with it is noted."""
        self._count += 1
        if self._count > MOST_MOTIONS:
            raise MotionRefused(command.line, "enough motions were looked at")
        before = list(self._arms[command.robot - 1].waiting)
        q = self._arms[command.robot - 1].end
        try:
            super().move(command)
        except MotionRefused as refused:
            self._refused(refused, [*before, command], q)

    def advance(self, until: float) -> bool:
        """Let time pass; where nothing happens any more, all inputs change."""
        for arm in self._arms:
            waiting, q = list(arm.waiting), arm.end
            try:
                self._plan(arm)
            except MotionRefused as refused:
                self._refused(refused, waiting, q)
        if super().advance(until):
            return True
        self._flips += 1
        return self._flips < 100

    def signal(self, name: str) -> SignalState:
        """Return the state of an output, or one of an input that changes while one waits."""
        kind, is_output, _ = self._program.signals[name]
        if is_output:
            return super().signal(name)
        value = self._flips % 2 * (1 + self._flips // 2)
        return bool(value) if kind is BOOL else value

    def _refused(self, refused: MotionRefused, commands: list[MotionCommand], q: Array) -> None:
        """Note a motion that cannot be driven, and drive those about it one by one."""
        robot = commands[-1].robot
        arm = self._arms[robot - 1]
        wrong = next((one for one in commands if one.line == refused.line), commands[-1])
        goal = arm.planner.goals(wrong, arm.planner.tool_pose(q, wrong.tool), q)[-1]
        kind: LintKind = "unreachable" if "out of reach" in refused.reason else "limit"
        if "singular" in refused.reason:
            kind = "singular"
        self._note(kind, refused.line, refused.reason, robot, q, goal.pose[:3, 3])
        for one in commands:
            if one is wrong:
                continue
            alone = replace(one, blend=0.0, joint_blend=0.0)
            try:
                super().move(alone)
            except MotionRefused:
                continue

    def _note(
        self, kind: LintKind, line: int, message: str, robot: int, q: Array, point: Array
    ) -> None:
        if (kind, line) in self._told:
            return
        self._told.add((kind, line))
        places = [
            place
            for place, instruction in enumerate(self._program.code)
            if isinstance(instruction, MoveRobot) and self._line(place) == line
        ]
        model = self._models[robot - 1]
        if places:
            self.lints.append(
                warning_at(self._program, places[0], kind, message, q=q, point=point, model=model)
            )

    def _line(self, place: int) -> int:
        source, at = self._program.places[place]
        return self._program.sources[source].line(at)

    def examine(self) -> None:
        """Look at every motion that was driven: blends, singular places, contacts."""
        for motion in self.motions:
            model = self._models[motion.robot - 1]
            lines = [command.line for command in motion.commands]
            self._blends(motion.robot, motion.commands, motion.trajectory)
            if any(command.kind != "ptp" for command in motion.commands):
                self._singular(motion.robot, lines[-1], motion.trajectory, model)
            if self._bodies is not None:
                self._contacts(motion.robot, motion.commands, motion.trajectory, model)

    def _blends(
        self, robot: int, commands: tuple[MotionCommand, ...], trajectory: Trajectory
    ) -> None:
        for notice in trajectory.notices:
            if "blend" not in notice.text:
                continue
            found = [one for one in commands if f"line {one.line}" in notice.segment]
            line = found[0].line if found else commands[0].line
            q = np.asarray(trajectory.sample(0.5 * trajectory.duration)[0])
            self._note("blend", line, notice.text, robot, q, self._point(robot, q))

    def _point(self, robot: int, q: Array) -> Array:
        return np.asarray(self._models[robot - 1].fk(q))[:3, 3]

    def _singular(self, robot: int, line: int, trajectory: Trajectory, model: ArmModel) -> None:
        smallest, worst = math.inf, None
        for time in np.linspace(0.0, trajectory.duration, _LOOKS):
            q = np.asarray(trajectory.sample(time)[0])
            value = float(np.linalg.svd(np.asarray(model.jacobian(q)), compute_uv=False)[-1])
            if value < smallest:
                smallest, worst = value, q
        if worst is not None and smallest < SINGULAR:
            words = f"passes a singular place: smallest singular value {smallest:.3g}"
            self._note("singular", line, words, robot, worst, self._point(robot, worst))

    def _contacts(
        self,
        robot: int,
        commands: tuple[MotionCommand, ...],
        trajectory: Trajectory,
        model: ArmModel,
    ) -> None:
        from armwerk.collision import check

        assert self._bodies is not None
        contact = check(trajectory, model, self._bodies).contact
        if contact is not None:
            line = commands[min(contact.segment, len(commands)) - 1].line
            words = f"{contact.part} touches {contact.body}"
            self._note("contact", line, words, robot, contact.q, contact.point)


def motion_lints(
    program: CheckedProgram,
    models: list[ArmModel],
    bodies: Bodies | None = None,
    values: dict[str, Value] | None = None,
) -> list[Lint]:
    """Return the warnings of a program that is run on arms.

    Args:
        program: The program.
        models: The arms, one for each robot.
        bodies: What stands around; None: nothing.
        values: First values of variables.
    """
    machine = LintMachine(program, models, bodies)
    run = Interpreter(program, machine, values=values)
    try:
        while run.run(MOST_OPERATIONS) == "paused" and run.count < MOST_OPERATIONS:
            pass
    except ExecutionError:
        pass  # the run itself says so; what was driven until then is looked at
    machine.examine()
    return sorted(machine.lints, key=lambda lint: lint.problem.line)
