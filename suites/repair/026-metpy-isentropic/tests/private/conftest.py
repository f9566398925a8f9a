# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Gives the checks their own columns and their own solver."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def air():
    place = Path(__file__).with_name("columns.py")
    spec = importlib.util.spec_from_file_location("referee_task_026_columns", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
