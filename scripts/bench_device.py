#!/usr/bin/python3
"""Batches of pairs on one core, on all cores and on the CUDA device: runs bench_engine_device and writes what came out.

    scripts/bench_device.py [--bench PROGRAM] [--cases REGEX] [--log FILE] [--out FILE]
    scripts/bench_device.py --from FILE [--out FILE]     the page of a log that was written elsewhere

With --log the benchmark's JSON is kept, with the device's name and, where ncu is there, what it counts in the kernels of one batch of each
case. A machine with a device need hold no more than this script, the program and the shared libraries that it loads."""
import argparse
import csv
import datetime
import io
import json
import pathlib
import shutil
import subprocess
import sys

import study_common as common

# What ncu is asked of each kernel, and the page's column for it.
COUNTERS = {
    "gpu__time_duration.sum": "ms",
    "smsp__thread_inst_executed_per_inst_executed.ratio": "threads an instruction (of 32)",
    "sm__warps_active.avg.per_cycle_active": "warps active (of 64)",
    "smsp__inst_executed.avg.per_cycle_active": "instructions a cycle and scheduler",
    "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active": "fp64 [%]",
    "l1tex__t_sector_hit_rate.pct": "L1 hits [%]",
    "dram__bytes.sum": "DRAM [MB]",
}
# In ms and MB: what ncu gives with a unit of its choice.
UNITS = {"ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1, "msecond": 1, "s": 1e3, "second": 1e3,
         "byte": 1e-6, "Kbyte": 1e-3, "Mbyte": 1, "Gbyte": 1e3}
PROFILED = 10000  # pairs of the batch that ncu sees


def run_bench(program, cases):
    command = [str(program), f"--benchmark_filter={cases}", "--benchmark_format=json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def profile(program, case):
    """Each kernel's counters with their units, of its first launch in a case."""
    command = ["ncu", "--csv", "--clock-control", "none", "--metrics", ",".join(COUNTERS), "--launch-count", "20", str(program),
               f"--benchmark_filter=^{case}/device/{PROFILED}/", "--benchmark_min_time=0.0001"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return {"error": "ncu took longer than 60 s"}
    lines = [line for line in ran.stdout.splitlines() if line.startswith('"')]
    if not lines:
        return {"error": (ran.stdout + ran.stderr).strip()[-400:]}
    kernels = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        kernel = kernels.setdefault(row["Kernel Name"].split("(")[0], {})
        launches = kernel.setdefault(row["ID"], {})
        launches[row["Metric Name"]] = (float(row["Metric Value"].replace(",", "")), row["Metric Unit"])
    # The first launch of a kernel is the first batch's.
    return {name: launches[min(launches, key=int)] for name, launches in kernels.items()}


def measure(program, cases, counted):
    log = run_bench(program, cases)
    log["device"] = common.output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    log["processor"] = common.processor()
    log["date"] = str(datetime.date.today())
    log["kernels"] = {}
    if counted and log["device"] and shutil.which("ncu"):
        for case in dict.fromkeys(row["name"].split("/")[0] for row in log["benchmarks"]):
            log["kernels"][case] = profile(program, case)
    return log


def page(log):
    rows = {}
    batches = set()
    for row in log["benchmarks"]:
        case, where, batch = row["name"].split("/")[:3]
        rows.setdefault(case, {})[where, int(batch)] = row
        if where == "device":
            batches.add(int(batch))
    batches = sorted(batches)
    device = log["device"] or "no device"
    text = f"""# Pairs a second on a device: {device}; {log["processor"]}, {log["context"]["num_cpus"]} cores; {log["date"]}

Written by `scripts/bench_device.py` at commit {log.get("commit") or common.commit()}: `bench_engine_device`. Millions of pairs a second through `Engine::Compute`, from
poses in the caller's memory to metrics there, by the pairs of a batch, which repeats 20,000 random poses (4,000 in the last four cases). *Over all cores*: the device's best batch over
100,000 pairs on the CPU's threads.

"""
    table = []
    for case, found in rows.items():
        def rate(key, found=found):
            row = found.get(key)
            return None if row is None or row.get("error_occurred") else row["Mpairs/s"]
        cores = max((rate(k) or 0 for k in found if k[0] == "all_cores"), default=0)
        best = max((rate(k) or 0 for k in found if k[0] == "device"), default=0)
        one = max((rate(k) or 0 for k in found if k[0] == "one_core"), default=0)
        wrong = sum(row.get("other_bits", 0) for row in found.values())
        table.append([case, common.number(one, 3), common.number(cores, 3)]
                     + [common.number(rate(("device", b)), 3) if rate(("device", b)) else "" for b in batches]
                     + [common.number(best / cores, 3) if cores else "", f"{wrong:.0f}"])
    text += common.table(["case", "one core", "all cores"] + [f"device, {b:,}" for b in batches] + ["over all cores", "other bits"], table)
    if any(log["kernels"].values()):
        text += f"\nKernels of the first batch of {PROFILED:,} pairs, by ncu, whose replays slow the clock and empty the caches:\n\n"
        table = []
        for case, kernels in log["kernels"].items():
            if "error" in kernels:
                table.append([case, kernels["error"].replace("\n", " ")] + [""] * (len(COUNTERS)))
                continue
            for kernel, counters in kernels.items():
                values = [amount * UNITS.get(unit, 1) for amount, unit in (counters.get(name, (float("nan"), "")) for name in COUNTERS)]
                table.append([case, kernel] + [common.number(value, 3) for value in values])
        text += common.table(["case", "kernel", *COUNTERS.values()], table)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path, default=common.ROOT / "build/cuda/bin/bench_engine_device")
    parser.add_argument("--cases", default=".", help="regular expression of names, as the benchmark takes it")
    parser.add_argument("--no-counters", action="store_true", help="without ncu")
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    log = json.loads(arguments.source.read_text(encoding="utf-8")) if arguments.source else measure(arguments.bench, arguments.cases, not arguments.no_counters)
    if arguments.log:
        arguments.log.write_text(json.dumps(log), encoding="utf-8")
    text = page(log)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
