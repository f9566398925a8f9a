# referee-canary 038 d97d7387-7e07-4877-a3ae-e9c786d23b89
"""Gives the checks their own crystallography, which shares nothing with spglib."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_038_groups"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("groups.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def own():
    return load()
