"""Pages to look into: the view, time slider and plots of a run, in a notebook or a file."""

from __future__ import annotations

import html
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Union

from ._core import InputError, Scene, Simulation
from .results import Results

Shown = Union[str, "os.PathLike[str]", Results, Scene, Simulation]

_MAKER = pathlib.Path(__file__).resolve().parent / "show"


class Page:
    """An interactive page, of one file that needs no network. A notebook shows it; save(path) writes
    it for a browser."""

    def __init__(self, name: str, text: str, height: int) -> None:
        self.name = name
        self.html = text
        self._height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.name)}" width="100%" '
                f'height="{self._height}" style="border:0"></iframe>')

    def __repr__(self) -> str:
        return (f"<intervox.Page '{self.name}', {len(self.html) / 1e6:.1f} MB; a notebook shows it, "
                "save('page.html') writes it>")


def show(what: Shown, *, height: int = 900) -> Page:
    """An interactive page of a results file, or of a scene or a simulation as it is now: bodies to
    turn, hide and cut, a time slider, forces and patches, plots. height [px]: of its frame in a
    notebook. Needs h5py and the Debian packages libjs-three and libjs-dygraphs."""
    if isinstance(what, (Scene, Simulation)):
        simulation = Simulation(what) if isinstance(what, Scene) else what.clone()
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "now.h5"
            simulation.record(results).close()
            return Page(simulation.scene.name, _page_of(results), height)
    path = pathlib.Path(what.path if isinstance(what, Results) else what)
    return Page(path.stem, _page_of(path), height)


def _page_of(results: pathlib.Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        made = subprocess.run(
            [sys.executable, _MAKER / "viewer.py", results, "-o", page, "--intervox", _MAKER / "intervox"],
            capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise InputError(made.stderr.strip().removeprefix("error: ") or f"{results}: no page could be made")
        return page.read_text(encoding="utf-8")
