# referee-canary 084 58093b9f-59c0-4b0c-ac82-213a65add153
"""Gives the checks the run block of this task: relaxations, and what they leave behind."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_084_runs"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("runs.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def runs():
    return load()
