# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""Gives the checks the judge of this task: integrands and integrals, without SymPy."""

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "referee_task_107_calculus"


def load():
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, Path(__file__).with_name("calculus.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


@pytest.fixture(scope="session")
def calc():
    return load()
