# referee-canary 119 01007ba8-4159-484d-ac7c-78bdd134a941
"""Gives the checks their made-up molecules and files."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_119_springs"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("springs.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def made():
    return load()
