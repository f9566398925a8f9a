# referee-canary 029 2c31af3e-16ac-4be7-a2ad-550d37e4fad2
"""Gives the checks the model of this task: locations as lists of positions, without Biopython."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_029_reading"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("reading.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def model():
    return load()
