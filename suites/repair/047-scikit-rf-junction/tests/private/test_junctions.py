# referee-canary 047 a5eb1fbe-7a7a-4046-873e-46943874a981
"""Junctions of two networks, and of a network with itself."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract

KINDS = ("power", "pseudo", "traveling")
POINTS = 4


@contract("knowledge")
@pytest.mark.parametrize("kind", KINDS)
def test_chain_matrices_multiply(candidate, rng, bench, kind):
    for how in ("constant", "varying"):
        z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
        z0 = [bench.ports_of(rng, POINTS, 2, how) for _ in range(2)]
        nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
        answer = candidate(bench.join, nets, "power")
        want = bench.unchained(bench.chain(z[0]) @ bench.chain(z[1]))
        bench.same(answer, want, np.column_stack([z0[0][:, 0], z0[1][:, 1]]), kind)


@contract("knowledge")
@pytest.mark.parametrize("kind", KINDS)
def test_a_load_is_seen_through_a_network(candidate, rng, bench, kind):
    z, load = bench.multiport(rng, POINTS, 2), bench.multiport(rng, POINTS, 1)
    z0, at_load = bench.ports_of(rng, POINTS, 2), bench.ports_of(rng, POINTS, 1)
    nets = [bench.network(z, z0, kind), bench.network(load, at_load, kind)]
    answer = candidate(bench.join, nets, "cascade")
    seen = z[:, :1, :1] - z[:, :1, 1:] * z[:, 1:, :1] / (z[:, 1:, 1:] + load)
    bench.same(answer, seen, z0[:, :1], kind)


@contract("knowledge")
def test_lossless_networks_stay_lossless(candidate, rng, bench):
    # Power waves: |a|^2 - |b|^2 is the power into a port for every complex impedance.
    z = [1j * bench.multiport(rng, POINTS, 2, True).imag for _ in range(3)]
    z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(3)]
    nets = [bench.network(*a, "power") for a in zip(z, z0, strict=True)]
    s = candidate(bench.join, nets, "power")["s"]
    unit = np.broadcast_to(np.eye(2), s.shape)
    np.testing.assert_allclose(s.conj().swapaxes(1, 2) @ s, unit, rtol=0, atol=1e-8)


@contract("exploration")
@pytest.mark.parametrize("kind", KINDS)
def test_equal_complex_impedances_at_the_junction(candidate, rng, bench, kind):
    z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
    z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(2)]
    z0[1][:, 0] = z0[0][:, 1]
    nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
    answer = candidate(bench.join, nets, "connect", [1, 0])
    want = bench.kirchhoff(bench.side_by_side(*z), (1, 2))
    bench.same(answer, want, np.column_stack([z0[0][:, 0], z0[1][:, 1]]), kind)


@contract("exploration")
@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_networks_of_different_definitions(candidate, rng, bench, first, second):
    z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
    z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(2)]
    nets = [bench.network(z[0], z0[0], first), bench.network(z[1], z0[1], second)]
    answer = candidate(bench.join, nets, "power")
    want = bench.unchained(bench.chain(z[0]) @ bench.chain(z[1]))
    bench.same(answer, want, np.column_stack([z0[0][:, 0], z0[1][:, 1]]), first)
    bench.untouched(answer, nets)


@contract("exploration")
@pytest.mark.parametrize("kind", KINDS)
def test_only_some_frequencies_are_common(candidate, rng, bench, kind):
    z = [bench.multiport(rng, 5, 2) for _ in range(2)]
    z0 = [bench.ports_of(rng, 5, 2) for _ in range(2)]
    nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
    band = 1e9 * np.arange(1.0, 6.0)
    answer = candidate(bench.join, nets, "power", [], [band, band + 2e9])
    np.testing.assert_allclose(answer["f"], [3e9, 4e9, 5e9], rtol=1e-12)
    want = bench.unchained(bench.chain(z[0][2:]) @ bench.chain(z[1][:3]))
    bench.same(answer, want, np.column_stack([z0[0][2:, 0], z0[1][:3, 1]]), kind)


@contract("exploration")
@pytest.mark.parametrize("kind", ["power", "pseudo"])
def test_impedances_without_a_real_part(candidate, rng, bench, kind):
    # The same S at jx and at 1e-4 + jx. Currents follow S times x/r = 5e5 here, so eleven digits of
    # sixteen are used up twice. S is of size one, but for pseudo waves between a port with and one
    # without a real part, where it may be a thousand.
    z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
    z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(2)]
    z0[0][:, 1] = 1j * rng.uniform(20, 60, POINTS)
    z0[1][:, 1] = 1j * rng.uniform(20, 60, POINTS)
    small = [a + 1e-4 * (a.real == 0) for a in z0]
    nets = [bench.network(*a, kind) for a in zip(z, small, strict=True)]
    answer = candidate(bench.join, nets, "power")
    bare = [{**n, "z0": a} for n, a in zip(nets, z0, strict=True)]
    other = candidate(bench.join, bare, "power")
    assert np.isfinite(other["s"]).all()
    np.testing.assert_array_equal(other["z0"], np.column_stack([z0[0][:, 0], z0[1][:, 1]]))
    np.testing.assert_allclose(other["s"], answer["s"], rtol=1e-4, atol=1e-3)
    want = bench.unchained(bench.chain(z[0]) @ bench.chain(z[1]))
    assert other["s_def"] == kind
    actual = other["s"][:, 0, 0]
    ends = np.column_stack([small[0][:, 0], small[1][:, 1]])
    np.testing.assert_allclose(actual, bench.waves(want, ends, kind)[:, 0, 0], rtol=0, atol=1e-3)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
def test_any_port_of_larger_networks(candidate, rng, bench, kind):
    for n, m in ((3, 3), (4, 1), (2, 3), (1, 3), (5, 4)):
        k, l = int(rng.integers(n)), int(rng.integers(m))
        z = [bench.multiport(rng, POINTS, p) for p in (n, m)]
        z0 = [bench.ports_of(rng, POINTS, p) for p in (n, m)]
        nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
        answer = candidate(bench.join, nets, "connect", [k, l])
        want = bench.kirchhoff(bench.side_by_side(*z), (k, n + l))
        bench.same(answer, want, np.delete(np.column_stack(z0), [k, n + l], axis=1), kind)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
def test_a_two_port_stays_in_its_place(candidate, rng, bench, kind):
    for k in range(4):
        l = int(rng.integers(2))
        z = [bench.multiport(rng, POINTS, p) for p in (4, 2)]
        z0 = [bench.ports_of(rng, POINTS, p) for p in (4, 2)]
        nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
        answer = candidate(bench.join, nets, "connect", [k, l])
        want = bench.kirchhoff(bench.side_by_side(*z), (k, 4 + l))
        ends = np.delete(np.column_stack(z0), [k, 4 + l], axis=1)
        # the free port comes out last and goes to place k
        order = [0, 1, 2]
        order.insert(k, 3)
        bench.same(answer, want[:, order][:, :, order], ends[:, order], kind)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
def test_several_ports_at_once(candidate, rng, bench, kind):
    z = [bench.multiport(rng, POINTS, p) for p in (5, 4)]
    z0 = [bench.ports_of(rng, POINTS, p) for p in (5, 4)]
    # the second pair has equal impedances
    z0[1][:, 2] = z0[0][:, 3]
    nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
    answer = candidate(bench.join, nets, "connect", [2, 1, 3])
    want = bench.kirchhoff(bench.side_by_side(*z), (2, 6), (3, 7), (4, 8))
    bench.same(answer, want, np.column_stack([z0[0][:, :2], z0[1][:, :1]]), kind)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("equal", [False, True])
def test_ports_of_one_network(candidate, rng, bench, kind, equal):
    for k, l in ((0, 1), (1, 3), (4, 2), (3, 0)):
        z, z0 = bench.multiport(rng, POINTS, 5), bench.ports_of(rng, POINTS, 5)
        if equal:
            z0[:, l] = z0[:, k]
        nets = [bench.network(z, z0, kind)]
        answer = candidate(bench.join, nets, "innerconnect", [k, l])
        ends = np.delete(z0, [k, l], axis=1)
        bench.same(answer, bench.kirchhoff(z, (k, l)), ends, kind)
        bench.untouched(answer, nets)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
def test_several_pairs_of_one_network(candidate, rng, bench, kind):
    z, z0 = bench.multiport(rng, POINTS, 6), bench.ports_of(rng, POINTS, 6)
    answer = candidate(bench.join, [bench.network(z, z0, kind)], "innerconnect", [1, 4, 2])
    want = bench.kirchhoff(z, (1, 4), (2, 5))
    bench.same(answer, want, z0[:, [0, 3]], kind)


@contract("coverage")
@pytest.mark.parametrize("kind", KINDS)
def test_cascades_of_larger_networks(candidate, rng, bench, kind):
    for m in (4, 2):
        z = [bench.multiport(rng, POINTS, p) for p in (4, m)]
        z0 = [bench.ports_of(rng, POINTS, p) for p in (4, m)]
        nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
        answer = candidate(bench.join, nets, "power")
        want = bench.kirchhoff(bench.side_by_side(*z), (2, 4), (3, 5))
        bench.same(answer, want, np.column_stack([z0[0][:, :2], z0[1][:, 2:]]), kind)


@contract("generalization")
def test_long_chains_of_all_definitions(candidate, rng, bench):
    for first in KINDS:
        kinds = [first, *rng.permutation(KINDS).tolist(), str(rng.choice(KINDS))]
        z = [bench.multiport(rng, POINTS, 2) for _ in kinds]
        z0 = [bench.ports_of(rng, POINTS, 2) for _ in kinds]
        nets = [bench.network(*a) for a in zip(z, z0, kinds, strict=True)]
        want = bench.chain(z[0])
        for part in z[1:]:
            want = want @ bench.chain(part)
        ends = np.column_stack([z0[0][:, 0], z0[-1][:, 1]])
        for how in ("list", "power"):
            answer = candidate(bench.join, nets, how)
            bench.same(answer, bench.unchained(want), ends, first)
            bench.untouched(answer, nets)


@contract("generalization")
def test_only_the_free_ports_are_complex(candidate, rng, bench):
    # Real and equal at the junction: nothing may be converted on one side only.
    z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
    for real in ((0, 1), (1, 0)):
        z0 = [bench.ports_of(rng, POINTS, 2) for _ in range(2)]
        z0[0][:, 1] = z0[1][:, 0] = 50
        z0[real[0]][:, 0 if real[0] == 0 else 1] = 75
        for kinds in (("power", "power"), ("power", "pseudo"), ("pseudo", "power")):
            nets = [bench.network(*a) for a in zip(z, z0, kinds, strict=True)]
            answer = candidate(bench.join, nets, "power")
            want = bench.unchained(bench.chain(z[0]) @ bench.chain(z[1]))
            ends = np.column_stack([z0[0][:, 0], z0[1][:, 1]])
            bench.same(answer, want, ends, kinds[0])


@contract("regression")
@pytest.mark.parametrize("kind", KINDS)
def test_real_impedances(candidate, rng, bench, kind):
    z = [bench.multiport(rng, POINTS, 2) for _ in range(2)]
    z0 = [rng.uniform(20, 90, (POINTS, 2)) + 0j for _ in range(2)]
    nets = [bench.network(*a, kind) for a in zip(z, z0, strict=True)]
    answer = candidate(bench.join, nets, "power", [], None, ["left", "right"])
    want = bench.unchained(bench.chain(z[0]) @ bench.chain(z[1]))
    bench.same(answer, want, np.column_stack([z0[0][:, 0], z0[1][:, 1]]), kind)
    bench.untouched(answer, nets)
    assert answer["name"] == "left"


@contract("regression")
def test_noise_of_a_cascade_and_of_what_is_left_of_it(candidate, rng, bench):
    z = [bench.multiport(rng, 2, 2) for _ in range(2)]
    noises = []
    for _ in range(2):
        n = rng.normal(size=(2, 2, 2)) + 1j * rng.normal(size=(2, 2, 2))
        noises.append(n @ n.conj().swapaxes(1, 2))
    s = [bench.waves(a, 50, "power") for a in z]
    m = bench.chain(z[0])
    both = m @ noises[1] @ m.conj().swapaxes(1, 2) + noises[0]
    # Chain matrices of size 1e2 and their squares: ten digits are left.
    answer = candidate(bench.noisy, s, 50.0, noises, False)
    np.testing.assert_allclose(answer["noise"], both, rtol=1e-8, atol=1e-8 * abs(both).max())
    answer = candidate(bench.noisy, s, 50.0, noises, True)
    np.testing.assert_allclose(answer["noise"], noises[1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["s"], s[1], rtol=0, atol=1e-9)


@contract("regression")
def test_wrong_use_is_still_refused(candidate, rng, bench):
    def raised(error, *call):
        with pytest.raises(CandidateError) as caught:
            candidate(bench.join, *call)
        assert caught.value.is_a(error)

    two, four, one, three = (
        bench.network(bench.multiport(rng, POINTS, n), bench.ports_of(rng, POINTS, n), "power")
        for n in (2, 4, 1, 3)
    )
    raised("IndexError", [two, two], "connect", [2, 0])
    raised("IndexError", [two, two], "connect", [0, 2])
    raised("IndexError", [four, four], "connect", [3, 0, 2])
    raised("IndexError", [four], "innerconnect", [0, 4])
    raised("IndexError", [four], "innerconnect", [4, 0])
    raised("TypeError", [one], "inverse")
    raised("IndexError", [three], "inverse")
    raised("ValueError", [one, two], "power")
    raised("ValueError", [four, three], "power")
    far = [np.arange(1.0, 5.0), np.arange(11.0, 15.0)]
    raised("IndexError", [two, two], "power", [], far)
