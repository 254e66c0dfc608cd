"""Batches from Python: results, controllers, errors, Ctrl-C."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import h5py
import intervox
import numpy as np

from scenes import ROOT

BATCH = f"""schema: intervox/batch/1
scene: {ROOT}/tests/scenes/ball_on_floor.yaml
seed: 7
number: NUMBER
sample:
  bodies.ball.pose.position[2]: {{constant: 0.5}}   # it does not reach the floor
  bodies.ball.mass: {{uniform: [1, 3]}}
outcomes:
  fast: "velocity(ball)[2] > -1.9"
  velocity: "velocity(ball)[2]"
"""
MASS = "bodies.ball.mass"


def lift(simulation):
    """Carries half of the weight of a ball of 2 kg, from the second step on."""
    yield
    while True:
        simulation.set_wrench("ball", force=(0, 0, 9.81))
        yield


class Batches(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.batch = self.write(12)

    def write(self, number):
        path = self.folder / f"batch{number}.yaml"
        path.write_text(BATCH.replace("NUMBER", str(number)))
        return path

    def run_batch(self, out, **options):
        return intervox.run_batch(self.batch, self.folder / out, **{"progress": False, **options})

    def test_a_controllers_inputs_act_in_every_run_with_the_same_bits_on_any_threads(self):
        runs = self.run_batch("one", controller=lift, threads=1)
        self.assertEqual(len(set(runs.parameters[MASS])), 12)
        expected = -9.81 * 0.2 + 9.81 / runs.parameters[MASS] * 0.199
        np.testing.assert_allclose(runs.outcomes["velocity"], expected, rtol=1e-9)
        two = self.run_batch("two", controller=lift, threads=2)
        self.assertEqual(runs.outcomes["velocity"].tobytes(), two.outcomes["velocity"].tobytes())
        self.assertEqual(list(runs.id), list(range(12)))

    def test_a_function_is_called_before_each_step(self):
        def lift_always(simulation):
            simulation.set_wrench("ball", force=(0, 0, 9.81))
        runs = self.run_batch("out", controller=lift_always)
        np.testing.assert_allclose(runs.outcomes["velocity"], -9.81 * 0.2 + 9.81 / runs.parameters[MASS] * 0.2,
                                   rtol=1e-9)

    def test_the_program_gives_the_same_bits_and_a_rate_has_its_interval(self):
        runs = self.run_batch("out")
        program = pathlib.Path(intervox.__file__).parent / "show/intervox"
        subprocess.run([program, "batch", self.batch, "-q", "-o", self.folder / "program"], check=True)
        with h5py.File(self.folder / "program/batch.h5") as file:
            self.assertEqual(file["runs/outcome/velocity"][:].tobytes(), runs.outcomes["velocity"].tobytes())
        rate = runs.rates["fast"]
        self.assertEqual(rate.rate, np.mean(runs.outcomes["velocity"] > -1.9))
        self.assertLess(rate.low, rate.high)
        self.assertIn("12 of 12 runs", repr(runs))

    def test_errors_of_a_controller_come_out_and_nothing_finished_is_lost(self):
        for k, (wrong, kind) in enumerate(((lambda s: 3, TypeError), (lambda s: s.step(), intervox.InputError),
                            (lambda s: 1 / 0, ZeroDivisionError), (lambda s: s.set_wrench("bal"), KeyError))):
            with self.assertRaises(kind):
                self.run_batch(f"wrong{k}", controller=wrong)
        calls = []

        def fails_late(simulation):
            calls.append(simulation)
            if len(calls) > 1000:
                raise RuntimeError("late")
        with self.assertRaisesRegex(RuntimeError, "late"):
            self.run_batch("late", controller=fails_late, threads=1)
        self.assertEqual((self.folder / "late/runs.jsonl").read_text().count('{"run":'), 5)
        with self.assertRaisesRegex(RuntimeError, "a run of a batch"):
            calls[0].time

    def test_a_folder_of_another_controller_is_refused(self):
        self.run_batch("out", controller=lift)
        with self.assertRaisesRegex(intervox.InputError, "with a controller"):
            self.run_batch("out", resume=True)
        self.assertEqual(len(self.run_batch("out", controller=lift, resume=True)), 12)

    def test_a_corrected_controller_does_what_is_left_on_request(self):
        calls = []

        def wrong(simulation):
            calls.append(0)
            if len(calls) > 1000:
                raise ZeroDivisionError("in the sixth run")
        with self.assertRaises(ZeroDivisionError):
            self.run_batch("out", controller=wrong, threads=1)
        with self.assertRaisesRegex(intervox.InputError, "5 finished runs of another controller.*retry_failed=True"):
            self.run_batch("out", controller=lift, resume=True)
        runs = self.run_batch("out", controller=lift, retry_failed=True)
        self.assertEqual(len(runs), 12)
        self.assertEqual([runs.controllers.count(mark) for mark in dict.fromkeys(runs.controllers)], [5, 7])
        fell = runs.outcomes["velocity"] < -1.96
        self.assertEqual(list(fell), [True] * 5 + [False] * 7)
        with h5py.File(self.folder / "out/batch.h5") as file:
            self.assertEqual([mark.decode() for mark in file["runs/controller"][:]], runs.controllers)
            self.assertIn(b"def lift", file.attrs["controller"])

    def test_one_run_alone_has_the_bits_of_the_batch_and_a_trajectory(self):
        runs = self.run_batch("out", controller=lift)
        alone = self.run_batch("run_7.h5", controller=lift, only=7)
        self.assertEqual(list(alone.id), [7])
        self.assertEqual(alone.outcomes["velocity"][0], runs.outcomes["velocity"][7])
        self.assertEqual(alone.parameters[MASS][0], runs.parameters[MASS][7])
        with intervox.load_results(self.folder / "run_7.h5") as results:
            self.assertEqual(results.bodies["ball"].velocity[-1, 2], runs.outcomes["velocity"][7])
        fell = self.run_batch("other.h5", only=7).outcomes["velocity"][0]
        self.assertLess(fell, alone.outcomes["velocity"][0])
        with self.assertRaisesRegex(ValueError, "from 0"):
            self.run_batch("none.h5", only=-1)

    def test_a_steered_batch_is_refused_without_its_controller(self):
        self.batch.write_text(self.batch.read_text() + "controller: lift.py\n")
        with self.assertRaisesRegex(intervox.InputError, "lift.py"):
            self.run_batch("out")
        with self.assertRaisesRegex(intervox.InputError, "lift.py"):
            self.run_batch("out.h5", only=3)
        self.assertEqual(len(self.run_batch("out", controller=lift)), 12)

    def test_a_number_of_runs_may_be_given(self):
        self.assertEqual(len(self.run_batch("out", number=3)), 3)
        self.assertEqual(len(self.run_batch("out", number=4, resume=True)), 4)
        with self.assertRaisesRegex(ValueError, "at least one run"):
            self.run_batch("none", number=0)

    def test_progress_is_told_and_its_errors_come_out(self):
        def tell(text):
            raise ValueError(text)
        with self.assertRaisesRegex(ValueError, "of 12 runs"):
            self.run_batch("out", controller=lambda s: time.sleep(5e-4), progress=tell)

    def test_ctrl_c_ends_a_batch_and_resume_goes_on(self):
        batch = self.write(100000)
        code = textwrap.dedent(f"""
            import intervox
            try:
                intervox.run_batch({os.fspath(batch)!r}, {os.fspath(self.folder / "cut")!r})
            except KeyboardInterrupt:
                print("interrupted")
            """)
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = self.folder / "cut/runs.jsonl"
        while not journal.exists() or journal.read_text().count('{"run":') < 3:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        output, said = child.communicate(timeout=30)
        self.assertEqual(output, "interrupted\n")
        self.assertIn("resume=True", said)


class Pages(unittest.TestCase):
    def test_a_scene_a_simulation_and_a_result_are_shown(self):
        scene = intervox.load_scene(ROOT / "data/scenes/peg_insertion.yaml")
        simulation = intervox.Simulation(scene)
        simulation.step(3)
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "peg.h5"
            with simulation.record(results):
                simulation.step(3)
            for what in (scene, simulation, results, intervox.load_results(results)):
                page = intervox.show(what)
                self.assertIn("view-canvas", page.html)
                self.assertIn("srcdoc=", page._repr_html_())
        self.assertEqual(simulation.steps, 6)
        with self.assertRaisesRegex(intervox.InputError, "nothing.h5"):
            intervox.show("nothing.h5")


if __name__ == "__main__":
    unittest.main()
