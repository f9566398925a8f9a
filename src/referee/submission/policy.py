"""What a submission may touch: path globs, sizes, and names that are refused whatever they say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from referee.submission.refusal import Reason, Refusal, shown
from referee.task.package import TaskPackage
from referee.task.reproduction.load import generated_roots_of

LONGEST_NAME = 255
LONGEST_PATH = 1024
DEEPEST = 48

_STEERS_PYTHON = frozenset({"sitecustomize", "usercustomize", "conftest"})
_STEERS_CHECKS = frozenset(
    {
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "pyvenv.cfg",
        ".gitattributes",
        ".gitmodules",
        ".coveragerc",
    }
)
_STEERS_SUFFIXES = (".pth", "._pth", ".egg-link", ".egg", ".dist-info", ".egg-info")
_COMPILED_SUFFIXES = (".so", ".pyd", ".dll", ".dylib", ".pyc", ".pyo", ".o", ".a")
_VERSIONED_LIBRARY = re.compile(r"\.(so|dylib)(\.\d+)+$")
_CACHES = frozenset(
    {"__pycache__", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", ".git"}
)
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
_NATIVE = (
    b"\x7fELF",
    b"!<arch>\n",
    b"!<thin>\n",
    b"\x00asm",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
)
_ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def is_binary(data: bytes) -> bool:
    """True for bytes that are not lines of text: a NUL anywhere, or a compressed stream."""
    return b"\0" in data or data.startswith(_COMPRESSED)


def is_compiled(data: bytes) -> bool:
    """True for native objects, libraries, archives and Python byte code, by content."""
    if data.startswith(_NATIVE) or (data.startswith(b"MZ") and b"\0" in data[:64]):
        return True
    return data[2:4] == b"\r\n" and b"\0" in data[4:16]


@lru_cache(maxsize=1024)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """Regular expression of a glob that must match a whole POSIX relative path.

    `*` and `?` stay inside one component, `**` stands for any number of components, `[...]` is a
    set of characters, and a final `/` means everything below.
    """
    parts = (glob + "**" if glob.endswith("/") else glob).split("/")
    out = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            out += r"[^/]+(?:/[^/]+)*" if last else r"(?:[^/]+/)*"
        else:
            out += _component(part) + ("" if last else "/")
    return re.compile(out + r"\Z", re.DOTALL)


def _component(part: str) -> str:
    out, i = "", 0
    while i < len(part):
        if part[i] == "*":
            out += "[^/]*"
        elif part[i] == "?":
            out += "[^/]"
        elif part[i] == "[" and (end := part.find("]", i + 2)) > 0:
            inside = part[i + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            negated = inside.startswith(("!", "^"))
            out += f"(?!/)[^{inside[1:]}]" if negated else f"(?!/)[{inside}]"
            i = end
        else:
            out += re.escape(part[i])
        i += 1
    return out


def matches(path: str, globs: Iterable[str]) -> bool:
    """True if one of `globs` matches the whole of `path`."""
    return any(glob_pattern(glob).match(path) for glob in globs)


def path_fault(path: str) -> str | None:
    """Why `path` is not a plain relative path below a root, or None if it is one."""
    if not path:
        return "the path is empty"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "the path is absolute"
    if "\\" in path:
        return "the path has a backslash"
    if any(unicodedata.category(c) in _ODD_CATEGORIES for c in path):
        return "the path has control, invisible or undecodable characters"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "the path has an empty, `.` or `..` component"
    if len(parts) > DEEPEST or len(path.encode()) > LONGEST_PATH:
        return f"the path is deeper than {DEEPEST} or longer than {LONGEST_PATH} bytes"
    if any(len(part.encode()) > LONGEST_NAME for part in parts):
        return f"a component is longer than {LONGEST_NAME} bytes"
    return None


def name_fault(path: str) -> tuple[Reason, str] | None:
    """Why a component of `path` is refused whatever the globs say, or None."""
    for name in path.casefold().split("/"):
        if name in _STEERS_CHECKS or name.split(".")[0] in _STEERS_PYTHON:
            return "forbidden_name", f"{name} changes how checks or the interpreter run"
        if name.endswith(_STEERS_SUFFIXES):
            return "forbidden_name", f"{name} changes what the interpreter loads"
        if name == ".git":
            return "forbidden_name", "a repository's own files are not part of a submission"
        if name.endswith(_COMPILED_SUFFIXES) or _VERSIONED_LIBRARY.search(name):
            return "compiled_code", f"{name} is compiled code; hand in its source"
        if name in _CACHES:
            return "compiled_code", f"{name} is a cache; hand in sources"
    return None


@dataclass(frozen=True)
class Policy:
    """The gate of one task. `max_bytes` caps the patch, and what one file may grow by; `outputs`
    are globs of what a build leaves, which no submission carries."""

    writable: tuple[str, ...]
    binary: tuple[str, ...] = ()
    max_bytes: int = 1 << 20
    max_files: int = 64
    outputs: tuple[str, ...] = ()

    @cached_property
    def _outputs(self) -> tuple[str, ...]:
        return tuple(glob.rstrip("/") for glob in self.outputs)

    @classmethod
    def of_task(cls, task: TaskPackage) -> Policy:
        """The policy that `[referee]` of a task file states. What a replay makes again is dropped
        from a workspace like the outputs of a build."""
        table = task.agent.file.referee
        return cls(
            writable=table.writable,
            binary=table.writable_binary,
            max_bytes=table.limits.submission_kb * 1024,
            max_files=table.limits.submission_files,
            outputs=(*table.build.outputs, *generated_roots_of(task)),
        )

    def check(self, path: str) -> Refusal | None:
        """Refusal of a change at `path` by its name alone, or None if it may change."""
        if (fault := path_fault(path)) is not None:
            return Refusal("bad_path", shown(path), fault)
        if (named := name_fault(path)) is not None:
            return Refusal(named[0], shown(path), named[1])
        if self._is_output(path):
            return Refusal("build_output", shown(path), "a grading makes this file again")
        if not matches(path, self.writable + self.binary):
            allowed = ", ".join(self.writable)
            return Refusal("outside_writable", shown(path), f"only {allowed} may change")
        return None

    def check_content(self, path: str, data: bytes, base_size: int) -> Refusal | None:
        """Refusal of the new content of `path`, whose old content had `base_size` bytes."""
        if len(data) > self.cap(base_size):
            return self.oversize(path)
        if is_compiled(data):
            return Refusal("compiled_code", shown(path), "the content is compiled code")
        if is_binary(data) and not matches(path, self.binary):
            return Refusal("binary", shown(path), "binary content is not allowed here")
        return None

    def cap(self, base_size: int) -> int:
        """The most bytes that a file may have whose old content had `base_size` bytes."""
        return base_size + self.max_bytes

    def oversize(self, path: str | None) -> Refusal:
        """The refusal of too many bytes."""
        name = None if path is None else shown(path)
        return Refusal("too_large", name, f"a submission may have {self.max_bytes} bytes")

    def overcount(self) -> Refusal:
        """The refusal of too many changed files."""
        return Refusal("too_many_files", None, f"a submission may change {self.max_files} files")

    def ignored(self, path: str) -> bool:
        """True for what running or building the code leaves behind: it is dropped when a
        workspace is collected, and the file of the baseline, if any, stays as it was."""
        for name in path.split("/"):
            if name in _CACHES or name.endswith((".pyc", ".pyo", ".egg-info")):
                return True
        return self._is_output(path)

    def _is_output(self, path: str) -> bool:
        parts = path.split("/")
        above = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        return bool(self._outputs) and any(matches(part, self._outputs) for part in above)
