"""Which places can my arm reach around a table, and how well?"""

import subprocess
from pathlib import Path

import armwerk as aw

table = aw.Box((1.2, 0.8, 0.04), (0.7, 0, 0.3), name="table")
free, with_table = (aw.reach("ur5e", bodies, samples=100_000) for bodies in ([], [table]))
print(with_table)
with_table.plot("reach.png")
assert 0 < with_table.volume < free.volume
aw.Bodies([table]).save("table.toml")
command = ["armwerk", "reach", "ur5e", "--bodies", "table.toml", "--samples", "100000"]
subprocess.run([*command, "--out", "again.png"], check=True)
assert Path("again.png").exists()
