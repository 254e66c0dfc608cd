"""What passed a slow lint, so that it is not looked at again while it stays as it is."""

import concurrent.futures
import hashlib
import os
import sys

import sources


def fingerprint(words, files, base):
    """A hash of what a finding depends on, the same in every clone: the words, the files' names and what they hold."""
    digest = hashlib.sha256(words.encode())
    for file in files:
        if file.exists():
            digest.update(str(file.relative_to(base)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


def check(base, lint, prints, look):
    """Problems of the files of `prints`, pairs of a path and its fingerprint, that are not known to pass as they are.

    look(path) gives an exit status and what was said. Passes are remembered in BASE/build/LINT. With --record, and
    without problems, they are written to BASE/scripts/lint/LINT_passed.txt, by which a clean clone looks only at what
    has changed since."""
    memory = base / "build" / lint
    memory.mkdir(parents=True, exist_ok=True)
    record = base / "scripts" / "lint" / f"{lint}_passed.txt"
    known = set(record.read_text().split()) if record.exists() else set()
    work = [(path, memory / mark) for path, mark in prints if mark not in known and not (memory / mark).exists()]
    print(f"{lint}: {len(work)} file(s) to look at", flush=True)
    problems = []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("INTERVOX_JOBS", os.cpu_count() or 1))) as pool:
        for (path, mark), (code, said) in zip(work, pool.map(lambda w: look(w[0]), work)):
            if code == 0:
                mark.touch()
            else:
                problems.append(f"{path.relative_to(base)}: {said.strip()}")
    if "--record" in sys.argv and not problems:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text("\n".join(sorted({mark for _, mark in prints})) + "\n")
    return problems
