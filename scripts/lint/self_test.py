#!/usr/bin/python3
"""Feeds each lint one good and one bad example. Usage: self_test.py LINT"""

import json
import os
import re
import shutil
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
        {"host/a.h": '#pragma once\n#include "host/included.h"\ninline std::vector<int> F() { return {}; }\n',
         "host/included.h": "#pragma once\n#include <vector>\n", "host/other.h": "#pragma once\n"},
        {"host/a.h": "#pragma once\ninline std::vector<int> F() { return {}; }\n"},
        ["host/a.h", "does not compile alone"]),
    "clang_tidy": (
        {"host/a.cpp": '#include "host/included.h"\nint f(Number x) { return x; }\n',
         "host/included.h": "#pragma once\nusing Number = int;\n", "host/b.cpp": "int f(long x) { return x > 0; }\n"},
        {"host/a.cpp": "int f(int x) {\n  if (x = 1) {}\n  int* p = nullptr;\n  return *p;\n}\n",
         "host/b.cpp": "int f(long x) {\n  int* p = nullptr;\n  return *p;\n}\n"},
        ["host/a.cpp", "host/b.cpp"]),
}


TOOLS = {"headers_alone": "g++", "clang_tidy": "clang-tidy"}


def require_remembered(lint, base):
    """With --record, what passed is not looked at again in a clean clone on another processor, where a stand-in for the
    lint's tool refuses to look; what has changed is, and so is what includes it."""
    def call(*options, path=os.environ["PATH"]):
        done = subprocess.run([sys.executable, str(HERE / f"{lint}.py"), str(base), *options], capture_output=True,
                              text=True, env={**os.environ, "PATH": path})
        return done.returncode, done.stdout + done.stderr

    tool = TOOLS[lint]
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    folder = base / "elsewhere"
    folder.mkdir()
    (folder / "version").write_text(re.sub(r"Host CPU: .*", "Host CPU: another", said))
    (folder / tool).write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec cat "{folder}/version"\nexit 1\n')
    (folder / tool).chmod(0o755)
    status, said = call("--record")
    if status != 0:
        sys.exit(f"{lint} --record rejects what it accepts:\n{said}")
    shutil.rmtree(base / "build" / lint)
    status, said = call(path=f"{folder}:{os.environ['PATH']}")
    if status != 0 or ": 0 file(s)" not in said:
        sys.exit(f"{lint} looks again at what is recorded:\n{said}")
    (base / "host" / "included.h").write_text("#pragma once\n")
    status, said = call("--record")
    if status != 1 or "host/a." not in said:
        sys.exit(f"{lint} takes a file for what it was before an included one has changed:\n{said}")
    if call()[0] != 1:
        sys.exit(f"{lint} --record records what does not pass")


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
            commands = [{"directory": str(build), "file": str(file), "command": f"g++ -std=c++20 -I{base} -o {to}.o -c {file}"}
                        for file, to in ((base / "host" / "a.cpp", "host/CMakeFiles/a.dir/a.cpp"),
                                         (unit, "host/CMakeFiles/b.dir/Unity/unity_0_cxx.cxx"))]
            (build / "compile_commands.json").write_text(json.dumps(commands))
        result = subprocess.run([sys.executable, str(HERE / f"{lint}.py"), str(base)],
                                capture_output=True, text=True)
        if lint in TOOLS and result.returncode == 0:
            require_remembered(lint, base)
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
