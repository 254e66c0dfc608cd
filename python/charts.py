"""What a page plots over time: columns, labels and colours of each chart."""

import numpy as np

from results import AXES, AXIS_COLORS, number
from tracks import packed

MOST_POINTS = 3000
COLORS = ("#2b5d9b", "#c1440e", "#2a7f62", "#8e44ad", "#e08e0b", "#7f6a3c", "#a03060", "#67707b")


def extremes(columns):
    """Rows that keep each column's least and largest value in every stretch of time, so that no peak
    is lost."""
    count = columns[0].size
    if count <= MOST_POINTS:
        return np.arange(count)
    stretches = max(1, MOST_POINTS // (2 * len(columns)))
    edges = np.linspace(0, count, stretches + 1).astype(int)
    kept = {0, count - 1}
    for low, high in zip(edges[:-1], edges[1:]):
        for column in columns:
            kept.add(low + int(np.argmin(column[low:high])))
            kept.add(low + int(np.argmax(column[low:high])))
    return np.array(sorted(kept))


def chart(title, unit, time, named, note="", log=False, points=(), colors=COLORS, step=False):
    """A chart as the page's script reads it. `named`: pairs of a label and a column over time."""
    columns = [np.asarray(values, float).ravel() for _, values in named]
    rows = extremes([np.nan_to_num(c) for c in columns])
    return {"title": title, "unit": unit, "note": note, "log": log, "points": list(points), "step": step,
            "labels": [label for label, _ in named], "colors": list(colors[: len(named)]),
            "columns": [packed(time[rows])] + [packed(c[rows]) for c in columns]}


def vector(symbol, values):
    return [(f"{symbol}_{axis}", values[:, k]) for k, axis in enumerate(AXES)]


def sampling(results):
    """How densely a file was sampled, in words."""
    steps = np.diff(results.time)
    return f"Sampled every {number(np.median(steps), 's')}." if steps.size else "One sample."


def rotation(q):
    """Rotation vectors of unit quaternions w, x, y, z, without jumps at half a turn [deg]."""
    q = q.copy()
    flips = np.cumprod(np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1, 1))
    q[1:] *= flips[:, None]
    if q[0, 0] < 0:
        q = -q
    length = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2 * np.arctan2(length, q[:, 0])
    return np.degrees(angle / np.where(length > 0, length, 1))[:, None] * q[:, 1:]


def peaks_between_samples(results, peak, body=None):
    """Says so where an impact, of a body or of any, was stronger than any sample."""
    if "impacts/time" not in results or results["impacts/time"].size == 0:
        return ""
    forces = results["impacts/peak_force"].ravel()
    if body is not None:
        index = results.bodies().index(body)
        forces = forces[(results["impacts/body_i"].ravel() == index) | (results["impacts/body_j"].ravel() == index)]
    highest = float(forces.max(initial=0.0))
    if highest <= 1.05 * peak:
        return ""
    return f" Impacts between samples reach {number(highest, 'N')}: see Impacts."


def contact_charts(results):
    if "patches/time" not in results or results["patches/time"].size == 0:
        return []
    index = results["patches/time_index"].ravel().astype(int)
    force = results["patches/normal_force"].ravel()
    names = results.bodies()
    pairs = np.stack([results["patches/body_i"].ravel(), results["patches/body_j"].ravel()], 1).astype(int)
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    sums = [np.bincount(index, np.where(which.ravel() == k, force, 0), results.time.size)
            for k in range(len(kinds))]
    order = sorted(range(len(kinds)), key=lambda k: -sums[k].max())[:7]
    named = [(f"{names[kinds[k][0]]} – {names[kinds[k][1]]}", sums[k]) for k in order]
    left_out = "" if len(kinds) <= 7 else f" The 7 strongest of {len(kinds)} pairs."
    counts = np.bincount(index, minlength=results.time.size)
    charts = [chart("Which bodies touch, and how strongly", "normal force [N]", results.time, named,
                    sampling(results) + left_out + peaks_between_samples(results, max(s.max() for s in sums)))]
    if "impacts/time" in results and results["impacts/time"].size:
        order = np.argsort(results["impacts/time"].ravel(), kind="stable")
        # Without a value at both ends the plot would not span the run.
        times = np.concatenate([results.time[:1], results["impacts/time"].ravel()[order], results.time[-1:]])
        peaks = np.concatenate([[np.nan], results["impacts/peak_force"].ravel()[order], [np.nan]])
        charts.append(chart("Impacts", "peak normal force [N]", times, [("peak", peaks)], points=["peak"],
                            note="Each onset of contact faster than 1 mm/s, with the largest force of any "
                                 "step, sampled or not."))
    charts.append(chart("Contact patches", "number", results.time, [("patches", counts)], step=True,
                        note=sampling(results)))
    return charts


def energy_chart(results):
    term = lambda name: results[f"energy/{name}"].ravel()
    named = [("kinetic", term("kinetic")), ("gravity", term("gravity")),
             ("stored in contacts", term("elastic") + term("bristle")),
             ("lost: normal", term("dissipated_normal")), ("lost: sliding", term("dissipated_sliding")),
             ("lost: spinning", term("dissipated_spinning")), ("lost: rolling", term("dissipated_rolling")),
             ("work done on the bodies", term("work_applied") + term("work_driven") + term("work_relaxation"))]
    scale = max(np.abs(values).max() for _, values in named)
    shown = [(label, values) for label, values in named if np.abs(values).max() > 1e-6 * scale]
    gap = np.abs(term("balance")).max()
    return chart("Energy audit", "energy since the start [J]", results.time, shown or named[:1],
                 f"What the terms leave over is at most {number(gap, 'J')}.")


def wrench_charts(results, body, force, torque, where):
    peak = np.linalg.norm(results[force], axis=1).max()
    note = sampling(results)
    return [chart(f"Contact force {where}", "force [N]", results.time, vector("f", results[force]),
                  note + peaks_between_samples(results, peak, body), colors=AXIS_COLORS),
            chart(f"Contact moment {where}", "moment [N·m]", results.time, vector("τ", results[torque]), note,
                  colors=AXIS_COLORS)]


def all_charts(results, most_bodies=4):
    """Motion of the first few bodies that move, forces at sensors or on those bodies, contacts,
    energies."""
    charts = []
    moving = results.moving_bodies()[:most_bodies]
    for sensor in results.groups("sensors"):
        charts += wrench_charts(results, results.carrier(sensor), f"sensors/{sensor}/force",
                                f"sensors/{sensor}/torque", f"at {sensor}, axes of {results.resolved_in(sensor)}")
    if not results.groups("sensors"):
        for body in moving:
            charts += wrench_charts(results, body, f"bodies/{body}/contact_force",
                                    f"bodies/{body}/contact_torque", f"on {body}")
    charts += contact_charts(results)
    for body in moving:
        group = f"bodies/{body}"
        charts += [chart(f"Position of {body}", "position [m]", results.time,
                         vector("r", results[f"{group}/position"]), sampling(results), colors=AXIS_COLORS),
                   chart(f"Rotation of {body}", "rotation vector [°]", results.time,
                         vector("θ", rotation(results[f"{group}/orientation"])), sampling(results), colors=AXIS_COLORS),
                   chart(f"Velocity of {body}", "velocity [m/s]", results.time,
                         vector("v", results[f"{group}/velocity"]), sampling(results), colors=AXIS_COLORS)]
    return charts + [energy_chart(results)]
