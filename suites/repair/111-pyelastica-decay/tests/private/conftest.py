# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Gives the checks the rods that they share."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def rods():
    place = Path(__file__).with_name("rods.py")
    spec = importlib.util.spec_from_file_location("referee_task_111_rods", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
