"""A controller puts the peg into a hole that is 3 mm off: it presses with 10 N through the compliant holder
and moves along a spiral until the peg drops. Usage: spiral_search.py peg_insertion.yaml [RESULTS.h5]"""
import sys
from math import cos, hypot, pi, sin

import intervox

start = [0.0024, -0.0018, 0.0341]  # upright on the block's face, 3 mm off the hole [m]
pitch, speed, press = 0.4e-3, 20e-3, 10.0 / 1e4  # of the spiral [m], [m/s]; 10 N over 1e4 N/m [m]
simulation = intervox.Simulation(intervox.load_scene(sys.argv[1], overrides={
    "duration": 8.0, "bodies.peg.pose": {"position": start}, "bodies.peg.velocity": {},
    "bodies.peg.holder.rotational_stiffness": 100.0, "bodies.peg.holder.rotational_damping": 0.1,
    "bodies.peg.holder.target": {"keys": [{"t": 0, "position": start}]}}))
peg, angle, found = simulation.bodies["peg"], 0.0, False
with simulation.record(sys.argv[2] if len(sys.argv) > 2 else "spiral_search.h5", every=0.01):
    while not simulation.done and peg.position[2] > 0.02505:
        (x, y, z), v = peg.position, (0, 0, 0)  # in the hole: let it lead
        if simulation.time < 0.1:
            (x, y), face = start[:2], z  # it settles on the block
        elif not (found := found or face - z > 1e-3):  # an Archimedean spiral at constant speed
            angle += speed * simulation.scene.step / hypot(pitch * angle / (2 * pi), pitch / (2 * pi))
            r, z = pitch * angle / (2 * pi), face
            x, y, v = start[0] + r * cos(angle), start[1] + r * sin(angle), (-speed * sin(angle), speed * cos(angle), 0)
        simulation.set_holder_target("peg", ((x, y, z - press), None), v)
        simulation.step()
print(f"after {simulation.time:.2f} s and {angle / (2 * pi):.1f} turns:", peg)
sys.exit(simulation.done)
