#!/usr/bin/python3
"""Breaks the program in one place at a time and sees whether the fast tests notice.

Usage: mutants.py [--check] [--jobs N] [--limit S] [--only K,K,…] [--likely]

Copies the tree to build/mutants/tree, puts every mutant of mutants_table.py into it behind the environment variable INTERVOX_MUTANT,
builds once, and runs the fast tests of the suites that its file is linked into with each, those that may kill it first. What fails with
a mutant must fail again alone, and pass without it. A run of a suite ends after S seconds of CPU time, of a test alone after S/10, so that
a mutant that hangs is killed, however busy the machine is. Prints what becomes of them and writes docs/mutants.md. Interrupted, it goes on
where it was, unless the tree has changed. With --only the others keep what became of them before. With --likely only the tests that the
table names are run, and what they do not kill is left open for the next run, also on the page. The exit status is 1 when a mutant is stale (its text does
not occur exactly once, or holds another) or when fewer than 95 % are killed. --check looks for stale ones only.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from mutants_table import MUTANTS

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"  # placed as in any checkout, so that ccache knows what no mutant touches
SUITES = ("integrators", "geometry", "cuda", "host")
REACHED = {"geometry": ("geometry", "cuda", "host"), "cuda": ("cuda", "host"), "host": ("host",),
           "integrators": ("integrators", "host")}  # the suites that a folder's sources are linked into: lint/include_direction.py
FAST = "-Slow*:*/Slow*:Gpu*:*/Gpu*"
PYTHON = "python"  # the suite of the mutants that the package's tests are to kill
VENV = ROOT / "build" / "release" / "venv" / "bin" / "python"  # of scripts/python.sh
PACKAGE = WORK / "package"
GOAL = 0.95
broken = {suite: set() for suite in (*SUITES, PYTHON)}  # tests that fail without a mutant too
HEADER_NAME = "intervox_mutant.h"  # in the root of the tree
INCLUDE = f'#include "{HEADER_NAME}"\n'
HEADER = """#pragma once
#include <cstdlib>
inline const int intervox_mutant = [] {
  const char* text = std::getenv("INTERVOX_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();
"""


def parts(mutant):
    """The text before, in and after the marks."""
    before, rest = mutant.text.split("«")
    old, after = rest.split("»")
    return before, old, after


def patched(text, k, mutant):
    """The text of a file with the mutant in it, behind its number."""
    before, old, after = parts(mutant)
    if old.endswith((";", "}")):
        new = f"if (intervox_mutant == {k}) {{ {mutant.new} }} else {{ {old} }}"
    else:
        new = f"(intervox_mutant == {k} ? ({mutant.new}) : ({old}))"
    head, tail = text.split(before + old + after)
    start, newline, line = (head + before).rpartition("\n")
    line = re.sub(r"^(\s*)constexpr ", r"\1const ", line)  # the environment decides, not the compiler
    return start + newline + line + new + after + tail


def mutated():
    """The files of the table with all mutants in them, by name, and what is wrong with the table, a line each."""
    texts, problems = {}, []
    for k, mutant in enumerate(MUTANTS, 1):
        path = ROOT / mutant.file
        text = texts.get(mutant.file) or (INCLUDE + path.read_text() if path.exists() else "")
        count = text.count("".join(parts(mutant)))
        if count == 1:
            texts[mutant.file] = patched(text, k, mutant)
        else:
            problems.append(f"mutant {k} ({mutant.file}: {mutant.what}) is stale: its text occurs {count} times, or an earlier "
                            "mutant is in it. Bring scripts/mutants_table.py up to date.")
    return texts, problems


def copy_tree(texts):
    """Brings build/mutants/tree up to date; files that stay the same keep their times. Returns the tree's fingerprint."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    texts = {**texts, HEADER_NAME: HEADER}
    wanted = {name for name in listed if (ROOT / name).is_file()} | {HEADER_NAME}
    for path in TREE.rglob("*"):
        if path.is_file() and BUILD.parent not in path.parents and str(path.relative_to(TREE)) not in wanted:
            path.unlink()
    fingerprint = hashlib.sha256()
    for name in sorted(wanted):
        data = texts[name].encode() if name in texts else (ROOT / name).read_bytes()
        fingerprint.update(name.encode() + b"\0" + data + b"\0")
        path = TREE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
            if name != HEADER_NAME:
                shutil.copymode(ROOT / name, path)
    return fingerprint.hexdigest()


def build(jobs):
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DINTERVOX_BUILD_BENCH=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--parallel", str(jobs), "--target", "intervox",
                    *(f"{suite}_tests" for suite in SUITES)], check=True)


def build_package(jobs):
    """Installs the Python package of the tree into a folder of its own, with the compiler of the build, whose objects ccache knows."""
    found = re.findall(r"^CMAKE_(C|CXX)_COMPILER:\w*=(.*)", (BUILD / "CMakeCache.txt").read_text(), re.M)
    compilers = {{"C": "CC", "CXX": "CXX"}[language]: path for language, path in found}
    environment = {**os.environ, **compilers, "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)}
    shutil.rmtree(PACKAGE, ignore_errors=True)
    subprocess.run([VENV, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target", PACKAGE,
                    f"--config-settings=build-dir={TREE / 'build' / 'wheel'}", TREE], check=True, env=environment)


def heed_signals():
    """Undoes what nohup and a shell's background have a process ignore: tests send these signals."""
    for name in (signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)


def prepare(limit):
    heed_signals()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))


def run_python(k, files, limit):
    """The same for the files of tests/python, separated by colons; all of them if that is empty."""
    for file in files.split(":") if files else ["test_*"]:
        with tempfile.TemporaryDirectory(prefix="mutant_") as folder:
            environment = {**os.environ, "INTERVOX_MUTANT": str(k), "PYTHONPATH": str(PACKAGE)}
            try:
                done = subprocess.run([VENV, "-m", "unittest", "discover", "-f", "-v", "-s", TREE / "tests" / "python",
                                       "-p", f"{file}.py"], env=environment, cwd=folder, capture_output=True,
                                      text=True, errors="replace", timeout=limit,
                                      preexec_fn=heed_signals)
            except subprocess.TimeoutExpired:
                return f"{file}, which does not end"
        failed = re.search(r"^(?:FAIL|ERROR): \S+ \((\S+)\)", done.stderr, re.M)
        if failed:
            return failed.group(1)
        if done.returncode:
            started = re.findall(r"^\w+ \((\S+)\)", done.stderr, re.M)
            return started[-1] if started else "start"
    return None


def run(k, suite, selection, limit):
    """The first test that fails or does not end with mutant k, or None, and whether the limit ended it."""
    binary = next(BUILD.rglob(f"bin/{suite}_tests"))
    command = [binary, f"--gtest_filter={selection}", "--gtest_fail_fast", "--gtest_color=no"]
    with tempfile.TemporaryDirectory(prefix="mutant_") as folder:
        environment = {**os.environ, "INTERVOX_MUTANT": str(k), "TEST_TMPDIR": f"{folder}/"}
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, errors="replace",
                              preexec_fn=lambda: prepare(limit))
        text, status = done.stdout, done.returncode
    failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.M)
    started = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    if failed:
        return failed.group(1), False
    if status == 0:
        return None, False
    return started[-1] if started else "start", status in (-signal.SIGXCPU, -signal.SIGKILL)


@functools.cache
def passes(suite, test, limit):
    """Whether a test passes without a mutant."""
    return run(0, suite, test, limit)[0] is None


def killer(k, mutant, limit, only_likely):
    """`suite.Test` that fails with the mutant and not without it, or None."""
    home, _, likely = mutant.likely.partition(":")
    if home == PYTHON:
        test = run_python(k, likely, limit) or (None if only_likely else run_python(k, "", limit))
        if test and run_python(0, likely, limit):
            broken[PYTHON].add(likely)
            return None
        return f"{PYTHON}.{test}" if test else None
    reached = REACHED[mutant.file.partition("/")[0]]
    trials = [(home, f"{likely}:{FAST}", limit // 4)] if likely else []
    if not only_likely:
        trials += [(suite, FAST, limit) for suite in sorted(reached, key=lambda suite: suite != home)]
    chance = set()  # tests that fail now and then, as those of times do on a busy machine
    for suite, selection, most in trials:
        while True:
            test, ended = run(k, suite, ":".join([selection, *broken[suite], *chance]), most)
            if test is None:
                break
            if test != "start" and not passes(suite, test, limit):
                broken[suite].add(test)
            elif test == "start" or run(k, suite, test, limit // 10)[0]:
                return f"{suite}.{test}"
            elif ended:
                break  # the limit was the suite's, not this test's
            else:
                chance.add(test)
    return None


def write_table(killed):
    rows = []
    for k, mutant in enumerate(MUTANTS, 1):
        if k not in killed:
            fate = "open: the tests named for it pass, the others have not been run with it"
        elif killed[k]:
            fate = f"`{killed[k]}`"
        else:
            fate = f"**survived**: {mutant.lives or 'a test is missing'}"
        rows.append(f"| {k} | `{mutant.file}` | {mutant.what} | {fate} |")
    dead = sum(1 for test in killed.values() if test)
    left = len(MUTANTS) - len(killed)
    remark = f", {left} are open" if left else ""
    text = ("# Mutants\n\nThe fast tests against the program broken in one place at a time, by `scripts/mutants.py`: one "
            "build holds all of\n`scripts/mutants_table.py`, the environment picks one. A mutant survives where no fast test of the "
            "suites that its file is\nlinked into fails.\n\n"
            f"{dead} of {len(MUTANTS)} are killed ({100 * dead / len(MUTANTS):.0f} %){remark}.\n\n"
            "| # | file | what is wrong | first test that fails |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n")
    (ROOT / "docs" / "mutants.md").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=300, help="of a run of a suite [s of CPU time]")
    parser.add_argument("--only", default="")
    parser.add_argument("--likely", action="store_true")
    options = parser.parse_args()
    texts, problems = mutated()
    if problems or options.check:
        print("\n".join(problems) or f"{len(MUTANTS)} mutants, none stale")
        return 1 if problems else 0
    TREE.mkdir(parents=True, exist_ok=True)
    fingerprint = copy_tree(texts)
    homes = {MUTANTS[int(k) - 1].likely.partition(":")[0] for k in options.only.split(",")} if options.only else {PYTHON, ""}
    if PYTHON in homes and not VENV.exists():
        print(f"{VENV} is missing: run scripts/python.sh first, or leave the mutants of Python out with --only")
        return 2
    build(options.jobs)
    if PYTHON in homes:
        build_package(options.jobs)
    memory = WORK / "killed.json"
    before = json.loads(memory.read_text()) if memory.exists() else {"tree": "", "killed": {}}
    known = before["killed"] if options.only or before["tree"] == fingerprint else {}

    def name(k):
        return "\n".join((MUTANTS[k - 1].file, MUTANTS[k - 1].text, MUTANTS[k - 1].new))

    killed = {k: known[name(k)] for k in range(1, len(MUTANTS) + 1) if name(k) in known}
    chosen = [int(k) for k in options.only.split(",")] if options.only else [
        k for k in range(1, len(MUTANTS) + 1) if k not in killed]
    lock = threading.Lock()

    def attack(k):
        test = killer(k, MUTANTS[k - 1], options.limit, options.likely)
        if test is None and options.likely:
            print(f"{k:3} {MUTANTS[k - 1].file}: {MUTANTS[k - 1].what}: open", flush=True)
            return
        with lock:
            killed[k] = test
            memory.write_text(json.dumps({"tree": fingerprint, "killed": {name(k): test for k, test in killed.items()}}, indent=1))
        print(f"{k:3} {MUTANTS[k - 1].file}: {MUTANTS[k - 1].what}: {test or 'SURVIVED'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(attack, k) for k in chosen]:
            done.result()
    dead = sum(1 for test in killed.values() if test)
    print(f"{dead} of {len(killed)} killed")
    for suite, tests in broken.items():
        for test in sorted(tests):
            print(f"{suite}.{test} fails without a mutant and was left out. Make it pass on this machine first.")
    if len(killed) == len(MUTANTS) or (options.likely and not options.only):
        write_table(killed)
    return 0 if dead >= GOAL * len(killed) and not any(broken.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
