"""Python objects as YAML text, which the C++ reader checks."""

import json
import math


def to_yaml(value, depth=0):
    """The text of a dict, list, number, word, NumPy value or array, or rotation. The keys of the two
    outer levels stand on lines of their own, so that messages name a line near the fault."""
    if isinstance(value, dict):
        entries = [f"{json.dumps(str(k), ensure_ascii=False)}: {to_yaml(v, depth + 1)}"
                   for k, v in value.items()]
        return "{" + (",\n" if depth < 2 else ", ").join(entries) + "}"
    if hasattr(value, "as_quat"):
        x, y, z, w = value.as_quat()
        value = (w, x, y, z)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(to_yaml(v, depth + 1) for v in value) + "]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            return ".inf" if value > 0 else "-.inf"
        return ".nan" if math.isnan(value) else repr(value)
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return json.dumps(str(value), ensure_ascii=False)
    raise TypeError(f"a {type(value).__name__} has no place in a scene: {value!r}")
