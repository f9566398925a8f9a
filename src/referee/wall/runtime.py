"""Our own small programs that lie inside a sandbox, as plain files: name -> (bytes, mode)."""

from __future__ import annotations

from pathlib import Path

WALL_INSIDE = "/opt/referee/wall"
"""Where `worker_runtime()` is mounted, read-only, in a sandbox that answers private checks."""

CODEC = tuple(f"codec/{name}.py" for name in ("__init__", "form", "encoder", "decoder", "frames"))
"""The files of the codec, which lie on both sides."""

PUBLIC_CHECKS = b"""\
#!/bin/sh
# Tries the public checks on the working copy, all in one process. No score is made here.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 2
checks=${REFEREE_PUBLIC:-/task/public}
python=${REFEREE_PYTHON:-/opt/env/bin/python}
[ -x "$python" ] || python=python3
PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 \\
exec "$python" -B -m pytest -p referee.wall.local -p no:cacheprovider \\
  -c /dev/null --rootdir="$checks" --import-mode=importlib "$checks" "$@"
"""


def local_runtime() -> dict[str, tuple[bytes, int]]:
    """What an agent needs to try the public checks: a package with only the wall's words, which
    needs pytest and nothing of the rest of referee, and the program `public-checks`."""
    files = {
        "referee/__init__.py": (b'"""The words that public checks use."""\n', 0o644),
        "public-checks": (PUBLIC_CHECKS, 0o755),
    }
    own = _sources("__init__.py", "api.py", "local.py", *CODEC)
    return {**files, **{f"referee/wall/{name}": file for name, file in own.items()}}


def worker_runtime() -> dict[str, tuple[bytes, int]]:
    """What a sandbox needs at `WALL_INSIDE` to answer calls: the worker and its codec."""
    return _sources("worker.py", *CODEC)


def _sources(*names: str) -> dict[str, tuple[bytes, int]]:
    wall = Path(__file__).parent
    return {name: ((wall / name).read_bytes(), 0o644) for name in names}
