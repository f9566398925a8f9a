# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""The theorems of plasticity, and sums that can be done by hand."""

import numpy as np

from referee.wall import contract


@contract("knowledge")
def test_two_layers_by_hand(candidate, sections, rng):
    """The neutral axis lies in the thicker layer; its two pieces and the other layer have known
    forces and known distances."""
    for below in (True, False):
        b, d1, d2 = rng.uniform(30, 60), rng.uniform(50, 80), rng.uniform(8, 15)
        f1 = rng.uniform(80, 150)
        f2 = rng.uniform(1.6, 2.4) * f1  # so d2 f2 < d1 f1
        sizes = [(b, d1, f1, 70e3), (b, d2, f2, 200e3)]
        answer = candidate(sections.analyse, sections.layers(sizes if below else sizes[::-1]))
        far = (f1 * d1 + f2 * d2) / (2 * f1)  # depth of the axis from the free face of layer 1
        near = d1 - far
        mp = b * (f1 * far**2 / 2 + f1 * near**2 / 2 + f2 * d2 * (near + d2 / 2))
        np.testing.assert_allclose(answer["mp"][0], mp, rtol=sections.RTOL)
        # about the vertical axis both layers are symmetric rectangles
        sideways = (f1 * d1 + f2 * d2) * b**2 / 4
        np.testing.assert_allclose(answer["mp"][1], sideways, rtol=sections.RTOL)
        level = far if below else d1 + d2 - far
        np.testing.assert_allclose(answer["pc"][1], level, atol=1e-3)


@contract("knowledge")
def test_no_axis_gives_less(candidate, sections, rng):
    """Upper bound: the moment of the yield stresses about any line is at least the plastic one,
    and about the line that the analysis reports it is the plastic one."""
    for parts in (sections.random_layers(rng, 4), sections.angle_section(rng)):
        answer = candidate(sections.analyse, parts)
        for degrees, mp, level in (
            (0.0, answer["mp"][0], answer["pc"][1]),
            (90.0, answer["mp"][1], -answer["pc"][0]),
        ):
            low, high = sections.extent(parts, degrees)
            guesses = [sections.moment_about(parts, degrees, c) for c in np.linspace(low, high, 21)]
            assert mp <= min(guesses) * (1 + sections.RTOL)
            np.testing.assert_allclose(
                mp, sections.moment_about(parts, degrees, level), rtol=sections.RTOL
            )


@contract("knowledge")
def test_no_bearable_stress_gives_more(candidate, sections, rng):
    """Lower bound: stresses within the yield strengths and without a resultant force, here the
    elastic ones at first yield, one that is as large as it can be on both sides of a level, and
    ones that vary with a random wave."""
    for parts in (sections.random_layers(rng, 3), sections.layers(
        [(80, 20, 500, 200e3), (30, 90, 100, 70e3), (60, 15, 650, 210e3)]
    )):
        answer = candidate(sections.analyse, parts)
        (_, cy), (xx, _, _), _ = sections.elastic(parts)
        # elastic: stress = E (y - cy) M / (E I); first yield anywhere limits M
        first = min(
            p["fy"] * xx / (p["E"] * max(abs(y - cy) for _, y in p["outline"])) for p in parts
        )
        assert first <= answer["mp"][0] * (1 + sections.RTOL)
        strips = []  # (yield force, height) of thin strips
        for p in parts:
            x0, y0 = np.min(p["outline"], axis=0)
            x1, y1 = np.max(p["outline"], axis=0)
            edges = np.linspace(y0, y1, 400)
            strips.append((p["fy"] * (x1 - x0) * np.diff(edges), (edges[1:] + edges[:-1]) / 2))
        force, height = np.concatenate([s[0] for s in strips]), np.concatenate([s[1] for s in strips])
        order = np.argsort(height)
        half = np.searchsorted(np.cumsum(force[order]), force.sum() / 2)
        shares = [np.sign(height - height[order][half])]
        shares += [
            np.clip(rng.uniform(0.5, 3) * np.sin(rng.uniform(0.01, 0.08) * height + rng.uniform(0, 7)), -1, 1)
            for _ in range(20)
        ]
        for share in shares:
            surplus = share @ force
            # scale the stronger side down until the forces balance
            side = np.sign(surplus)
            if side == 0:
                continue
            pull = np.clip(share * side, 0, None) @ force
            share = np.where(share * side > 0, share * (1 - abs(surplus) / pull), share)
            assert abs(share @ force) <= 1e-9 * force.sum()
            assert abs((share * force) @ height) <= answer["mp"][0] * (1 + 1e-3)


@contract("knowledge")
def test_stronger_material_never_weakens(candidate, sections, rng):
    parts = sections.layers([(40, 60, 100, 70e3), (40, 10, 150, 200e3), (60, 15, 120, 100e3)])
    before = sections.moments(candidate(sections.analyse, parts))
    for which in range(3):
        parts[which] = {**parts[which], "fy": parts[which]["fy"] * rng.uniform(1.15, 1.9)}
        now = sections.moments(candidate(sections.analyse, parts))
        assert all(b <= n * (1 + sections.RTOL) for b, n in zip(before, now, strict=True)), which
        np.testing.assert_allclose(now, sections.expected(parts), rtol=sections.RTOL)
        before = now


@contract("knowledge")
def test_scaling(candidate, sections, rng):
    """Homogeneous in the strengths, cubic in the lengths: the same section in metres and pascals."""
    parts = sections.angle_section(rng)
    first = sections.moments(candidate(sections.analyse, parts))
    factor = float(rng.uniform(1.5, 4))
    stronger = [{**p, "fy": factor * p["fy"]} for p in parts]
    np.testing.assert_allclose(
        sections.moments(candidate(sections.analyse, stronger)), factor * np.array(first), rtol=sections.RTOL
    )
    metres = sections.mapped([{**p, "fy": 1e6 * p["fy"], "E": 1e6 * p["E"]} for p in parts], 1e-3 * np.eye(2))
    # the neutral axis is found to 1e-6 of the unit, here some 1e-5 of the depth
    np.testing.assert_allclose(
        sections.moments(candidate(sections.analyse, metres)), 1e-3 * np.array(first), rtol=1e-4
    )
    np.testing.assert_allclose(first, sections.expected(parts), rtol=sections.RTOL)
