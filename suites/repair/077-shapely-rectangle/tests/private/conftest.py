# referee-canary 077 becb7508-372d-401a-bc02-da0d1000cf7e
"""Gives the checks the judge of this task, which shares nothing with shapely."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_077_planes"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("planes.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def plane():
    return load()
