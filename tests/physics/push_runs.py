"""Arms sent through walls, the floor, piles and other arms: one random run, and its account."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.modelling import model
from armwerk.motion import Path
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.build import FLOOR, LINK
from armwerk.physics.robots.body import RobotBody
from armwerk.robot import Arm, Assembly, grippers, library, load, load_assembly
from armwerk.scene.scene import Cuboid, Obstacle, Rectangle, Scene, Step

Body = Literal["wall", "floor", "pile", "arm"]
BODIES: tuple[Body, ...] = ("wall", "floor", "pile", "arm")
HANDS: tuple[str, ...] = ("", *grippers())
TRIES = 400  # of drawing a cell in which nothing overlaps at the start
LINES = 8  # drawn before joints move instead
LONGEST = 60.0  # [s] that a motion may take
LATEST = 10.0  # [s] after which a block that is nearly none is told
SETTLED = 0.3  # [s] after which an arm that has arrived stands still
ROUND = np.radians([0.0, 30.0, 90.0, 180.0, -30.0, -90.0, -180.0])


def serial_arms() -> list[str]:
    """Return the arms of the library whose chains are open."""
    return [name for name in library() if not _closed(load(name))]


def _closed(arm: Arm | Assembly) -> bool:
    return isinstance(arm, Assembly) and bool(arm.loops)


def hands_of(name: str) -> tuple[str, ...]:
    """Return the grippers that fit an arm; one with fingers of its own takes none."""
    arm = load(name)
    try:
        Simulation(Scene(), [RobotPlacement(arm, load_assembly(HANDS[1]), np.eye(4))])
    except DescriptionError:
        return ("",)
    return HANDS


@dataclass
class PushAccount:
    """What a run showed.

    Args:
        what: The case, in words.
        robot_depth: Deepest that a robot was in anything [m].
        thing_depth: Deepest that a thing was in something else [m].
        too_deep: What the world told of depths.
        gained: Energy beyond what the drives put in, as a share of all that moved.
        blocked: Whether the arm was blocked.
        lost: What is wrong, in words.
    """

    what: str
    robot_depth: float = 0.0
    thing_depth: float = 0.0
    too_deep: list[str] = field(default_factory=list)
    gained: float = 0.0
    blocked: bool = False
    lost: list[str] = field(default_factory=list)


class PushRun:
    """One random run.

    Args:
        arm: Name of an arm of the library.
        hand: Name of a gripper; empty: none.
        body: What it is sent through.
        seed: Of all that is drawn.
        straight: Whether its tool goes along a line, where a line can be found.
    """

    def __init__(
        self, arm: str, hand: str, body: Body, seed: int, *, straight: bool = False
    ) -> None:
        self.draw = np.random.default_rng(seed)
        self.arm, self.hand = load(arm), load_assembly(hand) if hand else None
        self.body = body
        way = ", along a line" if straight else ""
        self.account = PushAccount(f"{arm}, {hand or 'no gripper'}, {body}, seed {seed}{way}")
        self.straight = straight
        bare = Simulation(Scene(), [RobotPlacement(self.arm, self.hand, np.eye(4))])
        robot = bare.robots[0]
        self.limits = np.clip(robot.limits[: robot.dof], -np.pi, np.pi)
        self.reach = _reach(bare)
        self.sim = self._cell()
        self.sim.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        links = [geom for one in self.sim.robots for geom in (*one.link_geoms, *one.touch_geoms)]
        self._of_robot = np.zeros(self.sim.model.ngeom + 1, dtype=bool)
        self._of_robot[links] = True
        self._way: list[Array] = [self.sim.robots[0].q]
        self._work, self._most, self._moved = 0.0, -np.inf, 0.0

    def _posture(self) -> Array:
        """Return values of the motors that rods and stops of coupled joints allow."""
        while True:
            q = self._values()
            if not isinstance(self.arm, Arm) or self.arm.keeps_limits(q, 1e-6):
                return q

    def _values(self) -> Array:
        """Return values of the motors, some exactly at limits or at round angles."""
        low, high = self.limits.T
        q = low + self.draw.random(len(low)) * (high - low)
        kind = self.draw.integers(4)
        for k in range(len(q)):
            if kind == 1 and self.draw.random() < 0.5:
                q[k] = (low, high)[self.draw.integers(2)][k]
            elif kind == 2:
                q[k] = np.clip(ROUND[self.draw.integers(len(ROUND))], low[k], high[k])
        return np.asarray(q)

    def _cell(self) -> Simulation:
        """Return a cell in which nothing overlaps at the start."""
        for attempt in range(TRIES):
            height = 0.0 if attempt < TRIES // 4 else 0.5  # some lie flat in the floor
            q, other = self._posture(), self._posture()
            stand = np.eye(4)
            stand[2, 3] = height
            robots = [RobotPlacement(self.arm, self.hand, stand, q)]
            obstacles: list[Obstacle] = []
            things: list[Cuboid] = []
            angle, away = (
                self.draw.uniform(-np.pi, np.pi),
                self.reach * self.draw.uniform(0.35, 0.8),
            )
            x, y = away * np.cos(angle), away * np.sin(angle)
            if self.body == "wall":
                width, depth, height = self.reach * self.draw.uniform(
                    [0.05, 0.05, 0.3], [0.5, 0.5, 1.2]
                )
                obstacles.append(Step(Rectangle((x, y), (width, depth)), height, "808080"))
            elif self.body == "pile":
                side = self.draw.uniform(0.04, 0.1)
                things += [
                    Cuboid((x + dx * side, y + dy * side, (k + 0.5) * side), (side,) * 3, "FF0000")
                    for k in range(3)
                    for dx, dy in ((0.0, 0.0), (1.02, 0.0), (0.0, 1.02))[: 3 - k]
                ]
            elif self.body == "arm":
                base = np.eye(4)
                base[:3, 3] = 1.6 * x, 1.6 * y, height
                robots.append(RobotPlacement(self.arm, self.hand, base, other))
            scene = Scene(obstacles=tuple(obstacles), things=tuple(things))
            sim = Simulation(scene, robots, SimulationSettings(dt=0.002))
            if not any("starts inside" in text for text in sim.notices) and not _sunk(sim):
                return sim
        raise RuntimeError(f"{self.account.what}: no cell without overlaps found")

    def run(self) -> PushAccount:
        """Go somewhere beyond the body, then back; return what was seen."""
        sim, account = self.sim, self.account
        robot = sim.robots[0]
        home = robot.q.copy()
        self._start = self._energy()
        goal, smooth = self._posture(), bool(self.draw.integers(2))
        if not (self.straight and self._go_straight(robot)):
            self._go(robot, goal, smooth=smooth)
        if len(sim.robots) > 1:
            self._go(sim.robots[1], self._posture(), smooth=False)
        self._until_rest("on its way")
        account.blocked = robot.blocked
        if not robot.blocked and self._off() > 1e-6:
            account.lost.append(f"rests {self._off():.3g} off")
        if robot.blocked and robot.block is not None and not robot.block.by:
            account.lost.append(f"blocked by nothing: {robot.block}")
        self._go_back(robot)
        self._until_rest("on its way home")
        self._settle()
        off = float(np.abs(robot.q - home).max())
        free = self.body in {"wall", "floor"}
        pads = {robot.motors[k] for k in range(robot.dof, len(robot.motors))}
        if robot.blocked and free and (robot.block is None or robot.block.link not in pads):
            account.lost.append(f"not free: {robot.block}")
        elif not robot.blocked and off > 1e-6:
            account.lost.append(f"{off:.3g} from home")
        account.too_deep += [text for _, text in sim.take_problems()]
        account.gained = (self._most - self._start) / (self._moved + 1.0)
        return account

    def _go_straight(self, robot: RobotBody) -> bool:
        """Send the tool along a random line; False: none was found that the joints can follow."""
        if not isinstance(self.arm, Arm):
            return False
        arm_model = model(self.arm)
        T_base_start = arm_model.fk(robot.q)
        for _ in range(LINES):
            T_base_end = T_base_start.copy()
            way = self.draw.normal(size=3)
            way *= self.reach * self.draw.uniform(0.1, 0.6) / np.linalg.norm(way)
            T_base_end[:3, 3] += way
            path = Path(
                T_base_start, speed=self.draw.uniform(0.1, 1.0), acceleration=2.0, jerk=20.0
            )
            try:
                trajectory = path.lin(T_base_end).plan(arm_model, robot.q)
                robot.follow(trajectory.sampled(self.sim.dt)[1])
            except ArmwerkError:  # out of reach, or too fast for a joint near a singular place
                continue
            return True
        return False

    def _go(self, robot: RobotBody, goal: Array, *, smooth: bool) -> None:
        """Send an arm to joint values, each motor as quick as it can or all together."""
        if not smooth:
            robot.set_goal(slice(0, robot.dof), goal)
            return
        start, dt = robot.setpoints[: robot.dof], self.sim.dt
        members = [robot.member(k) for k in range(robot.dof)]
        speed = np.array([min(member.max_velocity, 3.0) for member in members])
        swing = np.array([min(member.max_acceleration, 10.0) for member in members])
        way = np.abs(goal - start)
        seconds = max(
            float((1.875 * way / speed).max()), float(np.sqrt(5.8 * way / swing).max()), dt
        )
        seconds *= 1.01 / self.draw.uniform(0.3, 1.0)
        s = np.arange(1, int(np.ceil(seconds / dt)) + 1) * dt / seconds
        s = np.minimum(s, 1.0)
        share = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        robot.follow(start + share[:, None] * (goal - start))

    def _go_back(self, robot: RobotBody) -> None:
        """Send an arm back the way it came, which must be free."""
        way = np.array(self._way[::-1])
        way[0] = robot.setpoints[: robot.dof]
        way = np.clip(way, *robot.limits[: robot.dof].T)
        speed = np.array([min(robot.member(k).max_velocity, 3.0) for k in range(robot.dof)])
        along = np.concatenate(
            [[0.0], np.cumsum((np.abs(np.diff(way, axis=0)) / speed).max(axis=1))]
        )
        s = np.linspace(0.0, 1.0, int(1.875 * along[-1] / 0.3 / self.sim.dt) + 2)[1:]
        share = along[-1] * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        robot.follow(np.column_stack([np.interp(share, along, column) for column in way.T]))

    def _until_rest(self, when: str) -> None:
        end = self.sim.time + LONGEST
        while any(robot.moving for robot in self.sim.robots):
            self._step()
            if self.sim.time > end:
                self.account.lost.append(f"still moving after {LONGEST:g} s {when}")
                for robot in self.sim.robots:
                    robot.halt()
                break
        self._settle()
        robot = self.sim.robots[0]  # what keeps it off its goal by a hair takes a while to tell
        end = self.sim.time + LATEST
        while self.sim.time < end and not robot.blocked and self._off() > 1e-6:
            self._step()

    def _off(self) -> float:
        robot = self.sim.robots[0]
        return float(np.abs(robot.q - robot.goals[: robot.dof]).max())

    def _settle(self) -> None:
        for _ in range(round(SETTLED / self.sim.dt)):
            self._step()

    def _energy(self) -> float:
        mujoco.mj_energyPos(self.sim.model, self.sim.data)
        mujoco.mj_energyVel(self.sim.model, self.sim.data)
        return float(self.sim.data.energy.sum())

    def _step(self) -> None:
        sim, data = self.sim, self.sim.data
        before = data.qvel.copy()
        sim.step()
        self._way.append(sim.robots[0].q)
        contact = data.contact
        if len(contact.dist):
            mine = self._of_robot[contact.geom].any(axis=1)
            depth = -contact.dist
            if mine.any():
                self.account.robot_depth = max(self.account.robot_depth, float(depth[mine].max()))
            if not mine.all():
                self.account.thing_depth = max(self.account.thing_depth, float(depth[~mine].max()))
        # places belong to the beginning of a step and speeds to its middle: what both are at the
        # beginning is the mean of two speeds, and half the work of the step is done by then
        mean, momentum = 0.5 * (before + data.qvel), np.empty(sim.model.nv)
        mujoco.mj_mulM(sim.model, data, momentum, mean)
        kinetic = 0.5 * float(mean @ momentum)
        work = float(data.qfrc_applied @ mean) * sim.dt
        energy = float(data.energy[0]) + kinetic
        self._most = max(self._most, energy - self._work - 0.5 * work)
        self._moved = max(self._moved, kinetic)
        self._work += work


def _sunk(sim: Simulation) -> bool:
    """Whether a bar of a member that does not stand on the base starts below the floor."""
    model, data = sim.model, sim.data
    for robot in sim.robots:
        first = model.geom_bodyid[robot.link_geoms[0]]
        for geom in robot.link_geoms:
            flat = model.geom_contype[geom] & (LINK | FLOOR) == LINK
            if flat and model.geom_bodyid[geom] != first and data.geom_xpos[geom, 2] < 1.0:
                return True
    return False


def _reach(sim: Simulation) -> float:
    """Return about how far an arm reaches [m]: the longest of some postures."""
    robot, draw = sim.robots[0], np.random.default_rng(1)
    data = mujoco.MjData(sim.model)
    longest = 0.1
    places = [robot.place(k)[0] for k in range(robot.dof)]
    limits = np.clip(robot.limits[: robot.dof], -np.pi, np.pi)
    for _ in range(30):
        data.qpos[places] = draw.uniform(limits[:, 0], limits[:, 1])
        mujoco.mj_kinematics(sim.model, data)
        longest = max(longest, float(np.linalg.norm(data.site_xpos[:, :2], axis=1).max()))
    return longest
