# referee-canary 060 4716fe02-b53c-42f2-a75a-a32bb7454b7b
"""Gives the checks the laboratory of this task: recordings with known clocks and drifts."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_060_lab"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("lab.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def lab():
    return load()
