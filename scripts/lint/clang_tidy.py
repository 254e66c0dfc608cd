#!/usr/bin/python3
"""clang-tidy on host code, findings as errors; a file is skipped while it, the project's headers
that it includes, its command, clang-tidy's version and .clang-tidy are as they were when it last passed.

Usage: clang_tidy.py [TREE] [-BUILD_FOLDER] [--record]: BUILD_FOLDER holds compile_commands.json; the default
is TREE/build/release; passed.py says where passes are remembered.
INTERVOX_TIDY=all adds the checks that take more than half of the time, as they look through all headers of
libraries."""

import functools
import json
import os
import re
import subprocess
import sys

import passed
import sources


# Seconds of a file of host/cli, which takes 24 with all and 9 without these.
SLOW = ["performance-unnecessary-value-param",  # 10
        "bugprone-reserved-identifier", "bugprone-stringview-nullptr", "bugprone-undelegated-constructor",
        "bugprone-infinite-loop"]  # 4
CHECKS = "" if os.environ.get("INTERVOX_TIDY") == "all" else ",".join("-" + check for check in SLOW)


@functools.lru_cache
def version():
    """What clang-tidy says of itself, less the processor that it happens to run on."""
    said = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    return re.sub(r" *Host CPU: .*\n?", "", said)


def fingerprint(path, base, command):
    """A hash of all that a finding may depend on, the same at every commit."""
    command = re.sub(r"-DINTERVOX_COMMIT=\S+", "", command).replace(str(base), "")
    return passed.fingerprint(command + CHECKS + version(), sorted(sources.closure(path, base)) + [base / ".clang-tidy"], base)


def tidy(path, base, build):
    run = subprocess.run(["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--checks={CHECKS}",
                          "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), str(path)],
                         capture_output=True, text=True, cwd=base)
    return run.returncode, run.stdout


def one_for_each_source(commands, base):
    """The commands, where that of a file which includes many sources becomes one for each of these."""
    for entry in commands:
        if "/Unity/" not in entry["file"]:
            yield entry
            continue
        for source in re.findall(r'#include "(.*)"', sources.Path(entry["file"]).read_text()):
            below = sources.Path(source).relative_to(base)
            made = rf" -o \1.dir/{'/'.join(below.parts[1:])}.o -c {source}"
            yield {**entry, "file": source, "command": re.sub(r" -o (\S+)\.dir/Unity/\S+ -c \S+", made, entry["command"])}


def check(base, build):
    commands = list(one_for_each_source(json.loads((build / "compile_commands.json").read_text()), base))
    memory = base / "build" / "clang_tidy"
    memory.mkdir(parents=True, exist_ok=True)
    # g++'s precompiled headers are none to clang, and without them a missing #include shows.
    for entry in commands:
        entry["command"] = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    (memory / "compile_commands.json").write_text(json.dumps(commands))
    prints = []
    for entry in commands:
        path = sources.Path(entry["file"])
        if path.is_relative_to(base / "host"):
            prints.append((path, fingerprint(path, base, entry["command"])))
    return passed.check(base, "clang_tidy", prints, lambda path: tidy(path, base, memory))


folder = [a[1:] for a in sys.argv[1:] if a.startswith("-") and a != "--record"]
tree = sources.root().resolve()
sources.report(check(tree, sources.Path(folder[0]) if folder else tree / "build" / "release"),
               "clang-tidy on host code")
