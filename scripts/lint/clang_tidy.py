#!/usr/bin/python3
"""clang-tidy on host code, findings as errors; a file is skipped while it, the project's headers
that it includes and .clang-tidy are as they were when it last passed.

Usage: clang_tidy.py [TREE] [-BUILD_FOLDER]: BUILD_FOLDER holds compile_commands.json; the default is
TREE/build/release, and passes are remembered in TREE/build/clang-tidy. INTERVOX_TIDY=all adds the
checks that take more than half of the time, as they look through all headers of libraries."""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

import sources


# Seconds of a file of host/cli, which takes 24 with all and 9 without these.
SLOW = ["performance-unnecessary-value-param",  # 10
        "bugprone-reserved-identifier", "bugprone-stringview-nullptr", "bugprone-undelegated-constructor",
        "bugprone-infinite-loop"]  # 4
CHECKS = "" if os.environ.get("INTERVOX_TIDY") == "all" else ",".join("-" + check for check in SLOW)


def fingerprint(path, base, command):
    """A hash of all that a finding may depend on."""
    digest = hashlib.sha256(command.encode() + CHECKS.encode())
    for file in sorted(sources.closure(path, base)) + [base / ".clang-tidy"]:
        if file.exists():
            digest.update(str(file.relative_to(base)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def tidy(path, base, build):
    run = subprocess.run(["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--checks={CHECKS}",
                          "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), str(path)],
                         capture_output=True, text=True, cwd=base)
    return run.returncode, run.stdout


def check(base, build):
    commands = json.loads((build / "compile_commands.json").read_text())
    memory = base / "build" / "clang-tidy"
    memory.mkdir(parents=True, exist_ok=True)
    # g++'s precompiled headers are none to clang, and without them a missing #include shows.
    for entry in commands:
        entry["command"] = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    (memory / "compile_commands.json").write_text(json.dumps(commands))
    work = []
    for entry in commands:
        path = sources.Path(entry["file"])
        if not path.is_relative_to(base / "host"):
            continue
        mark = memory / fingerprint(path, base, entry["command"])
        if not mark.exists():
            work.append((path, mark))
    print(f"clang-tidy: {len(work)} file(s) to look at", flush=True)
    problems = []
    jobs = int(os.environ.get("INTERVOX_JOBS", os.cpu_count() or 1))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (path, mark), (code, output) in zip(work, pool.map(lambda w: tidy(w[0], base, memory), work)):
            if code == 0:
                mark.touch()
            else:
                problems.append(f"{path.relative_to(base)}:\n{output.strip()}")
    return problems


folder = [a[1:] for a in sys.argv[1:] if a.startswith("-")]
tree = sources.root().resolve()
sources.report(check(tree, sources.Path(folder[0]) if folder else tree / "build" / "release"),
               "clang-tidy on host code")
