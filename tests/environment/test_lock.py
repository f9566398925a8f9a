"""requirements.lock: what is accepted, what is refused and where, and what names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.environment.lock import parse_lock, read_lock, refuse_target
from referee.record.fault import BadInput

A, B = "a" * 64, "b" * 64
GOOD = f"""\
# made by uv
numpy==1.26.4 \\
    --hash=sha256:{A} \\
    --hash=sha256:{B}
    # via -r in.txt
Ruamel.Yaml[jinja2]==0.18.6 ; python_version < "3.13" \\
    --hash=sha256:{A}
"""


def test_the_format_of_uv_is_read() -> None:
    lock = parse_lock(GOOD)
    assert [(p.name, p.version, p.extras, p.marker, p.sha256) for p in lock.pins] == [
        ("numpy", "1.26.4", (), "", (A, B)),
        ("ruamel-yaml", "0.18.6", ("jinja2",), 'python_version < "3.13"', (A,)),
    ]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (f"six==1.0 --hash=sha256:{A}\nnumpy>=1.26 --hash=sha256:{A}\n", 2, "not pinned"),
        ("# c\n\nsix==1.0\n", 3, "no hash"),
        (f"six==1.* --hash=sha256:{A}\n", 1, "not pinned to one version"),
        (f"six --hash=sha256:{A}\n", 1, "not pinned"),
        (f"six==1.0,<2 --hash=sha256:{A}\n", 1, "not pinned"),
        (f"six===1.0 --hash=sha256:{A}\n", 1, "not pinned"),
        ("six==1.0 --hash=sha256:abc\n", 1, "not a sha256"),
        ("six==1.0 --hash=md5:d41d8cd98f00b204e9800998ecf8427e\n", 1, "not a sha256"),
        (f"six==1.0 --hash=sha256:{A.upper()}\n", 1, "not a sha256"),
        (f"six @ file:///tmp/six.whl --hash=sha256:{A}\n", 1, "not pinned"),
        ("--index-url https://example.org/simple\n", 1, "no place in a lock"),
        ("-e ./six\n", 1, "no place in a lock"),
        (f"six==1.0 --hash=sha256:{A} \\\n", 1, "ends in the middle"),
        (f"six==1.0 --hash=sha256:{A}\nSIX==1.1 --hash=sha256:{A}\n", 2, "locked twice"),
        (f"\n\nsix==1.0 \\\n  --hash=sha256:{A} \\\n  junk\n", 3, "not a hash"),
        ("<<<<<<< HEAD\n", 1, "not a pin"),
        ("\x00\x01\x02\n", 1, "not a pin"),
    ],
)
def test_a_corrupt_line_is_named(text: str, line: int, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_lock(text, "some/requirements.lock")
    assert caught.value.where == f"some/requirements.lock:{line}"
    assert "\n" not in caught.value.sentence()


def test_a_truncated_empty_or_missing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "requirements.lock"
    with pytest.raises(BadInput, match="cannot be read"):
        read_lock(path)
    path.write_bytes(b"\n")
    with pytest.raises(BadInput, match="empty"):
        read_lock(path)
    path.write_bytes(b"\xff\xfe\x00s")
    with pytest.raises(BadInput, match="UTF-8"):
        read_lock(path)
    path.write_text("# nothing is needed\n")
    assert read_lock(path).pins == ()


def test_one_package_may_be_locked_for_different_machines() -> None:
    text = (
        f"six==1.0 ; python_version < '3.12' --hash=sha256:{A}\n"
        f"six==2.0 ; python_version >= '3.12' --hash=sha256:{B}\n"
    )
    assert [pin.version for pin in parse_lock(text).pins] == ["1.0", "2.0"]


def test_the_target_must_not_be_locked() -> None:
    lock = parse_lock(f"My_Target==1.0 --hash=sha256:{A}\n", "here.lock")
    with pytest.raises(BadInput, match=r"here\.lock: my-target==1\.0 is the task's own"):
        refuse_target(lock, "my.target")
    refuse_target(lock, "my-target-extras")


_NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
_PINS = st.dictionaries(
    _NAMES, st.tuples(st.integers(0, 99), st.sets(st.sampled_from([A, B, "c" * 64]), min_size=1))
)


@given(_PINS, st.randoms(use_true_random=False))
def test_order_comments_and_line_breaks_do_not_change_the_digest(
    pins: dict[str, tuple[int, set[str]]], random: object
) -> None:
    def written(names: list[str], wrap: str, comment: str) -> str:
        rows = []
        for name in names:
            version, hashes = pins[name]
            marks = [f"--hash=sha256:{h}" for h in hashes]
            random.shuffle(marks)  # type: ignore[attr-defined]
            rows.append(f"{name}==1.{version}{wrap}{wrap.join(marks)}\n{comment}")
        return "# head\n" + "".join(rows)

    plain = parse_lock(written(sorted(pins), " ", ""))
    other = parse_lock(written(sorted(pins, reverse=True), " \\\r\n   ", "    # via x\n\n"))
    assert plain.digest == other.digest
    assert parse_lock("#\n" + plain.text()).digest == plain.digest


def test_another_hash_or_version_is_another_lock() -> None:
    digests = {
        parse_lock(f"six==1.0 --hash=sha256:{A}").digest,
        parse_lock(f"six==1.0 --hash=sha256:{B}").digest,
        parse_lock(f"six==1.0.1 --hash=sha256:{A}").digest,
        parse_lock(f"six==1.0 --hash=sha256:{A} --hash=sha256:{B}").digest,
        parse_lock(f"six==1.0 ; sys_platform == 'linux' --hash=sha256:{A}").digest,
    }
    assert len(digests) == 5
