"""Shapes of colliders, and the mass of bodies that consist of them."""

from __future__ import annotations

import typing

import numpy
from pxr import Usd, UsdGeom, UsdPhysics
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import taut

from .. import _extras
from ._space import Array, Pose, Space, mirrors

_Z_TO = {"X": Rotation.from_euler("y", 90, degrees=True), "Y": Rotation.from_euler("x", -90, degrees=True),
         "Z": Rotation.identity()}


class Shape(typing.NamedTuple):
    """Keys of a collider of the scene format, and where it is."""

    keys: dict[str, typing.Any]
    position: Array
    rotation: Rotation


class Solid(typing.NamedTuple):
    volume: float  # m3
    centre: Array  # m, world
    inertia: Array  # 3 x 3, world axes, about the centre, of the density 1


def faces_of(prim: Usd.Prim, space: Space) -> tuple[Array, list[Array]]:
    """Vertices that faces use, and the faces, counted among them, right-handed in the axes of the prim."""
    mesh, time = UsdGeom.Mesh(prim), Usd.TimeCode(float(space.codes[0]))
    counts = numpy.asarray(mesh.GetFaceVertexCountsAttr().Get(time) or (), dtype=int)
    indices = numpy.asarray(mesh.GetFaceVertexIndicesAttr().Get(time) or (), dtype=int)
    points = len(mesh.GetPointsAttr().Get(time) or ())
    if not len(counts) or counts.sum() != len(indices) or indices.min() < 0 or indices.max() >= points:
        raise ValueError(f"{prim.GetPath()}: its faces are none, or do not fit its {points} points")
    used, indices = numpy.unique(indices, return_inverse=True)
    faces = numpy.split(indices, numpy.cumsum(counts)[:-1])
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        faces = [face[::-1] for face in faces]
    return used, faces


def world_faces_of(prim: Usd.Prim, space: Space) -> tuple[Array, list[Array]]:
    """The same, right-handed in the axes of the world: a transform that mirrors turns them around."""
    used, faces = faces_of(prim, space)
    return used, [face[::-1] for face in faces] if mirrors(space.matrix(prim)) else faces


def usual_thickness(points: Array, cells: typing.Sequence[Array] | Array) -> float:
    """That of an open collider in the scene format: a tenth of the mean edge, within a thousandth and a two-hundredth of the extent."""
    if len(cells) == 0:
        return 0.0
    start, end = numpy.concatenate(list(cells)), numpy.concatenate([numpy.roll(cell, -1) for cell in cells])
    edge = numpy.linalg.norm(points[end] - points[start], axis=1).mean()
    return float(numpy.clip(0.1 * edge, 1e-3 * numpy.ptp(points, axis=0).max(), 5e-3 * numpy.ptp(points, axis=0).max()))


def _along(prim: Usd.Prim, pose: Pose, what: typing.Any) -> tuple[float, float, Rotation]:
    """Radius and height, m, of what is round about an axis."""
    axis = what.GetAxisAttr().Get()
    along = "XYZ".index(axis)
    across = numpy.delete(numpy.abs(pose.scale), along)
    if not numpy.isclose(across[0], across[1], rtol=1e-4):
        raise ValueError(f"{prim.GetPath()}: is scaled to an oval shape; make it a mesh")
    return (what.GetRadiusAttr().Get() * across[0], what.GetHeightAttr().Get() * abs(pose.scale[along]),
            pose.rotation * _Z_TO[axis])


def shape_of(prim: Usd.Prim, space: Space) -> Shape:
    pose = space.pose(prim)
    if prim.IsA(UsdGeom.Sphere):
        if not numpy.allclose(numpy.abs(pose.scale), abs(pose.scale[0]), rtol=1e-4):
            raise ValueError(f"{prim.GetPath()}: is scaled to an ellipsoid; make it a mesh")
        return Shape({"sphere": {"radius": UsdGeom.Sphere(prim).GetRadiusAttr().Get() * abs(pose.scale[0])}}, *pose[:2])
    if prim.IsA(UsdGeom.Cube):
        return Shape({"box": {"sides": UsdGeom.Cube(prim).GetSizeAttr().Get() * numpy.abs(pose.scale)}}, *pose[:2])
    for kind, name, length in ((UsdGeom.Capsule, "capsule", "length"), (UsdGeom.Cylinder, "cylinder", "height"),
                               (UsdGeom.Cone, "cone", "height")):
        if prim.IsA(kind):
            radius, height, rotation = _along(prim, pose, kind(prim))
            if name == "cone" and pose.scale["XYZ".index(kind(prim).GetAxisAttr().Get())] < 0:
                rotation = rotation * Rotation.from_euler("x", 180, degrees=True)
            return Shape({name: {"radius": radius, length: height}}, pose.position, rotation)
    if prim.IsA(UsdGeom.Plane):
        return Shape({"plane": {"normal": [0, 0, 1]}}, pose.position, pose.rotation * _Z_TO[UsdGeom.Plane(prim).GetAxisAttr().Get()])
    if prim.IsA(UsdGeom.Mesh):
        return Shape({"mesh": _mesh(prim, space, pose)}, *pose[:2])
    raise ValueError(f"{prim.GetPath()}: {prim.GetTypeName() or 'a prim without a type'} is no shape of a collider")


def _mesh(prim: Usd.Prim, space: Space, pose: Pose) -> dict[str, typing.Any]:
    used, faces = world_faces_of(prim, space)
    points = pose.inward(space.points(prim)[used])
    wanted = UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get() if prim.HasAPI(UsdPhysics.MeshCollisionAPI) else "none"
    if wanted in ("none", "meshSimplification"):
        return {"points": points, "polygons": faces}
    if wanted != "convexHull":
        raise ValueError(f"{prim.GetPath()}: the approximation {wanted} is not known; none and convexHull are")
    hull = ConvexHull(points)
    corners = points[hull.vertices]
    number = numpy.full(len(points), -1)
    number[hull.vertices] = numpy.arange(len(corners))
    outward = numpy.einsum("ij,ij->i", numpy.cross(*(numpy.diff(points[hull.simplices], axis=1).transpose(1, 0, 2))),
                           hull.equations[:, :3]) > 0
    return {"points": corners, "triangles": numpy.where(outward[:, None], number[hull.simplices],
                                                        number[hull.simplices[:, ::-1]])}


def _full(six: Array) -> Array:
    xx, yy, zz, yz, zx, xy = six
    return numpy.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


def _local_solid(keys: dict[str, typing.Any]) -> tuple[float, Array, Array]:
    """Volume, centre and inertia of the density 1, in the axes of the shape."""
    origin = numpy.zeros(3)
    if "sphere" in keys:
        volume = 4 / 3 * numpy.pi * keys["sphere"]["radius"] ** 3
        return volume, origin, _full(taut.inertia_of_sphere(volume, **keys["sphere"]))
    if "box" in keys:
        volume = numpy.prod(keys["box"]["sides"])
        return volume, origin, _full(taut.inertia_of_box(volume, **keys["box"]))
    if "cylinder" in keys:
        volume = numpy.pi * keys["cylinder"]["radius"] ** 2 * keys["cylinder"]["height"]
        return volume, origin, _full(taut.inertia_of_cylinder(volume, **keys["cylinder"]))
    if "cone" in keys:
        height = keys["cone"]["height"]
        volume = numpy.pi * keys["cone"]["radius"] ** 2 * height / 3
        return volume, numpy.array([0, 0, -height / 4]), _full(taut.inertia_of_cone(volume, **keys["cone"]))
    if "capsule" in keys:
        return _capsule(**keys["capsule"])
    if "mesh" in keys:
        return _polyhedron(keys["mesh"])
    return 0.0, origin, numpy.zeros((3, 3))


def _capsule(radius: float, length: float) -> tuple[float, Array, Array]:
    """A cylinder, and two hemispheres whose centres of mass are 3/8 of the radius beyond its ends."""
    ends, middle = 4 / 3 * numpy.pi * radius**3, numpy.pi * radius**2 * length
    across = ends * (2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * length * radius) + middle * (length**2 / 12 + radius**2 / 4)
    along = ends * 2 / 5 * radius**2 + middle * radius**2 / 2
    return ends + middle, numpy.zeros(3), numpy.diag([across, across, along])


def _polyhedron(mesh: dict[str, typing.Any]) -> tuple[float, Array, Array]:
    try:
        import trimesh
    except ModuleNotFoundError as error:
        raise _extras.missing("the mass of a mesh", error, "usd") from None

    faces = mesh["triangles"] if "triangles" in mesh else [[f[0], f[i], f[i + 1]] for f in mesh["polygons"]
                                                           for i in range(1, len(f) - 1)]
    properties = trimesh.triangles.mass_properties(mesh["points"][numpy.asarray(faces)])
    sign = -1 if properties["mass"] < 0 else 1
    return sign * properties["mass"], numpy.asarray(properties["center_mass"]), sign * numpy.asarray(properties["inertia"])


def solid_of(shape: Shape) -> Solid:
    volume, centre, inertia = _local_solid(shape.keys)
    turn = shape.rotation.as_matrix()
    return Solid(volume, shape.position + turn @ centre, turn @ inertia @ turn.T)


def joined(solids: list[tuple[float, Solid]]) -> tuple[float, Array, Array]:
    """Mass, centre and inertia about it of several solids with their densities, by the parallel axis theorem."""
    masses = numpy.array([density * solid.volume for density, solid in solids])
    centre = masses @ numpy.array([solid.centre for _, solid in solids]) / masses.sum()
    inertia = sum(density * solid.inertia + mass * _about(solid.centre - centre)
                  for (density, solid), mass in zip(solids, masses))
    return float(masses.sum()), centre, inertia


def _about(arm: Array) -> Array:
    return arm @ arm * numpy.eye(3) - numpy.outer(arm, arm)
