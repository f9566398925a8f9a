# referee-canary 045 63cd09f1-79ac-42ad-86e2-e6b54f4886c3
"""The halo by position: what lies beyond an edge, for scalars and for vectors, in both layouts."""

import numpy as np
import pytest

from referee.wall import contract

ONE = {"X": [1, 1], "Y": [1, 1]}
# With the faces first, rows along Y and rows along X: a fixed order of the axes suits one of them.
LAYOUTS = (("face", "y", "x"), ("face", "x", "y"))
FACES_WITHIN = ("x", "face", "y")


def check(candidate, halos, cases):
    """Each case is (job without values and dims, field, layout, expected)."""
    jobs = [
        {**job, "values": halos.laid(field, dims), "dims": list(dims)}
        for job, field, dims, _ in cases
    ]
    for answer, (_, _, dims, expected) in zip(candidate(halos.pad_all, jobs), cases, strict=True):
        halos.agree(answer, expected, dims)


@contract("knowledge")
def test_faces_of_the_cube_border_on_their_neighbours(candidate, halos):
    n, cases = 4, []
    colour = np.broadcast_to(np.arange(6.0)[:, None, None], (6, n, n))
    for dims in LAYOUTS:
        expected = halos.halo(colour, halos.CUBE, ONE)
        cases.append(({"links": halos.CUBE, "widths": ONE}, colour, dims, expected))
    check(candidate, halos, cases)


@contract("knowledge")
@pytest.mark.parametrize("axis", ["X", "Y"])
def test_a_field_that_varies_along_one_axis(candidate, halos, axis):
    # On square faces nothing but such a field tells rows from columns.
    n = 5
    ramp = np.arange(1.0, n + 1)
    ramp = ramp[None, :] if axis == "X" else ramp[:, None]
    field = 100.0 * np.arange(1, 3)[:, None, None] + np.broadcast_to(ramp, (n, n))
    cases = []
    for dims in LAYOUTS:
        expected = halos.halo(field, halos.TURNED, ONE)
        cases.append(({"links": halos.TURNED, "widths": ONE}, field, dims, expected))
    check(candidate, halos, cases)


@contract("knowledge")
@pytest.mark.parametrize("points", ["centres", "left"])
def test_components_of_a_vector_turn_with_the_axes(candidate, halos, rng, points):
    n, jobs, wanted = 4, [], []
    # Components at the cell centres, or each at the left of its own axis.
    where = {"X": ("y", "x"), "Y": ("y", "x")}
    if points == "left":
        where = {"X": ("y", "xl"), "Y": ("yl", "x")}
    for links in (halos.TURNED, halos.random_links(rng, 2, 2)):
        parts = {axis: rng.normal(size=(len(links), n, n)) for axis in "XY"}
        for along in "XY":
            other = "Y" if along == "X" else "X"
            for turn in (False, True):
                order = {a: ("face", *(where[a][::-1] if turn else where[a])) for a in "XY"}
                arrays = {a: parts[a].transpose(0, 2, 1) if turn else parts[a] for a in "XY"}
                job = {"links": links, "widths": ONE, "along": along, "fill": 7.0}
                job |= {"values": np.ascontiguousarray(arrays[along]), "dims": list(order[along])}
                job["partner"] = {
                    "values": np.ascontiguousarray(arrays[other]),
                    "dims": list(order[other]),
                }
                jobs.append(job)
                expected = halos.vector_halo(parts, along, links, ONE, fill=7.0)
                wanted.append((order[along], expected.transpose(0, 2, 1) if turn else expected))
    for answer, (dims, expected) in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        assert answer["dims"] == list(dims)
        known = ~np.isnan(expected)
        # Values are copied or change their sign: exact.
        np.testing.assert_array_equal(answer["values"][known], expected[known])


@contract("coverage")
@pytest.mark.parametrize("mode", ["fill", "extend", "periodic"])
def test_random_links_and_open_edges(candidate, halos, rng, mode):
    cases = []
    for _ in range(3):
        faces, n = int(rng.integers(1, 4)), int(rng.integers(2, 6))
        links = halos.random_links(rng, faces, int(rng.integers(1, 4)))
        field = rng.normal(size=(faces, n, n))
        fill = {"X": float(rng.normal()), "Y": float(rng.normal())}
        expected = halos.halo(field, links, ONE, mode, fill)
        job = {"links": links, "widths": ONE, "mode": mode, "fill": fill}
        cases += [(job, field, dims, expected) for dims in (*LAYOUTS, FACES_WITHIN)]
    check(candidate, halos, cases)


@contract("coverage")
@pytest.mark.parametrize(
    "widths",
    [
        {"X": [1, 0]},
        {"X": [0, 1], "Y": [1, 0]},
        {"Y": [1, 1]},
        {"Y": [0, 1], "X": [0, 0]},
        {"X": [2, 1], "Y": [0, 3]},
        {"X": [3, 3], "Y": [3, 3]},
    ],
    ids=["left", "one-of-each", "y-alone", "zero-x", "uneven", "whole-face"],
)
def test_widths(candidate, halos, rng, widths):
    n, cases = 3, []
    every = [*LAYOUTS, FACES_WITHIN]
    for links in (halos.TURNED, halos.random_links(rng, 2, 2)):
        field = rng.normal(size=(len(links), n, n))
        expected = halos.halo(field, links, widths, fill=4.0)
        job = {"links": links, "widths": widths, "fill": 4.0}
        cases += [(job, field, dims, expected) for dims in every]
    check(candidate, halos, cases)
