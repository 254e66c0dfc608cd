#!/usr/bin/python3
"""Plots of a results file: velocities, forces and moments at sensors, motion, energies.

Usage: plots.py RESULTS.h5 [-o FOLDER]"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from charts import peaks_between_samples, sampling
from results import AXES, AXIS_COLORS, FAINT, INK, Results, run

plt.rcParams.update({
    "font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelcolor": INK, "axes.edgecolor": FAINT, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.color": "#e3e6ea", "grid.linewidth": 0.8,
    "xtick.color": INK, "ytick.color": INK, "legend.frameon": False, "lines.linewidth": 1.2,
    "figure.dpi": 130, "savefig.bbox": "tight"})


def saved(figure, folder, name):
    """Writes a figure and closes it: its path."""
    path = folder / f"{name}.png"
    figure.savefig(path)
    plt.close(figure)
    return path


def save(figure, folder, name, note=""):
    if note:
        figure.text(0.995, 0.003, note, ha="right", va="top", fontsize=8, color=FAINT)
    for axes in figure.axes:
        axes.margins(x=0.01)
    print(saved(figure, folder, name))


def three(axes, time, values, label, symbol, legend=True):
    """Draws the components of a vector over time; the largest excursion lies below the others."""
    order = np.argsort(-np.ptp(values, axis=0))
    for k in order:
        axes.plot(time, values[:, k], color=AXIS_COLORS[k], label=f"${symbol}_{AXES[k]}$")
    axes.axhline(0, color=FAINT, linewidth=0.6, zorder=0)
    axes.set_ylabel(label)
    if legend:
        handles, labels = axes.get_legend_handles_labels()
        sort = np.argsort(labels)
        # Above the panel, where no curve can be.
        axes.legend([handles[i] for i in sort], [labels[i] for i in sort], ncol=3,
                    loc="lower right", bbox_to_anchor=(1, 0.985), borderaxespad=0,
                    handlelength=1.4, columnspacing=1.2)


def close_up(values):
    """Half the height of a panel that shows what lies between and after the impacts; None where all
    of it is in plain sight anyway."""
    largest = np.abs(values).max(axis=1)
    peak = float(largest.max())
    height = max(1.6 * float(np.quantile(largest, 0.75)), 0.02 * peak)
    return height if 0 < height < 0.3 * peak else None


def velocities(results, group, name, title):
    figure, axes = plt.subplots(2, 1, figsize=(9, 5.4), sharex=True)
    three(axes[0], results.time, results[f"{group}/velocity"], "velocity [m/s]", "v")
    three(axes[1], results.time, np.degrees(results[f"{group}/angular_velocity"]),
          "angular velocity [°/s]", r"\omega")
    axes[0].set_title(title)
    axes[1].set_xlabel("time [s]")
    return figure, name


def wrench(results, body, force, torque, name, title):
    rows = [(force, "force [N]", "f"), (torque, "moment [N·m]", r"\tau")]
    heights = [close_up(results[column]) for column, _, _ in rows]
    columns = 2 if any(heights) else 1
    figure, panels = plt.subplots(2, columns, figsize=(5 + 4.5 * columns, 6.4), sharex=True,
                                  squeeze=False)
    for row, height, (column, label, symbol) in zip(panels, heights, rows):
        three(row[0], results.time, results[column], label, symbol)
        if columns == 1:
            continue
        if height is None:
            row[1].set_visible(False)
            continue
        three(row[1], results.time, results[column], label, symbol, legend=False)
        row[1].set_ylim(-height, height)
        row[1].set_title("close up", fontweight="normal", fontsize=10)
    peak = np.linalg.norm(results[force], axis=1).max()
    title += peaks_between_samples(results, peak, body).replace(" Impacts", "; impacts").split(":")[0]
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    figure.tight_layout()
    return figure, name


def motion(results, body):
    figure, axes = plt.subplots(2, 1, figsize=(9, 5.4), sharex=True)
    three(axes[0], results.time, results[f"bodies/{body}/position"], "position [m]", "r")
    q = results[f"bodies/{body}/orientation"]
    w, v = q[:, :1], q[:, 1:]
    length = np.linalg.norm(v, axis=1, keepdims=True)
    angle = 2 * np.arctan2(length, np.abs(w))
    turn = np.degrees(angle * np.sign(np.where(w == 0, 1, w)) * v / np.where(length > 0, length, 1))
    three(axes[1], results.time, turn, "rotation vector [°]", r"\theta")
    axes[0].set_title(f"Motion of {body}: its frame in the world")
    axes[1].set_xlabel("time [s]")
    return figure, f"motion_{body}"


def energies(results):
    figure, axes = plt.subplots(2, 1, figsize=(9, 6.4), sharex=True,
                                gridspec_kw={"height_ratios": [3, 1]})
    term = lambda name: results[f"energy/{name}"].ravel()
    lines = [("kinetic", term("kinetic"), "#2b5d9b"), ("gravity", term("gravity"), "#2a7f62"),
             ("stored in contacts", term("elastic") + term("bristle"), "#8e44ad"),
             ("lost: normal", term("dissipated_normal"), "#c1440e"),
             ("lost: sliding", term("dissipated_sliding"), "#e08e0b"),
             ("lost: spinning", term("dissipated_spinning"), "#7f6a3c"),
             ("lost: rolling", term("dissipated_rolling"), "#a03060")]
    work = term("work_applied") + term("work_driven") + term("work_relaxation")
    lines.append(("work done on the bodies", work, INK))
    scale = max(np.abs(values).max() for _, values, _ in lines)
    for label, values, color in lines:
        if np.abs(values).max() > 1e-6 * scale:
            axes[0].plot(results.time, values, color=color, label=label)
    axes[0].set_ylabel("energy since the start [J]")
    axes[0].set_title("Energy audit")
    axes[0].legend(ncol=1, loc="center left", bbox_to_anchor=(1.0, 0.5))
    balance = term("balance")
    unit, factor = next(((u, f) for u, f in (("J", 1), ("mJ", 1e3), ("µJ", 1e6), ("nJ", 1e9))
                         if np.abs(balance).max() * f >= 1), ("pJ", 1e12))
    axes[1].plot(results.time, factor * balance, color=INK)
    axes[1].set_ylabel(f"left over [{unit}]")
    axes[1].set_xlabel("time [s]")
    return figure, "energies"


def contacts(results):
    if "patches/time" not in results or results["patches/time"].size == 0:
        return None
    counts = np.bincount(results["patches/time_index"].ravel().astype(int),
                         minlength=results.time.size)
    figure, axes = plt.subplots(2, 1, figsize=(9, 4.8), sharex=True)
    axes[0].step(results.time, counts[: results.time.size], where="post", color="#2b5d9b")
    axes[0].set_ylabel("contact patches")
    axes[0].set_title("Contacts")
    force = results["patches/normal_force"].ravel()
    shown = force > 0
    axes[1].plot(results["patches/time"].ravel()[shown], force[shown], ".", markersize=1.6,
                 color="#c1440e", label="a patch")
    if shown.any():
        axes[1].set_yscale("log")
        top = force[shown].max()
        if "impacts/time" in results and results["impacts/time"].size:
            top = max(top, results["impacts/peak_force"].max())
        axes[1].set_ylim(max(force[shown].min(), 1e-5 * top), 2 * top)
    if "impacts/time" in results and results["impacts/time"].size:
        axes[1].plot(results["impacts/time"].ravel(), results["impacts/peak_force"].ravel(), "v",
                     markersize=4, color=INK, label="peak of a new contact")
    axes[1].legend(loc="lower right", bbox_to_anchor=(1, 0.985), borderaxespad=0, ncol=2,
                   markerscale=1.5, columnspacing=1.2)
    axes[1].set_ylabel("normal force [N]")
    axes[1].set_xlabel("time [s]")
    return figure, "contacts"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results")
    parser.add_argument("-o", "--out", default="plots", type=Path)
    options = parser.parse_args()
    results = Results(options.results)
    options.out.mkdir(parents=True, exist_ok=True)
    for old in options.out.glob("[0-9][0-9]_*.png"):  # of an earlier run with other sensors
        old.unlink()
    moving = results.moving_bodies()
    figures = [motion(results, body) for body in moving]
    for sensor in results.groups("sensors"):
        group = f"sensors/{sensor}"
        axes_of = f", axes of {results.resolved_in(sensor)}"
        figures.append(velocities(results, group, f"velocity_{sensor}",
                                  f"Velocity at {sensor}{axes_of}"))
        figures.append(wrench(results, results.carrier(sensor), f"{group}/force", f"{group}/torque",
                              f"wrench_{sensor}", f"Contact force and moment at {sensor}{axes_of}"))
    if not results.groups("sensors"):
        for body in moving:
            group = f"bodies/{body}"
            figures.append(velocities(results, group, f"velocity_{body}", f"Velocity of {body}"))
            figures.append(wrench(results, body, f"{group}/contact_force", f"{group}/contact_torque",
                                  f"wrench_{body}", f"Contact force and moment on {body}"))
    figures += [contacts(results), energies(results)]
    for number, drawn in enumerate(filter(None, figures), 1):
        save(drawn[0], options.out, f"{number:02d}_{drawn[1]}", sampling(results))


if __name__ == "__main__":
    run(main)
