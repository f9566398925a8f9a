# referee-canary 045 63cd09f1-79ac-42ad-86e2-e6b54f4886c3
"""Gives the checks the judge of this task: halos by the table of links, without xgcm."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_045_halos"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("halos.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def halos():
    return load()
