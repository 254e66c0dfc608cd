"""The table of a batch's runs, and the statistics that its page needs."""

import shlex

import h5py
import numpy as np
import yaml

from results import fail

SCHEMA = "intervox/batch-results/1"
Z = 1.959963984540054  # of a 95 % interval
PENDING, OK, FAILED = 0, 1, 2
FEW = 8  # at most so many different values are categories


def wilson(hits, count):
    """Rate, and the ends of Wilson's 95 % interval."""
    if count == 0:
        return np.nan, 0.0, 1.0
    p = hits / count
    center = (p + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * np.sqrt(p * (1 - p) / count + Z * Z / (4 * count * count))
    return p, max(0.0, center - half), min(1.0, center + half)


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def spearman(x, y):
    """Rank correlation; nan where one does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


class Batch:
    """A table of runs, read whole. `x` and `y` are parameters and outcomes of the runs that went
    well; a word among the parameters is the number of its choice."""

    def __init__(self, path):
        try:
            self.file = h5py.File(path, "r")
        except OSError as error:
            fail(f"{path}: not a readable table of runs ({error})")
        self.attributes = {k: v.decode() if isinstance(v, bytes) else v
                           for k, v in self.file.attrs.items()}
        if self.attributes.get("schema") != SCHEMA:
            fail(f"{path}: schema {self.attributes.get('schema')!r}, expected {SCHEMA!r}")
        runs = self.file["runs"]
        self.status = np.asarray(runs["status"])
        self.id = np.asarray(runs["id"])
        self.seconds = np.asarray(runs["seconds"])
        self.text = {k: [v.decode() for v in runs[k]] for k in ("reason", "replay")}
        self.ok = self.status == OK
        if not self.status.any():
            fail(f"{path}: no run is finished yet; go on with intervox batch … --resume")
        self.words = {}
        self.all_x = {name: self.column(runs["params"][name], name)
                      for name in (self.listed("sample", runs["params"]) if "params" in runs else [])}
        self.all_y = {name: np.asarray(runs["outcome"][name]) for name in self.listed("outcomes", runs["outcome"])}
        self.boolean = [n for n in self.all_y if runs["outcome"][n].attrs["boolean"]]
        self.expression = {n: runs["outcome"][n].attrs["expression"].decode() for n in self.all_y}
        self.y = {name: column[self.ok] for name, column in self.all_y.items()}
        self.x = {}
        for name in sorted(self.all_x, key=len):  # of those that are the same, the shortest path
            column = self.all_x[name][self.ok]
            if column.size and np.ptp(column) > 0 and not any(np.array_equal(column, c) for c in self.x.values()):
                self.x[name] = column
        self.ids = self.id[self.ok]

    def alone(self, run):
        """The words of the command that does one run alone, behind the program's name."""
        a = self.attributes
        edits = [word for edit in a["overrides"].split("\n") if edit for word in ("--set", edit)]
        return ["batch", a["batch_file"], *edits, "--only", str(run)]

    def alone_text(self, run):
        """The same for a reader; of a run with a controller, what Python does."""
        if "controller" not in self.attributes:
            return shlex.join(["intervox", *self.alone(run)])
        edits = [edit for edit in self.attributes["overrides"].split("\n") if edit]
        overrides = f", overrides={edits!r}" if edits else ""
        return (f"intervox.run_batch({self.attributes['batch_file']!r}, 'run_{run}.h5', only={run}, "
                f"controller=…{overrides})")

    def listed(self, key, group):
        """The names of a group in the order of the batch's file; HDF5 has them by the alphabet."""
        order = list(yaml.safe_load(self.attributes["batch_source"]).get(key) or {})
        return sorted(group, key=lambda name: order.index(name) if name in order else len(order))

    def column(self, dataset, name):
        if dataset.dtype.kind == "f":
            return np.asarray(dataset)
        words = [v.decode() for v in dataset]
        self.words[name] = sorted({w for w, s in zip(words, self.status) if s != 0})
        return np.array([self.words[name].index(w) if w in self.words[name] else np.nan
                         for w in words])

    def numbers(self):
        """The parameters of `x` that have an order."""
        return {name: column for name, column in self.x.items() if name not in self.words}

    def bins(self, name, most=8):
        """(index of each run's bin, labels or centres, whether categories)."""
        x = self.x[name]
        values = np.unique(x)
        if values.size <= FEW:
            labels = self.words.get(name) or [f"{v:.4g}" for v in values]
            return np.searchsorted(values, x), labels, True
        count = int(min(most, max(2, x.size // 15)))
        edges = np.unique(np.quantile(x, np.linspace(0, 1, count + 1)))
        index = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, edges.size - 2)
        return index, [x[index == k].mean() for k in range(edges.size - 1)], False

    def telling(self, name, y):
        """Share of an outcome's variance that lies between the bins of a parameter."""
        index, labels, _ = self.bins(name)
        if np.ptp(y) == 0:
            return 0.0
        means = np.array([y[index == k].mean() if (index == k).any() else y.mean()
                          for k in range(len(labels))])
        return float(means[index].var() / y.var())
