"""The helpers of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

# Tests of this folder share helpers, and the import mode of this project adds no folders itself.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]
