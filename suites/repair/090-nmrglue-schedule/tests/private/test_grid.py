# referee-canary 090 49989f33-f65e-4f65-8eab-ede1ac2e1319
"""Schedules and FIDs become grids."""

import itertools

import numpy as np
import pytest

from referee.wall import CandidateError, contract

# Increments along the indirect axes of small grids with one to four indirect dimensions.
GRIDS = [(9,), (4, 3), (3, 2, 4), (2, 3, 2, 2)]


def reversed_columns(places):
    return [place[::-1] for place in places]


@contract("knowledge")
@pytest.mark.parametrize("increments", GRIDS)
def test_a_full_schedule_gives_the_dense_data(candidate, rng, magnet, increments):
    shape = [*(2 * n for n in increments), 5]
    dense = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    places = magnet.some_points(rng, increments, int(np.prod(increments)))
    fids = np.array(
        [
            dense[tuple(2 * p + q for p, q in zip(place, part, strict=True))]
            for place in places
            for part in magnet.components(len(increments))
        ]
    )
    answer = candidate(magnet.expand, fids, shape, reversed_columns(places), {})
    np.testing.assert_array_equal(answer["grid"], dense)


@contract("knowledge")
@pytest.mark.parametrize("increments", GRIDS)
def test_gaps_are_zero_and_every_fid_is_in_its_place(candidate, rng, magnet, increments):
    shape = [*(2 * n for n in increments), 7]
    for count in (1, 3, int(np.prod(increments)) // 2):
        places = magnet.some_points(rng, increments, count)
        fids = rng.normal(size=(count * 2 ** len(increments), 7))
        answer = candidate(magnet.expand, fids, shape, reversed_columns(places), {})
        np.testing.assert_array_equal(answer["grid"], magnet.filled(fids, shape, places))


@contract("knowledge")
def test_frequencies_of_a_known_signal(candidate, rng, magnet):
    # cos and sin along both indirect dimensions of 8 and 6 increments, at frequencies on the grid
    n = (8, 6)
    k, l = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    every = magnet.some_points(rng, n, n[0] * n[1])
    half = [place for place in every if (place[0] + place[1]) % 2 == 0]
    for places in (every, half):
        fids = []
        for p0, p1 in places:
            a, b = 2 * np.pi * k * p0 / n[0], 2 * np.pi * l * p1 / n[1]
            for q0, q1 in magnet.components(2):
                fids.append([(np.sin if q0 else np.cos)(a) * (np.sin if q1 else np.cos)(b)])
        fids = np.array(fids)
        schedule = reversed_columns(places)
        grid = candidate(magnet.expand, fids, [16, 12, 1], schedule, {})["grid"][..., 0]
        # along each dimension: one component plus i times the other
        signal = grid[0::2] + 1j * grid[1::2]
        plus, minus = signal[:, 0::2] + 1j * signal[:, 1::2], signal[:, 0::2] - 1j * signal[:, 1::2]
        for part, sign in ((plus, 1), (minus, -1)):
            spectrum = np.fft.fft2(part) / len(places)
            # every second point along both diagonals: lines come again at half of both widths
            wanted = np.zeros(n)
            wanted[k, sign * l] = 1
            if places is half:
                wanted[(k + 4) % 8, (sign * l + 3) % 6] = 1
            # sums of 48 numbers of size one
            np.testing.assert_allclose(spectrum, wanted, rtol=0, atol=1e-12)


@contract("knowledge")
def test_the_order_of_acquisition_has_no_meaning(candidate, rng, magnet):
    places = magnet.some_points(rng, (4, 5), 9)
    fids = rng.normal(size=(9, 4, 6))
    first = candidate(magnet.expand, fids.reshape(36, 6), [8, 10, 6], reversed_columns(places), {})[
        "grid"
    ]
    order = rng.permutation(9)
    mixed = fids[order].reshape(36, 6)
    schedule = reversed_columns([places[i] for i in order])
    second = candidate(magnet.expand, mixed, [8, 10, 6], schedule, {})["grid"]
    np.testing.assert_array_equal(first, magnet.filled(fids.reshape(36, 6), [8, 10, 6], places))
    np.testing.assert_array_equal(first, second)


@contract("coverage")
@pytest.mark.parametrize("kind", ["tuple", "list"])
def test_every_order_of_columns(candidate, rng, magnet, kind):
    for increments in ((5,), (3, 4), (3, 2, 4)):
        shape = [*(2 * n for n in increments), 3]
        for order in itertools.permutations(range(len(increments))):
            places = magnet.some_points(rng, increments, 4)
            fids = rng.normal(size=(4 * 2 ** len(increments), 3))
            schedule = magnet.in_columns(places, order)
            options = {"aqorder": list(order)}
            answer = candidate(magnet.expand, fids, shape, schedule, options, kind)
            np.testing.assert_array_equal(answer["grid"], magnet.filled(fids, shape, places))


@contract("coverage")
@pytest.mark.parametrize("kind", ["tuple", "list"])
def test_every_order_of_components(candidate, rng, magnet, kind):
    for increments in ((5,), (3, 4), (3, 2, 4)):
        axes = len(increments)
        shape = [*(2 * n for n in increments), 3]
        every = magnet.components(axes)
        # all of them backwards, the first axis fastest, and by chance
        for parts in (
            every[::-1],
            [p[::-1] for p in every],
            [every[i] for i in rng.permutation(2**axes)],
        ):
            places = magnet.some_points(rng, increments, 4)
            fids = rng.normal(size=(4 * 2**axes, 3))
            options = {"quadrature_order": [list(p) for p in parts]}
            columns = rng.permutation(axes).tolist()
            both = {**options, "aqorder": columns}
            for chosen, schedule in (
                (options, reversed_columns(places)),
                (both, magnet.in_columns(places, columns)),
            ):
                answer = candidate(magnet.expand, fids, shape, schedule, chosen, kind)
                want = magnet.filled(fids, shape, places, parts)
                np.testing.assert_array_equal(answer["grid"], want)


@contract("coverage")
@pytest.mark.parametrize(
    "dtype", ["int32", "int16", "float32", "float64", "complex64", "complex128"]
)
def test_type_and_form_of_the_data(candidate, rng, magnet, dtype):
    places = magnet.some_points(rng, (4, 3), 6)
    values = 100 * rng.normal(size=(24, 5))
    if dtype.startswith("complex"):
        values = values + 100j * rng.normal(size=(24, 5))
    fids = values.astype(dtype)
    want = magnet.filled(fids, [8, 6, 5], places)
    for form in ((24, 5), (120,), (6, 4, 5), (6, 2, 2, 5), (1, 24, 5)):
        answer = candidate(
            magnet.expand, fids.reshape(form), [8, 6, 5], reversed_columns(places), {}
        )
        assert answer["dtype"] == dtype
        assert answer["same"]
        np.testing.assert_array_equal(answer["grid"], want)


@contract("coverage")
def test_a_full_grid_in_order_is_an_array_of_its_own(candidate, rng, magnet):
    # Here the data has the form of the grid already.
    fids = rng.normal(size=(8, 5))
    answer = candidate(magnet.expand, fids, [8, 5], [[p] for p in range(4)], {})
    np.testing.assert_array_equal(answer["grid"], fids)
    assert answer["same"]


@contract("coverage")
def test_corners_of_the_grid(candidate, rng, magnet):
    places = [list(p) for p in itertools.product((0, 3), (0, 1), (0, 4))]
    fids = rng.normal(size=(64, 2))
    answer = candidate(magnet.expand, fids, [8, 4, 10, 2], reversed_columns(places), {})
    np.testing.assert_array_equal(answer["grid"], magnet.filled(fids, [8, 4, 10, 2], places))


def refused(candidate, magnet, data, shape, schedule, options=None):
    with pytest.raises(CandidateError) as caught:
        candidate(magnet.expand, data, shape, schedule, options or {})
    assert caught.value.is_a("ValueError")


@contract("exploration")
def test_points_outside_of_the_grid(candidate, rng, magnet):
    fids = rng.normal(size=(6, 3))
    for bad in (-1, -4, 4, 5, 100):
        refused(candidate, magnet, fids, [8, 3], [[0], [bad], [2]])
    fids = rng.normal(size=(8, 3))
    for bad in ([3, 1], [1, 4], [-1, 0], [0, -1]):
        # 3 x 4 increments; the first column belongs to axis 1
        refused(candidate, magnet, fids, [6, 8, 3], [[0, 0], bad[::-1]])


@contract("exploration")
def test_points_that_come_twice(candidate, rng, magnet):
    refused(candidate, magnet, rng.normal(size=(6, 3)), [8, 3], [[2], [0], [2]])
    refused(candidate, magnet, rng.normal(size=(12, 3)), [8, 8, 3], [[1, 2], [2, 1], [1, 2]])


@contract("exploration")
def test_points_with_another_number_of_increments(candidate, rng, magnet):
    # In each case there are as many numbers as other points would have.
    refused(candidate, magnet, rng.normal(size=(8, 3)), [8, 3], [[0, 1], [2, 3]])
    refused(candidate, magnet, rng.normal(size=(12, 3)), [8, 8, 3], [[0, 1, 2], [1, 2, 3]])
    refused(candidate, magnet, rng.normal(size=(4, 3)), [8, 8, 3], [[0], [1]])
    refused(candidate, magnet, rng.normal(size=(6, 3)), [8, 3], [[0], [1, 2], [3]])


@contract("exploration")
def test_a_number_of_fids_that_does_not_fit(candidate, rng, magnet):
    for count in (1, 2, 5, 7, 12):
        refused(candidate, magnet, rng.normal(size=(count, 3)), [8, 3], [[0], [1], [2]])
    refused(candidate, magnet, rng.normal(size=12), [8, 3], [[0], [1], [2]])
    refused(candidate, magnet, rng.normal(size=19), [8, 3], [[0], [1], [2]])


@contract("exploration")
def test_fids_of_another_length(candidate, rng, magnet):
    # Three points need six FIDs of four numbers: three of eight have as many numbers.
    for form in ((3, 8), (12, 2), (2, 3, 4, 1)):
        refused(candidate, magnet, rng.normal(size=form), [8, 4], [[0], [1], [2]])
    refused(candidate, magnet, rng.normal(size=(6, 5)), [8, 4], [[0], [1], [2]])


@contract("exploration")
def test_orders_that_are_none(candidate, rng, magnet):
    fids = rng.normal(size=(8, 3))
    schedule = [[0, 1], [2, 3]]
    for order in ([0, 0], [1, 1], [0, 2], [-1, 0], [0], [0, 1, 1]):
        refused(candidate, magnet, fids, [8, 8, 3], schedule, {"aqorder": order})
    every = [[0, 0], [0, 1], [1, 0], [1, 1]]
    for parts in (
        [*every[:3], every[0]],
        [*every[:3], [1, 2]],
        [*every[:3], [-1, 0]],
        [[0], [1], [0], [1]],
        [*every, every[0]],
    ):
        refused(candidate, magnet, fids, [8, 8, 3], schedule, {"quadrature_order": parts})
    # fewer components, with as many FIDs as these would need
    two = {"quadrature_order": every[:2]}
    refused(candidate, magnet, rng.normal(size=(4, 3)), [8, 8, 3], schedule, two)
