"""Make a virtual environment and install referee into it, from hash-pinned files.

Usage: python3 scripts/make_venv.py FOLDER LOCK_FILE

Works on a Debian Python without the package `python3-venv`: then pip itself is fetched from the
package index, by hash.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import venv
from pathlib import Path

PIP_FILE = "pip-25.3-py3-none-any.whl"
PIP_SHA256 = "9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd"


def main() -> None:
    """Make or update the environment; an exit code other than 0 means that it is not usable."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the reader may start it with any Python
        sys.exit(f"referee needs Python 3.11 or newer, and this is {sys.version.split()[0]}")
    folder, lock = Path(sys.argv[1]), sys.argv[2]
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=False, symlinks=True)
    with tempfile.TemporaryDirectory() as scratch:
        pip = [str(python), "-m", "pip"]
        if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
            _install_pip(python, Path(scratch))
        quiet = ["--quiet", "--disable-pip-version-check"]
        run([*pip, "install", *quiet, "--require-hashes", "-r", lock])
        run([*pip, "install", *quiet, "--no-deps", "--no-build-isolation", "-e", "."])


def run(command: list[str]) -> None:
    """Run one step; its failure ends the whole."""
    done = subprocess.run(command)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")


def _install_pip(python: Path, scratch: Path) -> None:
    ready = subprocess.run([str(python), "-m", "ensurepip"], capture_output=True)
    if ready.returncode == 0:
        return
    wheel = scratch / PIP_FILE
    wheel.write_bytes(_fetch_pip())
    run([str(python), f"{wheel}/pip", "install", "--quiet", "--no-index", str(wheel)])


def _fetch_pip() -> bytes:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page_url = f"{index}/pip/"
    try:
        page = urllib.request.urlopen(page_url).read().decode()
        start = page.index(PIP_FILE)
        link = page[page.rindex('href="', 0, start) + 6 :].split('"', 1)[0].split("#", 1)[0]
        data = urllib.request.urlopen(urllib.parse.urljoin(page_url, link)).read()
    except (OSError, ValueError) as error:
        sys.exit(f"pip cannot be fetched ({error}); install the Debian package python3-venv")
    if hashlib.sha256(data).hexdigest() != PIP_SHA256:
        sys.exit(f"{PIP_FILE} from the package index has another hash; nothing was installed")
    return bytes(data)


if __name__ == "__main__":
    main()
