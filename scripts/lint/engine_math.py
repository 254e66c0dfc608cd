#!/usr/bin/python3
"""The engine calls nothing from the maths library but sqrt and fma (and fabs, an instruction).

Checked: all of cuda/, and the headers of geometry/, which the engine inlines. Other functions of
the maths library have other bits on other machines. Usage: engine_math.py [TREE]"""

import re

import sources

BANNED = ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log "
          "log2 log10 log1p pow cbrt hypot erf erfc tgamma lgamma fmod remainder nearbyint rint "
          "sincos rsqrt").split()
CALL = re.compile(r"(?<![\w.>])(?:(?:::)?std::|::)?(" + "|".join(BANNED) + r")f?\s*\(")


def check(base):
    problems = []
    engine = sources.files(base, ["cuda"], {".h", ".cpp", ".cu", ".cuh"})
    engine += sources.files(base, ["geometry"], {".h", ".cuh"})
    for path in engine:
        code = sources.without_comments(path.read_text())
        for number, line in enumerate(code.splitlines(), 1):
            for match in CALL.finditer(line):
                problems.append(f"{path.relative_to(base)}:{number}: the engine may not call "
                                f"{match.group(1)}(); only sqrt and fma have the same bits everywhere")
    return problems


sources.report(check(sources.root()), "engine maths")
