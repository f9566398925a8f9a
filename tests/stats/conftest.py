"""The helpers of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

# Tests of this folder share oracles, and the import mode of this project adds no folders itself.
sys.path.insert(0, str(Path(__file__).parent))
# An example may import a library of its own accord, and a busy machine may stop for long.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
