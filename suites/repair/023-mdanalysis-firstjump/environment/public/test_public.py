"""Public checks: a first crossing at frame 1, at frame 3, and a change of pace."""

import numpy as np

from referee.wall import contract, probe

BOX = [10.0, 12.0, 14.0, 90.0, 90.0, 90.0]


@probe
def read(path, box, frames):
    """Positions of the particles in `frames` of a wrapped file with the real `path`, and warnings."""
    import os
    import tempfile
    import warnings

    import MDAnalysis as mda
    import numpy as np
    from MDAnalysis.transformations.nojump import NoJump

    count = path.shape[1]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "wrapped.trr")
        u = mda.Universe.empty(count, trajectory=True)
        with mda.Writer(file, count) as writer:
            for positions in path:
                u.atoms.positions = positions % np.array(box[:3])
                u.dimensions = box
                writer.write(u.atoms)
        u = mda.Universe.empty(count, trajectory=True)
        u.load_new(file)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            u.trajectory.add_transformations(NoJump())
            found = [u.trajectory[k].positions.copy() for k in frames]
    return {"found": np.array(found), "said": [str(w.message) for w in caught]}


def straight(first, count=6):
    """One particle that goes along -x and leaves the box between frames `first - 1` and `first`."""
    path = np.full((count, 1, 3), 5.0)
    path[:, 0, 0] = 2.5 * (first - 0.6) - 2.5 * np.arange(count)
    return path


@contract("knowledge")
def test_a_crossing_at_frame_1_is_undone(candidate):
    path = straight(1)
    # The file holds single precision, in nm.
    assert np.abs(candidate(read, path, BOX, list(range(6)))["found"] - path).max() <= 0.01


@contract("regression")
def test_a_crossing_at_frame_3_is_undone(candidate):
    path = straight(3)
    assert np.abs(candidate(read, path, BOX, list(range(6)))["found"] - path).max() <= 0.01


@contract("regression")
def test_a_change_of_pace_is_said(candidate):
    said = candidate(read, straight(3, 9), BOX, [0, 1, 2, 3, 6])["said"]
    assert any("unequal" in text for text in said)
