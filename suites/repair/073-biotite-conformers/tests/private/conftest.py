# referee-canary 073 416556f8-2ed0-4be9-9788-aa474139630e
"""Gives the checks molecules with conformers, and the bonds that their chemistry asks for."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_073_chains"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("chains.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def chains():
    return load()
