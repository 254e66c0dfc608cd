"""The problems that all are given, with their exact answers. SI units."""

import math
import time
from typing import NamedTuple

# Two balls, 10 mm deep in each other.
BALL_RADIUS, BALL_DISTANCE = 0.1, 0.19
BALLS_DEPTH = 2 * BALL_RADIUS - BALL_DISTANCE
BALLS_VOLUME = math.pi * (4 * BALL_RADIUS + BALL_DISTANCE) * BALLS_DEPTH**2 / 12
BALLS_AREA = math.pi * (BALL_RADIUS**2 - BALL_DISTANCE**2 / 4)  # of the circle in which they cut

# An edge of one cube, turned by 45 degrees about y, is 5 mm deep in the top of another.
CUBE, CUBES_DEPTH = 0.1, 0.005
CUBES_DISTANCE = CUBE / 2 + CUBE / math.sqrt(2) - CUBES_DEPTH
CUBES_VOLUME = CUBES_DEPTH**2 * CUBE
CUBES_AREA = 2 * math.sqrt(2) * CUBES_DEPTH * CUBE  # of the edge's two faces, inside

# A peg of 8.00 mm in a hole of 8.10 mm, upright, 5 mm deep, pressed 0.1 mm off the axis into the wall.
PEG_RADIUS, HOLE_RADIUS, PEG_OFFSET, PEG_INSIDE = 0.004, 0.00405, 0.0001, 0.005
BLOCK = 0.025
PEG_LENGTH = 0.02
PEG_DEPTH = PEG_OFFSET - (HOLE_RADIUS - PEG_RADIUS)


def _common_area(r, R, d):
    """Of two circles."""
    a = r * r * math.acos((d * d + r * r - R * R) / (2 * d * r))
    b = R * R * math.acos((d * d + R * R - r * r) / (2 * d * R))
    return a + b - math.sqrt((-d + r + R) * (d + r - R) * (d - r + R) * (d + r + R)) / 2


PEG_VOLUME = (math.pi * PEG_RADIUS**2 - _common_area(PEG_RADIUS, HOLE_RADIUS, PEG_OFFSET)) * PEG_INSIDE
# The hole's wall inside the peg: an arc about the direction of the offset, times the depth.
PEG_AREA = 2 * HOLE_RADIUS * PEG_INSIDE * math.acos(
    (HOLE_RADIUS**2 + PEG_OFFSET**2 - PEG_RADIUS**2) / (2 * HOLE_RADIUS * PEG_OFFSET))

# Balls at rest on a floor, a square layer.
LAYER, LAYER_RADIUS, LAYER_PITCH, LAYER_DENSITY, GRAVITY = 1000, 0.01, 0.0201, 1000.0, 9.81
LAYER_MASS = LAYER_DENSITY * 4 / 3 * math.pi * LAYER_RADIUS**3
LAYER_SIDE = math.ceil(math.sqrt(LAYER))
LAYER_STEP = 1e-3


class Row(NamedTuple):
    """What one program made of one problem."""

    problem: str
    computes: str
    value: float
    exact: float
    seconds: float  # of one query, or of one step; the processor's, since other programs may run


def places(count):
    """Slightly different offsets, so that nothing can be kept from one query to the next [m]."""
    return [1e-9 * k for k in range(count)]


def best(call, count):
    """Processor seconds of one call(offset), the best of five means over `count` calls."""
    offsets = places(count)
    times = []
    for _ in range(5):
        begin = time.process_time()
        for offset in offsets:
            call(offset)
        times.append((time.process_time() - begin) / count)
    return min(times)


def hole_mesh(segments):
    """The block with its hole, axis z, as vertices and triangles: the circle is a polygon of `segments`
    corners on it, `segments` a multiple of 4."""
    half, top = BLOCK / 2, BLOCK / 2
    vertices, triangles = [], []
    for z in (top, -top):
        for k in range(segments):
            angle = 2 * math.pi * (k + 0.5) / segments
            c, s = math.cos(angle), math.sin(angle)
            reach = half / max(abs(c), abs(s))
            vertices.append((HOLE_RADIUS * c, HOLE_RADIUS * s, z))
            vertices.append((reach * c, reach * s, z))
        for q in range(4):  # corners of the square
            angle = math.pi / 4 + q * math.pi / 2
            vertices.append((math.copysign(half, math.cos(angle)), math.copysign(half, math.sin(angle)), z))
    level = 2 * segments + 4

    def quad(a, b, c, d):
        triangles.append((a, b, c))
        triangles.append((a, c, d))

    for k in range(segments):
        n = (k + 1) % segments
        inner, outer, inner_n, outer_n = 2 * k, 2 * k + 1, 2 * n, 2 * n + 1
        quad(inner, outer, outer_n, inner_n)
        quad(level + inner, level + inner_n, level + outer_n, level + outer)
        quad(inner, inner_n, level + inner_n, level + inner)
        here, there = 2 * math.pi * (k + 0.5) / segments, 2 * math.pi * (k + 1.5) / segments
        turned = [q for q in range(4) if here < math.pi / 4 + q * math.pi / 2 < there]
        if turned:
            corner = 2 * segments + turned[0]
            triangles.append((outer, corner, outer_n))
            triangles.append((level + outer, level + outer_n, level + corner))
            quad(outer, level + outer, level + corner, corner)
            quad(corner, level + corner, level + outer_n, outer_n)
        else:
            quad(outer, level + outer, level + outer_n, outer_n)
    return vertices, triangles
