# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""Gives the checks the judge of this task: a molecule reader that shares nothing with selfies."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_079_molecules"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("molecules.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def chem():
    return load()
