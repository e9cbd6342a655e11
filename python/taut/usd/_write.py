"""What moved, as a layer over the stage: time samples of points, velocities, normals, extents and transforms, and nothing else.

The layer has the stage's root layer as its sublayer, so that references, UVs, materials and purposes are those of the stage."""

from __future__ import annotations

import os

import numpy
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

import taut

from . import _shapes
from ._read import Body, Points, Translation
from ._space import Array

_METADATA = ("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond", "framesPerSecond", "defaultPrim")


def _vec3f(rows: Array) -> Vt.Vec3fArray:
    return Vt.Vec3fArray.FromNumpy(numpy.ascontiguousarray(rows, dtype=numpy.float32))


def normals_of(points: Array, faces: list[Array]) -> Array:
    """Mean of the normals of the faces at each vertex, weighted by area (of polygons by Newell's formula)."""
    sums = numpy.zeros_like(points)
    for size in {len(face) for face in faces}:
        corners = numpy.array([face for face in faces if len(face) == size])
        at = points[corners]
        area = numpy.cross(at, numpy.roll(at, -1, axis=1)).sum(axis=1)
        numpy.add.at(sums, corners, area[:, None])
    lengths = numpy.linalg.norm(sums, axis=1, keepdims=True)
    return numpy.divide(sums, lengths, out=numpy.tile([0.0, 1.0, 0.0], (len(points), 1)), where=lengths > 0)


class _PointsWriter:
    """All objects of one prim: points that no object has stay where they are."""

    def __init__(self, stage: Usd.Stage, parts: list[Points], translation: Translation) -> None:
        self.parts, self.space = parts, translation.space
        self.prim = stage.GetPrimAtPath(parts[0].prim.GetPath())
        self.based = UsdGeom.PointBased(self.prim)
        start = self.based.GetPointsAttr().Get(Usd.TimeCode(float(self.space.codes[0])))
        self.rest = numpy.asarray(start, dtype=float)
        self.faces = self._faces()

    def _faces(self) -> list[Array] | None:
        """Where the prim shall have normals: it has them, or is a mesh that is not subdivided."""
        if not self.prim.IsA(UsdGeom.Mesh):
            return None
        primvar = UsdGeom.PrimvarsAPI(self.prim).GetPrimvar("normals")
        has = self.based.GetNormalsAttr().HasAuthoredValue() or primvar.HasAuthoredValue()
        if not has and UsdGeom.Mesh(self.prim).GetSubdivisionSchemeAttr().Get() != UsdGeom.Tokens.none:
            return None
        if primvar.HasAuthoredValue():
            primvar.GetAttr().Block()  # it would win, and is of the shape at the start
        self.based.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        used, faces = _shapes.faces_of(self.prim, self.space)
        return [used[face] for face in faces]

    def write(self, simulation: taut.Simulation, frame: int) -> None:
        time = Usd.TimeCode(float(self.space.codes[frame]))
        inward = numpy.linalg.inv(self.space.matrix(self.prim, frame)[:3])
        origin = self.space.matrix(self.prim, frame)[3]
        points, speeds = self.rest.copy(), numpy.zeros_like(self.rest)
        for part in self.parts:
            range_ = simulation.objects[part.object].points
            points[part.used] = (numpy.asarray(simulation.positions(part.object)) - origin) @ inward
            speeds[part.used] = numpy.asarray(simulation.world.velocities[range_.start:range_.stop]) @ inward
        values = _vec3f(points)
        self.based.GetPointsAttr().Set(values, time)
        self.based.GetVelocitiesAttr().Set(_vec3f(speeds), time)
        self.based.GetExtentAttr().Set(UsdGeom.Boundable.ComputeExtentFromPlugins(self.based, time), time)
        if self.faces:
            self.based.GetNormalsAttr().Set(_vec3f(normals_of(points, self.faces)), time)


class _BodyWriter:
    """The transform of a body: its first place, then what the simulation did to it since."""

    def __init__(self, stage: Usd.Stage, body: Body, translation: Translation) -> None:
        self.body, self.space = body, translation.space
        prim = stage.GetPrimAtPath(body.prim.GetPath())
        self.start = numpy.array(self.space.caches[0].GetLocalToWorldTransform(body.prim))
        self.parents = [self.space.parent(body.prim, frame) for frame in range(len(self.space.codes))]
        xformable = UsdGeom.Xformable(prim)
        resets = xformable.GetResetXformStack()
        self.op = xformable.AddTransformOp(opSuffix="taut")
        xformable.SetXformOpOrder([self.op], resets)
        self.resets = resets
        self.centre: Array | None = None

    def write(self, simulation: taut.Simulation, frame: int) -> None:
        w, x, y, z = numpy.asarray(simulation.orientations(self.body.object))[0]
        turn = numpy.array(Gf.Matrix3d(Gf.Quatd(w, x, y, z)))
        position = numpy.asarray(simulation.positions(self.body.object))[0] / self.space.unit
        if self.centre is None:
            self.centre = position.copy()
        moved = numpy.eye(4)
        moved[:3, :3] = turn
        moved[3, :3] = position - self.centre @ turn
        parent = numpy.eye(4) if self.resets else self.parents[frame]
        local = self.start @ moved @ numpy.linalg.inv(parent)
        self.op.Set(Gf.Matrix4d(local.tolist()), Usd.TimeCode(float(self.space.codes[frame])))


class Layer:
    """A layer over the stage of a translation; write() adds a frame, save() completes the file, as .usdc or .usda."""

    def __init__(self, translation: Translation, path: str | os.PathLike) -> None:
        source = translation.space.stage.GetRootLayer()
        self.path = os.path.abspath(os.fspath(path))
        if source.realPath and os.path.realpath(source.realPath) == os.path.realpath(self.path):
            raise ValueError(f"{path}: is the scene itself")
        self.layer = Sdf.Layer.CreateAnonymous(os.path.splitext(self.path)[1])
        self.layer.subLayerPaths.append(source.realPath or source.identifier)
        self.stage = Usd.Stage.Open(self.layer)
        for name in _METADATA:
            value = source.pseudoRoot.GetInfo(name) if source.pseudoRoot.HasInfo(name) else None
            if value is not None:
                self.layer.pseudoRoot.SetInfo(name, value)
        codes = translation.space.codes
        self.stage.SetStartTimeCode(float(codes[0]))
        self.stage.SetEndTimeCode(float(codes[-1]))
        by_prim: dict[str, list[Points]] = {}
        for part in translation.points:
            by_prim.setdefault(str(part.prim.GetPath()), []).append(part)
        self.writers: list[_PointsWriter | _BodyWriter] = [
            _PointsWriter(self.stage, parts, translation) for parts in by_prim.values()]
        self.writers += [_BodyWriter(self.stage, body, translation) for body in translation.bodies]

    def write(self, simulation: taut.Simulation) -> None:
        for writer in self.writers:
            writer.write(simulation, simulation.frame)

    def save(self) -> None:
        """Appears whole, and names the stage from where it lies."""
        folder = os.path.dirname(self.path)
        os.makedirs(folder, exist_ok=True)
        stem, ending = os.path.splitext(self.path)
        file = Sdf.Layer.CreateNew(f"{stem}.part{ending}")
        file.TransferContent(self.layer)
        if os.path.isabs(file.subLayerPaths[0]):
            source = os.path.relpath(file.subLayerPaths[0], folder).replace(os.sep, "/")
            file.subLayerPaths[0] = source if source.startswith("../") else f"./{source}"
        file.Save()
        os.replace(file.realPath, self.path)
