"""Public checks: the form of an answer, and what every inspiral does."""

from referee.wall import contract, probe


@probe
def summary():
    import numpy as np
    from predict import predict

    binaries = np.array([[2.0, 0.3, -0.1, 0.2, 1.0, 0.008], [4.0, 0.0, 0.5, 0.4, 2.0, 0.0078]])
    times = np.outer([14000.0, 15000.0], 1 - np.linspace(1, 0, 50) ** 2)
    x = predict(binaries, times)
    return {
        "kind": [type(x).__name__, str(getattr(x, "dtype", "none")), list(np.shape(x))],
        "growth": np.divide(x[:, -1], x[:, 0]).tolist(),
        "begin": (x[:, 0] ** 1.5 / binaries[:, 5]).tolist(),
    }


@contract("interface")
def test_an_answer_is_one_row_of_numbers_for_each_binary(candidate):
    assert candidate(summary)["kind"] == ["ndarray", "float64", [2, 50]]


@contract("interface")
def test_a_binary_begins_near_its_given_frequency_and_gets_faster(candidate):
    seen = candidate(summary)
    assert all(0.85 < ratio < 1.15 for ratio in seen["begin"])
    assert min(seen["growth"]) > 1.5
