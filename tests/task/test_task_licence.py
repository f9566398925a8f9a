"""The licence gate."""

from __future__ import annotations

import pytest

from referee.task.licence import licence_restriction


@pytest.mark.parametrize(
    "expression",
    [
        *("MIT", "BSD-3-Clause", "MIT AND BSD-3-Clause", "GPL-3.0-or-later", "LGPL-2.1-only"),
        *("MPL-2.0", "CC0-1.0", "MIT OR CC-BY-NC-4.0", "Apache-2.0 WITH LLVM-exception"),
    ],
)
def test_open_licences_pass(expression: str) -> None:
    assert licence_restriction(expression) is None


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0 is "),
        ("MIT AND CC-BY-NC-4.0", "CC-BY-NC-4.0 is "),
        ("(MIT OR BSD-3-Clause) AND BUSL-1.1", "BUSL-1.1 is "),
        ("LicenseRef-house", "no SPDX licence expression"),
        ("see the website", "no SPDX licence expression"),
        ("MIT AND", "no SPDX licence expression"),
        ("", "no licence is named"),
    ],
)
def test_restricted_and_unknown_licences_do_not(expression: str, why: str) -> None:
    assert why in str(licence_restriction(expression))
