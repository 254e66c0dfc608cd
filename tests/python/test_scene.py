"""Scenes from text, files and Python objects, and what is wrong with them."""

import math
import pathlib
import unittest

import intervox
import numpy as np
from scipy.spatial.transform import Rotation

from scenes import BALL, PEG


class Scenes(unittest.TestCase):
    def test_text_file_and_dict_are_the_same(self):
        loaded = intervox.load_scene(PEG)
        parsed = intervox.parse_scene(PEG.read_text())
        self.assertEqual(loaded.to_yaml(), parsed.to_yaml())
        self.assertEqual((loaded.name, loaded.duration, loaded.step), ("peg insertion", 1.4, 1e-3))
        self.assertEqual((loaded.bodies, loaded.sensors), (["socket", "peg"], ["wrist"]))
        self.assertEqual(list(loaded.shapes), ["peg", "socket", "tip"])
        np.testing.assert_array_equal(loaded.gravity, [0, 0, -9.81])
        self.assertEqual(loaded.source, PEG.read_text())
        again = intervox.parse_scene(loaded.to_yaml())
        self.assertEqual(again.to_yaml(), loaded.to_yaml())

    def test_edits_are_words_or_values(self):
        words = intervox.parse_scene(BALL, overrides=["duration=2", "bodies.ball.mass=3"])
        values = intervox.parse_scene(BALL, overrides={"duration": np.float64(2), "bodies.ball.mass": 3})
        self.assertEqual(words.duration, 2.0)
        self.assertEqual(words.to_yaml(), values.to_yaml())
        self.assertIn("mass: 3\n", words.to_yaml())

    def test_python_values_find_their_place(self):
        turn = Rotation.from_euler("xyz", [20, -35, 50], degrees=True)
        x, y, z, w = turn.as_quat()
        scene = dict(BALL, gravity=np.array([0, 0, -1.62]), name='q"\\\n\u00e9')
        scene["bodies"] = dict(BALL["bodies"], ball={
            "shape": "ball", "mass": np.float32(2), "pose": {"position": (0, 0, 1), "quaternion": turn},
            "wrenches": [{"force": [1, 0, 0], "from": 0, "to": 1e5}]})
        read = intervox.parse_scene(scene)
        self.assertEqual(read.name, 'q"\\\n\u00e9')
        np.testing.assert_array_equal(read.gravity, [0, 0, -1.62])
        body = intervox.Simulation(read).bodies["ball"]
        np.testing.assert_allclose(body.quaternion, np.array([w, x, y, z]), atol=1e-15)
        self.assertNotAlmostEqual(w, x, delta=0.1)

    def test_messages_name_place_and_remedy(self):
        text = ("schema: intervox/scene/2\nshapes: {ball: {sphere: {radius: 1}}}\n"
                "bodies:\n  a: {shape: ball, mas: 1}\n")
        for call, message in (
                (lambda: intervox.parse_scene(text),
                 "<text>:4: bodies.a.mas: unknown key 'mas'. Did you mean 'mass'?"),
                (lambda: intervox.parse_scene({"schema": "intervox/scene/2", "bodies": {"a": {"shape": "b"}}}),
                 "<dict>:2: bodies.a.shape: no shape is named 'b'. Nothing is known here."),
                (lambda: intervox.parse_scene(BALL, overrides={"bodies.ball.mass": math.inf}), "inf"),
                (lambda: intervox.parse_scene("a: [1"), "<text>:"),
                (lambda: intervox.load_scene("nowhere.yaml"), "nowhere.yaml"),
                (lambda: intervox.Simulation(intervox.parse_scene(
                    BALL, overrides={"contact_models.default.normal.model": "gontier"})), "gonthier"),
                (lambda: intervox.Simulation(intervox.parse_scene(BALL), threads=-1),
                 "threads: -1 is out of range. Give 0 for all cores, to 4096.")):
            with self.subTest(message), self.assertRaises(intervox.InputError) as caught:
                call()
            self.assertIn(message, str(caught.exception))
        self.assertEqual(intervox.InputError.__module__, "intervox")
        for edits, text in ((5, "not a int"), (None, "not None"), ([1], "an item is a text PATH=VALUE, not a int")):
            with self.assertRaisesRegex(TypeError, "overrides.*" + text):
                intervox.load_scene(PEG, overrides=edits)


if __name__ == "__main__":
    unittest.main()
