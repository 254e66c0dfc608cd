"""What the lints have in common: which files they read, and how they report."""

import re
import sys
from pathlib import Path

SOURCE_FOLDERS = ("geometry", "cuda", "integrators", "host", "python", "tests", "bench", "examples",
                  "intervox.h")


def root():
    """The tree to check: the first argument, or the repository of this script."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("-")]
    return Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]


def files(base, folders, suffixes):
    """Files with one of the suffixes below base/folder for each folder, or that file, sorted."""
    found = []
    for folder in folders:
        top = base / folder
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in suffixes and path.is_file():
                found.append(path)
    return found


def closure(path, base):
    """The file and the project's headers that it includes, directly or not."""
    seen, ahead = set(), [path]
    while ahead:
        file = ahead.pop()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        ahead += [base / target for target in re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read_text(), flags=re.M)]
    return seen


def without_comments(text, keep_strings=False):
    """The C++ text with comments, and unless kept string contents, blanked; lines stay in place."""

    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return token if keep_strings else token[0] + " " * (len(token) - 2) + token[-1]

    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, blank, text, flags=re.S)


def report(problems, what):
    """Prints the problems and exits with 1, or says that there are none."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{what}: {len(problems)} problem(s)")
        sys.exit(1)
    print(f"{what}: ok")
