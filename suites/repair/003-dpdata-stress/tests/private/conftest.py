# referee-canary 003 05f5302b-5bb7-4cc0-b5be-8a256bbe044c
"""Gives the checks the cell block of this task: periodic frames, and how they are written down."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_003_frames"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("frames.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def frames():
    return load()
