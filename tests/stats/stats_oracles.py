"""Values that tests compare with, each once computed by two methods: `data/oracles.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ORACLES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data/oracles.json").read_text("utf-8")
)


def about(value: Any) -> Any:
    """Equal to twelve significant digits, as many as the file has; numbers near zero to 1e-12."""
    return pytest.approx(value, rel=2e-11, abs=1e-12)
