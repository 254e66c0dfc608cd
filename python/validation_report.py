#!/usr/bin/python3
"""One page of the validation: each row's numbers and figures, and how much of its tolerance each
number takes. Called by `intervox validate --report`.

Usage: validation_report.py FOLDER; FOLDER holds validation.json, and gets index.html."""

import argparse
import html
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from plots import saved  # and its style of figures
from report import figure, write_page
from results import AXIS_COLORS, INK, fail, run

FEW = 12  # points of a curve up to which they are marked
LEAST = 1e-4  # share of a tolerance below which shares are drawn alike


def share(check):
    """How much of its tolerance a number takes; infinite where there is none."""
    off = abs((check["obtained"] if check["obtained"] is not None else np.inf) - check["expected"])
    return off / check["tolerance"] if check["tolerance"] > 0 else (np.inf if off else 0.0)


def overview(rows, folder):
    """A dot for each number, over the share of its tolerance that it takes."""
    fig, axes = plt.subplots(figsize=(8.4, 0.36 * len(rows) + 1.2))
    for k, row in enumerate(rows):
        shares = np.array([share(check) for check in row["checks"]])
        at = np.clip(shares, LEAST, 100.0)
        inside = shares <= 1.0
        axes.scatter(at[inside], np.full(inside.sum(), k), color=AXIS_COLORS[2], s=22, alpha=0.7)
        axes.scatter(at[~inside], np.full((~inside).sum(), k), color=AXIS_COLORS[0], s=40, marker="x")
    axes.axvline(1.0, color=INK, linewidth=1)
    axes.set_xscale("log")
    axes.set_xlim(0.7 * LEAST, 200.0)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("|obtained − expected| / tolerance; beyond 1 a row fails")
    fig.tight_layout()
    return saved(fig, folder, "overview")


def drawn(spec, folder, name):
    """A row's figure: curves of the program drawn through, of references dashed or as rings."""
    fig, axes = plt.subplots(figsize=(7.2, 3.6))
    colors = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    for k, curve in enumerate(spec["curves"]):
        x, y = (np.array([np.nan if v is None else v for v in curve[c]]) for c in "xy")
        few = x.size <= FEW
        if curve["reference"]:
            style = {"marker": "o", "fillstyle": "none", "linestyle": "--" if few else "none",
                     "markersize": 7 if few else 4}
            if x.size > 100:
                style = {"linestyle": "--"}
        else:
            style = {"marker": "." if few else "none", "linestyle": "none" if few else "-"}
        axes.plot(x, y, color=colors[k % len(colors)], linewidth=1.2, label=curve["label"],
                  zorder=3 if curve["reference"] else 2, **style)
    if spec.get("log_x"):
        axes.set_xscale("log")
    axes.set_xlabel(spec["x"])
    axes.set_ylabel(spec["y"])
    if len(spec["curves"]) > 1:
        axes.legend()
    fig.tight_layout()
    return figure(saved(fig, folder, name), spec["title"])


def table(checks):
    """A row's numbers."""
    whole = 'style="white-space:nowrap"'
    lines = ["<tr><th>quantity</th>" + "".join(f"<th {whole}>{head}</th>" for head in ("expected", "obtained", "tolerance", "verdict"))
             + "<th>why</th></tr>"]
    for check in checks:
        unit = "" if check["unit"] == "1" else f" [{html.escape(check['unit'])}]"
        obtained = "–" if check["obtained"] is None else f"{check['obtained']:.7g}"
        lines.append(f"<tr><td>{html.escape(check['quantity'])}{unit}</td><td {whole}>{check['expected']:.7g}</td><td {whole}>{obtained}</td>"
                     f"<td {whole}>{check['tolerance']:.2g}</td><td {whole}>{'pass' if check['passes'] else '<b>FAIL</b>'}</td>"
                     f"<td>{html.escape(check['why'])}</td></tr>")
    return f"<div class=scroll><table class=text>{''.join(lines)}</table></div>"


def section(row, folder):
    parts = [f"<h2 id={row['name']}>{html.escape(row['name'])}: {'passes' if row['passes'] else 'FAILS'}</h2>",
             f'<p class="lead">{html.escape(row["source"])}; scene {html.escape(row["scene"])}; {row["seconds"]:.2g} s.</p>']
    if row["error"]:
        parts.append(f"<p><b>{html.escape(row['error'])}</b></p>")
    parts += [drawn(spec, folder, f"{row['name']}_{k}") for k, spec in enumerate(row["figures"])]
    return "".join(parts) + table(row["checks"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    source = folder / "validation.json"
    try:
        data = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail(f"{source}: {error}")
    rows = data["rows"]
    checks = [check for row in rows for check in row["checks"]]
    cards = [(f"{sum(row['passes'] for row in rows)} of {len(rows)}", "rows pass"),
             (f"{sum(check['passes'] for check in checks)} of {len(checks)}", "numbers within their tolerance"),
             (f"{sum(row['seconds'] for row in rows):.2g} s", "to compute them")]
    parts = ["<h1>Validation</h1>", '<p class="lead">Results of the literature, and what Intervox makes of them.</p>',
             '<div class="cards">', *(f'<div class="card"><b>{b}</b><span>{words}</span></div>' for b, words in cards), "</div>",
             figure(overview(rows, folder), "Each dot is a number; left of the line it is within its tolerance."),
             *(section(row, folder) for row in rows),
             f"<footer>Intervox {html.escape(data['program_version'])}</footer>"]
    print(write_page(folder, "Validation", parts))


if __name__ == "__main__":
    run(main)
