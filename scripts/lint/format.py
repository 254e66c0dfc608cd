#!/usr/bin/python3
"""Every C++ file is as clang-format leaves it. Usage: format.py [TREE]; remedy: clang-format -i FILE"""

import subprocess

import sources


def check(base):
    paths = sources.files(base, sources.SOURCE_FOLDERS, {".h", ".cpp", ".cu", ".cuh"})
    if not paths:
        return []
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *map(str, paths)],
                         capture_output=True, text=True, cwd=base)
    names = {line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line}
    problems = sorted(f"{name}: not formatted: clang-format -i {name}" for name in names)
    return problems or ([run.stderr] if run.returncode else [])


sources.report(check(sources.root()), "clang-format")
