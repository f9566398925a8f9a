"""Begin here: read the constants, compute the grating from both sides, write outputs/ and its manifest."""

import json
from pathlib import Path

GRATING = json.loads(Path("inputs/grating.json").read_text(encoding="utf-8"))

raise SystemExit("nothing is computed yet")
