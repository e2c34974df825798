"""``armwerk reach``: which places does an arm reach, in how many ways, and how well?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from armwerk.accelerator import Device
from armwerk.cli.arguments import ShapesOption, length, solids_of, whole_numbers
from armwerk.cli.arm_options import ArmArgument, OpenMeshesOption, SrdfOption, TipOption, with_tip
from armwerk.cli.console import add_column, add_row, progress_bar, put, put_json, table, working
from armwerk.cli.sweeping_options import BodiesOption, EngineOption
from armwerk.planning.options import ContactMethod, ReachMethod

if TYPE_CHECKING:
    from armwerk.planning import Reach


def reach(
    name: ArmArgument,
    bodies: BodiesOption = None,
    shapes: ShapesOption = None,
    method: Annotated[
        ReachMethod,
        typer.Option(
            "--method",
            help="forward: walk joint values, see where the tool comes to lie; inverse: ask for "
            "all solutions at every voxel.",
        ),
    ] = "forward",
    cell: Annotated[
        str, typer.Option("--cell", metavar="LENGTH", help="Edge of a voxel, as 5cm or 0.05.")
    ] = "5cm",
    steps: Annotated[
        str | None,
        typer.Option(
            "--steps", metavar="N[,N...]", help="Values of every joint, or of each, all combined."
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", help="Random configurations. Without both: a million."),
    ] = None,
    orientations: Annotated[
        str | None,
        typer.Option(
            "--orientations", metavar="N|down", help="Of the tool, inverse. Without it: 12."
        ),
    ] = None,
    contact: Annotated[
        ContactMethod | None,
        typer.Option(
            "--contact",
            help="exact: solids; spheres: spheres around the arm against boxes; boxes: other "
            "bodies inside boxes too. Without it: spheres among boxes (forward), else exact.",
        ),
    ] = None,
    engine: EngineOption = "local",
    workers: Annotated[
        int | None, typer.Option("--workers", help="Without it: one per core.")
    ] = None,
    device: Annotated[
        Device, typer.Option("--device", help="gpu: sweeps on an accelerator.")
    ] = "cpu",
    seed: Annotated[int, typer.Option("--seed", help="Of the random configurations.")] = 0,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            "--out",
            metavar="FILE",
            help="Picture .png or .svg, all arrays .npz; may be repeated.",
        ),
    ] = None,
    open_meshes: OpenMeshesOption = "refuse",
    tip: TipOption = None,
    srdf: SrdfOption = None,
    height: Annotated[
        str | None,
        typer.Option(
            "--height",
            metavar="LENGTH",
            help="The picture's view from above shows the layer at this height, as 40cm or 0.4.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, in metres.")] = False,
) -> None:
    """Find out which places an arm reaches, in how many ways, and how well it moves there.

    Space is cut into voxels. Each gets the number of free configurations (forward) or of free
    inverse solutions (inverse) and the best manipulability among them. The result is the same for
    any engine, number of workers and device.

    \b
    Examples:
      armwerk reach ur5e --save reach.png
      armwerk reach ur5e --height 40cm --save slice.png
      armwerk reach ur5e --bodies cell.toml --cell 5cm --save reach.png --save reach.npz
      armwerk reach puma560 --method inverse --orientations 24 --cell 10cm
      armwerk reach ur5e --steps 20,20,20,10,10,1 --engine dask --workers 4
    """
    from armwerk.planning import reach as sweep
    from armwerk.planning.reachability.result import checked_path
    from armwerk.robot import load

    files = [checked_path(path) for path in save or ()]
    cut = None if height is None else length(height, "--height")
    arm = load(with_tip(name, tip), srdf=srdf)
    around = None
    if bodies is not None:
        from armwerk.collision.bodies import Bodies

        around = Bodies.load(bodies, open_meshes)
    wanted = around is not None or shapes is not None
    with progress_bar("sweeping") as progress:
        found = sweep(
            arm,
            around,
            method=method,
            cell=length(cell, "--cell"),
            steps=_one_or_many(steps),
            samples=samples,
            orientations=_orientations(orientations),
            contact=contact,
            shapes=solids_of(arm, shapes) if wanted else None,
            engine=engine,
            workers=workers,
            device=device,
            seed=seed,
            progress=progress,
        )
    if as_json:
        put_json(_json(found))
    else:
        put(_table(found))
    for path in files:
        with working("writing"):
            written = (
                found.save(path)
                if cut is None or path.suffix.lower() == ".npz"
                else found.plot(path, height=cut)
            )
        if not as_json:
            put(f"{'arrays' if path.suffix.lower() == '.npz' else 'picture'}: {written}")


def _one_or_many(steps: str | None) -> int | list[int] | None:
    """Return a number of values for all joints, or one each."""
    if steps is None:
        return None
    counts = whole_numbers(steps, "--steps")
    return counts[0] if len(counts) == 1 else counts


def _orientations(text: str | None) -> int | str | None:
    """Return a number of tool orientations, or the name of one."""
    words = None if text is None else text.strip()
    return int(words) if words is not None and words.isdigit() else words


def _table(found: Reach) -> Table:
    shown = table(f"{found.arm.title or found.arm.name}: reach, {found.method}")
    add_column(shown, "")
    add_column(shown, "", number=True)
    forward = found.oriented is None
    add_row(shown, "voxels reached", f"{found.reached:,} of {1000 * found.cell:g} mm")
    add_row(shown, "volume [m³]", f"{found.volume:.4g}")
    for axis, edges in zip("xyz", found.edges, strict=True):
        add_row(shown, f"{axis} [m]", f"{edges[0]:.3f} to {edges[-1]:.3f}")
    what = "configurations" if forward else "poses"
    add_row(shown, what, f"{found.tried:,}")
    add_row(shown, "free" if forward else "with a free solution", f"{100 * found.fraction:.2f} %")
    if found.contact != "none":
        words = "touching" if forward else "solutions touching"
        add_row(shown, words, f"{found.touching:,} (contact: {found.contact})")
    if not forward:
        add_row(shown, "free solutions", f"{int(found.counts.sum()):,}")
    best = float(found.manipulability.max(initial=0.0))
    unit = ("", " [m]", " [m²]", " [m³]")[found.rank]
    add_row(shown, f"best manipulability{unit}", f"{best:.4g}")
    add_row(shown, "time [s]", f"{found.seconds:.3f}")
    add_row(shown, "engine", f"{found.engine}, {found.device}")
    return shown


def _json(found: Reach) -> dict[str, object]:
    data: dict[str, object] = {
        "arm": found.arm.name,
        "method": found.method,
        "contact": found.contact,
        "bodies": list(found.bodies.names),
        "corner": found.corner.tolist(),
        "cell": found.cell,
        "shape": list(found.shape),
        "reached": found.reached,
        "volume": found.volume,
        "tried": found.tried,
        "touching": found.touching,
        "share": found.fraction,
        "ways": int(found.counts.sum()),
        "best_manipulability": float(found.manipulability.max(initial=0.0)),
        "seconds": found.seconds,
        "engine": found.engine,
        "device": found.device,
    }
    if found.orientations is not None:
        data["orientations"] = len(found.orientations)
    return data
