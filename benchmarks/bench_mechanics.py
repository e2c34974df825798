"""Mechanics against pinocchio and roboticstoolbox: kinematics, dynamics, numeric inverse."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from measure import Row, best
from numpy.typing import NDArray

import armwerk
from armwerk.mechanics import SerialModel

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from arm_witness import PinArm, random_joints

Array = NDArray[np.float64]

ARM = "puma560"
MANY = 100_000
POSES = 2000
HARD = 1000
LOOSE = 1e-6  # half the square of the pose error: what roboticstoolbox calls solved
SHARP = 5e-19  # the same for an error of 1e-9
GAINS = {"chan": (1.0, 0.1, 0.01), "wampler": (1e-2, 1e-4), "sugihara": (0.1, 1e-2, 1e-4)}


def run() -> list[Row]:
    """Measure everything of this file."""
    model = SerialModel(armwerk.robot.load_arm(ARM), "numeric")
    witness = PinArm(model.arm)
    return [
        *direct_many(model, witness),
        *direct_one(model, witness),
        *dynamics(model, witness),
        *inverse("puma560"),
        *inverse("ur5e"),
        import_time(),
    ]


def direct_many(model: SerialModel, witness: PinArm) -> list[Row]:
    """Tool poses of many configurations: one call against a loop over pinocchio's call."""
    Q = random_joints(model.arm, MANY)
    data, tool = witness.data, witness.tool

    def bare_loop() -> None:
        forward, m = pin.forwardKinematics, witness.model
        for q in Q:
            forward(m, data, q)

    def loop() -> Array:
        out, forward, m = np.empty((MANY, 4, 4)), pin.framesForwardKinematics, witness.model
        for k, q in enumerate(Q):
            forward(m, data, q)
            out[k] = data.oMf[tool].homogeneous
        return out

    if not np.allclose(loop(), model.fk(Q), rtol=0, atol=1e-12):
        raise RuntimeError("the two sides disagree about the poses")
    times = best({"ours": lambda: model.fk(Q), "bare": bare_loop, "loop": loop}, repeats=5)
    what = f"fk, {MANY:,} configurations"
    return [
        Row(
            what,
            times["ours"] * 1e3,
            "pinocchio, loop",
            times["bare"] * 1e3,
            "ms",
            wanted=3.0,
            note="its results are not even read",
        ),
        Row(what, times["ours"] * 1e3, "pinocchio, loop with tool pose", times["loop"] * 1e3, "ms"),
    ]


def direct_one(model: SerialModel, witness: PinArm) -> list[Row]:
    """One tool pose, one Jacobian."""
    q = random_joints(model.arm, 1)[0]
    m, data, tool = witness.model, witness.data, witness.tool
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    fk, jacobian = model.fk, model.jacobian
    forward, frames, frame_jacobian = (
        pin.forwardKinematics,
        pin.framesForwardKinematics,
        pin.computeFrameJacobian,
    )

    def read() -> Array:
        frames(m, data, q)
        return np.asarray(data.oMf[tool].homogeneous)

    times = best(
        {
            "fk": lambda: fk(q),
            "bare": lambda: forward(m, data, q),
            "frames": lambda: frames(m, data, q),
            "read": read,
            "jacobian": lambda: jacobian(q),
            "their jacobian": lambda: frame_jacobian(m, data, q, tool, world),
        },
        number=1000,
        repeats=100,
    )
    us = {name: 1e6 * value for name, value in times.items()}
    return [
        Row("fk, one call", us["fk"], "pinocchio, joints only", us["bare"], wanted=1 / 3),
        Row("fk, one call", us["fk"], "pinocchio, with frames", us["frames"], wanted=1 / 3),
        Row("fk, one call", us["fk"], "pinocchio, tool pose read", us["read"]),
        Row("Jacobian, one call", us["jacobian"], "pinocchio", us["their jacobian"]),
    ]


def dynamics(model: SerialModel, witness: PinArm) -> list[Row]:
    """Inverse and forward dynamics, one and many."""
    count = 10_000
    rng = np.random.default_rng(0)
    Q, QD, QDD = rng.uniform(-1, 1, (3, count, model.dof))
    q, qd, qdd = Q[0], QD[0], QDD[0]
    m, data = witness.model, witness.data
    rnea, aba, crba = pin.rnea, pin.aba, pin.crba

    def loop(call: Callable[..., object]) -> Callable[[], None]:
        def work() -> None:
            for state in zip(Q, QD, QDD, strict=True):
                call(m, data, *state)

        return work

    one = best(
        {
            "inverse": lambda: model.inverse_dynamics(q, qd, qdd),
            "rnea": lambda: rnea(m, data, q, qd, qdd),
            "forward": lambda: model.forward_dynamics(q, qd, qdd),
            "aba": lambda: aba(m, data, q, qd, qdd),
            "mass": lambda: model.mass_matrix(q),
            "crba": lambda: crba(m, data, q),
        },
        number=500,
        repeats=60,
    )
    many = best(
        {
            "inverse": lambda: model.inverse_dynamics(Q, QD, QDD),
            "rnea": loop(rnea),
            "forward": lambda: model.forward_dynamics(Q, QD, QDD),
            "aba": loop(aba),
        }
    )
    us = {name: 1e6 * value for name, value in one.items()}
    per = {name: 1e6 * value / count for name, value in many.items()}
    return [
        Row("inverse dynamics, one call", us["inverse"], "pinocchio rnea", us["rnea"]),
        Row("forward dynamics, one call", us["forward"], "pinocchio aba", us["aba"]),
        Row("mass matrix, one call", us["mass"], "pinocchio crba", us["crba"]),
        Row("inverse dynamics, each of many", per["inverse"], "pinocchio, loop", per["rnea"]),
        Row("forward dynamics, each of many", per["forward"], "pinocchio, loop", per["aba"]),
    ]


def inverse(name: str) -> list[Row]:
    """Numeric inverse kinematics of reachable poses: time per solved pose, share solved.

    The same accuracy is asked of both sides, 1e-9 m and 1e-9 rad; one row shows roboticstoolbox at
    its own tolerance, a pose error of about 1e-3. Of its solvers and settings the one with the
    highest share counts, the faster of equals.
    """
    import roboticstoolbox as rtb

    arm = armwerk.robot.load_arm(name)
    robot = rtb.DHRobot([_link(rtb, joint) for joint in arm.joints], name=name)
    contest = Contest(arm, _their_solvers(robot.ets()))
    what = f"numeric inverse, {name}"
    rows = []
    for kind, joints in (("random", random_joints(arm, POSES, 1)), ("hard", hard_joints(arm))):
        poses = list(contest.model.fk(joints))
        fast = contest.duel(poses, SHARP)
        rows += [
            Row(
                f"{what}, {kind} poses, each solved", fast.ours, fast.peer, fast.theirs, wanted=1.0
            ),
            Row(
                f"{what}, {kind} poses, share solved",
                fast.our_share,
                fast.peer,
                fast.their_share,
                "%",
                lower_is_better=False,
                wanted=1.0,
            ),
        ]
        if kind == "random":
            loose = contest.duel(poses, LOOSE)
            note = "ours to 1e-9, theirs to about 1e-3"
            rows.append(
                Row(
                    f"{what}, random poses, each solved",
                    loose.ours,
                    loose.peer,
                    loose.theirs,
                    note=note,
                )
            )
    return rows


def hard_joints(arm: armwerk.Arm) -> Array:
    """Return configurations at limits: half with one joint there, half with all of them."""
    rng = np.random.default_rng(2)
    one = random_joints(arm, HARD // 2, 3)
    joint, side = rng.integers(0, arm.dof, len(one)), rng.integers(0, 2, len(one))
    one[np.arange(len(one)), joint] = arm.limits[joint, side]
    every = arm.limits[np.arange(arm.dof), rng.integers(0, 2, one.shape)]
    return np.vstack([one, every])


@dataclass(frozen=True, slots=True)
class Duel:
    """Microseconds per solved pose and share solved [%] of both sides."""

    ours: float
    our_share: float
    peer: str
    theirs: float
    their_share: float


class Contest:
    """Our solver and theirs on the same arm; pinocchio says who is right."""

    def __init__(
        self, arm: armwerk.Arm, theirs: Callable[[float], dict[str, Callable[[Array], Any]]]
    ) -> None:
        self.model = SerialModel(arm, "numeric")
        self.witness = PinArm(arm)
        self.theirs = theirs
        self.base, self.tool = np.linalg.inv(arm.base), np.linalg.inv(arm.tool)

    def duel(self, poses: list[Array], tolerance: float) -> Duel:
        """Pick their best solver, then let both take turns; the best of three counts."""
        goals = [np.ascontiguousarray(self.base @ T @ self.tool) for T in poses]
        solvers = self.theirs(tolerance)
        few = slice(None, None, max(1, len(poses) // 500))
        trial = {
            peer: self._solve(solve, goals[few], poses[few], tolerance)
            for peer, solve in solvers.items()
        }
        peer = max(trial, key=lambda name: (round(trial[name][1], 1), -trial[name][0]))
        ours = theirs = (float("inf"), 0.0)
        for _ in range(3):
            ours = min(ours, self._solve(self.model.solve, poses, poses, SHARP))
            theirs = min(theirs, self._solve(solvers[peer], goals, poses, tolerance))
        return Duel(*ours, f"roboticstoolbox {peer}", *theirs)

    def _solve(
        self, solve: Callable[[Array], Any], goals: list[Array], poses: list[Array], loose: float
    ) -> tuple[float, float]:
        """Return microseconds per solved pose and the share of poses solved [%]."""
        begin = time.perf_counter()
        answers = [solve(T) for T in goals]
        seconds = time.perf_counter() - begin
        good = sum(self._right(a.q, T, loose) for a, T in zip(answers, poses, strict=True))
        return 1e6 * seconds / max(good, 1), 100.0 * good / len(poses)

    def _right(self, q: Array, T: Array, loose: float) -> bool:
        """Whether pinocchio agrees that q leads to T, within limits."""
        if q is None or not np.isfinite(q).all():
            return False
        got = self.witness.fk(np.asarray(q, dtype=float))
        error = np.concatenate([got[:3, 3] - T[:3, 3], pin.log3(got[:3, :3].T @ T[:3, :3])])
        low, high = self.model.arm.limits.T
        inside = (q >= low - 1e-9).all() and (q <= high + 1e-9).all()
        return bool(0.5 * error @ error <= 2.1 * loose and inside)


def _link(rtb: Any, joint: armwerk.Joint) -> Any:
    row = {"d": joint.d, "a": joint.a, "alpha": joint.alpha, "qlim": joint.limits}
    return rtb.RevoluteDH(**row)


def _their_solvers(ets: Any) -> Callable[[float], dict[str, Callable[[Array], Any]]]:
    """Return the compiled solvers of roboticstoolbox with the settings its manual names."""

    def make(tolerance: float) -> dict[str, Callable[[Array], Any]]:
        solvers: dict[str, Callable[[Array], Any]] = {
            "ik_NR": partial(ets.ik_NR, tol=tolerance, pinv=True),
            "ik_GN": partial(ets.ik_GN, tol=tolerance, pinv=True),
        }
        for method, gains in GAINS.items():
            for k in gains:
                solvers[f"ik_LM {method} {k:g}"] = partial(
                    ets.ik_LM, tol=tolerance, k=k, method=method
                )
        return solvers

    return make


def import_time() -> Row:
    """Seconds from nothing to ``import armwerk``, the interpreter's own start taken off."""

    def start(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    times = best({"bare": start("pass"), "ours": start("import armwerk")}, repeats=5)
    return Row(
        "import armwerk", 1e3 * (times["ours"] - times["bare"]), "limit", 500.0, "ms", wanted=1.0
    )
