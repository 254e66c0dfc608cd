#!/usr/bin/python3
"""One HTML page of a run: summary, animation, contact sheet, plots; everything inside the file.

Usage: report.py FOLDER [-o PAGE.html]; FOLDER holds one results file and what the other programs of
this folder made of it."""

import argparse
import base64
import html
import io
import mimetypes
from pathlib import Path

import numpy as np
from PIL import Image

from results import Results, fail

STYLE = """
:root { --ink:#22272e; --faint:#67707b; --line:#e3e6ea; --accent:#c1440e; }
* { box-sizing:border-box; }
body { margin:0; font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
       color:var(--ink); background:#f6f7f8; }
main { max-width:1120px; margin:0 auto; padding:32px 24px 64px; }
h1 { font-size:34px; margin:0 0 4px; text-transform:capitalize; letter-spacing:-.01em; }
h2 { font-size:20px; margin:44px 0 14px; }
p.lead { color:var(--faint); margin:0 0 26px; max-width:70ch; }
.cards { display:grid; grid-template-columns:repeat(auto-fit,minmax(165px,1fr)); gap:12px; }
.card { background:#fff; border:1px solid var(--line); border-radius:10px; padding:14px 16px; }
.card b { display:block; font-size:22px; font-weight:650; letter-spacing:-.01em; }
.card span { color:var(--faint); font-size:13px; }
figure { margin:0 0 18px; background:#fff; border:1px solid var(--line); border-radius:10px;
         padding:12px; }
figure img { display:block; width:100%; height:auto; border-radius:4px; }
figcaption { color:var(--faint); font-size:13px; padding:8px 4px 0; }
.two { display:grid; grid-template-columns:repeat(auto-fit,minmax(460px,1fr)); gap:16px; }
.two figure { margin:0; }
table { border-collapse:collapse; background:#fff; border:1px solid var(--line);
        border-radius:10px; width:100%; font-variant-numeric:tabular-nums; font-size:14px; }
th,td { text-align:right; padding:6px 14px; border-bottom:1px solid var(--line); }
th { color:var(--faint); font-weight:500; } td:first-child,th:first-child { text-align:left; }
footer { color:var(--faint); font-size:13px; margin-top:48px; }
"""

CAPTIONS = {
    "motion": "Position and rotation of the body frame in the world.",
    "velocity": "Linear and angular velocity.",
    "wrench": "Sum of the contact forces and their moment about the frame's origin.",
    "contacts": "Number of contact patches, and each patch's normal force.",
    "energies": "Every term of the energy audit; below, what the terms leave over: the error of the "
                "integration.",
}


def embedded(path, as_jpeg=False):
    """A file as a data address."""
    data, kind = path.read_bytes(), mimetypes.guess_type(path.name)[0] or "image/webp"
    if as_jpeg:
        buffer = io.BytesIO()
        Image.open(path).convert("RGB").save(buffer, "JPEG", quality=90, optimize=True)
        data, kind = buffer.getvalue(), "image/jpeg"
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def figure(path, caption, as_jpeg=False):
    text = html.escape(caption)
    return (f'<figure><img alt="{text}" src="{embedded(path, as_jpeg)}">'
            f"<figcaption>{text}</figcaption></figure>")


def number(value, digits=3):
    return f"{value:.{digits}g}" if abs(value) < 1e4 and (abs(value) >= 1e-3 or value == 0) else f"{value:.2e}"


def cards(results):
    """(value, words) of what a reader asks first."""
    found = []
    rest = results.attributes.get("summary_rest_time")  # of every step, where the run finished
    rest = results.rest_time() if rest is None else (float(rest) if rest >= 0 else None)
    found.append(("still moving" if rest is None else f"{rest:.3f} s",
                  "at rest (below 1 mm/s) for good from"))
    impacts = results["impacts/time"].size if "impacts/time" in results else 0
    found.append((str(impacts), "impacts faster than 1 mm/s"))
    if impacts:
        found.append((f"{number(results['impacts/peak_force'].max())} N", "largest normal force"))
        found.append((f"{number(results['impacts/approach_speed'].max())} m/s", "fastest impact"))
    for sensor in results.groups("sensors")[:2]:
        last = results[f"sensors/{sensor}/force"][-max(1, results.time.size // 100):].mean(axis=0)
        axis = int(np.abs(last).argmax())
        found.append((f"{last[axis]:.2f} N", f"settled force along {'xyz'[axis]} at {sensor}"))
    lost = sum(results[f"energy/{name}"].ravel()[-1] for name in
               ("dissipated_normal", "dissipated_sliding", "dissipated_spinning", "dissipated_rolling"))
    found.append((f"{number(lost)} J", "energy lost in contacts"))
    found.append((f"{number(np.abs(results['energy/balance']).max())} J",
                  "largest gap of the energy balance"))
    if "summary_wall_time" in results.attributes:
        found.append((f"{number(float(results.attributes['summary_wall_time']))} s",
                      f"wall time: {number(float(results.attributes['summary_real_time_factor']))} "
                      "times real time"))
    return found


def impacts_table(results, most=16):
    if "impacts/time" not in results or results["impacts/time"].size == 0:
        return ""
    columns = [results[f"impacts/{name}"].ravel() for name in ("time", "approach_speed", "peak_force")]
    order = np.argsort(-columns[1])[:most]
    rows = "".join(f"<tr><td>{columns[0][k]:.4f}</td><td>{columns[1][k]:.4f}</td>"
                   f"<td>{columns[2][k]:,.0f}</td></tr>" for k in sorted(order))
    note = "" if columns[0].size <= most else f" (the {most} fastest of {columns[0].size})"
    return (f"<h2>Impacts{note}</h2><table><tr><th>time [s]</th><th>approach speed [m/s]</th>"
            f"<th>peak normal force [N]</th></tr>{rows}</table>")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("report.html"))
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.h5"))
    if len(files) != 1:
        fail(f"{options.folder}: expected one results file (*.h5), found {len(files)}")
    results = Results(files[0])
    parts = [f"<h1>{html.escape(results.name)}</h1>",
             f'<p class="lead">{results.time[-1]:.2f} s simulated; contact forces from volumes of '
             "interference of exact shapes.</p>", '<div class="cards">']
    parts += [f'<div class="card"><b>{html.escape(value)}</b><span>{html.escape(words)}</span></div>'
              for value, words in cards(results)]
    parts.append("</div>")
    for suffix in (".webp", ".gif"):
        film = options.folder / f"animation{suffix}"
        if film.exists():
            parts += ["<h2>Animation</h2>",
                      figure(film, "In real time. Orange ellipses are contact patches; red arrows are "
                                   "contact forces, longer by the logarithm of the force.")]
            break
    sheet = options.folder / "contact_sheet.png"
    if sheet.exists():
        parts += ["<h2>Stills</h2>", figure(sheet, "The same, every 0.2 s.", as_jpeg=True)]
    for sheet in sorted(options.folder.glob("*_sheet.png")):
        view = sheet.stem.removesuffix("_sheet")
        if view != "contact":
            parts += [f"<h2>{html.escape(view.capitalize())}</h2>",
                      figure(sheet, "Faces cut open are tinted.", as_jpeg=True)]
    plots = sorted((options.folder / "plots").glob("*.png"))
    if plots:
        parts.append('<h2>Plots</h2><div class="two">')
        for path in plots:
            kind = path.stem.split("_")[1]
            parts.append(figure(path, CAPTIONS.get(kind, path.stem)))
        parts.append("</div>")
    parts.append(impacts_table(results))
    a = results.attributes
    parts.append(f"<footer>{html.escape(files[0].name)} · {html.escape(str(a.get('program_version', '')))}"
                 f" · {html.escape(str(a.get('device', '')))}</footer>")
    options.out.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{html.escape(results.name)}</title><style>{STYLE}</style>"
        f"<main>{''.join(parts)}</main></html>\n")
    print(options.out)


main()
