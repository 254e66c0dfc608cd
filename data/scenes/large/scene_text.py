"""What the scripts beside it write scenes with."""
import argparse
import pathlib


def numbers(values):
    """Numbers in brackets, ten digits at most."""
    return "[" + ", ".join(f"{0.0 if abs(v) < 1e-12 else v:.10g}" for v in values) + "]"


def head(name, about, by, **settings):
    """The first lines of a scene: what it is, which script wrote it, and its settings."""
    return ["schema: intervox/scene/2", f"name: {name}", *(f"# {line}" for line in about), f"# Written by {by}."] + [f"{k}: {v}" for k, v in settings.items()]


def model(stiffness, mu, restitution):
    """The contact model of all pairs."""
    return ["contact_models:", f"  default: {{normal: {{model: gonthier, stiffness: {stiffness:g}, restitution: {restitution:g}}}, "
            f"friction: {{model: bristle, mu_s: {mu:g}, mu_c: {mu:g}}}, rolling: {{model: gonthier}}}}"]


def main(script, lines, count):
    """Writes the scene beside its script, or elsewhere with another number of parts."""
    parser = argparse.ArgumentParser(description="Writes the scene of the same name.")
    parser.add_argument("--count", type=int, default=count, help=f"how many parts; default {count}")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(script).with_suffix(".yaml"), help="the file; default: beside this script")
    options = parser.parse_args()
    options.out.write_text("\n".join(lines(options.count)) + "\n", encoding="utf-8")
