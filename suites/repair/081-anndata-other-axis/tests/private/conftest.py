# referee-canary 081 72cc39d1-b96a-4548-b227-7d5a0b0a25c0
"""Gives the checks the judge of this task: random studies, and what the merge rules keep of them."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_081_studies"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("studies.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def studies():
    return load()
