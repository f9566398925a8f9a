# referee-canary 076 52cfe004-7cc5-444d-9038-b12698e0a8cb
"""Gives the checks the model block of this task: one expression, in cvxpy and in numbers."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_076_models"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("models.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def models():
    return load()
