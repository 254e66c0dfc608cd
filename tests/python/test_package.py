"""What is shipped: types, stubs, conventions said."""

import ast
import inspect
import pathlib
import re
import unittest

import intervox
from intervox import _core

FOLDER = pathlib.Path(intervox.__file__).parent


def public(cls):
    return [(name, member) for name, member in vars(cls).items() if not name.startswith("_")]


class Package(unittest.TestCase):
    def test_types_are_shipped_and_complete(self):
        self.assertTrue((FOLDER / "py.typed").exists())
        stub = ast.parse((FOLDER / "_core.pyi").read_text())
        defined = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for name, cls in vars(_core).items():
            if not isinstance(cls, type) or name.startswith("_"):
                continue
            members = {getattr(n, "name", None) or getattr(getattr(n, "target", None), "id", None) or
                       next((t.id for t in getattr(n, "targets", [])), None) for n in defined[name].body}
            self.assertLessEqual({n for n, _ in public(cls)} - {"__doc__"}, members, name)
        names = {n.id for n in ast.walk(stub) if isinstance(n, ast.Name)}
        imported = {a.asname or a.name for n in stub.body if isinstance(n, (ast.Import, ast.ImportFrom))
                    for a in n.names}
        for name in ("FloatArray", "PoseLike", "Rotation", "Vector"):
            self.assertIn(name, names)
            self.assertIn(name, imported)

    def test_public_things_say_what_they_are_in_si_and_w_x_y_z(self):
        for name in intervox.__all__:
            thing = getattr(intervox, name)
            if name.startswith("__"):
                continue
            self.assertTrue(inspect.getdoc(thing), name)
            if not isinstance(thing, type):
                continue
            for member, value in public(thing):
                doc = inspect.getdoc(value) or ""
                if "pose" in str(doc).lower() and member.startswith("set_") or "quaternion" in member:
                    self.assertIn("(w, x, y, z)", doc, f"{name}.{member}")
                if re.search(r"velocit|force|torque|position", member):
                    self.assertTrue("[" in doc or "resolve_in" in doc, f"{name}.{member}: {doc}")
        self.assertIn("(w, x, y, z)", intervox.measure.__doc__)
        self.assertIn("SI", intervox.measure.__doc__)

    def test_the_version_is_the_programs(self):
        text = (pathlib.Path(__file__).parents[2] / "CMakeLists.txt").read_text()
        self.assertIn(f"  VERSION {intervox.__version__}\n", text)


if __name__ == "__main__":
    unittest.main()
