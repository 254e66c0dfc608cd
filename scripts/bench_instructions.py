#!/usr/bin/env python3
"""Prints the user instructions of one call of each case of a benchmark, counted by callgrind.

For machines that lend no hardware counter, where the benchmarks' own column `instr` is n/a. Exact and
repeatable, whatever else the machine is doing; valgrind must be installed. Cases must run a fixed number
of iterations.

    scripts/bench_instructions.py build/release/bin/bench_engine_pairs ['^Box']
"""
import json
import re
import subprocess
import sys
import tempfile


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    binary, pattern = sys.argv[1], (sys.argv[2:] or ["."])[0]
    listing = subprocess.run([binary, "--benchmark_list_tests", f"--benchmark_filter={pattern}"],
                             check=True, capture_output=True, text=True).stdout
    for name in listing.split():
        escaped = re.escape(name).replace(r"\-", "-")  # no special sign to the benchmarks' expressions
        with tempfile.NamedTemporaryFile() as counts:
            run = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts.name}",
                 "--toggle-collect=*TimedLoop*", binary, "--benchmark_format=json",
                 f"--benchmark_filter=^{escaped}$"], capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(f"{name}: {run.stderr}")
            total = int(re.search(r"^(?:summary|totals): (\d+)", counts.read().decode(), re.M)[1])
        result = json.loads(run.stdout)["benchmarks"][0]
        print(f"{name:40} {total / result['iterations']:14.0f}", flush=True)


if __name__ == "__main__":
    main()
