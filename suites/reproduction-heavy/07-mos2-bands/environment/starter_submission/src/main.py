"""Begin here: read the constants, run GPAW, write outputs/ and its manifest."""

import json
from pathlib import Path

MODEL = json.loads(Path("inputs/model.json").read_text(encoding="utf-8"))

raise SystemExit("nothing is computed yet")
