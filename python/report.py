#!/usr/bin/python3
"""One HTML page of a run: summary, interactive view and plots, film, stills; all inside the file.

Usage: report.py FOLDER [-o PAGE.html]; FOLDER holds one results file and what the other programs of
this folder made of it."""

import argparse
import base64
import html
import io
import json
import mimetypes
from pathlib import Path

import numpy as np
from PIL import Image

from results import Results, fail, number, pace_words, run
from viewer import require_small, view_section, whole_page

def embedded(path, as_jpeg=False):
    """A file as a data address."""
    data, kind = path.read_bytes(), mimetypes.guess_type(path.name)[0] or "image/webp"
    if as_jpeg:
        buffer = io.BytesIO()
        Image.open(path).convert("RGB").save(buffer, "JPEG", quality=90, optimize=True)
        data, kind = buffer.getvalue(), "image/jpeg"
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def figure(path, caption, scrolls=False):
    """A picture with its caption; a wide one scrolls on a narrow screen."""
    text = html.escape(caption)
    place = f'<img alt="{text}" src="{embedded(path, as_jpeg=path.suffix == ".png")}">'
    return f"<figure>{f'<div class=scroll>{place}</div>' if scrolls else place}<figcaption>{text}</figcaption></figure>"


def write_page(folder, title, parts):
    """FOLDER/index.html: a page of tables and figures."""
    style = (Path(__file__).resolve().parent / "page" / "page.css").read_text(encoding="utf-8")
    page = folder / "index.html"
    page.write_text("<!doctype html><html lang=en><meta charset=utf-8>"
                    "<meta name=viewport content='width=device-width,initial-scale=1'>"
                    f"<title>{html.escape(title)}</title><style>{style}"
                    "table.text td,table.text th{text-align:left;word-break:break-word}</style>"
                    f"<main>{''.join(parts)}</main></html>\n", encoding="utf-8")
    return page


def cards(results):
    """(value, words) of what a reader asks first."""
    found = []
    rest = results.settled_at()
    found.append(("still moving" if rest is None else f"{rest:.3f} s",
                  "at the end" if rest is None else "until it rests for good (below 1 mm/s)"))
    impacts = results["impacts/time"].size if "impacts/time" in results else 0
    found.append((str(impacts), "impacts faster than 1 mm/s"))
    if impacts:
        found.append((number(results["impacts/peak_force"].max(), "N"), "largest normal force"))
        found.append((number(results["impacts/approach_speed"].max(), "m/s"), "fastest impact"))
    for sensor in results.groups("sensors")[:2]:
        last = results[f"sensors/{sensor}/force"][-max(1, results.time.size // 100):].mean(axis=0)
        axis = int(np.abs(last).argmax())
        found.append((f"{last[axis]:.2f} N", f"settled force along {'xyz'[axis]} at {sensor}"))
    lost = sum(results[f"energy/{name}"].ravel()[-1] for name in
               ("dissipated_normal", "dissipated_sliding", "dissipated_spinning", "dissipated_rolling"))
    found.append((number(lost, "J"), "energy lost in contacts"))
    found.append((number(np.abs(results["energy/balance"]).max(), "J"),
                  "largest gap of the energy balance"))
    if "summary_wall_time" in results.attributes:
        found.append((number(results.attributes["summary_wall_time"], "s"),
                      f"to compute it: {results.attributes['summary_real_time_factor']:.3g} times "
                      "real time"))
    return found


def impacts_table(results, most=16):
    if "impacts/time" not in results or results["impacts/time"].size == 0:
        return ""
    columns = [results[f"impacts/{name}"].ravel() for name in ("time", "approach_speed", "peak_force")]
    order = np.argsort(-columns[1])[:most]
    rows = "".join(f"<tr><td>{columns[0][k]:.4f}</td><td>{columns[1][k]:.4f}</td>"
                   f"<td>{columns[2][k]:,.0f}</td></tr>" for k in sorted(order))
    note = "" if columns[0].size <= most else f" (the {most} fastest of {columns[0].size})"
    return (f"<h2>Impacts{note}</h2><div class=scroll><table><tr><th>time [s]</th><th>approach speed [m/s]</th>"
            f"<th>peak normal force [N]</th></tr>{rows}</table></div>")


def film(folder, results):
    """The animation with what it shows, and in what time."""
    for suffix in (".webp", ".gif"):
        path = folder / f"animation{suffix}"
        if path.exists():
            speed = json.loads(path.with_suffix(".json").read_text())["speed"]
            words_of_pace = pace_words(speed)
            marks = ("" if "patches/time" not in results or results["patches/time"].size == 0 else
                     " Discs are contact patches, arrows the forces on what moves.")
            return ["<h2>Film</h2>", figure(path, f"{words_of_pace[0].upper()}{words_of_pace[1:]}.{marks}")]
    return []


def sheets(folder, results):
    """The stills, and the other views that were drawn."""
    parts = []
    names = words(results.moving_bodies())
    stills = folder / "contact_sheet.png"
    if stills.exists():
        parts += ["<h2>Stills</h2>",
                  figure(stills, f"{names.capitalize() if names else 'Nothing moves'} from the start to "
                                 f"{results.time[-1]:.3g} s.", scrolls=True)]
    for path in sorted(folder.glob("*_sheet.png")):
        view = path.stem.removesuffix("_sheet")
        if view != "contact":
            parts += [f"<h2>{html.escape(view.capitalize())}</h2>",
                      figure(path, "Where bodies are cut open, the sections are hatched; what lies behind them "
                                   "shines through.", scrolls=True)]
    return parts


def words(names, most=3):
    """A list in words: "a, b and c", "a, b, c and 4 more"."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def lead(results):
    """One sentence about this scene."""
    moving, bodies = results.moving_bodies(), results.bodies()
    still = len(bodies) - len(moving)
    what = f"{words(moving)} {'moves' if len(moving) == 1 else 'move'}" if moving else "nothing moves"
    return (f"{number(results.time[-1], 's')} simulated: {what}"
            f"{f', {still} ' + ('stands' if still == 1 else 'stand') + ' still' if still and moving else ''}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("report.html"))
    parser.add_argument("--intervox", help="the executable; default: that of this tree")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.h5"))
    if len(files) != 1:
        fail(f"{options.folder}: expected one results file (*.h5), found {len(files)}")
    results = Results(files[0])
    parts = [f"<h1>{html.escape(results.name)}</h1>",
             f'<p class="lead">{html.escape(lead(results))}</p>', '<div class="cards">']
    parts += [f'<div class="card"><b>{html.escape(value)}</b><span>{html.escape(text)}</span></div>'
              for value, text in cards(results)]
    parts.append("</div>")
    parts.append(view_section(results, options.intervox))
    parts += film(options.folder, results) + sheets(options.folder, results)
    parts.append(impacts_table(results))
    source = results.attributes.get("source", "")
    parts.append(f"<details><summary>The scene's file</summary><pre>{html.escape(source)}</pre></details>")
    a = results.attributes
    origin = (files[0].name, f"Intervox {a.get('program_version', '')}", f"commit {a.get('commit', '')}",
              a.get("device", ""))
    parts.append(f"<footer>{html.escape(' · '.join(origin))}</footer>")
    options.out.write_text(require_small(whole_page(results.name, "".join(parts)), options.out))
    print(options.out)


if __name__ == "__main__":
    run(main)
