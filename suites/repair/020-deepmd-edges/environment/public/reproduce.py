"""Ask for the edges of a crystal with two atoms in a cell, and for the forces of springs along them.

Exit status 0: right. Exit status 1: not there, or wrong.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np


def main():
    try:
        from deepmd.dpmodel.utils import build_neighbor_graph, edge_force_virial
    except ImportError as error:
        print(f"BAD  {error}")
        return 1
    # Cesium chloride, cell 4, the second atom shifted along z: 4 near and 4 far neighbors.
    coord = np.array([[[0.0, 0.0, 0.0], [2.0, 2.0, 2.2]]])
    graph = build_neighbor_graph(coord, np.array([[0, 1]]), 4.0 * np.eye(3)[None], 3.7)
    count = int(np.sum(graph.edge_mask))
    print(f"{count} edges, 16 expected")
    force, _, _ = edge_force_virial(
        graph.edge_vec * np.array([0.0, 0.0, 1.0]) * (graph.edge_vec[:, 2:] > 0),
        graph.edge_vec, graph.edge_index, graph.edge_mask, graph.n_node,
    )  # fmt: skip
    # Upward edges pull: 4 of 2.2 and 4 of 1.8 for both atoms, as center and as neighbor.
    print(f"force on the second atom {force[1]}, [0, 0, {4 * 1.8 - 4 * 2.2:.1f}] expected")
    good = count == 16 and np.abs(force[1] - [0.0, 0.0, -1.6]).max() <= 1e-12
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
