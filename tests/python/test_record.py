"""Results files: written, read, and the run done again from them."""

import pathlib
import tempfile
import unittest

import intervox
import numpy as np

from scenes import bits, simulation


def steer(s, steps):
    """Inputs of all kinds, from what the simulation feels."""
    for _ in range(steps):
        k = s.steps
        if k % 3 == 0:
            s.set_wrench("ball", (0, 0.01 * k, 0), (0, 0, 1e-4), (0, 0, 1e-3 * (k % 5)))
        if k % 5 == 1:
            s.set_holder_target("held", (s.bodies["held"].position + [0, 0, 1e-3], s.bodies["held"].quaternion))
        if k % 7 == 2:
            s.set_motion("plate", s.bodies["plate"].pose, (0.1 + 1e-3 * k, 0, 0))
        if k == 77:
            s.set_state("ball", ((0, 0.1, 0.08), (1, 0.2, 0.3, 0.4)), (0, 0, -0.5), (3, 2, 1))
        s.step()


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "run.h5"

    def test_a_file_holds_what_was_felt(self):
        s = simulation()
        positions = [s.bodies["ball"].position]
        with s.record(self.path) as recording:
            self.assertIn("samples: 1", repr(recording))
            for _ in range(100):
                s.step()
                positions.append(s.bodies["ball"].position)
        self.assertIn("closed", repr(recording))
        with intervox.load_results(self.path) as results:
            np.testing.assert_array_equal(results.bodies["ball"].position, positions)
            np.testing.assert_array_equal(results.bodies.ball.position, positions)
            np.testing.assert_allclose(results.time, np.arange(101) * 1e-3, atol=1e-12)
            self.assertEqual(results.bodies.ball.units("velocity"), "m/s")
            self.assertEqual(results.body_names, ["floor", "ball", "plate", "held"])
            self.assertEqual(results.energy.kinetic[-1], s.energy.kinetic)
            np.testing.assert_array_equal(results.sensors.feel.force[-1], s.sensors["feel"].force)
            self.assertEqual(results.patches.normal_force[-1], s.contacts["normal_force"][-1])
            self.assertEqual(results.scene.name, "ball")
            self.assertEqual(results.attributes["name"], "ball")
            self.assertIn("101 samples to 0.1 s", repr(results))
            with self.assertRaisesRegex(KeyError, "there is no 'bal' in /bodies"):
                results.bodies["bal"]
            with self.assertRaisesRegex(AttributeError, "there is no 'bal'"):
                results.bodies.bal
        self.assertIn("closed", repr(results))

    def test_samples_may_be_rarer_and_the_last_state_is_there(self):
        s = simulation()
        with s.record(str(self.path), every=0.02):
            s.step(47)
        with intervox.load_results(self.path) as results:
            np.testing.assert_allclose(results.time, [0, 0.02, 0.04, 0.047], atol=1e-12)

    def test_one_recording_at_a_time_and_forward(self):
        s = simulation()
        state = s.save()
        with s.record(self.path):
            with self.assertRaisesRegex(intervox.InputError, "is being written already"):
                s.record(self.path)
            s.step(5)
            with self.assertRaisesRegex(intervox.InputError, "forward only"):
                s.restore(state)
            s.clone().restore(state)
        s.restore(state)
        with self.assertRaisesRegex(intervox.InputError, "every must be above 0"):
            s.record(self.path, every=0)
        with self.assertRaisesRegex(intervox.InputError, "no/such/folder"):
            s.record("no/such/folder/run.h5")
        recording = s.record(self.path)
        recording.close()
        with s.record(self.path.with_name("next.h5")) as following:
            recording.close()  # nothing of the next one's
            self.assertIn("samples: 1", repr(following))

    def test_an_error_within_the_block_still_ends_the_file(self):
        s = simulation()
        with self.assertRaises(ZeroDivisionError):
            with s.record(self.path):
                s.step(3)
                1 / 0
        self.assertEqual(len(intervox.load_results(self.path).time), 4)

    def test_a_file_without_a_name_is_refused_before_the_first_step(self):
        with self.assertRaisesRegex(intervox.InputError, "the file has no name"):
            simulation().record("")

    def test_closed_results_say_so(self):
        s = simulation()
        with s.record(self.path):
            s.step(3)
        results = intervox.load_results(self.path)
        ball = results.bodies["ball"]
        self.assertEqual(results.units("time"), "s")
        with self.assertRaisesRegex(ValueError, "'bodies' is a group of columns"):
            results.units("bodies")
        with self.assertRaisesRegex(KeyError, "there is no 'tme'"):
            results.units("tme")
        results.close()
        for use in (lambda: results.time, lambda: results["time"], lambda: results.attributes,
                    lambda: results.scene, lambda: ball.position, lambda: results.units("time")):
            with self.assertRaisesRegex(ValueError, "the results file is closed"):
                use()
        self.assertEqual(results.path, str(self.path))
        results.close()

    def test_a_forgotten_recording_is_ended(self):
        s = simulation()
        s.record(self.path)
        s.step(3)
        del s
        self.assertEqual(len(intervox.load_results(self.path).time), 4)

    def test_what_is_no_results_file_says_so(self):
        self.path.write_text("schema: something")
        with self.assertRaisesRegex(intervox.InputError, "not a readable results file"):
            intervox.load_results(self.path)
        with self.assertRaisesRegex(FileNotFoundError, "no such results file: 'nowhere.h5'"):
            intervox.load_results("nowhere.h5")
        with self.assertRaisesRegex(intervox.InputError, r"not a readable results file \(Is a directory\)$"):
            intervox.load_results(self.path.parent)
        import h5py
        with h5py.File(self.path, "w") as file:
            file.attrs["schema"] = "other/1"
        with self.assertRaisesRegex(intervox.InputError, "no results file"):
            intervox.load_results(self.path)
        with self.assertRaisesRegex(intervox.InputError, r"^nowhere.h5: not a readable results file \(no such file\)$"):
            intervox.show("nowhere.h5")
        with self.assertRaisesRegex(intervox.InputError, "no run is recorded here"):
            intervox.replay(self.path)


class Replay(unittest.TestCase):
    setUp = Recording.setUp

    def test_a_run_that_was_sampled_otherwise_is_sampled_so_again(self):
        for every in (None, 1e-3, 0.0137):
            s = simulation()
            with s.record(self.path, every=every):
                s.step(77)
            again = self.path.with_name("again.h5")
            intervox.replay(self.path, record=again)
            with intervox.load_results(self.path) as one, intervox.load_results(again) as two:
                np.testing.assert_array_equal(one.time, two.time)

    def test_a_run_is_done_again_with_the_same_bits(self):
        for before in (0, 40):
            s = simulation()
            steer(s, before)
            with s.record(self.path):
                steer(s, 160)
            again = intervox.replay(self.path, record=self.path.with_name("again.h5"))
            self.assertEqual(again.steps, s.steps)
            self.assertEqual(bits(again), bits(s))
            self.assertEqual(again.contacts.tobytes(), s.contacts.tobytes())
            self.assertEqual(again.energy.balance, s.energy.balance)
            untouched = simulation()
            untouched.step(200)
            self.assertNotEqual(bits(untouched), bits(s))
            with intervox.load_results(self.path) as one, \
                    intervox.load_results(self.path.with_name("again.h5")) as other:
                self.assertGreater(len(one.inputs.step), 50)
                for group in (one.patches, one.inputs, one.bodies["ball"], one.energy):
                    for name in group:
                        twin = other[group._group.name.strip("/")]
                        np.testing.assert_array_equal(group[name], twin[name])


if __name__ == "__main__":
    unittest.main()
