#!/usr/bin/python3
"""Feeds each lint one good and one bad example. Usage: self_test.py LINT"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOOD_HEADER = '''/** @file A fine header. */
#pragma once
#include <cmath>
#include "geometry/linear.h"
namespace intervox {
/** Doubles x. */
inline double Twice(double x) { return std::fma(x, 1.0, x); }  // not std::sin(x)
}  // namespace intervox
'''
SCHEMA = '{"type": "object", "properties": {"gravity": {"type": "array"}}}'

# lint: (files of a good tree, files of a bad tree, words that the finding must hold)
EXAMPLES = {
    "include_direction": (
        {"cuda/a.h": GOOD_HEADER},
        {"geometry/a.h": '#include "host/scene/scene.h"\n', "cuda/b.h": "#include <hdf5.h>\n"},
        ["geometry/a.h:1", "host/scene/scene.h", "cuda/b.h:1", "heavy"]),
    "engine_math": (
        {"cuda/a.h": GOOD_HEADER, "host/b.cpp": "double f(double x) { return std::sin(x); }\n"},
        {"cuda/a.h": "\ninline double f(double x) { return std::atan2(x, 1.0); }\n",
         "geometry/b.h": "inline double g(double x) { return pow(x, 2.0); }\n"},
        ["cuda/a.h:2", "atan2", "geometry/b.h:1", "pow"]),
    "doc_comments": (
        {"host/a.h": GOOD_HEADER + '''
/** A thing. */
class Thing {
 public:
  /** Makes one. */
  explicit Thing(int n);
  ~Thing();
  Thing(const Thing&) = delete;
  /** Its size. */
  int Size() const { return n_; }

 private:
  void Hidden();
  int n_ = 0;
};
/** Zeros. */
inline constexpr int kZeros[2] = {0, 0};
'''},
        {"host/a.h": '''#pragma once
struct Bare {};
/** Told. */
class Told {
 public:
  int Untold() const { return 1; }
};
template <class T>
T Twice(T x);
inline constexpr double kNaked = 1.0;
'''},
        ["host/a.h:1", "struct Bare", "function Untold", "function Twice", "constant kNaked"]),
    "readme_links": (
        {"README.md": "# Top\n[a](docs/a.md#some-heading) [top](#top) [web](https://example.org)\n",
         "docs/a.md": "## Some heading\n", "docs/README.md": "# Docs\n"},
        {"README.md": "[gone](docs/gone.md) [no](docs/a.md#nowhere)\n", "docs/a.md": "# A\n"},
        ["README.md:1", "docs/gone.md", "nowhere", "docs/: there is no README.md"]),
    "schemas": (
        {"data/schema/scene.schema.json": SCHEMA,
         "data/scenes/a.yaml": "schema: intervox/scene/1\ngravity: [0, 0, 250e-6]\n"},
        {"data/schema/scene.schema.json": SCHEMA,
         "data/scenes/a.yaml": "schema: intervox/scene/1\ngravity: down\n",
         "data/scenes/b.yaml": "schema: intervox/nothing/1\n"},
        ["data/scenes/a.yaml", "gravity", "nothing"]),
    "format": (
        {"host/a.cpp": "int f() { return 1; }\n"},
        {"host/a.cpp": "int f( ){return 1 ;}\n"},
        ["host/a.cpp", "not formatted"]),
    "headers_alone": (
        {"host/a.h": "#pragma once\n#include <vector>\ninline std::vector<int> F() { return {}; }\n"},
        {"host/a.h": "#pragma once\ninline std::vector<int> F() { return {}; }\n"},
        ["host/a.h", "does not compile alone"]),
    "clang_tidy": (
        {"host/a.cpp": "int f(int x) { return x; }\n", "host/b.cpp": "int f(long x) { return x > 0; }\n"},
        {"host/a.cpp": "int f(int x) {\n  if (x = 1) {}\n  int* p = nullptr;\n  return *p;\n}\n",
         "host/b.cpp": "int f(long x) {\n  int* p = nullptr;\n  return *p;\n}\n"},
        ["host/a.cpp", "host/b.cpp"]),
}


def require_remembered_elsewhere(base):
    """What passed is not looked at again on another processor; a stand-in for clang-tidy refuses to look."""
    said = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    folder = base / "elsewhere"
    folder.mkdir()
    (folder / "version").write_text(re.sub(r"Host CPU: .*", "Host CPU: another", said))
    (folder / "clang-tidy").write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec cat "{folder}/version"\nexit 1\n')
    (folder / "clang-tidy").chmod(0o755)
    again = subprocess.run([sys.executable, str(HERE / "clang_tidy.py"), str(base)], capture_output=True, text=True,
                           env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    if again.returncode != 0 or "0 file(s)" not in again.stdout:
        sys.exit(f"clang_tidy looks again on another processor:\n{again.stdout}")


def run(lint, tree):
    """The lint's exit status and words on a tree of files."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        for name, text in tree.items():
            path = base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for style in (".clang-format", ".clang-tidy"):
            (base / style).write_text((HERE.parents[1] / style).read_text())
        if lint == "clang_tidy":
            # One source is compiled alone and one in a unit.
            build = base / "build" / "release"
            unit = build / "host" / "CMakeFiles" / "b.dir" / "Unity" / "unity_0_cxx.cxx"
            unit.parent.mkdir(parents=True)
            unit.write_text(f'#include "{base}/host/b.cpp"\n')
            commands = [{"directory": str(build), "file": str(file), "command": f"g++ -std=c++20 -o {to}.o -c {file}"}
                        for file, to in ((base / "host" / "a.cpp", "host/CMakeFiles/a.dir/a.cpp"),
                                         (unit, "host/CMakeFiles/b.dir/Unity/unity_0_cxx.cxx"))]
            (build / "compile_commands.json").write_text(json.dumps(commands))
        result = subprocess.run([sys.executable, str(HERE / f"{lint}.py"), str(base)],
                                capture_output=True, text=True)
        if lint == "clang_tidy" and result.returncode == 0:
            require_remembered_elsewhere(base)
        return result.returncode, result.stdout + result.stderr


name = sys.argv[1] if len(sys.argv) == 2 else ""
if name not in EXAMPLES:
    sys.exit(f"usage: self_test.py LINT; lints: {', '.join(EXAMPLES)}")
good, bad, words = EXAMPLES[name]
status, said = run(name, good)
if status != 0:
    sys.exit(f"{name} rejects the good example:\n{said}")
status, said = run(name, bad)
if status != 1:
    sys.exit(f"{name} exits with {status} on the bad example:\n{said}")
for word in words:
    if word not in said:
        sys.exit(f"{name} does not mention '{word}':\n{said}")
print(f"{name}: accepts the good example, rejects the bad one")
