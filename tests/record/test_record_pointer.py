"""JSON pointers, by the examples of RFC 6901."""

from __future__ import annotations

import pytest

from referee.record.pointer import at_pointer, escaped

DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/m~0n", 8),
        ("/ ", 7),
    ],
)
def test_the_examples_of_the_standard(pointer, value):
    assert at_pointer(DOCUMENT, pointer) == value


@pytest.mark.parametrize("pointer", ["/no", "/foo/2", "/foo/-1", "/foo/01", "/foo/0/x", "/foo/²"])
def test_what_is_not_there(pointer):
    with pytest.raises(KeyError):
        at_pointer(DOCUMENT, pointer)


def test_a_pointer_begins_with_a_slash():
    with pytest.raises(ValueError):
        at_pointer(DOCUMENT, "foo")


def test_any_key_can_be_pointed_at():
    for key in DOCUMENT:
        assert at_pointer(DOCUMENT, f"/{escaped(key)}") == DOCUMENT[key]
