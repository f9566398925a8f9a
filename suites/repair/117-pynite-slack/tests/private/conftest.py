# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""Gives the checks the module that builds frames and knows their lines."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_117_frames"


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
