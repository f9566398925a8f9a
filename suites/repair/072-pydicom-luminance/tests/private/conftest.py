# referee-canary 072 008a47ed-341f-4d85-bbf5-ec01f6501b13
"""Gives the checks their own colour conversion, which shares nothing with pydicom."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_072_colours"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("colours.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def own():
    return load()
