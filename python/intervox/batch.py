"""Batches: many runs of a scene with sampled values, on threads."""

from __future__ import annotations

import html
import inspect
import os
import pathlib
import sys
from typing import Any, Callable, Iterator, NamedTuple, Optional, Union

import numpy

from . import _core
from ._core import Simulation
from ._inputs import Overrides, _edits
from ._types import FloatArray

Controller = Callable[[Simulation], Optional[Iterator[Any]]]

_TURN_SECONDS = 0.2
_LINE_SECONDS = 10.0


class Rate(NamedTuple):
    """How often an outcome is true, with its Wilson interval of 95 %."""

    rate: float
    low: float
    high: float


class BatchResults:
    """The finished runs of a batch, one row for each, by ascending id.

    id: number of each run. ok: whether it did not fail. reasons: why, by id, of those that failed.
    parameters: what was sampled, by path; arrays, or lists of YAML texts for what are no numbers.
    outcomes: arrays by name, SI, NaN where a run failed. rates: of the outcomes that compare.
    seconds: of wall time. controllers: what tells the controller of each run from others, empty
    where there was none. folder: holds batch.h5."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.name: str = columns["name"]
        self.folder = pathlib.Path(columns["folder"])
        self.total: int = columns["total"]
        self.id = columns["id"].astype(numpy.int64)
        self.ok = columns["ok"].astype(bool)
        self.seconds: FloatArray = columns["seconds"]
        self.reasons: dict[int, str] = columns["reasons"]
        self.controllers: list[str] = columns["controllers"]
        self.parameters: dict[str, Union[FloatArray, list[str]]] = columns["parameters"]
        self.outcomes: dict[str, FloatArray] = columns["outcomes"]
        self.rates: dict[str, Rate] = {name: Rate(*rate) for name, rate in columns["rates"].items()}

    def __len__(self) -> int:
        return len(self.id)

    def _lines(self) -> list[tuple[str, str]]:
        """Name and value of each outcome, in words."""
        lines = []
        for name, values in self.outcomes.items():
            if not self.ok.any():
                break
            if name in self.rates:
                rate, low, high = (100 * x for x in self.rates[name])
                lines.append((name, f"{rate:.1f} % [{low:.1f}, {high:.1f}]"))
            else:
                lines.append((name, f"mean {numpy.nanmean(values):.4g}, {numpy.nanmin(values):.4g} "
                                    f"to {numpy.nanmax(values):.4g}"))
        return lines

    def __repr__(self) -> str:
        text = f"<intervox.BatchResults '{self.name}', {len(self)} of {self.total} runs"
        if self.reasons:
            text += f", {len(self.reasons)} failed"
        return ", ".join([text, *(f"{name} {value}" for name, value in self._lines())]) + ">"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
                       for name, value in self._lines())
        return (f"<table><caption>{html.escape(self.name)}: {len(self)} of {self.total} runs, "
                f"{len(self.reasons)} failed</caption>{rows}</table>")


def run_batch(path: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, *,
              controller: Controller | None = None, number: int | None = None,
              overrides: Overrides = (), threads: int = 0, resume: bool = False,
              retry_failed: bool = False, only: int | None = None,
              progress: bool | Callable[[str], Any] = True) -> BatchResults:
    """Runs a batch file on threads (0: all cores), with its results in the folder `out`, as
    `intervox batch` does; the batch file's name if that is None.

    controller(simulation): called as a run begins; a generator, resumed before each step, that sets
    inputs and yields. A function that returns None is called before each step. It may be called on
    any thread, one call at a time. number: of runs, in place of the file's. overrides: edits of the
    scene, as in load_scene. resume: goes on with what the folder holds. retry_failed: goes on, does
    the runs that failed again, and takes a controller that was changed since; runs that did not fail
    are kept as they are. only: that run alone, of any number; `out` is then the results file of its
    trajectory, NAME_K.h5 if None. progress: lines on standard error, or what takes them as texts.

    Ctrl-C ends it within a step; what is finished is saved, and resume=True goes on. Raises
    InputError for bad input, and what the controller raises."""
    name = pathlib.Path(path).stem
    folder = os.fspath(out) if out is not None else name if only is None else f"{name}_{only}.h5"
    if only is not None and only < 0:
        raise ValueError(f"only: runs are counted from 0 (got {only})")
    terminal = sys.stderr.isatty() or "ipykernel" in sys.modules
    tell = progress if callable(progress) else (_turn if terminal else _line) if progress else None
    text = "" if controller is None else _source(controller)
    seconds = _TURN_SECONDS if callable(progress) or terminal else _LINE_SECONDS
    try:
        columns = _core._run_batch(os.fspath(path), folder, _edits(overrides), controller, text,
                                   0 if number is None else number or -1, threads, resume, retry_failed,
                                   -1 if only is None else only, tell, seconds,
                                   tell if tell is None or callable(progress) else _line)
    except KeyboardInterrupt:
        if tell is not None and not callable(progress):
            print("\nintervox: interrupted. The finished runs are saved; repeat the call with "
                  "resume=True to go on.", file=sys.stderr)
        raise
    if tell is _turn:
        _turn("")
    return BatchResults(columns)


def _turn(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _source(controller: Controller) -> str:
    """What tells one controller from another: its source where there is one, else its name."""
    try:
        return inspect.getsource(controller)
    except (OSError, TypeError):
        return getattr(controller, "__qualname__", type(controller).__qualname__)
