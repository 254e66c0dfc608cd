"""Manifold: Boolean operations on triangle meshes, exact for the meshes; round shapes are polygons."""

import manifold3d
import numpy

import problems as p
from problems import Row, best

SEGMENTS = 256


def rows():
    ball = manifold3d.Manifold.sphere(p.BALL_RADIUS, SEGMENTS)
    cube = manifold3d.Manifold.cube((p.CUBE,) * 3, True)
    turned = cube.rotate((0, 45, 0))
    vertices, triangles = p.hole_mesh(SEGMENTS)
    block = manifold3d.Manifold(manifold3d.Mesh(numpy.array(vertices, numpy.float32),
                                                numpy.array(triangles, numpy.uint32)))
    peg = manifold3d.Manifold.cylinder(p.PEG_LENGTH, p.PEG_RADIUS, -1, SEGMENTS)

    def balls(offset):
        return (ball ^ ball.translate((0, 0, p.BALL_DISTANCE + offset))).volume()

    def cubes(offset):
        return (cube ^ turned.translate((0, 0, p.CUBES_DISTANCE + offset))).volume()

    def pegs(offset):
        return (block ^ peg.translate((p.PEG_OFFSET + offset, 0, p.BLOCK / 2 - p.PEG_INSIDE))).volume()

    what = f"overlap volume [m³], meshes of {SEGMENTS} segments"
    yield Row("balls", what, balls(0), p.BALLS_VOLUME, best(balls, 5))
    yield Row("cubes", "overlap volume [m³]", cubes(0), p.CUBES_VOLUME, best(cubes, 50))
    yield Row("peg in hole", what, pegs(0), p.PEG_VOLUME, best(pegs, 20))
