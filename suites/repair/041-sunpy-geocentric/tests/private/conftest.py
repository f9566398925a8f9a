# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""Gives the checks their own geometry, which shares nothing with the library."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def geometry():
    place = Path(__file__).with_name("geometry.py")
    spec = importlib.util.spec_from_file_location("referee_task_041_geometry", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
