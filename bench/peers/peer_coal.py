"""Coal: distance and penetration depth of pairs. Meshes are surfaces, tested triangle by triangle."""

import math

import coal
import numpy

import problems as p
from problems import Row, best

SEGMENTS = 64


def depth(a, b, X_AB):
    """The deepest of the contacts found [m]."""
    request, result = coal.CollisionRequest(coal.CONTACT, 10000), coal.CollisionResult()
    coal.collide(a, coal.Transform3s(), b, X_AB, request, result)
    return max((-result.getContact(k).penetration_depth for k in range(result.numContacts())), default=0.0)


def pose(position, angle=0.0):
    c, s = math.cos(angle), math.sin(angle)
    return coal.Transform3s(numpy.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), numpy.array(position))


def rows():
    ball, cube = coal.Sphere(p.BALL_RADIUS), coal.Box(p.CUBE, p.CUBE, p.CUBE)
    vertices, triangles = p.hole_mesh(SEGMENTS)
    block = coal.BVHModelOBBRSS()
    block.beginModel(len(triangles), len(vertices))
    block.addVertices(numpy.array(vertices))
    block.addTriangles(numpy.array(triangles))
    block.endModel()
    peg = coal.Cylinder(p.PEG_RADIUS, p.PEG_LENGTH)

    def balls(offset):
        return depth(ball, ball, pose((0, 0, p.BALL_DISTANCE + offset)))

    def cubes(offset):
        return depth(cube, cube, pose((0, 0, p.CUBES_DISTANCE + offset), math.pi / 4))

    def pegs(offset):
        z = p.BLOCK / 2 - p.PEG_INSIDE + p.PEG_LENGTH / 2
        return depth(block, peg, pose((p.PEG_OFFSET + offset, 0, z)))

    yield Row("balls", "penetration depth [m]", balls(0), p.BALLS_DEPTH, best(balls, 2000))
    yield Row("cubes", "penetration depth [m]", cubes(0), p.CUBES_DEPTH, best(cubes, 2000))
    yield Row("peg in hole", f"largest depth [m] of a cylinder in the triangles of a hole of {SEGMENTS} segments",
              pegs(0), p.PEG_DEPTH, best(pegs, 20))
