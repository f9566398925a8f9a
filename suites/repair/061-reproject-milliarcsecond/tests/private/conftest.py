# referee-canary 061 16b38cde-6db9-4a99-8c5c-c7ffae1e20ac
"""Gives the checks their own geometry of the sky, which shares nothing with reproject."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_061_sky"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("sky.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def own():
    return load()
