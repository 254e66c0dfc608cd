"""Drake: hydroelastic contact. A compliant body (a pressure field in tetrahedra) against a rigid surface: the
contact surface lies in the rigid one. Round shapes are meshes as fine as `resolution_hint` says."""

import os
import pathlib
import tempfile
import time

import numpy
from pydrake.all import (AddCompliantHydroelasticProperties, AddContactMaterial, AddMultibodyPlantSceneGraph,
                         AddRigidHydroelasticProperties, Box, ContactModel, CoulombFriction, Cylinder,
                         DiagramBuilder, HalfSpace, HydroelasticContactRepresentation, Mesh, ProximityProperties,
                         RigidTransform, RotationMatrix, Simulator, SpatialInertia, Sphere, UnitInertia)

import problems as p
from problems import Row, best

MODULUS = 1e7  # [Pa]
STEPS = 10


def compliant(hint):
    properties = ProximityProperties()
    AddContactMaterial(dissipation=0.0, friction=CoulombFriction(0.5, 0.5), properties=properties)
    AddCompliantHydroelasticProperties(hint, MODULUS, properties)
    return properties


def rigid(hint=None):
    properties = ProximityProperties()
    AddContactMaterial(dissipation=0.0, friction=CoulombFriction(0.5, 0.5), properties=properties)
    if hint is None:
        AddRigidHydroelasticProperties(properties)
    else:
        AddRigidHydroelasticProperties(hint, properties)
    return properties


def free_body(plant, name, shape, properties, mass=1.0, size=0.1):
    inertia = SpatialInertia(mass, numpy.zeros(3), UnitInertia.SolidSphere(size))
    body = plant.AddRigidBody(name, inertia)
    plant.RegisterCollisionGeometry(body, RigidTransform(), shape, name, properties)
    return body


def pair(fixed, fixed_properties, moving, moving_properties, pose):
    """area(offset) of the contact surface between a body of the world and one placed at pose(offset)."""
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), fixed, "fixed", fixed_properties)
    body = free_body(plant, "moving", moving, moving_properties)
    plant.Finalize()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    at_plant, at_graph = plant.GetMyContextFromRoot(root), scene_graph.GetMyContextFromRoot(root)

    def area(offset):
        plant.SetFreeBodyPose(at_plant, body, pose(offset))
        query = scene_graph.get_query_output_port().Eval(at_graph)
        surfaces = query.ComputeContactSurfaces(HydroelasticContactRepresentation.kPolygon)
        return sum(surface.total_area() for surface in surfaces)

    return area


def hole_file(folder, segments):
    path = pathlib.Path(folder) / "block.obj"
    vertices, triangles = p.hole_mesh(segments)
    path.write_text("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices)
                    + "".join("f " + " ".join(str(k + 1) for k in t) + "\n" for t in triangles))
    return os.fspath(path)


def layer():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, p.LAYER_STEP)
    plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -p.GRAVITY])
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", rigid())
    balls = [free_body(plant, f"ball{k}", Sphere(p.LAYER_RADIUS), compliant(p.LAYER_RADIUS / 4), p.LAYER_MASS,
                       p.LAYER_RADIUS) for k in range(p.LAYER)]
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyContextFromRoot(simulator.get_mutable_context())
    # Near where they rest; ten more steps go before those that are timed.
    for k, ball in enumerate(balls):
        x, y = p.LAYER_PITCH * (k % p.LAYER_SIDE), p.LAYER_PITCH * (k // p.LAYER_SIDE)
        plant.SetFreeBodyPose(context, ball, RigidTransform([x, y, p.LAYER_RADIUS - 2e-5]))
    simulator.Initialize()
    simulator.AdvanceTo(10 * p.LAYER_STEP)
    begin = time.process_time()
    simulator.AdvanceTo((10 + STEPS) * p.LAYER_STEP)
    seconds = (time.process_time() - begin) / STEPS
    contacts = plant.get_contact_results_output_port().Eval(context)
    total = sum(contacts.hydroelastic_contact_info(k).F_Ac_W().translational()[2]
                for k in range(contacts.num_hydroelastic_contacts()))
    return Row("1,000 balls", f"a step; the floor's force [N] after {10 + STEPS} of them, nearly at rest", abs(total),
               p.LAYER * p.LAYER_MASS * p.GRAVITY, seconds)


def rows():
    hint = p.BALL_RADIUS / 20
    balls = pair(Sphere(p.BALL_RADIUS), compliant(hint), Sphere(p.BALL_RADIUS), compliant(hint),
                 lambda offset: RigidTransform([0, 0, p.BALL_DISTANCE + offset]))
    cube = Box(p.CUBE, p.CUBE, p.CUBE)
    turned = RotationMatrix.MakeYRotation(numpy.pi / 4)
    cubes = pair(cube, compliant(p.CUBE), cube, rigid(),
                 lambda offset: RigidTransform(turned, [0, 0, p.CUBES_DISTANCE + offset]))
    yield Row("balls", "area of the contact surface [m²], resolution_hint 5 mm", balls(0), p.BALLS_AREA,
              best(balls, 5))
    yield Row("cubes", "area of the contact surface [m²]", cubes(0), p.CUBES_AREA, best(cubes, 100))
    with tempfile.TemporaryDirectory() as folder:
        z = p.BLOCK / 2 - p.PEG_INSIDE + p.PEG_LENGTH / 2
        pegs = pair(Mesh(hole_file(folder, 64)), rigid(), Cylinder(p.PEG_RADIUS, p.PEG_LENGTH),
                    compliant(p.PEG_RADIUS / 20), lambda offset: RigidTransform([p.PEG_OFFSET + offset, 0, z]))
        yield Row("peg in hole", "area of the contact surface [m²], the hole as a mesh of 64 segments", pegs(0),
                  p.PEG_AREA, best(pegs, 5))
    yield layer()
