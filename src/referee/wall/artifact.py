"""The fixture `artifact`: asks an artifact by the contract that its task declares, and holds every
answer against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.task.contract import ArrayForm, ContractTable, FileForm, form_text
from referee.wall.api import CandidateContract
from referee.wall.npy import read_npy
from referee.wall.session import WallSession

if TYPE_CHECKING:
    import numpy as np

_ASK = """\
def ask(module, name, values):
    import importlib

    return getattr(importlib.import_module(module), name)(*values)
"""


class Artifact:
    """An artifact on the other side of the wall."""

    def __init__(self, session: WallSession, contract: ContractTable) -> None:
        self._session = session
        self.contract = contract

    def __call__(self, *inputs: Any) -> Any:
        """Ask the entry of the contract for one call; its output, or a tuple of its outputs.

        Raises:
            CandidateFailure: there was no answer, or (`contract`) not of the form declared.
            ValueError: the inputs themselves are not as declared: a mistake in the check.
        """
        sizes: dict[str, int] = {}
        for form, value in zip(self.contract.inputs, inputs, strict=True):
            if problem := _problem(form, value, sizes):
                raise ValueError(f"input {form.name}: {problem}")
        arguments = (self.contract.module, self.contract.function, list(inputs))
        answer = self._session.call(_ASK, "ask", arguments)
        outputs = self.contract.outputs
        values = self._several(answer, len(outputs))
        for form, value in zip(outputs, values, strict=True):
            if problem := _problem(form, value, sizes):
                raise CandidateContract(f"output {form.name}: {problem}")
        return values[0] if len(outputs) == 1 else tuple(values)

    def file(self, path: str) -> np.ndarray[Any, Any]:
        """The array in a file of the contract, read strictly.

        Raises:
            CandidateFailure: it is not there, too large, no such file, or not as declared.
            KeyError: the contract names no such file: a mistake in the check.
        """
        form = next((form for form in self.contract.files if form.path == path), None)
        if form is None:
            raise KeyError(path)
        try:
            array = read_npy(self._bytes(form))
        except ValueError as error:
            raise CandidateContract(f"{path}: {error}") from None
        if problem := _problem(form, array, {}):
            raise CandidateContract(f"{path}: {problem}")
        return array

    def _bytes(self, form: FileForm) -> bytes:
        data = self._session.command(["true"], files=[form.path]).files.get(form.path)
        if data is None:
            raise ValueError("there is no such file")
        if len(data) > form.max_mb << 20:
            raise ValueError(f"more than {form.max_mb} MiB")
        return data

    def _several(self, answer: Any, wanted: int) -> Sequence[Any]:
        if wanted == 1:
            return [answer]
        if not isinstance(answer, (tuple, list)) or len(answer) != wanted:
            raise CandidateContract(f"the answer is not a tuple of {wanted} arrays")
        return answer


def _problem(form: ArrayForm | FileForm, value: Any, sizes: dict[str, int]) -> str | None:
    """What keeps a value from the form declared; `sizes` gets the extents that names stand for."""
    import numpy as np

    wanted = form_text(form.dtype, form.shape)
    if not form.shape:
        if not isinstance(value, (bool, int, float, complex, np.generic)):
            return f"{type(value).__name__} instead of {wanted}"
        array = np.asarray(value)
        own = np.min_scalar_type(value) if isinstance(value, int) else array.dtype
        if not np.can_cast(own, form.dtype, "safe"):
            return f"{array.dtype} instead of {wanted}"
    else:
        if not isinstance(value, np.ndarray):
            return f"{type(value).__name__} instead of {wanted}"
        array = value
        if array.dtype != np.dtype(form.dtype):
            return f"an array of {array.dtype} instead of {wanted}"
    if not _fits(array.shape, form.shape, sizes):
        return f"shape {array.shape} instead of {wanted}"
    if form.finite and not bool(np.isfinite(array).all()):
        return f"{int((~np.isfinite(array)).sum())} values are not finite"
    return None


def _fits(shape: tuple[int, ...], wanted: tuple[int | str, ...], sizes: dict[str, int]) -> bool:
    if len(shape) != len(wanted):
        return False
    return all(
        extent == (declared if isinstance(declared, int) else sizes.setdefault(declared, extent))
        for extent, declared in zip(shape, wanted, strict=True)
    )
