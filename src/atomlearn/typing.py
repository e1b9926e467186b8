"""Names for the types of arrays."""

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]
"""An array of truth values."""
Floats = npt.NDArray[np.float64]
"""An array of real numbers."""
Integers = npt.NDArray[np.int64]
"""An array of whole numbers: indices, labels, counts."""
Objects = npt.NDArray[np.object_]
"""An array of Python objects, such as the cells of a column of text."""
