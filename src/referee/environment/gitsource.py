"""One commit of a git repository as a tar of its files, without history."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from referee.environment.progress import Say
from referee.environment.store import remove_tree
from referee.record.fault import BadInput

if TYPE_CHECKING:
    from referee.task.model import Release

# Attributes in the repository may leave files out of an archive or write dates into them.
_ATTRIBUTES = "* -export-ignore -export-subst\n"


def fetch_git(release: Release, target: Path, say: Say) -> None:
    """Write the files of `release.commit` to `target` as an uncompressed tar.

    Raises:
        BadInput: git is missing, the address cannot be reached, or it has no such commit.
    """
    url, commit = str(release.url), str(release.commit)
    say(f"fetching commit {commit[:12]} of {release.name}")
    bare = Path(tempfile.mkdtemp(prefix=".git.", dir=target.parent))
    try:
        _git("init", "--quiet", "--bare", str(bare))
        (bare / "info").mkdir(exist_ok=True)
        (bare / "info" / "attributes").write_text(_ATTRIBUTES)
        at = ("-C", str(bare))
        one = _git(*at, "fetch", "--quiet", "--depth=1", "--end-of-options", url, commit, ok=False)
        if one.returncode != 0:  # some servers hand out named commits only
            everything = ("+refs/*:refs/all/*",)
            whole = _git(*at, "fetch", "--quiet", "--end-of-options", url, *everything, ok=False)
            if whole.returncode != 0:
                raise BadInput(
                    f"commit {commit} of {release.name} is needed and cannot be fetched"
                    f" ({_last_line(whole.stderr)})",
                    hint="check `url` in source.toml and that this machine is online",
                )
        if _git(*at, "cat-file", "-e", f"{commit}^{{commit}}", ok=False).returncode != 0:
            raise BadInput(f"{release.name}'s repository has no commit {commit}")
        _git(*at, "archive", "--format=tar", f"--output={target}", commit)
    finally:
        remove_tree(bare)


def _git(*arguments: str, ok: bool = True) -> subprocess.CompletedProcess[bytes]:
    env = {
        k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_SSH_COMMAND"
    }
    env |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            ["git", *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise BadInput("git is missing", hint="install it: sudo apt-get install git") from error
    if ok and done.returncode != 0:
        raise BadInput(f"git {arguments[-1]} failed ({_last_line(done.stderr)})")
    return done


def _last_line(text: bytes) -> str:
    lines = [line for line in text.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else "no message"
