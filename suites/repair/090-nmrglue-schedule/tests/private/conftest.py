# referee-canary 090 49989f33-f65e-4f65-8eab-ede1ac2e1319
"""Gives the checks the magnet of this task: acquisitions and grids, worked out FID by FID."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_090_magnet"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("magnet.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def magnet():
    return load()
