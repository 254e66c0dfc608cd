#!/usr/bin/python3
"""Every header compiles alone, with warnings as errors; one is skipped while it, the project's headers that it
includes, the flags and g++'s version are as they were when it last passed.

A header that its own .cpp includes first is left out: the build compiles it alone, and for sources with a precompiled
header, or in units, clang_tidy.py does.

Usage: headers_alone.py [TREE] [--record]: passed.py says where passes are remembered."""

import re
import subprocess

import passed
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
    return run.returncode, f"does not compile alone:\n{run.stderr[:2000]}"


def check(base):
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout
    prints = []
    for path in sources.files(base, ("geometry", "cuda", "integrators", "host", "intervox.h"), {".h"}):
        if not leads_its_source(path, base):
            words = " ".join([str(path.relative_to(base)), version, *FLAGS])
            prints.append((path, passed.fingerprint(words, sorted(sources.closure(path, base)), base)))
    return passed.check(base, "headers_alone", prints, lambda path: compile_alone(path, base))


sources.report(check(sources.root().resolve()), "headers alone")
