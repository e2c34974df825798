"""A document for my students: the derivation of an arm as PDF, and which rule found which angle."""

import subprocess
from pathlib import Path

subprocess.run(["armwerk", "derive", "stanford", "--out", "handout", "--pdf"], check=True)
documents = list(Path("handout").glob("*.pdf"))
print(documents)
assert len(documents) == 1
assert documents[0].read_bytes().startswith(b"%PDF")
told = subprocess.run(
    ["armwerk", "derive", "stanford", "--explain"],
    check=True,
    capture_output=True,
    encoding="utf-8",
)
assert "rule" in told.stdout
