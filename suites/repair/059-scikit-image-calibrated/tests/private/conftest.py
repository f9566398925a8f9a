# referee-canary 059 573bea3e-6025-4343-98c6-244d96f7381c
"""Gives the checks the bench of this task: regions, and their measurements worked out directly."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_059_bench"


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
