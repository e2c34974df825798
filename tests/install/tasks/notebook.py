"""A notebook: an arm, its solutions, a motion, a map; everything shows itself."""

import nbformat
from nbclient import NotebookClient

CELLS = [
    "import armwerk as aw\narm = aw.load('puma560')\narm",
    "model = aw.model(arm)\nmodel",
    "solutions = model.ik(model.fk([0.1, 0.5, -1.2, 0.3, 0.8, 0]))\nsolutions.shape",
    "motion = aw.ptp(model, [0] * 6, [1, 0.5, -1, 0, 1, 0])\nmotion",
    "motion.plot()",
    "space = aw.cspace('planar_rr', [aw.Sphere(0.1, (0.3, 0.3, 0))], shape=(60, 60))\nspace",
]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, "arm.ipynb")
for code, cell in zip(CELLS, notebook.cells, strict=True):
    shown = {kind for output in cell.outputs for kind in output.get("data", {})}
    print(code.splitlines()[-1], sorted(shown))
    assert "shape" in code.splitlines()[-1] or shown & {"image/png", "text/html", "image/svg+xml"}
