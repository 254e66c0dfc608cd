#!/usr/bin/python3
"""What ptxas made of each kernel must stay within cuda/device/budgets.txt: no number may grow by more than 5 %,
and no kernel's stacks may take more than 1 GiB of an H200.

Usage: kernel_budgets.py FOLDER [--write]. FOLDER holds what scripts/nvcc_check.sh kept; --write writes the
budgets anew."""

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BUDGETS = REPOSITORY / "cuda" / "device" / "budgets.txt"
COLUMNS = ("registers", "stack", "spills")
HEAD = """# What ptxas (nvcc 13.0, sm_90) makes of each kernel, checked by scripts/kernel_budgets.py.
# registers; stack of a thread with its calls [bytes]; spill stores of all its functions [bytes].
# kernel registers stack spills
"""
SLACK = 1.05
# An H200: what the driver keeps for the stacks is this many threads times the deepest kernel used.
THREADS = 132 * 2048
MOST_STACKS = 2**30


def read(text):
    """The numbers of one kernel from what `ptxas -v` said."""
    used = re.search(r"Used (\d+) registers.*?(\d+) bytes cumulative stack size", text)
    frame = re.search(r"Used (\d+) registers", text)
    if frame is None:
        raise ValueError("ptxas said nothing of registers")
    spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", text))
    return int(frame[1]), int(used[2]) if used else 0, spills


def check(made, budgets):
    """Problems of the numbers `made` with the `budgets`, both by kernel."""
    problems = []
    for kernel in sorted(made.keys() | budgets.keys()):
        if kernel not in budgets or kernel not in made:
            problems.append(f"{kernel}: {'no budget' if kernel in made else 'a budget without a kernel'}: "
                            "kernel_budgets.py build/nvcc --write")
            continue
        for name, now, most in zip(COLUMNS, made[kernel], budgets[kernel]):
            if now > SLACK * most:
                problems.append(f"{kernel}: {now} {name}, and its budget is {most}")
        stack = made[kernel][COLUMNS.index("stack")]
        if stack * THREADS > MOST_STACKS:
            problems.append(f"{kernel}: {stack} B of stack take more than 1 GiB: what is large goes to its rule's memory")
    return problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    made, problems = {}, []
    for path in sorted(folder.glob("*.ptxas")):
        text = path.read_text()
        if "cannot be statically determined" in text:
            problems.append(f"{path.stem}: its stack is not known: something calls itself")
        if sum(frame != "0" for frame in re.findall(r"(\d+) bytes stack frame", text)) > 1:
            problems.append(f"{path.stem}: a function has a frame of its own, which the stack that ptxas states leaves out")
        made[path.stem] = read(text)
    if "--write" in sys.argv:
        BUDGETS.write_text(HEAD + "".join(f"{kernel} {r} {s} {b}\n" for kernel, (r, s, b) in made.items()))
    lines = [line.split() for line in BUDGETS.read_text().splitlines() if line and line[0] != "#"]
    problems += check(made, {name: tuple(map(int, numbers)) for name, *numbers in lines})
    for kernel, (registers, stack, spills) in made.items():
        print(f"{kernel:10} {registers:4} registers {stack:6} B of stack, {stack * THREADS / 2**30:5.2f} GiB "
              f"on an H200, {spills:6} B spilled")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
