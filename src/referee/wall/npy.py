"""NPY files of an artifact: arrays of plain numbers, bounded, nothing that could run."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_KINDS = "biufc"


def read_npy(data: bytes) -> np.ndarray[Any, Any]:
    """The array in the bytes of an NPY file of version 1 or 2, in native byte order and C order.

    Only booleans, integers, floats and complex numbers are read; what they may be beside that
    (empty, not finite) is for a contract to say.

    Raises:
        ValueError: anything else; the message says what.
    """
    import numpy as np

    from referee.evidence.fault import EvidenceFault
    from referee.evidence.npyfile import read_plain

    try:
        array = read_plain("file", io.BytesIO(data), len(data), kinds=_KINDS)
    except EvidenceFault as fault:
        raise ValueError(fault.what) from None
    native = array.astype(array.dtype.newbyteorder("="), copy=True)
    return np.ascontiguousarray(native).reshape(array.shape)
