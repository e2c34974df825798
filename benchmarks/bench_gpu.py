"""The accelerator: the RR map of 20,000 x 20,000 and 1e8 configurations of a six-axis arm.

Inputs and the processor's answers are made once where armwerk is installed, and measured on a
machine that needs numpy, torch and triton alone:

    python benchmarks/bench_gpu.py --prepare gpu_inputs.npz
    PYTHONPATH=src python3 benchmarks/bench_gpu.py gpu_inputs.npz --out gpu.json

What a user sees, from the call of `aw.cspace` to the cells on the host, is measured where armwerk
and an accelerator are on one machine; the other figures of the file stay:

    python benchmarks/bench_gpu.py --seen --solved --out benchmarks/results/gpu.json

With `--solved` inverse kinematics of a UR5e too. Where derivations cannot run, its generated code
comes from elsewhere: `--write-arm FILE` there, `--arm FILE` here.

Every answer is compared with the processor's bit by bit. `make bench` shows what was measured last.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from measure import Row  # noqa: E402

PLACES = 20_000
STEPS = (20, 20, 20, 25, 25, 20)  # 1e8 configurations
BOXES = 16
POSES = 10_000_000  # of the inverse kinematics
GRID = (0.0195, 60)  # [m], orientations: 1e8 poses of the inverse sweep
PROMISED = {"map": 20.0, "sweep": 200.0, "seen": 150.0, "solved": 500.0, "inverse": 1000.0}  # [ms]
REPEATS = 5
KEPT = HERE / "results" / "gpu.json"
MAP = ("line", "on")
PAIRS = ("half", "bodies", "allowance", "rise")
SWEEP = (
    "constants", "turns", "start", "table", "sphere", "spheres_of", "box", "corner", "cell", "shape"
)  # fmt: skip


def run() -> list[Row]:
    """Return what was measured last, since few machines have an accelerator."""
    if not KEPT.exists():
        return []
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]
    names = ("what", "ours", "peer", "theirs", "unit", "lower_is_better", "wanted", "note")
    return [Row(**{name: row[name] for name in names}) for row in kept]


def prepare(path: Path) -> None:
    """Write inputs and the processor's answers."""
    arrays = {f"map_{key}": value for key, value in rr_map(PLACES).items()}
    arrays |= {f"sweep_{key}": value for key, value in six_axis(STEPS).items()}
    np.savez_compressed(path, **arrays)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


def rr_map(places: int) -> dict[str, Any]:
    """Return the arrays of `armwerk.planning.kernels.planar.fill`, contacts, and a hash."""
    from armwerk.mechanics.chain import pack
    from armwerk.planning.example_problems import problem
    from armwerk.planning.maps.grid import grid_axes, held_values
    from armwerk.planning.maps.parts import FrameMotion, MovedBy, parts_of, shapes_of
    from armwerk.planning.maps.plane import composed, planar_scene
    from armwerk.robot import load_arm

    rr = problem("rr")
    arm = load_arm(rr.arm)
    first, second = grid_axes(arm, (0, 1), (places, places), None)
    motion = FrameMotion(pack(arm), held_values(arm, None), 0, 1)
    scene = planar_scene(motion, parts_of(shapes_of(arm, None)), tuple(rr.bodies))
    assert scene is not None
    turned = scene.lines(motion.second, second.values)
    poses = []  # of every part at every place of a line
    for which in (MovedBy.FIRST, MovedBy.BOTH):
        pose = scene.parts[which].pose[:, None]
        poses.append(
            composed(turned[None], pose)
            if which is MovedBy.BOTH
            else np.repeat(pose, places, axis=1)
        )
    inner, outer = scene.pairs(MovedBy.FIRST), scene.pairs(MovedBy.BOTH)
    begin = time.perf_counter()
    space = rr.make(shape=(places, places))
    cells = np.ascontiguousarray(space.cells[::-1].T)
    print(f"RR map on the processor: {time.perf_counter() - begin:.1f} s, {space.method}")
    return {
        "line": scene.lines(motion.first, first.values),
        "on": np.concatenate(poses),
        "half": np.concatenate([inner.half, outer.half]),
        "bodies": inner.bodies,
        "allowance": np.concatenate([inner.allowance, outer.allowance]),
        "rise": np.concatenate([inner.rise, outer.rise]),
        "hits": np.array(space.hits),
        "hash": np.array(mask_hash(cells != 0)),
        "seconds": np.array(space.seconds),
    }


def six_axis(steps: tuple[int, ...]) -> dict[str, Any]:
    """Return the arrays of a `SweepTask` of a UR5e among boxes, and what the processor finds."""
    from armwerk.planning.engines import run_chunks
    from armwerk.planning.reachability.chunks import run_forward

    task = six_axis_task(steps)
    begin = time.perf_counter()
    found = run_chunks(task, task.chunks(), run_forward)
    seconds = time.perf_counter() - begin
    rate = task.sweep.total / seconds
    print(
        f"sweep on the processor: {seconds:.1f} s, {rate:.3g}/s, {len(task.sweep.sphere)} spheres"
    )
    arrays = {name: np.asarray(getattr(task.sweep, name)) for name in SWEEP}
    return arrays | {
        "touching": np.array(found.touching),
        "reached_hash": np.array(bytes_hash(found.reached)),
        "best_hash": np.array(bytes_hash(found.best)),
        "seconds": np.array(seconds),
    }


def six_axis_task(steps: tuple[int, ...]) -> Any:
    """Return the forward sweep of a UR5e among seeded boxes in its reach."""
    from armwerk.collision.arm_shapes import arm_shapes
    from armwerk.geometry import Box, rotation_exp
    from armwerk.mechanics.chain import pack
    from armwerk.planning.reachability.grid import (
        joint_ranges,
        reach_ball,
        tool_rank,
        voxels_around,
    )
    from armwerk.planning.reachability.setup import bare_sweep, forward_task, with_contact
    from armwerk.robot import load

    draw = np.random.default_rng(16)
    boxes = []
    for _ in range(BOXES):
        angle, away = draw.uniform(-np.pi, np.pi), draw.uniform(0.45, 0.95)
        place = (away * np.cos(angle), away * np.sin(angle), draw.uniform(-0.1, 0.8))
        boxes.append(Box(draw.uniform(0.05, 0.2, 3), place, rotation_exp(draw.normal(size=3))))
    arm = load("ur5e")
    chain = pack(arm)
    joints = joint_ranges(arm, chain)
    voxels = voxels_around(*reach_ball(chain, joints[0]), 0.05)
    sweep = with_contact(bare_sweep(chain, voxels, tool_rank(chain)), arm_shapes(arm), boxes)
    return forward_task(sweep, joints, steps, None, 0, None, "cpu", arm)


def mask_hash(mask: Any) -> str:
    """Return the SHA-256 of a mask's packed bits."""
    return hashlib.sha256(np.packbits(mask).tobytes()).hexdigest()


def bytes_hash(values: Any) -> str:
    """Return the SHA-256 of an array's bytes."""
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def measure(path: Path) -> list[Row]:
    """Run both on this machine's accelerator; every repeat waits until all is done."""
    from armwerk.accelerator import accelerator

    memory = accelerator()
    data = np.load(path)
    rows = [_map(memory, data), _sweep(memory, data)]
    for row in rows:
        print(f"{row.what}: {row.ours:.2f} {row.unit}, promised {row.theirs}; {row.note}")
    return rows


def _map(memory: Any, data: Any) -> Row:
    from armwerk.planning.gpu.launch import planar_cells
    from armwerk.planning.kernels.records import PlanarPairs

    line, on = (data[f"map_{name}"] for name in MAP)
    pairs = PlanarPairs(*(data[f"map_{name}"] for name in PAIRS))
    cells, hits = planar_cells(memory, line, on, pairs)
    same = hits == int(data["map_hits"])
    same &= mask_hash(memory.get(cells != 0)) == str(data["map_hash"])
    del cells
    tests = len(line) * on.shape[1] * on.shape[0] * len(pairs.bodies)
    spent = _best(memory, lambda: planar_cells(memory, line, on, pairs))
    what = f"RR map {len(line)} x {on.shape[1]} in 64 bit, {tests:.1e} tests"
    return _row(what, spent, "map", same, memory.name, float(data["map_seconds"]))


def _sweep(memory: Any, data: Any) -> Row:
    from armwerk.planning.gpu.launch import sweep_range
    from armwerk.planning.reachability.sweep import SweepTask

    given = {name: data[f"sweep_{name}"] for name in SWEEP}
    task = SweepTask(**{**given, "cell": float(given["cell"])})
    found = sweep_range(memory, task, 0, task.total)
    same = found.touching == int(data["sweep_touching"])
    same &= bytes_hash(found.reached) == str(data["sweep_reached_hash"])
    same &= bytes_hash(found.best) == str(data["sweep_best_hash"])
    spent = _best(memory, lambda: sweep_range(memory, task, 0, task.total))
    what = f"{task.total:.0e} configurations of a UR5e ({len(task.sphere)} spheres), {BOXES} boxes"
    return _row(what, spent, "sweep", same, memory.name, float(data["sweep_seconds"]))


def seen() -> Row:
    """Return how long a map takes from the call to the cells on the host."""
    from armwerk.accelerator import accelerator
    from armwerk.planning.example_problems import problem

    rr, memory = problem("rr"), accelerator()
    there = rr.make(shape=(PLACES, PLACES), device="gpu")
    here = rr.make(shape=(PLACES, PLACES))
    same = here.hits == there.hits and bool((here.cells == there.cells).all())
    spent = _best(memory, lambda: rr.make(shape=(PLACES, PLACES), device="gpu"))
    what = f"RR map {PLACES} x {PLACES} by aw.cspace, cells fetched"
    return _row(what, spent, "seen", same, memory.name, here.seconds, os.cpu_count() or 1)


def solved() -> list[Row]:
    """Return how long inverse kinematics takes, from the call to the results on the host."""
    return [_solutions(), _inverse_sweep()]


def _solutions() -> Row:
    import armwerk as aw
    from armwerk.accelerator import accelerator

    model, memory = aw.model("ur5e"), accelerator()
    draw = np.random.default_rng(7)
    Ts = model.fk(draw.uniform(-np.pi, np.pi, (POSES, 6)))
    begin = time.perf_counter()
    there = model.ik_batch(Ts, device="gpu")
    print(f"first call {time.perf_counter() - begin:.2f} s")
    model.ik_batch(Ts[:100])
    begin = time.perf_counter()
    here = model.ik_batch(Ts)
    processor = time.perf_counter() - begin
    same = bool((here[1] == there[1]).all())
    same &= bool((here[0].view(np.int64) == there[0].view(np.int64)).all())
    del here, there
    spent = _best(memory, lambda: model.ik_batch(Ts, device="gpu"))
    what = f"all solutions of {POSES:.0e} poses of a UR5e, checked and fetched"
    return _row(what, spent, "solved", same, memory.name, processor, os.cpu_count() or 1)


def _inverse_sweep() -> Row:
    import armwerk as aw
    from armwerk.accelerator import accelerator

    cell, turns = GRID
    memory = accelerator()
    few: dict[str, Any] = {"method": "inverse", "cell": 5 * cell, "orientations": turns}
    one = aw.reach("ur5e", **few)
    two = aw.reach("ur5e", **few, device="gpu")
    same = np.array_equal(one.counts, two.counts)
    if one.oriented is not None and two.oriented is not None:
        same &= np.array_equal(one.oriented, two.oriented)
    same &= np.array_equal(one.manipulability, two.manipulability)
    found = []

    def sweep() -> None:
        found.append(
            aw.reach("ur5e", method="inverse", cell=cell, orientations=turns, device="gpu").tried
        )

    spent = _best(memory, sweep)
    what = f"inverse reach of a UR5e, {found[0]:.3g} poses"
    return _row(what, spent, "inverse", same, memory.name, one.seconds, os.cpu_count() or 1)


def write_arm(path: Path) -> None:
    """Write the generated code of a UR5e."""
    from armwerk.derivation.derived import derive
    from armwerk.derivation.fixed_joints import without_inner_fixed_joints
    from armwerk.derivation.runtime.generate import generate
    from armwerk.derivation.runtime.kinematics import kinematics
    from armwerk.robot import load_arm

    arm = without_inner_fixed_joints(load_arm("ur5e"))
    program = derive(arm).inverse.program
    assert program is not None
    path.write_text(generate(program, kinematics(arm)), encoding="utf-8")


def take_arm(path: Path) -> None:
    """Compile generated code of a UR5e and note it as that arm's."""
    from armwerk.derivation.fixed_joints import without_inner_fixed_joints
    from armwerk.derivation.runtime.closed import _note_key
    from armwerk.derivation.runtime.compile import kernels_for, write_note
    from armwerk.robot import load_arm

    arm = without_inner_fixed_joints(load_arm("ur5e"))
    key, _ = kernels_for(path.read_text(encoding="utf-8"))
    write_note(_note_key(arm, None), {"arm": arm.name, "key": key})


def _row(
    what: str, spent: float, key: str, same: bool, device: str, processor: float, cores: int = 2
) -> Row:
    promised = PROMISED[key]
    verdict = "identical to the processor's" if same else "DIFFERENT from the processor's"
    note = f"{device}, {verdict}, which took {processor:.3g} s on {cores} cores"
    return Row(what, spent, "promised at most", promised if same else 0.0, "ms", True, 1.0, note)


def _best(memory: Any, call: Callable[[], object]) -> float:
    """Return the shortest time of a call [ms]: inputs sent, kernels done, counts fetched."""
    shortest = float("inf")
    for _ in range(REPEATS):
        memory.wait()
        begin = time.perf_counter()
        call()
        memory.wait()
        shortest = min(shortest, time.perf_counter() - begin)
    return 1000 * shortest


def main() -> None:
    """Prepare inputs, or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="?", type=Path)
    parser.add_argument("--prepare", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, metavar="JSON")
    parser.add_argument("--seen", action="store_true", help="measure what a user of cspace sees")
    parser.add_argument("--solved", action="store_true", help="measure inverse kinematics")
    parser.add_argument("--write-arm", type=Path, metavar="FILE")
    parser.add_argument("--arm", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.write_arm is not None:
        write_arm(given.write_arm)
    if given.arm is not None:
        take_arm(given.arm)
    if given.prepare is not None:
        prepare(given.prepare)
    rows = measure(given.inputs) if given.inputs is not None else []
    if given.seen:
        rows.append(seen())
        print(rows[-1])
    if given.solved:
        rows += solved()
        print(*rows[-2:], sep="\n")
    if rows and given.out is not None:
        keep(rows, given.out)


def keep(rows: list[Row], path: Path) -> None:
    """Write figures to a file, beside those of other jobs that it holds."""
    from dataclasses import asdict

    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    figures = [asdict(row) | {"ratio": row.ratio, "kept": row.kept} for row in rows]
    names = {row.what for row in rows}
    held["rows"] = [row for row in held["rows"] if row["what"] not in names] + figures
    path.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
