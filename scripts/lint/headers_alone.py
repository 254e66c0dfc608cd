#!/usr/bin/python3
"""Every header compiles alone, with warnings as errors; passes are remembered in build/headers-alone.

A header that its own .cpp includes first is left out: the build compiles it alone, and for sources with a precompiled
header, or in units, clang_tidy.py does.

Usage: headers_alone.py [TREE]"""

import concurrent.futures
import hashlib
import os
import re
import subprocess

import sources

FLAGS = ("-std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror "
         "-Wno-psabi -ffp-contract=off -march=x86-64-v3 -isystem /usr/include/eigen3 "
         "-isystem /usr/include/hdf5/serial -x c++").split()


def leads_its_source(path, base):
    """Whether the header's own .cpp includes it before anything else."""
    source = path.with_suffix(".cpp")
    if not source.exists():
        return False
    first = re.search(r'^\s*#\s*include\s*["<]([^">]+)', source.read_text(), flags=re.M)
    return first is not None and first.group(1) == str(path.relative_to(base))


def compile_alone(path, base):
    # Through a second file, so that `#pragma once` is in a header as it should be.
    run = subprocess.run(["g++", *FLAGS, "-I", str(base), "-"], input=f'#include "{path}"\n',
                         capture_output=True, text=True, cwd=base)
    return run.returncode, run.stderr


def check(base):
    memory = base / "build" / "headers-alone"
    memory.mkdir(parents=True, exist_ok=True)
    work = []
    for path in sources.files(base, ("geometry", "cuda", "integrators", "host", "intervox.h"), {".h"}):
        if leads_its_source(path, base):
            continue
        digest = hashlib.sha256(" ".join(FLAGS).encode())
        for file in sorted(sources.closure(path, base)):
            digest.update(file.read_bytes())
        mark = memory / digest.hexdigest()
        if not mark.exists():
            work.append((path, mark))
    problems = []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("INTERVOX_JOBS", os.cpu_count() or 1))) as pool:
        for (path, mark), (code, said) in zip(work, pool.map(lambda w: compile_alone(w[0], base), work)):
            if code == 0:
                mark.touch()
            else:
                problems.append(f"{path.relative_to(base)}: does not compile alone:\n{said.strip()[:2000]}")
    return problems


sources.report(check(sources.root().resolve()), "headers alone")
