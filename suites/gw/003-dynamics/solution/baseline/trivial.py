# referee-canary gw-003 1f6a3c52-90d7-4be1-8a35-2d4e7c61b0f8
"""The quadrupole formula for a circle, between the two known ends; learns nothing from the data."""

from pathlib import Path

PREDICT = '''"""x(t) of binaries by the quadrupole formula on a circle, from the first frequency to x = 1/6."""


def predict(parameters, t):
    """x, float64 (k, n), of k binaries with parameters (k, 6) at times t (k, n), both float64."""
    start, end = parameters[:, 5:] ** (2 / 3), 1 / 6
    left = (t[:, -1:] - t) / (t[:, -1:] - t[:, :1])
    return (end**-4 + left * (start**-4 - end**-4)) ** -0.25
'''


def main():
    Path("predict.py").write_text(PREDICT)


if __name__ == "__main__":
    main()
