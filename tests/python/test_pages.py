"""The Python examples of README.md and docs/python.md run as they stand there, one after another."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from scenes import PEG, ROOT

BATCH = "data/batches/peg_loose.yaml"
RUNS = 4


def examples(page):
    """The text of each block of Python on a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Examples(unittest.TestCase):
    def setUp(self):
        """Works in a folder that has what the examples read, with a batch of few runs."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, pathlib.Path.cwd())
        os.chdir(folder.name)
        for path in (PEG, ROOT / BATCH):
            copy = pathlib.Path(path.relative_to(ROOT))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        batch = pathlib.Path(BATCH)
        text, count = re.subn(r"^number: \d+$", f"number: {RUNS}", batch.read_text(), flags=re.MULTILINE)
        self.assertEqual(count, 1)
        batch.write_text(text)

    def run_page(self, page):
        """What the examples of a page define, and what they print."""
        names, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            for number, example in enumerate(examples(page), 1):
                exec(compile(example, f"<{page}, example {number}>", "exec"), names)  # pylint: disable=exec-used
        return names, said.getvalue()

    def test_the_readmes_peg_finds_its_hole_and_its_batch_is_run(self):
        peg, batch = examples("README.md")
        self.assertLessEqual(peg.count("\n"), 25)
        self.assertLessEqual(batch.count("\n"), 10)
        names, said = self.run_page("README.md")
        self.assertLess(names["peg"].position[2], 0.0251)
        self.assertIn("seated after", said)
        self.assertEqual(len(names["runs"]), RUNS)
        self.assertTrue(names["runs"].ok.all())
        self.assertIn("Rate(", said)
        self.assertGreater(pathlib.Path("peg.h5").stat().st_size, 0)

    def test_the_examples_of_the_python_page_run(self):
        names, _ = self.run_page("docs/python.md")
        self.assertAlmostEqual(names["simulation"].bodies["peg"].position[2], 0.025008, delta=2e-5)


if __name__ == "__main__":
    unittest.main()
