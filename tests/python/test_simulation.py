"""Simulations: inputs, state, views, threads, signals."""

import copy
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import intervox
import numpy as np
from scipy.spatial.transform import Rotation

from scenes import BALL, FREE_BOX, PEG, bits, simulation


class Inputs(unittest.TestCase):
    def test_a_force_gives_f_t_over_m_until_it_is_set_again(self):
        for size in (1e-3, 3.0, 400.0):
            s = simulation(FREE_BOX)
            s.set_wrench("box", force=(0, size, 0))
            s.step(100)
            np.testing.assert_allclose(s.bodies["box"].velocity, [0, size * 0.1 / 2, 0], rtol=1e-12, atol=1e-15)
            s.set_wrench("box")
            s.step(100)
            np.testing.assert_allclose(s.bodies["box"].velocity, [0, size * 0.1 / 2, 0], rtol=1e-12, atol=1e-15)
            self.assertAlmostEqual(s.energy.work_applied / s.energy.kinetic, 1, delta=1e-9)

    def test_a_torque_and_a_force_off_the_centre_turn_it(self):
        inertia = 2 / 12 * np.array([0.1**2 + 0.06**2, 0.2**2 + 0.06**2, 0.2**2 + 0.1**2])
        for axis in range(3):
            torque = np.zeros(3)
            torque[axis] = 1e-4
            s = simulation(FREE_BOX)
            s.set_wrench("box", torque=torque)
            s.step(50)
            np.testing.assert_allclose(s.bodies["box"].angular_velocity, torque * 0.05 / inertia, atol=1e-9)
        s = simulation(FREE_BOX)
        s.set_wrench("box", (0, 1e-3, 0), (0, 0, 0), (0.1, 0, 0))  # positional: force, torque, point
        s.step(1)
        np.testing.assert_allclose(s.bodies["box"].angular_velocity, [0, 0, 1e-4 * 1e-3 / inertia[2]], rtol=1e-6,
                                   atol=1e-15)

    def test_a_state_is_where_it_was_put(self):
        turn = Rotation.from_euler("xyz", [20, -35, 50], degrees=True)
        x, y, z, w = turn.as_quat()
        for orientation in (turn, (w, x, y, z), turn.as_matrix()):
            s = simulation(FREE_BOX)
            s.set_state("box", ((1, 2, 3), orientation), velocity=(4, 5, 6), angular_velocity=(0.1, 0.2, 0.3))
            box = s.bodies["box"]
            np.testing.assert_allclose(box.position, [1, 2, 3], atol=1e-15)
            np.testing.assert_allclose(box.quaternion, [w, x, y, z], atol=1e-15)
            np.testing.assert_allclose(box.rotation, turn.as_matrix(), atol=1e-15)
            np.testing.assert_allclose(box.velocity, [4, 5, 6], atol=1e-14)
            np.testing.assert_allclose(box.angular_velocity, [0.1, 0.2, 0.3], atol=1e-14)
            np.testing.assert_allclose(box.pose.as_matrix()[:3, 3], [1, 2, 3], atol=1e-15)
            self.assertGreater(s.energy.work_applied, 70)
            s.step(10)
            np.testing.assert_allclose(box.center_of_mass, [1.04, 2.05, 3.06], atol=1e-13)

    def test_a_holder_and_a_motion_follow(self):
        s = simulation()
        s.set_holder_target("held", ((0.5, 0, 0.35), None), velocity=(0, 0, 0.01))
        s.set_motion("plate", ((-0.3, 0, 0.1), (1, 0, 0, 0)), (0, 0.2, 0), angular_velocity=(0, 0, 1))
        s.step(1500)
        sag = 9.81 / 1e3
        np.testing.assert_allclose(s.bodies["held"].position, [0.5, 0, 0.35 + 0.015 - sag], atol=1e-4)
        plate = s.bodies["plate"]
        np.testing.assert_allclose(plate.position, [-0.3, 0.3, 0.1], atol=1e-12)
        np.testing.assert_allclose(plate.quaternion, [np.cos(0.75), 0, 0, np.sin(0.75)], atol=1e-12)

    def test_what_takes_no_input_says_so(self):
        s = simulation()
        for text, call in (
                ("SetWrench: body floor is fixed. Only a body that is free takes this input.",
                 lambda: s.set_wrench("floor", (1, 0, 0))),
                ("SetHolderTarget: body ball has no holder. Give it one in the scene.",
                 lambda: s.set_holder_target("ball", intervox.Pose())),
                ("SetMotion: body ball is free. Only a body that is driven by a motion takes this input.",
                 lambda: s.set_motion(1, intervox.Pose()))):
            with self.assertRaises(intervox.InputError) as caught:
                call()
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(intervox.InputError, "force: nan is not a finite number"):
            s.set_wrench("ball", (np.nan, 0, 0))
        with self.assertRaisesRegex(intervox.InputError, r"SetWrench: point\[0\]: the value 1e\+300 is out of range"):
            s.set_wrench("ball", (0, 0, 1), point=(1e300, 0, 0))
        for call, text in ((lambda: s.set_wrench("ball", None), "force: give three numbers"),
                           (lambda: s.set_wrench("ball", torque=None), "torque: give three numbers"),
                           (lambda: s.set_wrench("ball", point=None), "point: give three numbers"),
                           (lambda: s.set_state("ball", None), "pose: give a Pose"),
                           (lambda: s.set_state("ball", intervox.Pose(), None), "velocity: give three numbers"),
                           (lambda: s.set_state("ball", intervox.Pose(), (0, 0, 0), None), "angular_velocity: give"),
                           (lambda: s.set_state("ball", ((0, 0, 2e9), None)), "pose: the position 2e")):
            with self.assertRaisesRegex(intervox.InputError, text):
                call()
        for call, text in ((lambda: s.set_wrench("ball", ["1", "2", "3"]), "force: expected a number, not a str"),
                           (lambda: s.set_wrench(None, (0, 0, 1)), "a body is given by its name or number")):
            with self.assertRaisesRegex(TypeError, text):
                call()
        with self.assertRaisesRegex(KeyError, "there is no body 'bal'. Did you mean 'ball'?"):
            s.set_wrench("bal", (1, 0, 0))


class State(unittest.TestCase):
    def test_clones_go_on_with_the_same_bits_and_alone(self):
        s = simulation()
        s.step(60)
        s.set_wrench("ball", (0, 0.5, 0))
        clone, pushed, copied = s.clone(), s.clone(), copy.deepcopy(s)
        pushed.set_wrench("ball", (0, 5, 0))
        for other in (s, clone, pushed, copied):
            other.step(60)
        self.assertEqual(bits(s), bits(clone))
        self.assertEqual(bits(s), bits(copied))
        self.assertGreater(pushed.bodies["ball"].position[1], 2 * s.bodies["ball"].position[1])

    def test_bytes_hold_the_state_with_its_inputs(self):
        s = simulation()
        s.step(60)
        s.set_wrench("ball", (0, 0.5, 0), point=(0, 0, 0.01))
        saved = s.save()
        self.assertIsInstance(saved, bytes)
        s.step(60)
        other = simulation(threads=1)
        other.restore(saved)
        self.assertEqual(other.save(), saved)
        other.step(60)
        self.assertEqual(bits(s), bits(other))
        with self.assertRaisesRegex(intervox.InputError, "scene"):
            simulation(FREE_BOX).restore(saved)
        with self.assertRaises(intervox.InputError):
            s.restore(saved[:100])
        self.assertEqual(bits(s), bits(other))

    def test_time_and_end(self):
        s = simulation()
        self.assertEqual((s.time, s.steps, s.done), (0.0, 0, False))
        s.run(until=0.1)
        self.assertAlmostEqual(s.time, 0.1, delta=1e-12)
        self.assertEqual(s.steps, 100)
        s.run()
        self.assertTrue(s.done)
        self.assertEqual(s.steps, 300)
        s.run()
        self.assertEqual(s.steps, 300)
        s.step()
        s.step(0)
        self.assertEqual(s.steps, 301)
        with self.assertRaisesRegex(ValueError, "must not be negative"):
            s.step(-1)
        with self.assertRaisesRegex(ValueError, "not a number"):
            s.run(until=float("nan"))

    def test_each_step_of_a_run_is_told_and_may_set_inputs(self):
        s, times = simulation(FREE_BOX), []

        def push(stepped):
            times.append(stepped.time)
            stepped.set_wrench("box", force=(0, 2 * len(times), 0))

        s.run(until=0.05, each=push)
        np.testing.assert_allclose(times, np.arange(1, 51) * 1e-3, atol=1e-12)
        np.testing.assert_allclose(s.bodies["box"].velocity, [0, 1e-3 * 49 * 50 / 2, 0], rtol=1e-9, atol=1e-15)
        with self.assertRaises(ZeroDivisionError):
            s.run(each=lambda stepped: 1 / 0)
        self.assertEqual(s.steps, 51)


class Views(unittest.TestCase):
    def test_bodies_are_live_and_their_values_are_kept(self):
        s = simulation()
        ball, before = s.bodies["ball"], s.bodies["ball"].position
        s.step(150)
        self.assertEqual(before[2], 0.0502)
        self.assertLess(ball.position[2], 0.0501)
        np.testing.assert_array_equal(s.bodies.positions[1], ball.position)
        np.testing.assert_array_equal(s.bodies.quaternions[1], ball.quaternion)
        np.testing.assert_array_equal(s.bodies.velocities[1], ball.velocity)
        np.testing.assert_array_equal(s.bodies.angular_velocities[1], ball.angular_velocity)
        self.assertEqual(list(s.bodies), ["floor", "ball", "plate", "held"])
        self.assertEqual((len(s.bodies), "ball" in s.bodies, "bal" in s.bodies), (4, True, False))
        self.assertEqual((s.bodies[-1].name, s.bodies[1].index), ("held", 1))
        for wrong in (4, -5):
            with self.assertRaises(IndexError):
                s.bodies[wrong]
        with self.assertRaisesRegex(KeyError, "Did you mean 'held'"):
            s.bodies["hold"]
        with self.assertRaises(TypeError):
            s.bodies[1.5]
        position = ball.position
        del s, ball
        self.assertEqual(position.shape, (3,))

    def test_contacts_and_sensors_agree_with_the_weight(self):
        s = simulation()
        s.set_motion("plate", ((-1, 0, 0.5), None))
        s.step(2000)
        contacts = s.contacts
        self.assertEqual(len(contacts), 1)
        self.assertEqual((contacts["body_i"][0], contacts["body_j"][0]), (0, 1))
        self.assertAlmostEqual(contacts["normal_force"][0], 9.81, delta=1e-4)
        np.testing.assert_allclose(contacts["force"][0], [0, 0, -9.81], atol=1e-4)  # on i, the floor
        np.testing.assert_allclose(s.bodies["ball"].contact_force, [0, 0, 9.81], atol=1e-4)
        np.testing.assert_allclose(s.sensors["feel"].force, [0, 0, 9.81], atol=1e-4)
        self.assertAlmostEqual(contacts["volume"][0] * 1e8, 9.81, delta=1e-4)
        np.testing.assert_allclose(np.abs(contacts["normal"][0]), [0, 0, 1], atol=1e-9)
        self.assertEqual(contacts["inertia"].shape, (1, 3, 3))
        self.assertEqual([s.bodies[contacts[0][side]].name for side in ("body_i", "body_j")], ["floor", "ball"])
        self.assertTrue(0 < contacts["since"][0] < 0.1)
        kept = contacts.copy()
        s.set_state("ball", ((0, 0, 1), None))
        self.assertEqual(len(s.contacts), 0)
        np.testing.assert_array_equal(contacts, kept)
        impacts = s.impacts
        self.assertGreater(len(impacts), 0)
        self.assertAlmostEqual(impacts["approach_speed"][0], (2 * 9.81 * 2e-4)**0.5, delta=0.01)

    def test_joints_read_as_their_equations_say(self):
        turned, length, mass = 0.3, 0.5, 2.0
        at = [length * np.sin(turned), 0, -length * np.cos(turned)]
        s = intervox.Simulation(intervox.parse_scene({
            "schema": "intervox/scene/2", "duration": 1, "integrator": {"step": 1e-3},
            "shapes": {"bob": {"sphere": {"radius": 0.05}}},
            "bodies": {"bob": {"shape": "bob", "mass": mass, "pose": {"position": at}}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["bob", "world"], "point": [0, 0, 0], "axis": [0, 1, 0]}}}))
        self.assertEqual((s.scene.joints, s.joints.names, len(s.joints)), (["hinge"], ["hinge"], 1))
        hinge = s.joints["hinge"]
        s.run(0.4)
        angle, rate = hinge.coordinate, hinge.rate
        p, v = s.bodies["bob"].position, s.bodies["bob"].velocity
        # About +y a bob at +x comes down by a positive angle.
        np.testing.assert_allclose(p, [length * np.sin(turned - angle), 0, -length * np.cos(turned - angle)], atol=1e-9)
        self.assertAlmostEqual(np.linalg.norm(v), length * abs(rate), delta=1e-9)
        # The hinge carries the weight's part along the rod and turns the bob.
        along = p / length
        self.assertAlmostEqual(-hinge.force @ along, mass * (v @ v / length - 9.81 * along[2]), delta=1e-2)
        self.assertEqual(hinge.drive, 0)
        self.assertLess(hinge.error, 1e-10)
        self.assertEqual(hinge.torque.shape, (3,))
        self.assertIn("'hinge': coordinate", repr(hinge))
        with self.assertRaises(KeyError):
            s.joints["crank"]

    def test_warnings_tell_of_energy_from_nowhere(self):
        scene = copy.deepcopy(BALL)
        scene["integrator"]["method"] = "rk4"
        scene["contact_models"]["default"]["normal"] = {"model": "gonthier", "stiffness": 1e12, "restitution": 0.9}
        scene["bodies"]["ball"].update(pose={"position": [0, 0, 0.06]}, velocity={"linear": [0, 0, -1]})
        s = simulation(scene)
        self.assertFalse(any("gained energy" in text for text in s.warnings))
        s.run()
        self.assertTrue(any("gained energy" in text and "body ball" in text for text in s.warnings), s.warnings)

    def test_reprs_tell(self):
        s = simulation()
        self.assertEqual(repr(s), "<intervox.Simulation 'ball' at 0 of 0.3 s, bodies: 4, contacts: 0>")
        self.assertEqual(repr(s.bodies), "<intervox.Bodies: floor, ball, plate, held>")
        self.assertIn("'ball' at [0, 0, 0.0502] m", repr(s.bodies["ball"]))
        self.assertIn("(w, x, y, z)", repr(s.bodies["ball"]))
        self.assertEqual(repr(s.scene), "<intervox.Scene 'ball', 0.3 s in steps of 0.001 s, bodies: floor, "
                                        "ball, plate, held>")
        self.assertIn("balance", repr(s.energy))
        self.assertIn("force", repr(s.sensors["feel"]))


class Threads(unittest.TestCase):
    def test_other_threads_go_on_while_it_steps(self):
        s = intervox.Simulation(intervox.load_scene(PEG), threads=1)
        s.step(400)
        worker = threading.Thread(target=lambda: s.step(600))
        worker.start()
        turns, refused = 0, 0
        while worker.is_alive():
            time.sleep(1e-3)
            turns += 1
            try:
                s.bodies["peg"].position
            except RuntimeError as error:
                self.assertIn("stepped by another thread", str(error))
                refused += 1
        self.assertGreater(turns, 5)
        self.assertGreater(refused, 5)
        self.assertEqual(s.steps, 1000)

    def test_two_simulations_run_side_by_side(self):
        alone = simulation()
        alone.step(300)
        both = [simulation(), simulation()]
        workers = [threading.Thread(target=s.step, args=(300,)) for s in both]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for s in both:
            self.assertEqual(bits(s), bits(alone))


class Signals(unittest.TestCase):
    CHILD = """
import sys
sys.path.insert(0, {folder!r})
from scenes import PILE, simulation
import intervox, numpy
s = simulation()
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    steps = s.steps
    s.step(5)
    print("interrupted", s.steps - steps, flush=True)
"""

    def interrupted(self, call):
        folder = str(pathlib.Path(__file__).parent)
        child = subprocess.Popen([sys.executable, "-c", self.CHILD.format(folder=folder, call=call)],
                                 stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        try:
            output, _ = child.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        self.assertEqual((output, child.returncode), ("interrupted 5\n", 0))

    def test_ctrl_c_ends_a_long_step(self):
        self.interrupted("s.step(10**12)")

    def test_ctrl_c_within_a_step_leaves_the_state_before_it(self):
        self.interrupted("intervox.Simulation(intervox.parse_scene(PILE)).step()")

    def test_ctrl_c_ends_a_long_run(self):
        self.interrupted("intervox.Simulation(intervox.parse_scene(s.scene.source, "
                         "overrides=['duration=1e9'])).run()")

    def test_ctrl_c_ends_a_long_measurement(self):
        self.interrupted("[intervox.measure({'torus': {'major_radius': 1, 'minor_radius': 0.3}}, "
                         "{'torus': {'major_radius': 1, 'minor_radius': 0.3}}, "
                         "numpy.tile([0.3, 0.1, 0.2, 0.9, 0.3, 0.2, 0.1], (10**6, 1)), tolerance=1e-8)]")


if __name__ == "__main__":
    unittest.main()
