"""How often a spiral search finds the hole: data/batches/peg_spiral.yaml with a controller for each run.
Usage: spiral_batch.py peg_spiral.yaml [FOLDER [NUMBER]]; then `intervox report FOLDER`."""
import sys
from math import cos, pi, sin

import intervox

PITCH, SPEED, PRESS = 0.4e-3, 20e-3, 10.0 / 1e4  # of the spiral [m], [m/s]; 10 N over 1e4 N/m [m]
LOWER, TOUCH, IN = 10e-3, 2.0, 0.033             # [m/s]; force that tells of the block [N]; height in the hole [m]


def search(simulation):
    """Lowers the peg until it touches, presses it along a spiral until it drops, and pushes it in."""
    peg, wrist, step = simulation.bodies["peg"], simulation.sensors["wrist"], simulation.scene.step
    x, y, z = peg.position
    while wrist.force[2] < TOUCH and peg.position[2] > IN:
        z -= LOWER * step
        simulation.set_holder_target("peg", ((x, y, z), None), (0, 0, -LOWER))
        yield
    face, angle = peg.position[2], 0.0
    while peg.position[2] > IN:
        r = PITCH * angle / (2 * pi)
        angle += SPEED * step / max(r, PITCH)
        simulation.set_holder_target("peg", ((x + r * cos(angle), y + r * sin(angle), face - PRESS), None),
                                     (-SPEED * sin(angle), SPEED * cos(angle), 0))
        yield
    while True:  # the hole leads
        x, y, z = peg.position
        simulation.set_holder_target("peg", ((x, y, z - PRESS), None))
        yield


if __name__ == "__main__":
    batch, folder, number = [*sys.argv[1:], None, None][:3]
    print(intervox.run_batch(batch, folder, controller=search, number=number and int(number), resume=True))
