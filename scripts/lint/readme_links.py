#!/usr/bin/python3
"""Every relative link and picture in a Markdown file leads to a file, and every heading link to a
heading; every folder at the top has a README.md. Usage: readme_links.py [TREE]"""

import re

import sources


WRITTEN = (".cpp", ".h", ".py", ".sh", ".cmake", ".yaml", ".md")


def anchors(text):
    """GitHub's anchors of the headings of a Markdown text."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", text, flags=re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def check(base):
    problems = []
    for folder in sorted(base.iterdir()):
        hidden = folder.name.startswith(".") or folder.name in ("build", "install", "results")
        if hidden or not folder.is_dir() or (folder / "README.md").exists():
            continue
        # What a run leaves behind (pictures, tables) needs none.
        if any(file.suffix in WRITTEN for file in folder.rglob("*")):
            problems.append(f"{folder.name}/: there is no README.md")
    for path in sorted(base.rglob("*.md")):
        parts = path.relative_to(base).parts
        if parts[0] in ("build", "install", "results") or parts[0].startswith(".git"):
            continue
        text = re.sub(r"```.*?```", lambda m: re.sub(r"[^\n]", " ", m.group(0)), path.read_text(),
                      flags=re.S)
        for match in re.finditer(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)|<img[^>]*src=\"([^\"]+)\"", text):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            where = f"{path.relative_to(base)}:{text.count(chr(10), 0, match.start()) + 1}"
            file = (path.parent / name) if name else path
            if not file.exists():
                problems.append(f"{where}: link to {target}, but there is no such file")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                problems.append(f"{where}: link to {target}, but there is no such heading")
    return problems


sources.report(check(sources.root()), "links in Markdown")
