# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""Gives the checks their own sky, which shares nothing with the library."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sky():
    place = Path(__file__).with_name("sky.py")
    spec = importlib.util.spec_from_file_location("referee_task_099_sky", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
