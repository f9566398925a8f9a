# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""Gives the checks their own boxes and paths, which share nothing with the library."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def walk():
    place = Path(__file__).with_name("walk.py")
    spec = importlib.util.spec_from_file_location("referee_task_023_walk", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
