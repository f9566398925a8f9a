"""Compare norms from the cluster expansion with exact ones, for one chain written in several ways.

Exit status: 0 when they agree, 1 when they differ.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

import numpy as np
import quimb.tensor as qtn

SITES = 7


def chain():
    """A chain of bond dimension 2, not normalised, in its canonical gauge by construction.

    Each site is an isometry from either of its bonds to the rest, up to a factor, because its
    matrices are a rotation and a reflection.
    """
    tensors = []
    for i in range(SITES):
        c, s = np.cos(0.3 + i), np.sin(0.3 + i)
        data = np.array([[[c, -s], [s, c]], [[s, c], [c, -s]]]) * (1.5 + 0.25 * i)
        inds = (f"k{i}", f"b{i - 1}", f"b{i}")
        if i == 0:
            data, inds = data[:, 0], ("k0", "b0")
        if i == SITES - 1:
            data, inds = data[:, :, 0], (f"k{i}", f"b{i - 1}")
        tensors.append(qtn.Tensor(data, inds=inds, tags=[f"I{i}"]))
    return qtn.TensorNetworkGenVector.from_TN(
        qtn.TensorNetwork(tensors), site_tag_id="I{}", site_ind_id="k{}", sites=range(SITES)
    )


def exact(tn):
    """By contraction of everything, without gauges (those of this chain are constant)."""
    vector = tn.to_dense([f"k{i}" for i in range(SITES)])
    return float(np.linalg.norm(vector)) * 10.0**tn.exponent


def main():
    flat = {f"b{i}": np.ones(2) / np.sqrt(2) for i in range(SITES - 1)}
    share = np.sqrt(2) ** ((SITES - 1) / SITES)
    plain = chain()
    expected = exact(plain)

    ways = {"plain": plain.copy(), "in the exponent": plain.copy(), "in one tensor": plain.copy()}
    ways["in the exponent"].equalize_norms_(1.0)
    ways["in one tensor"]["I3"].modify(apply=lambda data: data * 1e3)
    ways["in one tensor"].exponent = -3.0

    wrong = 0
    for name, tn in ways.items():
        tn.multiply_each_(share)
        norm = complex(tn.norm_gloop_expand(gloops=0, gauges=dict(flat))).real
        good = abs(norm / expected - 1) <= 1e-9
        wrong += not good
        word = "agrees" if good else "differs"
        print(f"scale {name:16s} norm {norm:14.6f}  exact {expected:14.6f}  {word}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
