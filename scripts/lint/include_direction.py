#!/usr/bin/python3
"""Rejects an include that points the wrong way: geometry <- cuda <- host; integrators stand alone.

A public header may not include a heavy library either: HDF5, OpenVDB, Thrust and PNG stay behind
single sources. Usage: include_direction.py [TREE]"""

import re

import sources

ALLOWED = {
    "geometry": {"geometry"},
    "cuda": {"cuda", "geometry"},
    "integrators": {"integrators"},
    "host": {"host", "integrators", "cuda", "geometry"},
    "intervox.h": {"host", "integrators", "cuda", "geometry"},
    "python": {"python", "host", "integrators", "cuda", "geometry"},
}
HEAVY = re.compile(r"^(hdf5|H5|openvdb/|nanovdb/|thrust/|png\.h)")


def check(base):
    problems = []
    for path in sources.files(base, ALLOWED, {".h", ".cpp", ".cu", ".cuh"}):
        relative = path.relative_to(base)
        room = relative.parts[0]
        code = sources.without_comments(path.read_text(), keep_strings=True)
        for number, line in enumerate(code.splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            quoted, target = match.group(1) == '"', match.group(2)
            if quoted and target.split("/")[0] not in ALLOWED[room]:
                problems.append(
                    f"{relative}:{number}: {room}/ may not include \"{target}\" "
                    f"(allowed: {', '.join(sorted(ALLOWED[room]))}; paths start at the root)")
            if path.suffix == ".h" and HEAVY.match(target):
                problems.append(f"{relative}:{number}: header includes heavy <{target}>; "
                                "keep it in one source")
    return problems


sources.report(check(sources.root()), "include direction")
