# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""Gives the checks their own genealogies and their own arithmetic, which share nothing with tskit."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_063_genealogies"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("genealogies.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def own():
    return load()
