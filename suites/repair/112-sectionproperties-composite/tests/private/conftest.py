# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""Gives the checks the module that knows plastic moments."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_112_sections"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("sections.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def sections():
    return load()
