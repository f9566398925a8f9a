# referee-canary 047 a5eb1fbe-7a7a-4046-873e-46943874a981
"""Where else networks are joined: inverses, circuits, and what media make."""

import numpy as np
import pytest

from referee.wall import contract

KINDS = ("power", "pseudo", "traveling")
POINTS = 4


@contract("exploration")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ports", [2, 4])
def test_the_inverse_has_the_inverse_chain_matrix(candidate, rng, bench, kind, ports):
    z, z0 = bench.multiport(rng, POINTS, ports), bench.ports_of(rng, POINTS, ports)
    nets = [bench.network(z, z0, kind)]
    answer = candidate(bench.join, nets, "inverse")
    want = bench.unchained(np.linalg.inv(bench.chain(z)))
    half = ports // 2
    bench.same(answer, want, np.column_stack([z0[:, half:], z0[:, :half]]), kind)
    bench.untouched(answer, nets)


@contract("exploration")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["de_embed", "inverse-power", "power-inverse"])
def test_undoing_a_cascade(candidate, rng, bench, kind, how):
    first, second = (bench.multiport(rng, POINTS, 2) for _ in range(2))
    both = bench.unchained(bench.chain(first) @ bench.chain(second))
    z0, ends = bench.ports_of(rng, POINTS, 2), bench.ports_of(rng, POINTS, 2)
    if how == "power-inverse":
        nets = [bench.network(both, ends, kind), bench.network(second, z0, kind)]
        want, ports = first, np.column_stack([ends[:, 0], z0[:, 0]])
    else:
        nets = [bench.network(first, z0, kind), bench.network(both, ends, kind)]
        want, ports = second, np.column_stack([z0[:, 1], ends[:, 1]])
    answer = candidate(bench.join, nets, how)
    bench.same(answer, want, ports, kind)
    bench.untouched(answer, nets)


@contract("exploration")
def test_undoing_a_cascade_at_unequal_real_impedances(candidate, rng, bench):
    first, second = (bench.multiport(rng, POINTS, 2) for _ in range(2))
    both = bench.unchained(bench.chain(first) @ bench.chain(second))
    z0 = [rng.uniform(20, 90, (POINTS, 2)) + 0j for _ in range(2)]
    nets = [bench.network(first, z0[0], "power"), bench.network(both, z0[1], "power")]
    answer = candidate(bench.join, nets, "de_embed")
    bench.same(answer, second, np.column_stack([z0[0][:, 1], z0[1][:, 1]]), "power")


@contract("generalization")
@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
def test_circuits_in_a_row(candidate, rng, bench, kind):
    kinds = rng.permutation(KINDS).tolist() if kind == "mixed" else [kind] * 3
    z = [bench.multiport(rng, POINTS, 2, True) for _ in range(3)]
    z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(3)]
    nets = [bench.network(*a) for a in zip(z, z0, kinds, strict=True)]
    outer = [bench.ports_of(rng, POINTS, 1)[:, 0] for _ in range(2)]
    wires = [[[-1, 0], [0, 0]], [[0, 1], [1, 0]], [[1, 1], [2, 0]], [[2, 1], [-2, 0]]]
    answer = candidate(bench.circuit, nets, wires, outer)
    np.testing.assert_array_equal(answer["z0"], np.column_stack(outer))
    want = bench.chain(z[0]) @ bench.chain(z[1]) @ bench.chain(z[2])
    bench.same_circuit(answer, bench.unchained(want))


@contract("generalization")
@pytest.mark.parametrize("kind", KINDS)
def test_circuits_with_a_branch(candidate, rng, bench, kind):
    z = [bench.multiport(rng, POINTS, p, True) for p in (2, 2, 1)]
    z0 = [bench.ports_of(rng, POINTS, p) for p in (2, 2, 1)]
    z0[0][:, 1] = z0[1][:, 0] = z0[2][:, 0]
    nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
    wires = [[[-1, 0], [0, 0]], [[0, 1], [1, 0], [2, 0]], [[1, 1], [-2, 0]]]
    # real and complex outside
    for outer in (
        [np.full(POINTS, 50 + 0j), np.full(POINTS, 75 + 0j)],
        [bench.ports_of(rng, POINTS, 1)[:, 0] for _ in range(2)],
    ):
        answer = candidate(bench.circuit, nets, wires, outer)
        shunt = np.zeros((POINTS, 2, 2), complex)
        shunt[:, 0, 0] = shunt[:, 1, 1] = 1
        shunt[:, 1, 0] = 1 / z[2][:, 0, 0]
        want = bench.chain(z[0]) @ shunt @ bench.chain(z[1])
        bench.same_circuit(answer, bench.unchained(want))


def medium(rng):
    """Complex characteristic impedance, and propagation constant in 1/m, of a lossy line."""
    z0 = rng.uniform(30, 80, POINTS) + 1j * rng.choice([-1, 1]) * rng.uniform(10, 25, POINTS)
    return z0, rng.uniform(0.5, 3, POINTS) + 1j * rng.uniform(20, 60, POINTS)


def fixture(bench, rng, kind):
    z, z0 = bench.multiport(rng, POINTS, 2), bench.ports_of(rng, POINTS, 2)
    return z, ["network", bench.network(z, z0, kind), {}]


@contract("knowledge")
@pytest.mark.parametrize("kind", KINDS)
def test_a_lossy_line_between_networks(candidate, rng, bench, kind):
    z0, gamma = medium(rng)
    left, first = fixture(bench, rng, kind)
    right, last = fixture(bench, rng, kind)
    length = float(rng.uniform(0.01, 0.05))
    steps = [first, ["line", [length, "m"], {}], last]
    answer = candidate(bench.of_media, z0, gamma, steps)
    want = bench.chain(left) @ bench.line(z0, gamma, length) @ bench.chain(right)
    bench.same_circuit(answer, bench.unchained(want))


@contract("knowledge")
def test_pieces_of_a_lossy_line(candidate, rng, bench):
    z0, gamma = medium(rng)
    a, b = rng.uniform(0.01, 0.03, 2).tolist()
    steps = [["thru", [], {"z0": 50}], ["line", [a, "m"], {}], ["line", [b, "m"], {}]]
    answer = candidate(bench.of_media, z0, gamma, [*steps, ["thru", [], {"z0": 75}]])
    bench.same_circuit(answer, bench.unchained(bench.line(z0, gamma, a + b)))
    np.testing.assert_array_equal(answer["z0"], [[50, 75]] * POINTS)


@contract("generalization")
@pytest.mark.parametrize("end", ["short", "open"])
def test_ends_of_a_lossy_line(candidate, rng, bench, end):
    z0, gamma = medium(rng)
    length = float(rng.uniform(0.01, 0.04))
    g = gamma * length
    seen = (z0 * np.tanh(g) if end == "short" else z0 / np.tanh(g))[:, None, None]
    for steps in (
        [["thru", [], {"z0": 50}], ["line", [length, "m"], {}], [end, [], {}]],
        [["thru", [], {"z0": 50}], [f"delay_{end}", [length, "m"], {}]],
    ):
        bench.same_circuit(candidate(bench.of_media, z0, gamma, steps), seen)


@contract("generalization")
@pytest.mark.parametrize("kind", KINDS)
def test_shunt_elements_in_a_lossy_medium(candidate, rng, bench, kind):
    z0, gamma = medium(rng)
    w = 2 * np.pi * (1e9 + 1e8 * np.arange(POINTS))
    left, first = fixture(bench, rng, kind)
    right, last = fixture(bench, rng, kind)
    c, inductance, length = 2e-12, 4e-9, 0.013
    admittances = {
        "shunt_capacitor": (1j * w * c, [c]),
        "shunt_inductor": (1 / (1j * w * inductance), [inductance]),
        "shunt_delay_short": (1 / (z0 * np.tanh(gamma * length)), [length, "m"]),
        "shunt_delay_open": (np.tanh(gamma * length) / z0, [length, "m"]),
    }
    for method, (y, arguments) in admittances.items():
        answer = candidate(bench.of_media, z0, gamma, [first, [method, arguments, {}], last])
        shunt = np.zeros((POINTS, 2, 2), complex)
        shunt[:, 0, 0] = shunt[:, 1, 1] = 1
        shunt[:, 1, 0] = y
        want = bench.chain(left) @ shunt @ bench.chain(right)
        bench.same_circuit(answer, bench.unchained(want))
