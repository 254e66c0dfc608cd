"""What the plots, sheets and pages share: reading a results file, colours, fonts."""

import argparse
import json
import sys
from pathlib import Path

import h5py
import numpy as np
import yaml

SCHEMA = "intervox/results/1"
AXES = ("x", "y", "z")
# Groups whose columns have one row for each time, and how wide those are that are not plain numbers.
SAMPLED = ("bodies", "energy", "joints", "sensors")
WIDTHS = {"orientation": 4, **dict.fromkeys(("position", "velocity", "angular_velocity", "force", "torque",
                                             "contact_force", "contact_torque"), 3)}
AXIS_COLORS = ("#c1440e", "#2a7f62", "#2b5d9b")
INK = "#22272e"
FAINT = "#8a939e"


def fail(message):
    """Ends the program with the status of bad input."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def run(main):
    """Calls a program's main; what it cannot read or write ends it with a message."""
    try:
        main()
    except (OSError, ValueError) as error:
        fail(error)


def positive(kind):
    """For argparse: numbers of a kind above 0."""
    def parse(text):
        value = kind(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"'{text}' is not above 0")
        return value
    return parse


def number(value, unit):
    """Three digits and a unit with the prefix that keeps the number readable."""
    value = float(value)
    prefix, factor = next(((p, f) for p, f in (("", 1), ("m", 1e3), ("µ", 1e6), ("n", 1e9))
                           if abs(value) * f >= (0.01 if f == 1 else 1) or value == 0), ("p", 1e12))
    shown = factor * value
    return f"{shown:,.0f} {prefix}{unit}" if abs(shown) >= 1000 else f"{shown:.3g} {prefix}{unit}"


# Simulated over shown time that films and pages offer.
PACES = tuple(sorted(m * 10.0**e for e in range(-7, 4) for m in (1, 2, 5)))
LONGEST_FILM = 8.0  # seconds; a film lasts this or down to two fifths of it


def pace(duration):
    """The slowest pace at which a run of that duration [s] is shown in no more than LONGEST_FILM."""
    return next((p for p in PACES if duration / p <= LONGEST_FILM * (1 + 1e-9)), PACES[-1])


def pace_words(speed):
    """A pace as words: "in real time", "20 times slower than real"."""
    if abs(speed - 1) < 1e-9:
        return "in real time"
    times = max(speed, 1 / speed)
    text = f"{times:,.0f}" if times >= 10 else f"{times:.3g}"
    return f"{text} times {'faster' if speed > 1 else 'slower'} than real"


def time_text(time, duration):
    """A time with the digits that tell frames of a run apart."""
    digits = 2 if duration <= 0 else int(np.clip(2 - np.floor(np.log10(duration)), 2, 9))
    return f"{time:.{digits}f} s"


class Results:
    """A results file of `intervox run`, read whole."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            self.file = h5py.File(self.path, "r")
        except OSError as error:
            why = ("no such file" if not self.path.exists() else "a folder" if self.path.is_dir() else error)
            fail(f"{path}: not a readable results file ({why})")
        self.attributes = {k: v.decode() if isinstance(v, bytes) else v
                           for k, v in self.file.attrs.items()}
        if self.attributes.get("schema") != SCHEMA:
            fail(f"{path}: schema {self.attributes.get('schema')!r}, expected {SCHEMA!r}")
        self.scene = yaml.safe_load(self.attributes.get("scene", ""))
        if not isinstance(self.scene, dict):
            fail(f"{path}: holds no scene; name a file that `intervox run` wrote")
        self.time = self["time"].ravel()
        if self.time.size == 0:
            fail(f"{path}: no samples")

    def __getitem__(self, name):
        if name not in self.file:
            fail(f"{self.path}: holds no '{name}'; name a file that `intervox run` wrote")
        column = np.asarray(self.file[name])
        if name.split("/")[0] in SAMPLED:
            width = WIDTHS.get(name.split("/")[-1])
            expected = (self.time.size,) if width is None else (self.time.size, width)
            if column.shape != expected:
                fail(f"{self.path}: '{name}' has the shape {column.shape} instead of {expected}; "
                     "name a file that `intervox run` wrote")
        return column

    def __contains__(self, name):
        return name in self.file

    def groups(self, name):
        """Names of the groups below a group, in the file's order; empty without it."""
        return list(self.file[name]) if name in self.file else []

    def units(self, name):
        """The units of a column."""
        units = self.file[name].attrs.get("units", "")
        return units.decode() if isinstance(units, bytes) else str(units)

    @property
    def name(self):
        """The scene's name."""
        return str(self.attributes.get("name", self.path.stem))

    def bodies(self):
        """Names of all bodies, in the order that indices of bodies count."""
        return self.attributes["bodies"].split("\n")

    def resolved_in(self, sensor):
        """The body in whose axes a sensor's vectors are."""
        return self.scene["sensors"][sensor]["resolve_in"]

    def carrier(self, sensor):
        """The body that carries a sensor."""
        return self.scene["sensors"][sensor]["body"]

    def moving_bodies(self):
        """Bodies whose pose changes."""
        moving = []
        for body in self.groups("bodies"):
            position, turn = self[f"bodies/{body}/position"], self[f"bodies/{body}/orientation"]
            if np.ptp(position, axis=0).max() > 1e-12 or np.ptp(turn, axis=0).max() > 1e-12:
                moving.append(body)
        return moving

    def rest_time(self, linear=1e-3):
        """When all moving bodies' origins have become slower than `linear` [m/s] for good, and turn
        slower than that over 1 m [rad/s]; None when they still move at the end."""
        fast = np.zeros(self.time.size, bool)
        for body in self.moving_bodies():
            fast |= np.linalg.norm(self[f"bodies/{body}/velocity"], axis=1) > linear
            fast |= np.linalg.norm(self[f"bodies/{body}/angular_velocity"], axis=1) > linear
        if fast[-1]:
            return None
        return float(self.time[np.nonzero(fast)[0][-1] + 1]) if fast.any() else 0.0

    def settled_at(self):
        """The rest time [s] as the run found it at its steps, else as the samples show it; None when
        something still moves at the end."""
        found = self.attributes.get("summary_rest_time")
        if found is None:
            return self.rest_time()
        return float(found) if found >= 0 else None


def read_frames(folder):
    """The list of pictures that `intervox render` left in a folder."""
    path = Path(folder) / "frames.json"
    try:
        listed = json.loads(path.read_text())
        frames = [(frame["file"], frame["time"]) for frame in listed["frames"]]
        listed["results"], listed["scene"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path}: not a list of pictures ({error}); run `intervox render` first")
    if not frames:
        fail(f"{path}: lists no pictures")
    return listed


def font(size, bold=False):
    """A font for labels on pictures."""
    import matplotlib
    from PIL import ImageFont
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
