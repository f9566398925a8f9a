"""A submission as the folder that is replayed: the starter with the candidate's changes."""

from __future__ import annotations

from pathlib import Path

from referee.record.fault import Infrastructure
from referee.record.tree import EXECUTABLE, SYMLINK
from referee.submission.apply import Applied
from referee.submission.render import Reader


def write_delivery(applied: Applied, read: Reader, folder: Path) -> Path:
    """Write every file of the resulting tree into the new folder `folder`; returns it. `read`
    gives the files of the starter.

    Raises:
        Infrastructure: `layer_write`, the machine cannot write it.
    """
    try:
        folder.mkdir(mode=0o755)
        for path, entry in applied.tree.files.items():
            if entry.mode == SYMLINK:  # the gate lets none through, and no starter has one
                raise Infrastructure("layer_write", f"{path} is a link")
            data = applied.changes[path] if path in applied.changes else read(path)
            assert data is not None
            place = folder / path
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(0o755 if entry.mode == EXECUTABLE else 0o644)
    except OSError as error:
        raise Infrastructure("layer_write", f"{folder}: {error.strerror}") from error
    return folder
