"""Overlaps: conventions, arrays, shapes and messages."""

import math
import os
import signal
import sys
import threading
import time
import unittest

import intervox
import numpy as np
from scipy.spatial.transform import Rotation

from scenes import PEG, ROOT

BALL = intervox.shape({"sphere": {"radius": 0.1}})
SLAB = intervox.shape("box: {size: [1, 1, 0.2]}")
BRICK = intervox.shape({"box": {"size": [0.4, 0.2, 0.1]}})
# A turn without any symmetry: its quaternion has four different numbers, its inverse is another turn.
TURN = Rotation.from_euler("xyz", [20, -35, 50], degrees=True)


def random_poses(count, seed=1):
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.hstack([random.uniform(-0.15, 0.15, (count, 3)), q])


class Conventions(unittest.TestCase):
    def test_a_cap_has_the_formulas_volume_and_lies_where_b_is(self):
        metrics = intervox.measure(BALL, SLAB, ((0, 0, -0.199), None), tolerance=1e-8)
        h, r = 0.001, 0.1
        self.assertAlmostEqual(metrics.volume / (math.pi * h * h * (r - h / 3)), 1, delta=1e-8)
        # X_AB is b in a's frame, and so are the results: the cap is below a's origin.
        self.assertAlmostEqual(metrics.centroid[2], -0.1 + h * 2 / 3, delta=1e-5)
        self.assertGreater(metrics.area_vector[2], 0)  # b's normal, out of b
        self.assertEqual(metrics.status, intervox.Status.OK)
        self.assertLess(metrics.volume_error, 1e-8 * metrics.volume)
        low, high = metrics.volume_bounds
        self.assertLessEqual(low, metrics.volume)
        self.assertGreaterEqual(high, metrics.volume)

    def test_a_quaternion_is_w_x_y_z_and_turns_b(self):
        x, y, z, w = TURN.as_quat()
        p = np.array([0.1, 0.05, 0.02])
        by_formula = p + TURN.as_matrix() @ [0.1, 0, 0]
        far = intervox.shape({"box": {"size": [0.02, 0.01, 0.005]}, "pose": {"position": [0.1, 0, 0]}})
        all_around = intervox.shape({"box": {"size": [9, 9, 9]}})
        seven = intervox.measure(all_around, far, [*p, w, x, y, z])
        np.testing.assert_allclose(seven.centroid, by_formula, atol=1e-12)
        self.assertAlmostEqual(seven.volume, 0.02 * 0.01 * 0.005, delta=1e-15)
        inertia = seven.volume / 12 * np.diag([0.01**2 + 0.005**2, 0.02**2 + 0.005**2, 0.02**2 + 0.01**2])
        np.testing.assert_allclose(seven.inertia, TURN.as_matrix() @ inertia @ TURN.as_matrix().T, atol=1e-17)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = TURN.as_matrix(), p
        for other in (matrix, (p, TURN), (p, (w, x, y, z)), (list(p), TURN.as_matrix()),
                      intervox.Pose(p, TURN), intervox.Pose(position=p, orientation=[w, x, y, z])):
            np.testing.assert_allclose(intervox.measure(all_around, far, other).centroid, by_formula, atol=1e-12)

    def test_a_pose_gives_back_what_it_was_made_of(self):
        x, y, z, w = TURN.as_quat()
        pose = intervox.Pose((1, 2, 3), TURN)
        np.testing.assert_array_equal(pose.position, [1, 2, 3])
        np.testing.assert_allclose(pose.quaternion, np.array([w, x, y, z]) * np.sign(w), atol=1e-15)
        np.testing.assert_allclose(pose.rotation, TURN.as_matrix(), atol=1e-15)
        np.testing.assert_allclose((pose.inverse() @ pose).as_matrix(), np.eye(4), atol=1e-15)
        other = intervox.Pose((0.1, 0, 0), (math.cos(0.2), math.sin(0.2), 0, 0))
        np.testing.assert_allclose((pose @ other).as_matrix(), pose.as_matrix() @ other.as_matrix(), atol=1e-15)
        self.assertEqual(repr(intervox.Pose((1, 2, 3))),
                         "Pose(position=[1, 2, 3], orientation=[1, 0, 0, 0])")

    def test_no_overlap_has_no_centroid(self):
        metrics = intervox.measure(BALL, SLAB, ((0, 0, -0.3), None))
        self.assertEqual((metrics.volume, metrics.status), (0.0, intervox.Status.DISJOINT))
        self.assertTrue(np.isnan(metrics.centroid).all())
        half = intervox.shape({"half_space": {"normal": [0, 0, 1], "offset": 0}})
        endless = intervox.measure(half, half)
        self.assertEqual(endless.status, intervox.Status.UNBOUNDED)
        self.assertIn("infinite", endless.reason)

    def test_a_solid_of_several_cells_is_measured_whole(self):
        block = intervox.load_scene(PEG).shapes["socket"]
        self.assertEqual(block.cells, 2)
        volume = 0.0089916 * (0.025**2 - math.pi * 0.00405**2) + 0.005 * 0.025**2
        self.assertAlmostEqual(intervox.measure_solid(block, tolerance=1e-8).volume / volume, 1, delta=1e-8)
        around = intervox.measure({"box": {"size": [1, 1, 1]}}, block, tolerance=1e-8)
        self.assertAlmostEqual(around.volume / volume, 1, delta=1e-8)


class Arrays(unittest.TestCase):
    def test_many_poses_have_the_bits_of_each_alone(self):
        poses = random_poses(300)
        block = intervox.load_shapes(ROOT / "data/examples/pairs.yaml")["core"]
        for a, b in ((BRICK, BALL), (BRICK, BRICK), (block, BRICK)):
            many = intervox.measure(a, b, poses, tolerance=1e-5)
            self.assertEqual(len(many), 300)
            self.assertEqual({int(s) for s in many.status} - {0}, {1} if (many.volume == 0).any() else set())
            for k in range(0, 300, 7):
                one = intervox.measure(a, b, poses[k], tolerance=1e-5)
                self.assertEqual(one.volume, many.volume[k])
                self.assertEqual(one.volume_error, many.volume_error[k])
                self.assertEqual(one.status, many.status[k])
                for name in ("centroid", "inertia", "area_vector", "area_moment"):
                    np.testing.assert_array_equal(getattr(one, name), getattr(many, name)[k])

    def test_poses_may_come_as_matrices_or_as_pairs(self):
        poses = random_poses(40)
        turns = Rotation.from_quat(poses[:, [4, 5, 6, 3]])
        matrices = np.tile(np.eye(4), (40, 1, 1))
        matrices[:, :3, :3], matrices[:, :3, 3] = turns.as_matrix(), poses[:, :3]
        expected = intervox.measure(BRICK, BALL, poses).volume
        self.assertGreater((expected > 0).sum(), 10)
        for given in (matrices, (poses[:, :3], turns), (poses[:, :3], poses[:, 3:]), poses.tolist(),
                      np.asfortranarray(poses), poses.astype(np.longdouble),
                      (poses[:, :3], turns.as_matrix())):
            np.testing.assert_allclose(intervox.measure(BRICK, BALL, given).volume, expected,
                                       rtol=1e-9, atol=1e-15)
        self.assertEqual(len(intervox.measure(BRICK, BALL, np.empty((0, 7)))), 0)
        self.assertEqual(len(intervox.measure(BRICK, BALL, np.asarray(matrices[:1]))), 1)
        self.assertEqual(len(intervox.measure(BRICK, BALL, poses[:4])), 4)

    def test_other_threads_go_on_while_it_computes(self):
        poses = random_poses(60_000)
        done = threading.Event()
        worker = threading.Thread(target=lambda: (intervox.measure(BRICK, BRICK, poses), done.set()))
        worker.start()
        turns = 0
        while not done.is_set():
            time.sleep(1e-3)
            turns += 1
        worker.join()
        self.assertGreater(turns, 5)


class Messages(unittest.TestCase):
    def says(self, text, call, *arguments, error=intervox.InputError, **named):
        with self.assertRaises(error) as caught:
            call(*arguments, **named)
        self.assertEqual(str(caught.exception), text)

    def test_shapes(self):
        self.assertTrue(issubclass(intervox.InputError, ValueError))
        self.says("<dict>:1: shapes.shape.sphere.radiuss: unknown key 'radiuss'. Did you mean 'radius'?",
                  intervox.shape, {"sphere": {"radiuss": 1}})
        with self.assertRaisesRegex(intervox.InputError, "<text>:2: shapes.shape.box.size"):
            intervox.shape("box:\n  size: [1, 2]")
        with self.assertRaisesRegex(intervox.InputError, "radius"):
            intervox.shape({"sphere": {"radius": float("nan")}})
        with self.assertRaisesRegex(TypeError, "a set has no place in a scene"):
            intervox.shape({"sphere": {"radius": {1}}})
        self.says("nowhere.yaml: file: no such file. Check the path.", intervox.load_shapes, "nowhere.yaml")
        with self.assertRaisesRegex(intervox.InputError, "not a text file"):
            intervox.load_shapes(sys.executable)
        with self.assertRaises(TypeError):
            intervox.load_shapes(3)  # no file descriptor

    def test_poses_and_tolerances(self):
        self.says("tolerance: 5 is out of range. Give 1e-9 to 0.1.", intervox.measure, BALL, SLAB,
                  tolerance=5)
        self.says("tolerance: nan is out of range. Give 1e-9 to 0.1.", intervox.measure, BALL, SLAB,
                  np.zeros((2, 7)), tolerance=math.nan)
        zero = "X_AB: the quaternion is zero. Write (1, 0, 0, 0) for no rotation"
        self.says(zero, intervox.measure, BALL, SLAB, [0, 0, 0, 0, 0, 0, 0])
        second = np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0.0]])
        self.says(zero + " (row 1)", intervox.measure, BALL, SLAB, second)
        self.says(zero + " (row 1)", intervox.measure, BALL, SLAB, (second[:, :3], second[:, 3:]))
        self.says("X_AB: row 1: nan is not a finite number", intervox.measure, BALL, SLAB,
                  np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, math.nan, 1, 0, 0, 0]]))
        with self.assertRaisesRegex(ValueError, "no rotation: its columns are not orthonormal"):
            intervox.Pose((0, 0, 0), np.diag([1, 1, -1.0]))
        with self.assertRaisesRegex(ValueError, "no rotation: its columns are not orthonormal"):
            intervox.Pose((0, 0, 0), np.diag([1, 1.001, 1]))
        for bad in ((0, math.inf, 0), np.array([0, 0, math.nan])):
            with self.assertRaisesRegex(ValueError, "position: (inf|nan) is not a finite number"):
                intervox.Pose(bad)
        with self.assertRaisesRegex(ValueError, "last row of a 4 x 4"):
            intervox.measure(BALL, SLAB, np.ones((4, 4)))
        with self.assertRaisesRegex(ValueError, "give n x 7"):
            intervox.measure(BALL, SLAB, np.ones((5, 6)))
        with self.assertRaisesRegex(ValueError, "one rotation, not several"):
            intervox.Pose((0, 0, 0), Rotation.identity(2))
        with self.assertRaisesRegex(ValueError, "position: give three numbers"):
            intervox.Pose((0, 0))
        with self.assertRaisesRegex(TypeError, "position: expected a number, not a str"):
            intervox.Pose(("a", "b", "c"))

    def test_what_is_no_pose_or_no_number_is_named(self):
        for call in (intervox.measure, intervox.distance, intervox.overlaps, intervox.certify):
            with self.assertRaisesRegex(intervox.InputError, "X_AB: give a Pose"):
                call(BALL, SLAB, None)
            if call is not intervox.overlaps:
                self.says("tolerance: expected a number, not a str", call, BALL, SLAB, tolerance="1e-4", error=TypeError)
                self.says("tolerance: expected a number, not None", call, BALL, SLAB, tolerance=None, error=TypeError)
        for call in (intervox.measure, intervox.distance, intervox.overlaps):
            with self.assertRaisesRegex(intervox.InputError, r"X_AB: .* is a tuple: \(position, orientation\)"):
                call(BALL, SLAB, [(0, 0, 0), (1, 0, 0, 0)])
        self.says("tolerance: expected a number, not a list", intervox.measure_solid, BALL, tolerance=[1e-4], error=TypeError)

    def test_positions_are_where_files_may_have_them(self):
        # At 1e300 the square of the distance is infinite, and distance() said 0.
        for far in (1.01e9, -1e300):
            matrix = np.eye(4)
            matrix[1, 3] = far
            many = np.tile([0, 0, 0, 1, 0, 0, 0.0], (3, 1))
            many[1, 1] = far
            for pose in (((0, far, 0), None), [0, far, 0, 1, 0, 0, 0], matrix, many, (many[:, :3], many[:, 3:])):
                for call in (intervox.measure, intervox.distance, intervox.overlaps):
                    with self.assertRaisesRegex(intervox.InputError, r"X_AB: the position .* from -1e\+09 to 1e\+09"):
                        call(BALL, SLAB, pose)
        self.assertAlmostEqual(intervox.distance(BALL, SLAB, ((0, 1e9, 0), None)).distance, 1e9 - 0.6, delta=1e3)


class Distances(unittest.TestCase):
    def test_a_ball_over_a_slab(self):
        apart = intervox.distance(BALL, SLAB, ((0.05, 0, -0.25), None))
        self.assertAlmostEqual(apart.distance, 0.05, delta=1e-9)
        self.assertLessEqual(apart.lower, apart.distance)
        self.assertAlmostEqual(apart.lower, 0.05, delta=1e-9)
        # In a's frame: the ball's lowest point, and the normal from b to a.
        np.testing.assert_allclose(apart.point_a, [0, 0, -0.1], atol=1e-6)
        np.testing.assert_allclose(apart.normal, [0, 0, 1], atol=1e-6)
        self.assertEqual(apart.status, intervox.Status.OK)
        self.assertIn("distance=0.05", repr(apart))

    def test_solids_that_meet_have_none(self):
        self.assertEqual(intervox.distance(BALL, SLAB).distance, 0)
        self.assertEqual(intervox.distance({"sphere": {"radius": 1}}, BALL).distance, 0)

    def test_grids(self):
        box = {"grid": {"of": {"box": {"size": [0.2, 0.16, 0.12]}}, "voxel_size": 0.01}}
        apart = intervox.distance(BALL, box, ((0.02, 0.01, -0.175), None))
        self.assertAlmostEqual(apart.distance, 0.015, delta=1e-9)
        self.assertAlmostEqual(apart.lower, 0.015, delta=1e-9)
        self.assertEqual(apart.status, intervox.Status.OK)
        many = intervox.distance(box, box, np.array([[0.3, 0, 0, 1, 0, 0, 0], [0.1, 0, 0, 1, 0, 0, 0]]))
        np.testing.assert_allclose(many.distance, [0.1, 0], atol=1e-9)

    def test_bad_input(self):
        with self.assertRaisesRegex(ValueError, "tolerance: 2 is out of range. Give 1e-12 to 0.1"):
            intervox.distance(BALL, SLAB, tolerance=2)
        half = intervox.shape("half_space: {normal: [0, 0, 1], offset: 0}")
        endless = intervox.distance(half, half)
        self.assertEqual(endless.status, intervox.Status.INVALID)
        self.assertIn("unbounded", endless.reason)

    def test_many_poses_are_each_pose_alone(self):
        poses = random_poses(60) * [3, 3, 3, 1, 1, 1, 1]
        many = intervox.distance(BRICK, BALL, poses)
        self.assertEqual(len(many), 60)
        self.assertIn("60 poses", repr(many))
        for k in range(60):
            one = intervox.distance(BRICK, BALL, poses[k])
            self.assertEqual(one.distance, many.distance[k])
            self.assertEqual(one.lower, many.lower[k])
            self.assertEqual(one.status, many.status[k])
            for name in ("point_a", "point_b", "normal"):
                np.testing.assert_array_equal(getattr(one, name), getattr(many, name)[k])
        self.assertGreater((many.distance > 0).sum(), 5)

    def test_ctrl_c_ends_many_distances(self):
        ring = intervox.shape({"torus": {"major_radius": 0.3, "minor_radius": 0.1}})
        poses = random_poses(20_000)
        poses[:, 2] += 0.5
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            intervox.distance(ring, ring, poses)
        self.assertLess(time.monotonic() - start, 60)


class Overlaps(unittest.TestCase):
    def test_a_ball_and_a_slab(self):
        self.assertIs(intervox.overlaps(BALL, SLAB), True)
        self.assertIs(intervox.overlaps(BALL, SLAB, ((0.05, 0, -0.25), None)), False)
        self.assertIs(intervox.overlaps(BALL, SLAB, ((0, 0, -0.2), None)), False)  # touching
        self.assertIs(intervox.overlaps({"sphere": {"radius": 1}}, BALL), True)

    def test_many_poses_agree_with_volumes_and_distances(self):
        poses = random_poses(200)
        yes = intervox.overlaps(BRICK, BALL, poses)
        self.assertEqual(yes.dtype, bool)
        np.testing.assert_array_equal(yes, intervox.measure(BRICK, BALL, poses).volume > 0)
        np.testing.assert_array_equal(yes, intervox.distance(BRICK, BALL, poses).distance == 0)
        self.assertEqual(intervox.overlaps(BRICK, BALL, np.empty((0, 7))).shape, (0,))
        with self.assertRaisesRegex(ValueError, "row 0: nan is not a finite number"):
            intervox.overlaps(BRICK, BALL, np.full((1, 7), math.nan))


class Certify(unittest.TestCase):
    def test_a_ball_in_a_slab(self):
        ball = {"sphere": {"radius": 0.1}}
        floor = {"half_space": {"normal": [0, 0, 1], "offset": 0}}
        found = intervox.certify(ball, floor, ((0, 0, -0.09), None), tolerance=1e-3)
        self.assertEqual(found.status, intervox.Status.OK)
        self.assertIn(math.pi * 0.01**2 * (0.1 - 0.01 / 3), found)
        self.assertLessEqual(found.upper - found.lower, 2e-3 * found.lower)
        self.assertEqual(intervox.certify(ball, floor, ((0, 0, -0.2), None)).status, intervox.Status.DISJOINT)
        voxels = {"grid": {"of": ball, "voxel_size": 0.02}}
        found = intervox.certify(voxels, floor, ((0, 0, -0.09), None), tolerance=1e-3)
        self.assertEqual(found.status, intervox.Status.OK)
        self.assertIn(intervox.measure(voxels, floor, ((0, 0, -0.09), None), tolerance=1e-6).volume, found)
        with self.assertRaisesRegex(intervox.InputError, "tolerance: 1 is out of range"):
            intervox.certify(ball, floor, tolerance=1)


if __name__ == "__main__":
    unittest.main()
