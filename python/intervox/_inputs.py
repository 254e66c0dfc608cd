"""Scenes, shapes and overlaps: what Python may give, as the C++ library takes it."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, Sequence, Union, overload

from . import _core
from ._core import Metrics, MetricsArray, Pose, Scene, Separation, SeparationArray, Shape, VolumeEnclosure
from ._types import BoolArray, PoseLike
from ._yaml import to_yaml

Overrides = Union[Mapping[str, Any], Sequence[str]]
ShapeLike = Union[Shape, str, Mapping[str, Any]]


def _edits(overrides: Overrides) -> list[str]:
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, Mapping):
        return [f"{path}={to_yaml(value, 2)}" for path, value in overrides.items()]
    if not isinstance(overrides, Iterable):
        raise TypeError(f"overrides is a dict by path, or a list of texts PATH=VALUE, not {_type(overrides)}")
    edits = list(overrides)
    for edit in edits:
        if not isinstance(edit, str):
            raise TypeError(f"overrides: an item is a text PATH=VALUE, not {_type(edit)}")
    return edits


def _type(given: object) -> str:
    return "None" if given is None else f"a {type(given).__name__}"


def load_scene(path: str | os.PathLike[str], *, overrides: Overrides = ()) -> Scene:
    """Reads a scene from a YAML file.

    overrides: edits before it is checked, as --set has them: ["bodies.peg.mass=0.1"] or
    {"bodies.peg.mass": 0.1}. Raises InputError naming file, line, key, value and remedy."""
    return _core._load_scene(os.fspath(path), _edits(overrides))


def parse_scene(scene: str | Mapping[str, Any], *, overrides: Overrides = ()) -> Scene:
    """Reads a scene from YAML text, or from a dict with the same keys. SI units; quaternions are
    (w, x, y, z). Files that it includes are looked for from the working directory."""
    if isinstance(scene, str):
        return _core._parse_scene(scene, "<text>", _edits(overrides))
    _require_map(scene, "a scene")
    return _core._parse_scene(to_yaml(dict(scene)), "<dict>", _edits(overrides))


def _require_map(given: object, what: str) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is YAML text or a dict, not {_type(given)}")


def shape(solid: ShapeLike) -> Shape:
    """A solid from YAML text or a dict, for example {"sphere": {"radius": 0.1}} [m]. Shapes are cut
    into cells once: keep them for many calls of measure."""
    if isinstance(solid, Shape):
        return solid
    if isinstance(solid, str):
        return _core._parse_shape(solid, "<text>")
    _require_map(solid, "a solid")
    return _core._parse_shape(to_yaml(dict(solid)), "<dict>")


def load_shapes(path: str | os.PathLike[str]) -> dict[str, Shape]:
    """The named shapes of a pairs or scene file, in SI units."""
    return _core._load_shapes(os.fspath(path))


_ORIGIN = Pose()


@overload
def measure(a: ShapeLike, b: ShapeLike, X_AB: Pose = ..., *, tolerance: float = ...) -> Metrics: ...
@overload
def measure(a: ShapeLike, b: ShapeLike, X_AB: PoseLike, *,
            tolerance: float = ...) -> Any: ...


def measure(a: ShapeLike, b: ShapeLike, X_AB: PoseLike = _ORIGIN, *,
            tolerance: float = 1e-4) -> Metrics | MetricsArray:
    """The overlap of the solids a and b.

    X_AB is the pose of b in a's frame, [m] and quaternion (w, x, y, z). One pose gives Metrics: a
    Pose, (position, orientation), seven numbers (position, quaternion), or a 4 x 4 matrix. Many give
    MetricsArray: an array n x 7 or n x 4 x 4, or (n x 3 positions, n orientations). An orientation
    may be a quaternion, a 3 x 3 matrix, or a scipy Rotation. tolerance is relative to the volume,
    1e-9 to 0.1. Results are SI, in a's frame, for unit density."""
    if not isinstance(a, Shape):
        a = shape(a)
    if not isinstance(b, Shape):
        b = shape(b)
    return _core._measure(a, b, X_AB, tolerance)


@overload
def distance(a: ShapeLike, b: ShapeLike, X_AB: Pose = ..., *, tolerance: float = ...) -> Separation: ...
@overload
def distance(a: ShapeLike, b: ShapeLike, X_AB: PoseLike, *,
             tolerance: float = ...) -> Any: ...


def distance(a: ShapeLike, b: ShapeLike, X_AB: PoseLike = _ORIGIN, *,
             tolerance: float = 1e-9) -> Separation | SeparationArray:
    """How far the solids a and b are apart, with witness points and a proved lower bound.

    X_AB is the pose of b in a's frame, [m] and quaternion (w, x, y, z), given as to measure(): one pose
    gives Separation, many give SeparationArray. tolerance is in sizes of the smaller solid, or in
    distances where that is more, 1e-12 to 0.1."""
    return _core._distance(shape(a), shape(b), X_AB, tolerance)


@overload
def overlaps(a: ShapeLike, b: ShapeLike, X_AB: Pose = ...) -> bool: ...
@overload
def overlaps(a: ShapeLike, b: ShapeLike, X_AB: PoseLike) -> Any: ...


def overlaps(a: ShapeLike, b: ShapeLike, X_AB: PoseLike = _ORIGIN) -> bool | BoolArray:
    """Whether the interiors of the solids a and b meet: faster than how much they overlap.

    X_AB is the pose of b in a's frame, [m] and quaternion (w, x, y, z), given as to measure(): one pose
    gives a bool, many give an array of bools. Solids that touch do not overlap. Raises RuntimeError where
    it cannot be decided."""
    return _core._overlaps(shape(a), shape(b), X_AB)


def certify(a: ShapeLike, b: ShapeLike, X_AB: PoseLike = _ORIGIN, *, tolerance: float = 1e-4) -> VolumeEnclosure:
    """Bounds of the volume that the solids a and b have in common, proved with all rounding.

    X_AB is one pose of b in a's frame, [m] and quaternion (w, x, y, z), given as to measure(). tolerance is half of upper - lower over
    lower, 1e-9 to 0.1. Where a second's work does not do, the status says so and the bounds still hold."""
    return _core._certify(shape(a), shape(b), X_AB, tolerance)


def measure_solid(solid: ShapeLike, *, tolerance: float = 1e-4) -> Metrics:
    """The solid itself, in its own frame: volume [m^3], centroid [m], inertia about it for unit
    density [m^5]."""
    return _core._measure_solid(shape(solid), tolerance)
