"""The process that runs a generator: `python -P -m referee.data.worker FILE PART SIZE SEED FOLDER`.

It is started by `generate.py`. What the generator prints is shown as progress.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run one half of a task's generator."""
    file, part, size, seed, folder = argv[1:]
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("referee_task_data", file)
    if spec is None or spec.loader is None:
        raise ImportError(file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    getattr(module, part)(size, int(seed), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
