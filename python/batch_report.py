#!/usr/bin/python3
"""Pages of a batch: rates with Wilson intervals, marginal curves, a heat map over two parameters,
distributions, rank correlations, and the worst runs with pictures. Called by `intervox report`.

Usage: batch_report.py FOLDER [-o REPORT] [--outcome NAME] [--over PATH --over PATH] [--worst N]
[--intervox PROGRAM]; FOLDER holds the batch.h5 of `intervox batch`."""

import argparse
import csv
import html
import shlex
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

from batch_table import FAILED, PENDING, Z, Batch, spearman, wilson
from plots import saved  # and its style of figures
from report import figure, write_page
from results import AXIS_COLORS, INK, fail, run


# Units by the last word of a path; words with several meanings, as stiffness, are left out.
UNITS = {"rpy_deg": "deg", "linear": "m/s", "angular": "rad/s", "mass": "kg", "density": "kg/m³",
         "force": "N", "torque": "N m", "v_small": "m/s", "v_stribeck": "m/s"}
UNITS |= dict.fromkeys(["position", "radius", "radius_bottom", "radius_top", "major_radius",
                        "minor_radius", "height", "length", "size"], "m")
UNITS |= dict.fromkeys(["step", "duration", "dwell_time", "relaxation_time"], "s")


def short(path):
    """A path's telling end, with its unit."""
    parts = path.split(".")
    unit = UNITS.get(parts[-1].split("[")[0])
    return ".".join(parts[-3:] if len(parts) > 3 else parts) + (f" [{unit}]" if unit else "")


def floor_of(rates):
    """Where an axis of rates begins, so that rates near 1 can be told apart."""
    least = np.nanmin(rates)
    return max(low for low in (0.0, 0.5, 0.8, 0.9, 0.95, 0.98) if low == 0.0 or low < least)


def wide(columns):
    """Width of a figure of panels [in]; one alone is not blown up."""
    return 4.2 * max(2, columns)


def spread(values):
    """Whether an axis of these is logarithmic."""
    return values.min() > 0 and values.max() > 30 * values.min()


def label(text, most=34):
    return text if len(text) <= most else text[: most - 1] + "…"


def marginals(batch, outcome, folder):
    """One panel for each parameter: the outcome by bins of as many runs each."""
    y, rate = batch.y[outcome], outcome in batch.boolean
    order = sorted(batch.x, key=lambda n: -batch.telling(n, y))[:9]
    columns = min(3, len(order))
    rows = -(-len(order) // columns)
    fig, panels = plt.subplots(rows, columns, figsize=(wide(columns), 3.2 * rows),
                               squeeze=False, sharey=True)
    least = 1.0
    for axes in panels.flat[len(order):]:
        axes.set_visible(False)
    for axes, name in zip(panels.flat, order):
        index, places, categories = batch.bins(name)
        middle, low, high = [], [], []
        for k in range(len(places)):
            part = y[index == k]
            if rate:
                p, lo, hi = wilson(part.sum(), part.size)
            else:
                p = part.mean()
                error = Z * part.std() / np.sqrt(max(part.size, 1))
                lo, hi = p - error, p + error
            middle.append(p)
            low.append(max(0.0, p - lo))  # rounding may bring the ends a little inside
            high.append(max(0.0, hi - p))
            least = min(least, lo)
        at = np.arange(len(places)) if categories else places
        axes.errorbar(at, middle, [low, high], fmt="o" if categories else "o-", color=AXIS_COLORS[2],
                      capsize=3, markersize=4)
        if categories:
            axes.set_xticks(at, [label(p, 16) for p in places])
            axes.margins(x=0.2)
        elif spread(batch.x[name]):
            axes.set_xscale("log")
        else:
            axes.xaxis.set_major_locator(plt.MaxNLocator(5))
            axes.ticklabel_format(axis="x", scilimits=(-3, 4))
        axes.set_xlabel(label(short(name), 40))
    if rate:
        low = floor_of([least])
        panels[0][0].set_ylim(low - 0.03 * (1 - low), 1 + 0.03 * (1 - low))
        panels[0][0].yaxis.set_major_formatter(PercentFormatter(1))
    for row in panels:
        row[0].set_ylabel(f"rate of {outcome}" if rate else outcome)
    fig.tight_layout()
    return saved(fig, folder, "marginals")


def heat_map(batch, outcome, over, folder):
    y = batch.y[outcome]
    (i, a, a_categories), (j, b, b_categories) = (batch.bins(name, 6) for name in over)
    total = np.zeros((len(b), len(a)))
    count = np.zeros_like(total)
    np.add.at(total, (j, i), y)
    np.add.at(count, (j, i), 1)
    with np.errstate(invalid="ignore"):
        mean = total / count
    fig, axes = plt.subplots(figsize=(7.2, 5.4))
    axes.grid(False)
    rate = outcome in batch.boolean
    limits = {"vmin": floor_of(mean), "vmax": 1} if rate else {}
    image = axes.imshow(mean, origin="lower", aspect="auto", cmap="viridis", **limits)
    for (row, column), n in np.ndenumerate(count):
        value = f"{100 * mean[row, column]:.3g} %" if rate else f"{mean[row, column]:.2g}"
        shown = f"{value}\n({int(n)})" if n else "–"
        dark = n and image.norm(mean[row, column]) < 0.6
        axes.text(column, row, shown, ha="center", va="center", fontsize=8,
                  color="white" if dark else INK)
    for ticks, places, categories in ((axes.set_xticks, a, a_categories),
                                      (axes.set_yticks, b, b_categories)):
        ticks(range(len(places)), [label(p, 16) if categories else f"{p:.2g}" for p in places])
    axes.set_xlabel(label(short(over[0]), 55))
    axes.set_ylabel(label(short(over[1]), 55))
    fig.colorbar(image, label=f"rate of {outcome}" if rate else outcome,
                 format=PercentFormatter(1) if rate else None)
    return saved(fig, folder, "heat_map")


def distributions(batch, outcome, folder):
    names = [n for n in batch.y if n not in batch.boolean and np.ptp(batch.y[n]) > 0]
    if not names:
        return None
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    fig, panels = plt.subplots(rows, columns, figsize=(wide(columns), 3 * rows), squeeze=False)
    for axes in panels.flat[len(names):]:
        axes.set_visible(False)
    count = int(np.clip(2 * np.sqrt(batch.ids.size), 5, 30))
    hit = batch.y[outcome] != 0 if outcome in batch.boolean else np.ones(batch.ids.size, bool)
    for axes, name in zip(panels.flat, names):
        y = batch.y[name]
        logarithmic = spread(y)
        edges = (np.geomspace if logarithmic else np.linspace)(y.min(), y.max(), count + 1)
        axes.hist([y[hit], y[~hit]], edges, stacked=True, color=[AXIS_COLORS[1], AXIS_COLORS[0]],
                  label=[outcome, f"not {outcome}"])
        if logarithmic:
            axes.set_xscale("log")
        else:
            axes.xaxis.set_major_locator(plt.MaxNLocator(5))
        axes.yaxis.set_major_locator(plt.MaxNLocator(5, integer=True))
        axes.set_xlabel(name)
        axes.set_ylabel("runs")
    if not hit.all():
        panels.flat[0].legend()
    fig.tight_layout()
    return saved(fig, folder, "distributions")


def correlations(batch, folder):
    columns = batch.numbers()
    if not columns:
        return None, []
    table = [[spearman(x, y) for y in batch.y.values()] for x in columns.values()]
    fig, axes = plt.subplots(figsize=(max(wide(1), 2.6 + 1.15 * len(batch.y)), 1.4 + 0.5 * len(columns)))
    axes.grid(False)
    axes.imshow(np.array(table), vmin=-1, vmax=1, cmap="RdBu_r", aspect="auto")
    for row, values in enumerate(table):
        for column, value in enumerate(values):
            axes.text(column, row, "–" if np.isnan(value) else f"{value:.2f}", ha="center",
                      va="center", color="white" if abs(value) > 0.6 else INK, fontsize=9)
    axes.set_xticks(range(len(batch.y)), batch.y, rotation=20, ha="right")
    axes.set_yticks(range(len(columns)), [label(short(n), 40) for n in columns])
    return saved(fig, folder, "correlations"), table


def worst_runs(batch, outcome, most):
    """Indices of runs that went wrong: without the outcome, the largest forces first."""
    numbers = [n for n in batch.y if n not in batch.boolean]
    number = next((n for n in numbers if "force" in n or "peak" in n), (numbers or [outcome])[0])
    missed = batch.y[outcome] == 0 if outcome in batch.boolean else np.zeros(batch.ids.size, bool)
    order = np.lexsort((-batch.y[number], ~missed))
    return order[:most], number


def pictures(batch, runs, folder, out, program):
    """Draws how runs end, from the trajectories that were kept, else from replays; a run with a
    controller cannot be done again without it. The scene's views stand beside it, in NAME.views."""
    found = {}
    for k in runs:
        results = folder / "trajectories" / f"{k}.h5"
        if not results.exists() and "controller" in batch.attributes:
            continue
        if not results.exists():
            results = out / f"run_{k}.h5"
            done = subprocess.run([program, *batch.alone(k), "-o", str(results)], capture_output=True, text=True)
            if done.returncode > 1 or not results.exists():
                print(f"run {k} cannot be replayed: {done.stderr.strip()}")
                continue
        draw = [program, "render", str(results), "-o", str(out / f"run_{k}"), "--frames", "last",
                "--size", "480x360", *view(batch.attributes["batch_file"])]
        if subprocess.run(draw, capture_output=True, text=True).returncode == 0:
            found[k] = sorted((out / f"run_{k}").glob("*.png"))[-1]
    return found


def view(batch_file):
    """Options of the last view of the scene's file of views: the one that looks closest."""
    import yaml
    path = Path(batch_file)
    try:
        scene = path.parent / yaml.safe_load(path.read_text())["scene"]
        lines = [line for line in scene.with_suffix(".views").read_text().splitlines()
                 if line.strip() and not line.startswith("#")]
    except (OSError, TypeError, KeyError):
        return []
    return shlex.split(lines[-1])[1:] if lines else []


def write_csv(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


def tables(batch, table, folder):
    names = list(batch.all_x), list(batch.all_y)
    shown = {n: [batch.words[n][int(v)] if v == v else "" for v in c] if n in batch.words else c
             for n, c in batch.all_x.items()}
    write_csv(folder / "runs.csv", ["id", "status", *names[0], *names[1], "seconds", "reason", "replay"],
              [[batch.id[k], batch.status[k], *(shown[n][k] for n in names[0]),
                *(batch.all_y[n][k] for n in names[1]), batch.seconds[k], batch.text["reason"][k],
                batch.text["replay"][k]] for k in range(batch.id.size)])
    write_csv(folder / "rates.csv", ["outcome", "rate", "low", "high", "hits", "runs"],
              [[n, *wilson(batch.y[n].sum(), batch.ids.size), int(batch.y[n].sum()), batch.ids.size]
               for n in batch.boolean])
    write_csv(folder / "correlations.csv", ["parameter", *batch.y],
              [[n, *row] for n, row in zip(batch.numbers(), table)])


def cards(batch):
    found = []
    for name in batch.boolean if batch.ids.size else ():
        p, lo, hi = wilson(batch.y[name].sum(), batch.ids.size)
        found.append((f"{100 * p:.1f} %", f"{name}; 95 % interval {100 * lo:.1f} … {100 * hi:.1f} %"))
    for name, y in batch.y.items():
        if y.size and name not in batch.boolean:
            found.append((f"{np.median(y):.4g}", f"{name}, median; 95 % below {np.quantile(y, 0.95):.4g}, "
                          f"largest {y.max():.4g}"))
    pending = np.count_nonzero(batch.status == PENDING)
    left = f", {pending:,} to be done" if pending else ""
    found.append((f"{batch.ids.size:,}", f"runs that went well, of {batch.id.size:,}; "
                  f"{np.count_nonzero(batch.status == FAILED)} failed{left}"))
    found.append((f"{np.nanmean(batch.seconds):.3g} s", "a run, on one core"))
    return found


def rows_of(cells):
    return "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in cells)


def failures(batch, most=20):
    failed = np.flatnonzero(batch.status == FAILED)
    if failed.size == 0:
        return ""
    rows = [(int(batch.id[k]), html.escape(batch.text["reason"][k]),
             f"<code>{html.escape(batch.text['replay'][k])}</code>") for k in failed[:most]]
    note = f" (the first {most} of {failed.size})" if failed.size > most else ""
    return (f"<h2>Runs that failed{note}</h2><table class=text><tr><th>run</th><th>why</th>"
            f"<th>alone</th></tr>{rows_of(rows)}</table>")


def worst_section(batch, order, number, found):
    if not order.size:
        return ""
    then = f", then by {html.escape(number)}" if number not in batch.boolean else ""
    lost = ("" if found or "controller" not in batch.attributes else
            " Runs with a controller have pictures where their trajectories are kept: keep: all.")
    parts = [f'<h2>The worst runs</h2><p class="lead">Those that miss come first{then}.{lost}</p>'
             '<div class="two">']
    for k in order:
        number_of_run = int(batch.ids[k])
        caption = f"Run {number_of_run}: " + ", ".join(f"{n} {y[k]:.4g}" for n, y in batch.y.items())
        caption += f". Alone: {batch.alone_text(number_of_run)}"
        if number_of_run in found:
            parts.append(figure(found[number_of_run], caption))
        else:
            parts.append(f"<figure><figcaption>{html.escape(caption)}</figcaption></figure>")
    return "".join(parts) + "</div>"


def figures(batch, outcome, over, folder):
    """What the runs that went well have in common, and the table of correlations."""
    parts = []
    if batch.x:
        parts += ["<h2>By parameter</h2>",
                  figure(marginals(batch, outcome, folder),
                         "Bins of as many runs each, with 95 % intervals; the most telling parameter first.",
                         scrolls=True)]
    if len(over) == 2:
        parts += ["<h2>By two parameters</h2>",
                  figure(heat_map(batch, outcome, over, folder), "In brackets the number of runs.", scrolls=True)]
    drawn = distributions(batch, outcome, folder)
    if drawn:
        parts += ["<h2>Distributions</h2>",
                  figure(drawn, "Of the outcomes that are numbers, SI units.", scrolls=True)]
    drawn, table = correlations(batch, folder)
    if drawn:
        parts += ["<h2>Rank correlations</h2>",
                  figure(drawn, "Spearman's, of the parameters that are numbers; by chance they stay below "
                                f"{2.58 / np.sqrt(max(batch.ids.size - 1, 1)):.2f} in 99 of 100 cases.",
                         scrolls=True)]
    return parts, table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--outcome")
    parser.add_argument("--over", action="append", default=[])
    parser.add_argument("--worst", type=int, default=3)
    parser.add_argument("--intervox", default="intervox")
    options = parser.parse_args()
    folder = options.out or options.folder / "report"
    folder.mkdir(parents=True, exist_ok=True)
    batch = Batch(options.folder / "batch.h5")
    outcome = options.outcome or (batch.boolean or list(batch.y))[0]
    if outcome not in batch.y:
        fail(f"--outcome {outcome}: there is none of that name; known: {', '.join(batch.y)}")
    for name in options.over:
        if name not in batch.x:
            fail(f"--over {name}: not a parameter that varies; known: {', '.join(batch.x)}")
    if len(options.over) not in (0, 2) or len(set(options.over)) == 1:
        fail("--over: name two parameters, each with an --over of its own")
    over = options.over or sorted(batch.x, key=lambda n: -batch.telling(n, batch.y[outcome]))[:2]
    a = batch.attributes
    count = f"{batch.id.size:,} {'run' if batch.id.size == 1 else 'runs'}"
    sampled = " with sampled values" if batch.all_x else ""
    parts = [f"<h1>{html.escape(a['name'])}</h1>", f'<p class="lead">{count}{sampled}, seed {a["seed"]}. '
             f"{html.escape(outcome)}: {html.escape(batch.expression[outcome])}</p>", '<div class="cards">']
    parts += [f'<div class="card"><b>{html.escape(b)}</b><span>{html.escape(words)}</span></div>'
              for b, words in cards(batch)]
    parts.append("</div>")
    table = []
    if batch.ids.size:
        drawn, table = figures(batch, outcome, over, folder)
        parts += drawn
        order, number = worst_runs(batch, outcome, options.worst)
        found = pictures(batch, batch.ids[order].tolist(), options.folder, folder, options.intervox)
        parts.append(worst_section(batch, order, number, found))
    parts.append(failures(batch))
    tables(batch, table, folder)
    origin = (f"Intervox {a['program_version']}", f"commit {a['commit']}", a["batch_file"])
    parts.append(f"<footer>{html.escape(' · '.join(origin))}</footer>")
    print(write_page(folder, a['name'], parts))


if __name__ == "__main__":
    run(main)
