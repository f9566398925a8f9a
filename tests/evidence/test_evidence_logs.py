"""Native logs and images: what shows that a solver ran, and what only looks like it."""

from __future__ import annotations

import pytest
from evidence_cases import evidence_in
from PIL import Image as Pillow
from pydantic import ValidationError

from referee.evidence.fault import EvidenceError, EvidenceLimit
from referee.evidence.imagefile import Image, read_image
from referee.evidence.limits import Limits
from referee.evidence.logs import LogContract, block_after, log_problems, number_in

CONTRACT = LogContract.model_validate(
    {
        "families": {
            "banner": r"^ ___ ",
            "version": r"^Version \d",
            "iteration": r"^iter:\s+\d+",
            "timing": r"^Total:\s+[\d.]+",
        },
        "setups": ("Mo", "S"),
        "converged": r"[Cc]onverged",
        "not_converged": r"(?i)not converged|did not converge",
        "chatter": (r"^Converged when",),
        "residual": {"pattern": r"residual = (\S+)", "upper": 1e-6},
    }
)

LOG = """\
 ___ ___
Version 22.8
Converged when: forces < 0.05
Setup for Mo, and for S
iter:  1 residual = 1.0D-02
iter:  2 residual = 5.0D-07
Converged after 2 iterations
Total: 12.5 s
"""


def test_an_honest_log_keeps_its_contract():
    assert log_problems(CONTRACT, LOG) == ()


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (" ___ ___\nVersion 22.8\n", "", "2 kinds"),
        ("Setup for Mo,", "Setup for Mo-pseudo, MoS2,", "setup Mo"),
        ("Converged after 2 iterations\n", "", "nothing says"),
        ("Converged after", "Not converged after", "ended with"),
        ("Total:", "SCF did not converge\nTotal:", "ended with"),
        ("5.0D-07", "5.0D-05", "residual"),
        ("5.0D-07", "NaN", "residual"),
        ("5.0D-07", "1e999", "residual"),
        ("residual = ", "rest = ", "no residual"),
    ],
)
def test_a_log_that_only_looks_right(old, new, word):
    changed = LOG.replace(old, new)
    assert changed != LOG
    assert any(word in problem for problem in log_problems(CONTRACT, changed))


def test_a_denial_before_the_end_is_no_denial():
    earlier = LOG.replace("iter:  1", "step 1 not converged\niter:  1")
    assert log_problems(CONTRACT, earlier) == ()


def test_a_pattern_that_is_none_is_refused():
    with pytest.raises(ValidationError, match="not a pattern"):
        LogContract.model_validate({"families": {"a": "("}})


@pytest.mark.parametrize(("text", "value"), [("1.5D-03", 1.5e-3), ("-2d+1", -20.0), ("7", 7.0)])
def test_fortran_numbers(text, value):
    assert number_in(text) == value


@pytest.mark.parametrize("text", ["", "1,5", "NaN", "****", "1D999", "1_0", "inf"])
def test_what_is_no_number(text):
    with pytest.raises(ValueError):
        number_in(text)


TENSOR = "noise\nstress\n 1.0D+00 0 0\n 0 2.0 0\n 0 0 3.0\nend\n"


def test_a_block_is_whole_or_nothing():
    assert block_after(TENSOR, "stress", 3, 3)[1] == (0.0, 2.0, 0.0)
    later = TENSOR + "stress\n 9 0 0\n 0 9 0\n 0 0 9\n"
    assert block_after(later, "stress", 3, 3)[0][0] == 9.0
    for text, marker in (
        (TENSOR[:-14], "stress"),
        (TENSOR, "strain"),
        (TENSOR.replace("2.0 0", "2.0"), "stress"),
        (TENSOR.replace("2.0", "*****"), "stress"),
    ):
        with pytest.raises(ValueError):
            block_after(text, marker, 3, 3)


# --- images -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "TIFF"])
def test_an_image_is_known_by_its_bytes(evidence, outputs, form):
    Pillow.new("RGB", (100, 64)).save(outputs / "figure.dat", format=form)
    assert read_image(evidence.roots["outputs"], "figure.dat") == Image(form, 100, 64)


def test_what_is_no_image(evidence, outputs):
    root = evidence.roots["outputs"]
    Pillow.new("RGB", (100, 100)).save(outputs / "whole.png")
    data = (outputs / "whole.png").read_bytes()
    Pillow.new("RGB", (100, 63)).save(outputs / "small.png")
    (outputs / "cut.png").write_bytes(data[: len(data) // 2])
    (outputs / "text.png").write_text("score 1 for all")
    (outputs / "vector.svg").write_text("<svg/>")
    (outputs / "mixed.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"GIF89a" * 20)
    for path in ("small.png", "cut.png", "text.png", "vector.svg", "mixed.png"):
        with pytest.raises(EvidenceError):
            read_image(root, path)


def test_large_images_are_limits(tmp_path):
    root = evidence_in(tmp_path, limits=Limits(image=500, image_px=10_000)).roots["outputs"]
    Pillow.new("1", (101, 100)).save(root.folder / "wide.png")
    Pillow.effect_noise((64, 64), 100).save(root.folder / "heavy.png")
    for path in ("wide.png", "heavy.png"):
        with pytest.raises(EvidenceLimit):
            read_image(root, path)
