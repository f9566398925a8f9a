"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe


@probe
def chain_norm(scales, exponent):
    """Norm of a chain of three sites in its canonical gauge, with its tensors times `scales`."""
    import numpy as np
    import quimb.tensor as qtn

    flat = np.ones(2) / np.sqrt(2)
    copy = np.zeros((2, 2, 2))
    copy[0, 0, 0] = copy[1, 1, 1] = 1.0
    data = [np.eye(2), copy, np.eye(2)]
    inds = [("k0", "b0"), ("k1", "b0", "b1"), ("k2", "b1")]
    tn = qtn.TensorNetwork(
        [
            qtn.Tensor(d * s, inds=i, tags=[f"I{n}"])
            for n, (d, i, s) in enumerate(zip(data, inds, scales))
        ]
    )
    tn.exponent = exponent
    psi = qtn.TensorNetworkGenVector.from_TN(
        tn, site_tag_id="I{}", site_ind_id="k{}", sites=[0, 1, 2]
    )
    return float(psi.norm_gloop_expand(gloops=0, gauges={"b0": flat, "b1": flat.copy()}))


# Each gauge is 1/sqrt(2), so the state is (|000> + |111>) / 2 for scales of one.
UNIT = np.sqrt(0.5)


@contract("reported-case")
def test_norm_of_a_scaled_chain(candidate):
    np.testing.assert_allclose(candidate(chain_norm, [3.0, 5.0, 2.0], 0.0), 30 * UNIT, rtol=1e-12)


@contract("reported-case")
def test_scale_in_the_exponent(candidate):
    np.testing.assert_allclose(candidate(chain_norm, [1.0, 1.0, 1.0], 2.0), 100 * UNIT, rtol=1e-12)


@contract("interface")
def test_a_normalised_chain(candidate):
    scales = [np.sqrt(2.0), 1.0, 1.0]
    np.testing.assert_allclose(candidate(chain_norm, scales, 0.0), 1.0, rtol=1e-12)
