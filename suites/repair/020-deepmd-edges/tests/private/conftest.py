# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Gives the checks the atoms that they share."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def atoms():
    place = Path(__file__).with_name("atoms.py")
    spec = importlib.util.spec_from_file_location("referee_task_020_atoms", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
