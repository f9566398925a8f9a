"""Begin here: read the list of modes, compute their frequencies, write outputs/ and its manifest."""

import json
from pathlib import Path

MODES = json.loads(Path("inputs/modes.json").read_text(encoding="utf-8"))

raise SystemExit("nothing is computed yet")
