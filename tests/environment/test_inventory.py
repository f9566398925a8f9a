"""What may be pruned, and what another process still needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from referee.environment.inventory import prune
from referee.environment.store import open_store

PRUNE = """\
import sys
from pathlib import Path

from referee.environment.inventory import prune
from referee.environment.store import open_store

prune(open_store(Path(sys.argv[1])))
"""


def test_prune_leaves_our_programs_to_a_process_that_uses_the_store(open_folder: Path) -> None:
    """A run remembers where its launcher and its exec server lie; another process prunes."""
    store = open_store(open_folder / "store")
    program = store.runtime({"tool": (b"#!/bin/sh\n", 0o755)})
    subprocess.run([sys.executable, "-c", PRUNE, str(store.root)], check=True)
    assert (program / "tool").exists()
    prune(store)
    assert not program.exists()
    again = store.runtime({"tool": (b"#!/bin/sh\n", 0o755)})
    subprocess.run([sys.executable, "-c", PRUNE, str(store.root)], check=True)
    assert again.exists()


def test_prune_leaves_what_another_process_has_just_prepared(open_folder: Path) -> None:
    """A run prepares its tasks one after the other, and holds them only when its trials begin."""
    store = open_store(open_folder / "store")
    fresh = store.publish("snapshot", "1" * 64, lambda folder: None)
    stale = store.publish("snapshot", "2" * 64, lambda folder: None)
    os.utime(stale, (1, 1))
    subprocess.run([sys.executable, "-c", PRUNE, str(store.root)], check=True)
    assert fresh.is_dir()
    assert not stale.exists()
    prune(store)
    assert not fresh.exists()
