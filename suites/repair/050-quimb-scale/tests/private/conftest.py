# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""Gives the checks the judge of this task: states and norms from NumPy, without quimb."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_050_networks"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("networks.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def nets():
    return load()
