#!/usr/bin/python3
"""Divides sources into units that are compiled as one file each, whose headers are read once: at most SIZE sources, and
never one that gives a name in a nameless namespace which another, or a header of another, has too. Prints SOURCE;UNIT,
a line for each source, for CMake.

Usage: units.py SIZE SOURCE…"""

import functools
import pathlib
import re
import sys

BASE = pathlib.Path(__file__).resolve().parents[1]
NO_NAMES = set("alignas auto bool char class const constexpr decltype double else enum explicit float for if inline int "
               "long noexcept operator return short signed sizeof static struct switch template typename unsigned "
               "using void while TEST TEST_F TEST_P TYPED_TEST INSTANTIATE_TEST_SUITE_P".split())


def without_comments(text):
    """The text without its comments, and without attributes before declarations."""
    text = re.sub(r"//(?! namespace\n)[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^\[\[\w+\]\] ", "", text, flags=re.M)


def names_in(text):
    """The names that the text declares; more words where a line does not tell. Declarations begin where lines do, as
    clang-format has it."""
    names = set(re.findall(r"^(?:struct|class|enum class|enum|using) (\w+)(?!::)\b", text, flags=re.M))
    for line in re.findall(r"^(?!namespace |struct |class |enum |using )[A-Za-z].*", text, flags=re.M):
        names.update(re.findall(r"(?<!::)\b([A-Za-z_]\w*)\s*(?=[({=;\[])", line))
    for values in re.findall(r"^enum (?!class )[^{;]*\{(.*?)\}", text, flags=re.S | re.M):
        names.update(re.findall(r"\b[A-Za-z_]\w*", values))
    return names - NO_NAMES


def own_names(text):
    """The names in the text's nameless namespaces."""
    return names_in("".join(re.findall(r"^namespace \{\n(.*?)^\}  // namespace\n", without_comments(text),
                                       flags=re.S | re.M)))


@functools.lru_cache(None)
def header_names(path):
    return names_in(without_comments(path.read_text()))


@functools.lru_cache(None)
def includes(path):
    """The project's headers that the file includes itself: beside it, or from the repository."""
    found = []
    for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), flags=re.M):
        found += [place / name for place in (path.parent, BASE) if (place / name).exists()][:1]
    return found


def headers_of(path):
    """All headers of the project that the source includes, directly or not."""
    headers, ahead = set(), includes(path)[:]
    while ahead:
        header = ahead.pop()
        if header not in headers:
            headers.add(header)
            ahead += includes(header)
    return headers


def seen_names(path):
    return set().union(*map(header_names, headers_of(path)))


def testing_namespaces(path):
    """The namespaces of helpers that hide GoogleTest's `testing` from the source."""
    return frozenset(name for file in {path} | headers_of(path)
                     for name in re.findall(r"^namespace ([\w:]+::testing) \{", file.read_text(), flags=re.M))


def units(sources, size):
    """For each source, its own names, those that it sees and its kind, the number of its unit: the first of its kind with
    room where no name of one's own is another's, or seen by another."""
    made, found = [], []
    for own, seen, kind in sources:
        for unit, (count, owned, all_seen, its_kind) in enumerate(made):
            if kind == its_kind and count < size and not own & (owned | all_seen) and not owned & seen:
                break
        else:
            unit = len(made)
            made.append((0, set(), set(), kind))
        count, owned, all_seen, _ = made[unit]
        made[unit] = count + 1, owned | own, all_seen | seen, kind
        found.append(unit)
    return found


def main():
    size, files = int(sys.argv[1]), [pathlib.Path(file) for file in sys.argv[2:]]
    sources = [(own_names(file.read_text()), seen_names(file), testing_namespaces(file)) for file in files]
    for file, unit in zip(files, units(sources, size)):
        print(f"{file};{unit}")


if __name__ == "__main__":
    main()
