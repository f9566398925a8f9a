"""Runs a task's generator in a process of its own, and checks what it made."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from referee.data.recipe import Recipe
from referee.environment.progress import Say
from referee.record.fault import BadInput
from referee.record.text import bounded_text

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Sums are then taken in one order, whatever the machine."""


def generate(recipe: Recipe, part: str, seed: int, folder: Path, say: Say) -> None:
    """Fill `folder` with the `public` or `hidden` files of a recipe.

    Raises:
        BadInput: the generator failed, or made other files than the task declares.
    """
    argv = [sys.executable, "-P", "-m", "referee.data.worker"]
    argv += [str(recipe.generator), part, recipe.size, str(seed), str(folder)]
    env = {**os.environ, **_ONE_THREAD, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            for line in process.stdout or ():
                say(f"  {bounded_text(line.decode('utf-8', 'replace').rstrip(), 200)}")
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if code != 0:
            raise _failed(recipe, code, _tail(errors.fileno()))
    require_files(recipe, part, folder)


def require_files(recipe: Recipe, part: str, folder: Path) -> None:
    """Check the names in a folder of data.

    Raises:
        BadInput: a declared file is missing or empty, or there is one that is not declared.
    """
    declared = recipe.table.public if part == "public" else recipe.table.hidden
    found = {path.name for path in folder.iterdir()}
    for name in declared:
        path = folder / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size == 0:
            raise BadInput(f"the {part} data of {recipe.label} have no {name}", where=folder)
    if others := sorted(found - set(declared)):
        raise BadInput(
            f"the generator of {recipe.label} made {others[0]}, which is not declared",
            where=recipe.generator,
            hint=f"name it in referee.data.{part}",
        )


def _failed(recipe: Recipe, code: int, errors: str) -> BadInput:
    last = errors.strip().splitlines()[-1] if errors.strip() else f"exit code {code}"
    return BadInput(
        f"the generator of the data of {recipe.label} failed: {bounded_text(last, 300)}",
        where=recipe.generator,
        hint="`python -P -m referee.data.worker FILE PART SIZE SEED FOLDER` shows the whole of it",
    )


def _tail(fd: int) -> str:
    size = os.lseek(fd, 0, os.SEEK_END)
    os.lseek(fd, max(0, size - 16384), os.SEEK_SET)
    return os.read(fd, 16384).decode("utf-8", "replace")
