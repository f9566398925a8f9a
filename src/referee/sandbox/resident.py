"""How much memory the processes of a sandbox hold together, where no control group counts it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_OWN = ("RssAnon", "RssShmem")
_KIB = 1 << 10


def resident_bytes(pids: Iterable[int], limit: int) -> int:
    """Memory that processes hold, without files of the disk.

    What a parent and its children share counts for each of them in the quick sum. Only where that
    sum is above `limit` are shared pages looked for and split among those that share them (PSS); a
    process whose pages cannot be looked at keeps its quick figure.
    """
    quick = {pid: _quick(pid) for pid in pids}
    total = sum(quick.values())
    if total <= limit:
        return total
    return sum(min(own, _split(pid, own)) for pid, own in quick.items())


def _quick(pid: int) -> int:
    return sum(_fields(Path(f"/proc/{pid}/status"), _OWN))


def _split(pid: int, otherwise: int) -> int:
    found = _fields(Path(f"/proc/{pid}/smaps_rollup"), ("Pss_Anon", "Pss_Shmem"))
    return sum(found) if len(found) == 2 else otherwise


def _fields(path: Path, names: tuple[str, ...]) -> list[int]:
    """Sizes in bytes; none for a process that has ended or may not be looked at."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []
    split = (line.split() for line in lines)
    return [int(words[1]) * _KIB for words in split if words and words[0].rstrip(":") in names]
