"""Evidence in a temporary folder, and the helpers of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from evidence_cases import evidence_in


@pytest.fixture
def evidence(tmp_path):
    """Empty roots of a candidate, and `refs`."""
    return evidence_in(tmp_path)


@pytest.fixture
def outputs(evidence):
    """The folder of the root `outputs`."""
    return evidence.roots["outputs"].folder
