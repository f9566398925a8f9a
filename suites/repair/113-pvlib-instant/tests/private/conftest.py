# referee-canary 113 8bca7bcd-e312-4a49-91ba-9b6c13718620
"""Gives the checks what they share: questions to the library, and formulas of their own."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_113_moments"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("moments.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def sun():
    return load()
