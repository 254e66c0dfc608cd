"""Names for what the functions take and return."""

from __future__ import annotations

from typing import Any, Protocol, Sequence, Tuple, Union

import numpy
import numpy.typing

from ._core import Pose

FloatArray = numpy.typing.NDArray[numpy.float64]
BoolArray = numpy.typing.NDArray[numpy.bool_]


class HasMatrix(Protocol):
    """Whatever has as_matrix(): scipy.spatial.transform.Rotation, for example."""

    def as_matrix(self) -> Any: ...


Vector = Union[Sequence[float], FloatArray]
# A quaternion (w, x, y, z), a 3 x 3 matrix, or what has as_matrix().
Rotation = Union[Sequence[float], Sequence[Sequence[float]], FloatArray, HasMatrix]
# A Pose, (position, orientation), position and quaternion in seven numbers, or a 4 x 4 matrix.
PoseLike = Union[Pose, Tuple[Vector, Union[Rotation, None]], Sequence[float], FloatArray, HasMatrix]
