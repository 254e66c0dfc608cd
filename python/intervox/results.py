"""Results files (HDF5) as NumPy arrays by name. Needs h5py."""

from __future__ import annotations

import errno
import os
from typing import Any, Iterator

import numpy

from . import _core
from ._core import InputError, Scene, Simulation
from ._inputs import parse_scene

_SCHEMA = "intervox/results/"


def _require_open(group: Any) -> None:
    if not group:
        raise ValueError("the results file is closed. Open it again with load_results")


class Columns:
    """A group of a results file: columns by name, as attributes or items, each read when asked."""

    def __init__(self, group: Any) -> None:
        self._group = group

    def __getitem__(self, name: str) -> Any:
        _require_open(self._group)
        if name not in self._group:
            raise KeyError(f"there is no '{name}' in {self._group.name}; there are: "
                           f"{', '.join(self._group)}")
        found = self._group[name]
        return found[()] if hasattr(found, "shape") else Columns(found)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._group)

    def __len__(self) -> int:
        return len(self._group)

    def __contains__(self, name: str) -> bool:
        return name in self._group

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._group]

    def units(self, name: str) -> str:
        """The units of a column."""
        if isinstance(self[name], Columns):
            raise ValueError(f"'{name}' is a group of columns, which has no units")
        return _text(self._group[name].attrs["units"])

    def __repr__(self) -> str:
        return f"<intervox.results.Columns {self._group.name}: {', '.join(self._group)}>"


class Results(Columns):
    """A results file: time [s], bodies, joints, sensors, energy, patches, impacts, inputs. SI, quaternions
    (w, x, y, z). A context manager that closes the file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import h5py
        except ImportError as error:
            raise ImportError("load_results needs h5py: pip install h5py") from error
        try:
            self._path = os.fsdecode(path)
            self._file = h5py.File(path, "r")
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "no such results file", os.fspath(path)) from None
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else error
            raise InputError(f"{path}: not a readable results file ({why})") from None
        if not str(self.attributes.get("schema")).startswith(_SCHEMA):
            self._file.close()
            raise InputError(f"{path}: no results file. Name one that `intervox run` or "
                             "Simulation.record wrote.")
        super().__init__(self._file)

    @property
    def path(self) -> str:
        """The file's name."""
        return self._path

    @property
    def attributes(self) -> dict[str, Any]:
        """What the file says of the run: name, version, scene, summary."""
        _require_open(self._file)
        return {k: _text(v) if isinstance(v, (bytes, str)) else v
                for k, v in self._file.attrs.items()}

    @property
    def scene(self) -> Scene:
        """The scene of the run."""
        return parse_scene(self.attributes["scene"])

    @property
    def body_names(self) -> list[str]:
        """Names by number, as patches/body_i has them."""
        return self.attributes["bodies"].split("\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._file:
            return "<intervox.Results, closed>"
        time = self._file["time"]
        end = numpy.ravel(time[-1:])
        return (f"<intervox.Results '{self.attributes['name']}', {len(time)} samples"
                + (f" to {end[0]:g} s>" if len(end) else ">"))


def load_results(path: str | os.PathLike[str]) -> Results:
    """Opens a results file: load_results("peg.h5").bodies["peg"].position is an array (n, 3) [m]."""
    return Results(path)


def replay(path: str | os.PathLike[str], *, record: str | os.PathLike[str] | None = None,
           threads: int = 0) -> Simulation:
    """Does the run of a results file again, with its scene and inputs and the same bits, and returns
    the simulation at its end; record: a results file to write. Ctrl-C ends it between two steps."""
    return _core._replay(os.fspath(path), None if record is None else os.fspath(record), threads)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
