"""The gate's rules for names, globs and content; each hostile case has an honest twin."""

from __future__ import annotations

import pytest

from referee.submission.policy import Policy, is_binary, is_compiled, matches

POLICY = Policy(
    writable=("pkg/**/*.py", "src/*.c", "docs/"),
    binary=("pkg/data/*.npz",),
    outputs=("build/", "**/*.gen.c"),
)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("pkg/**/*.py", "pkg/a.py", True),
        ("pkg/**/*.py", "pkg/x/y/a.py", True),
        ("pkg/**/*.py", "other/pkg/a.py", False),
        ("pkg/**", "pkg/x/y", True),
        ("pkg/**", "pkg", False),
        ("pkg/*", "pkg/x/y", False),
        ("**/a.py", "a.py", True),
        ("**/a.py", "x/y/a.py", True),
        ("**", "anything/at/all", True),
        ("*.py", "x/a.py", False),
        ("docs/", "docs/x/y.md", True),
        ("a?c.py", "abc.py", True),
        ("a?c.py", "a/c.py", False),
        ("a[b-d].py", "ac.py", True),
        ("a[!b].py", "ab.py", False),
        ("a[!b].py", "a/.py", False),
        ("a.py", "axpy", False),
        ("a.py", "a.py\n", False),
    ],
)
def test_globs_match_whole_paths(glob: str, path: str, expected: bool) -> None:
    assert matches(path, (glob,)) is expected


@pytest.mark.parametrize("path", ["pkg/a.py", "pkg/x/y.py", "src/a.c", "docs/café notes.md"])
def test_honest_paths_pass(path: str) -> None:
    assert POLICY.check(path) is None


OPEN = Policy(writable=("**",))


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "pkg/a.txt",
        "src/x/a.c",
        "README.md",
    ],
)
def test_b01_paths_outside_the_globs_are_refused(path: str) -> None:
    refusal = POLICY.check(path)
    assert refusal is not None
    assert refusal.reason == "outside_writable"


@pytest.mark.parametrize("path", ["conftest.py", "pkg/conftest.py", "pkg/ConfTest.py"])
def test_b02_conftest_is_refused_even_where_everything_is_writable(path: str) -> None:
    refusal = OPEN.check(path)
    assert refusal is not None
    assert refusal.reason == "forbidden_name"
    assert OPEN.check("pkg/configtest.py") is None


@pytest.mark.parametrize(
    "path",
    [
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "sub/pyproject.toml",
        "sitecustomize.py",
        "sitecustomize/__init__.py",
        "usercustomize.py",
        "x/evil.pth",
        "pyvenv.cfg",
    ],
)
def test_b03_files_that_steer_checks_or_the_interpreter_are_refused(path: str) -> None:
    refusal = OPEN.check(path)
    assert refusal is not None
    assert refusal.reason == "forbidden_name"
    assert OPEN.check(path.replace(".", "_") + ".txt") is None or "custom" in path


@pytest.mark.parametrize(
    "path", ["x.dist-info/entry_points.txt", "pkg/x-1.dist-info/RECORD", "x.egg-info/PKG-INFO"]
)
def test_b04_distribution_metadata_is_refused(path: str) -> None:
    refusal = OPEN.check(path)
    assert refusal is not None
    assert refusal.reason == "forbidden_name"
    assert OPEN.check("pkg/entry_points.txt") is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".git/hooks/x", "forbidden_name"),
        ("a/.git/config", "forbidden_name"),
        ("a/.GIT/config", "forbidden_name"),
        ("../x", "bad_path"),
        ("a/../x", "bad_path"),
        ("./x", "bad_path"),
        ("a//x", "bad_path"),
        ("a/", "bad_path"),
        ("", "bad_path"),
        ("/abs", "bad_path"),
        ("~/x", "bad_path"),
        ("C:\\x", "bad_path"),
        ("C:/x", "bad_path"),
        ("a\\b", "bad_path"),
        ("a\0b", "bad_path"),
        ("a\nb", "bad_path"),
        ("a\x1b[2Jb", "bad_path"),
        ("a\udce9", "bad_path"),
        (".g\u200cit/config", "bad_path"),
        ("x/" * 60 + "y", "bad_path"),
        ("n" * 300, "bad_path"),
    ],
)
def test_b05_paths_that_leave_the_tree_are_refused(path: str, reason: str) -> None:
    refusal = OPEN.check(path)
    assert refusal is not None
    assert refusal.reason == reason
    assert refusal.path is not None
    assert refusal.path.isprintable()
    assert len(refusal.path) < 300
    assert OPEN.check("git/hooks/x") is None


@pytest.mark.parametrize(
    "path",
    [
        "_x.cpython-311.so",
        "a.pyd",
        "a.dll",
        "a.dylib",
        "a.o",
        "a.a",
        "m.pyc",
        "libx.so.1.2",
        "__pycache__/m.cpython-311.pyc",
        "__pycache__/m.py",
    ],
)
def test_b10_compiled_names_are_refused(path: str) -> None:
    refusal = Policy(writable=("**",), binary=("**",)).check(path)
    assert refusal is not None
    assert refusal.reason == "compiled_code"
    assert OPEN.check("x.so.py") is None


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\0",
        b"!<arch>\nx.o/",
        b"MZ\x90\0\x03",
        b"\xa7\r\r\n\0\0\0\0\0\0\0\0",
        b"\0asm\1\0\0\0",
    ],
)
def test_b10_compiled_content_is_refused_under_any_name(data: bytes) -> None:
    assert is_compiled(data)
    refusal = Policy(writable=("**",), binary=("**",)).check_content("data.npz", data, 0)
    assert refusal is not None
    assert refusal.reason == "compiled_code"


@pytest.mark.parametrize("data", [b"", b"x = 1\n", b"ab\r\ncd\r\n", b"caf\xe9\n", b"MZ\n"])
def test_text_is_neither_binary_nor_compiled(data: bytes) -> None:
    assert not is_compiled(data)
    assert not is_binary(data)


def test_binary_content_needs_its_own_globs() -> None:
    data = b"PK\x03\x04\0rest"
    assert POLICY.check("pkg/data/grid.npz") is None
    assert POLICY.check_content("pkg/data/grid.npz", data, 0) is None
    refusal = POLICY.check_content("pkg/a.py", data, 0)
    assert refusal is not None
    assert refusal.reason == "binary"


def test_content_may_grow_by_the_limit_and_no_more() -> None:
    policy = Policy(writable=("**",), max_bytes=10)
    assert policy.check_content("a", b"x" * 30, 20) is None
    refusal = policy.check_content("a", b"x" * 31, 20)
    assert refusal is not None
    assert refusal.reason == "too_large"


def test_build_outputs_are_refused_in_patches_and_dropped_from_workspaces() -> None:
    refusal = POLICY.check("build/lib/a.py")
    assert refusal is not None
    assert refusal.reason == "build_output"
    for path in ("build", "build/x/y", "src/fast.gen.c", "a/__pycache__", "a/b.pyc", "x.egg-info"):
        assert POLICY.ignored(path)
    for path in ("pkg/a.py", "builder/x", "x.dist-info", "conftest.py", "pkg/a.so"):
        assert not POLICY.ignored(path)
