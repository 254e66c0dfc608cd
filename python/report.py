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

from results import Results, fail, run

STYLE = """
:root { --ink:#22272e; --faint:#67707b; --line:#e3e6ea; --accent:#c1440e; }
* { box-sizing:border-box; }
body { margin:0; font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
       color:var(--ink); background:#f6f7f8; }
main { max-width:1200px; margin:0 auto; padding:32px 24px 64px; }
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
.two figure { margin:0; } .two figure.wide { grid-column:1/-1; }
table { border-collapse:collapse; background:#fff; border:1px solid var(--line);
        border-radius:10px; width:100%; font-variant-numeric:tabular-nums; font-size:14px; }
th,td { text-align:right; padding:6px 14px; border-bottom:1px solid var(--line); }
th { color:var(--faint); font-weight:500; } td:first-child,th:first-child { text-align:left; }
footer { color:var(--faint); font-size:13px; margin-top:48px; }
"""

CAPTIONS = {
    "motion": "Position and rotation of the body frame in the world.",
    "velocity": "Linear and angular velocity.",
    "wrench": "Sum of the contact forces and their moment about the frame's origin; where impacts dwarf "
              "the rest, a close up beside it.",
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
    with Image.open(path) as picture:
        wide = ' class="wide"' if picture.width > 1.9 * picture.height else ""
    return (f'<figure{wide}><img alt="{text}" src="{embedded(path, as_jpeg)}">'
            f"<figcaption>{text}</figcaption></figure>")


def number(value, unit):
    """Three digits and a unit with the prefix that keeps the number readable."""
    value = float(value)
    prefix, factor = next(((p, f) for p, f in (("", 1), ("m", 1e3), ("µ", 1e6), ("n", 1e9))
                           if abs(value) * f >= (0.01 if f == 1 else 1) or value == 0), ("p", 1e12))
    shown = factor * value
    return f"{shown:,.0f} {prefix}{unit}" if abs(shown) >= 1000 else f"{shown:.3g} {prefix}{unit}"


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
                      figure(film, "In real time. Blue-green discs are contact patches in their true "
                                   "extent, where that is large enough to see. Red arrows are the forces "
                                   "on the moving body; their length goes with the logarithm.")]
            break
    sheet = options.folder / "contact_sheet.png"
    if sheet.exists():
        parts += ["<h2>Stills</h2>", figure(sheet, "The fall, every 0.2 s, then the end.", as_jpeg=True)]
    for sheet in sorted(options.folder.glob("*_sheet.png")):
        view = sheet.stem.removesuffix("_sheet")
        if view != "contact":
            parts += [f"<h2>{html.escape(view.capitalize())}</h2>",
                      figure(sheet, "Cut open; sections are hatched, and what lies behind them shines through.", as_jpeg=True)]
    plots = sorted((options.folder / "plots").glob("*.png"))
    if plots:
        parts.append('<h2>Plots</h2><div class="two">')
        for path in plots:
            kind = path.stem.split("_")[1]
            parts.append(figure(path, CAPTIONS.get(kind, path.stem)))
        parts.append("</div>")
    parts.append(impacts_table(results))
    a = results.attributes
    origin = (files[0].name, f"Intervox {a.get('program_version', '')}", f"commit {a.get('commit', '')}",
              a.get("device", ""))
    parts.append(f"<footer>{html.escape(' · '.join(origin))}</footer>")
    options.out.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{html.escape(results.name)}</title><style>{STYLE}</style>"
        f"<main>{''.join(parts)}</main></html>\n")
    print(options.out)


if __name__ == "__main__":
    run(main)
