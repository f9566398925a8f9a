"""A task's metric module: the evaluator's own code, loaded from the package and run on our side."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from referee.evidence.measure import MetricModule, Operation
from referee.evidence.units import UnitError
from referee.record.fault import BadInput
from referee.task.reproduction.package import OPERATIONS, REPLAY_OPERATION
from referee.task.strict import read_text


def load_metrics(path: Path) -> MetricModule:
    """The module at `path`, with the digest of the very text that was run.

    Raises:
        BadInput: it cannot be imported, or does not define OPERATIONS and derive as it must.
    """
    text = read_text(path)
    module = _run(path, text)
    operations = getattr(module, OPERATIONS, None)
    derive = getattr(module, "derive", None)
    if not isinstance(operations, Mapping) or not all(
        isinstance(name, str) and isinstance(spec, Operation) for name, spec in operations.items()
    ):
        told = f"{OPERATIONS} is no dictionary of names and Operation"
        raise BadInput(told, where=path, hint="from referee.evidence.measure import Operation")
    if REPLAY_OPERATION in operations:
        raise BadInput(f"the operation {REPLAY_OPERATION} is referee's own", where=path)
    if not callable(derive):
        hint = "define derive(operation, quantities, context)"
        raise BadInput("there is no function derive", where=path, hint=hint)
    digest = sha256(text.encode()).hexdigest()
    try:
        return MetricModule(digest, dict(operations), derive)
    except UnitError as error:
        raise BadInput(str(error), where=path) from None


def _run(path: Path, text: str) -> ModuleType:
    name = f"referee_metrics_{sha256(str(path).encode()).hexdigest()[:12]}"
    spec = spec_from_loader(name, loader=None, origin=str(path))
    assert spec is not None
    module = module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses of the module look themselves up there
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        told = f"cannot be imported ({type(error).__name__}: {error})"
        raise BadInput(told, where=path) from error
    return module
