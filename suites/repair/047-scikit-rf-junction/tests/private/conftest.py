# referee-canary 047 a5eb1fbe-7a7a-4046-873e-46943874a981
"""Gives the checks the bench of this task: circuits worked out in voltages and currents."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_047_bench"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("bench.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def bench():
    return load()
