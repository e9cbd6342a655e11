"""A stage of USD as a scene of taut's format, and which prims its objects come from."""

from __future__ import annotations

import dataclasses
import os
import typing

import numpy
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdSkel

from . import _shapes
from ._joints import joint_of
from ._space import Array, Space, angles_of, pose_of

_CLOTH = ("fabric", "density", "young", "poisson", "damping", "pressure")
_SOFT = ("density", "young", "poisson", "damping", "model")
_ROD = ("density", "young", "poisson", "damping", "clamp")
_DENSITY = 1000.0  # kg/m3, as UsdPhysics has it


@dataclasses.dataclass
class Points:
    """An object whose points are those of a prim, or some of them: points[used] of the prim are the object's."""

    object: str
    prim: Usd.Prim
    used: Array


@dataclasses.dataclass
class Body:
    """A rigid body whose axes at the start are the world's."""

    object: str
    prim: Usd.Prim


@dataclasses.dataclass
class Translation:
    """scene: for taut.load; points, bodies: what moves; notes: sentences about what was left out."""

    scene: dict[str, typing.Any]
    points: list[Points]
    bodies: list[Body]
    notes: list[str]
    space: Space


def _value(prim: Usd.Prim, name: str, otherwise: typing.Any = None) -> typing.Any:
    attribute = prim.GetAttribute(f"taut:{name}")
    if not attribute or not attribute.HasAuthoredValue():
        return otherwise
    value = attribute.Get()
    if hasattr(value, "__len__") and not isinstance(value, str):
        return [v if isinstance(v, str) else float(v) for v in value]
    return value


def _values(prim: Usd.Prim, names: tuple[str, ...], **defaults: typing.Any) -> dict[str, typing.Any]:
    found = {name: _value(prim, name) for name in names}
    return {**defaults, **{name: value for name, value in found.items() if value is not None}}


class _Reader:
    def __init__(self, stage: Usd.Stage, codes: Array) -> None:
        self.stage, self.space = stage, Space(stage, codes)
        self.kilogram = UsdPhysics.GetStageKilogramsPerUnit(stage)
        self.objects: list[dict] = []
        self.mappings: list[dict] = []
        self.constraints: list[dict] = []
        self.materials: dict[str, dict] = {}
        self.points: list[Points] = []
        self.bodies: list[Body] = []
        self.notes: list[str] = []

    # ---- the whole ---------------------------------------------------------------------------------------------------------

    def read(self) -> Translation:
        prims = list(Usd.PrimRange(self.stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
        scene = self._settings(next((p for p in prims if p.IsA(UsdPhysics.Scene)), None))
        self.names = {str(p.GetPath()) for p in prims if self._is_body(p)}
        for prim in prims:
            self._body(prim)
        for prim in prims:
            self._thing(prim)
        for prim in prims:
            self._pin(prim)
            self._join(prim)
        for key, items in (("materials", list(self.materials.values())), ("objects", self.objects), ("mappings", self.mappings),
                           ("constraints", self.constraints)):
            if items:
                scene[key] = items
        if not self.points and not self.bodies:
            raise ValueError(f"{self.stage.GetRootLayer().identifier}: has nothing to simulate: no rigid bodies, and no prims with "
                             "TautClothAPI, TautSoftAPI, TautRopeAPI or TautRodAPI")
        return Translation(scene, self.points, self.bodies, self.notes, self.space)

    def _settings(self, prim: Usd.Prim | None) -> dict[str, typing.Any]:
        codes = self.space.codes
        made: dict[str, typing.Any] = {"taut": 1, "frames": len(codes) - 1, "fps": self.stage.GetTimeCodesPerSecond(),
                                       "gravity": self._gravity(prim)}
        if prim and prim.HasAPI("TautSceneAPI"):
            made.update(_values(prim, ("substeps",)))
            solver = {"max_iterations": _value(prim, "maxIterations"), "tolerance": _value(prim, "tolerance")}
            made["solver"] = {key: value for key, value in solver.items() if value is not None}
        return made

    def _gravity(self, prim: Usd.Prim | None) -> Array:
        up = numpy.eye(3)["XYZ".index(UsdGeom.GetStageUpAxis(self.stage))]
        if not prim:
            return -9.81 * up
        scene = UsdPhysics.Scene(prim)
        direction = numpy.asarray(scene.GetGravityDirectionAttr().Get(), dtype=float)
        length = numpy.linalg.norm(direction)
        size = float(scene.GetGravityMagnitudeAttr().Get())
        size = size * self.space.unit if numpy.isfinite(size) and size >= 0 else 9.81
        return size * (direction / length if length > 0 else -up)

    # ---- what stands around and falls --------------------------------------------------------------------------------------

    def _is_body(self, prim: Usd.Prim) -> bool:
        return prim.HasAPI(UsdPhysics.RigidBodyAPI) and UsdPhysics.RigidBodyAPI(prim).GetRigidBodyEnabledAttr().Get()

    def body_of(self, prim: Usd.Prim) -> Usd.Prim | None:
        """The prim itself, or what it is part of."""
        while prim and not prim.IsPseudoRoot():
            if str(prim.GetPath()) in self.names:
                return prim
            prim = prim.GetParent()
        return None

    def _editable(self, prim: Usd.Prim) -> None:
        if prim.IsInstanceProxy():
            raise ValueError(f"{prim.GetPath()}: is in an instance, which cannot move by itself; make it not instanceable")

    def _body(self, prim: Usd.Prim) -> None:
        if not self._is_body(prim):
            return
        self._editable(prim)
        parts = [p for p in Usd.PrimRange(prim) if self._collides(p) and self.body_of(p) == prim]
        shapes = [_shapes.shape_of(p, self.space) for p in parts]
        mass, centre, inertia = self._mass(prim, parts, shapes)
        name, api = str(prim.GetPath()), UsdPhysics.RigidBodyAPI(prim)
        turn = pose_of(self.space.parent(prim)[:, :3]).rotation
        self.objects.append({
            "name": name, "type": "rigid", "sphere": {"radius": 1e-3}, "mass": mass, "positions": [centre],
            "inertia": [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[1, 2], inertia[2, 0], inertia[0, 1]],
            "velocity": turn.apply(numpy.asarray(api.GetVelocityAttr().Get(), dtype=float)) * self.space.unit,
            "angular_velocity": numpy.radians(turn.apply(numpy.asarray(api.GetAngularVelocityAttr().Get(), dtype=float)))})
        self.bodies.append(Body(name, prim))
        for part, shape in zip(parts, shapes):
            self.objects.append({**self._collider(part, shape), "body": name})
        if api.GetKinematicEnabledAttr().Get():
            self._moved({"object": name, "vertices": [0]}, prim)

    def _mass(self, prim: Usd.Prim, parts: list[Usd.Prim], shapes: list[_shapes.Shape]) -> tuple[float, Array, Array]:
        own = UsdPhysics.MassAPI(prim) if prim.HasAPI(UsdPhysics.MassAPI) else None
        given = own.GetMassAttr().Get() * self.kilogram if own else 0
        solids = [(self._density(p, own), _shapes.solid_of(s)) for p, s in zip(parts, shapes)]
        solids = [solid for solid in solids if solid[1].volume > 0]
        pose = self.space.pose(prim)
        if solids:
            mass, centre, inertia = _shapes.joined(solids)
            inertia = inertia * (given or mass) / mass
        else:
            mass = given or 1.0
            centre, inertia = pose.position, 0.4 * mass * 0.1**2 * numpy.eye(3)
        if own:
            middle = numpy.asarray(own.GetCenterOfMassAttr().Get(), dtype=float)
            if numpy.all(numpy.isfinite(middle)):
                centre = middle @ self.space.matrix(prim)[:3] + self.space.matrix(prim)[3]
            inertia = self._given_inertia(own, pose, inertia)
        return given or mass, centre, inertia

    def _density(self, part: Usd.Prim, own: UsdPhysics.MassAPI | None) -> float:
        found = [UsdPhysics.MassAPI(part).GetDensityAttr().Get()] if part.HasAPI(UsdPhysics.MassAPI) else []
        found += [own.GetDensityAttr().Get()] if own else []
        material = self._physics_material(part)
        found += [material.GetDensityAttr().Get()] if material else []
        given = next((d for d in found if d and d > 0), None)
        return given * self.kilogram / self.space.unit**3 if given else _DENSITY

    def _given_inertia(self, own: UsdPhysics.MassAPI, pose: typing.Any, otherwise: Array) -> Array:
        diagonal = numpy.asarray(own.GetDiagonalInertiaAttr().Get(), dtype=float) * self.kilogram * self.space.unit**2
        if not numpy.any(diagonal > 0):
            return otherwise
        axes = own.GetPrincipalAxesAttr().Get()
        turn = pose.rotation.as_matrix()
        if axes and axes.GetLength() > 0:
            turn = turn @ type(pose.rotation).from_quat([*axes.GetImaginary(), axes.GetReal()]).as_matrix()
        return turn @ numpy.diag(diagonal) @ turn.T

    def _collides(self, prim: Usd.Prim) -> bool:
        return prim.HasAPI(UsdPhysics.CollisionAPI) and UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get()

    def _collider(self, prim: Usd.Prim, shape: _shapes.Shape) -> dict[str, typing.Any]:
        return {"name": f"{prim.GetPath()}.collider", "type": "collider", **shape.keys, "translate": shape.position,
                "rotate_degrees": angles_of(shape.rotation), **self._material(prim)}

    def _still(self, prim: Usd.Prim) -> None:
        """A collider that is on no body: it rests, moves as its transform does, or deforms as its points do."""
        thickness = _value(prim, "thickness") if prim.HasAPI("TautColliderAPI") else None
        if thickness or (prim.IsA(UsdGeom.Mesh) and UsdGeom.Mesh(prim).GetPointsAttr().ValueMightBeTimeVarying()):
            self._animated(prim, thickness)
            return
        made = self._collider(prim, _shapes.shape_of(prim, self.space))
        if self.space.moves(prim):
            made["motion"] = self.space.motion(prim)
        self.objects.append(made)

    def _animated(self, prim: Usd.Prim, thickness: float | None) -> None:
        used, faces = _shapes.world_faces_of(prim, self.space)
        samples = [self.space.points(prim, frame)[used] for frame in range(len(self.space.codes))]
        made = {"name": f"{prim.GetPath()}.collider", "type": "collider", "mesh": {"points": samples[0], "polygons": faces},
                "animation": {"points": samples, "fps": self.stage.GetTimeCodesPerSecond()}, **self._material(prim)}
        self.objects.append({**made, "thickness": thickness} if thickness else made)

    def _physics_material(self, prim: Usd.Prim) -> UsdPhysics.MaterialAPI | None:
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        return UsdPhysics.MaterialAPI(material) if material and material.GetPrim().HasAPI(UsdPhysics.MaterialAPI) else None

    def _material(self, prim: Usd.Prim) -> dict[str, str]:
        material = self._physics_material(prim)
        if not material:
            return {}
        name = str(material.GetPath())
        friction = max(material.GetDynamicFrictionAttr().Get(), 0)
        self.materials[name] = {"name": name, "friction": friction, "restitution": material.GetRestitutionAttr().Get(),
                                "static_friction": max(material.GetStaticFrictionAttr().Get(), friction)}
        return {"material": name}

    # ---- what deforms ------------------------------------------------------------------------------------------------------

    def _thing(self, prim: Usd.Prim) -> None:
        makers = {"TautClothAPI": self._cloth, "TautSoftAPI": self._soft, "TautRopeAPI": self._curves, "TautRodAPI": self._curves,
                  "TautFollowAPI": self._follower}
        chosen = [name for name in makers if prim.HasAPI(name)]
        if len(chosen) > 1:
            raise ValueError(f"{prim.GetPath()}: has {' and '.join(chosen)}; one is possible")
        if chosen:
            self._editable(prim)
            makers[chosen[0]](prim)
        elif self._collides(prim) and not self.body_of(prim):
            self._still(prim)

    def _need(self, prim: Usd.Prim, kind: typing.Any, what: str) -> None:
        if not prim.IsA(kind):
            raise ValueError(f"{prim.GetPath()}: is a {prim.GetTypeName()}; {what} is needed")

    def _contact(self, prim: Usd.Prim, key: str, usual: float) -> dict[str, typing.Any]:
        """With taut:thickness, or with the usual one where UsdPhysics says that the prim collides."""
        thickness = _value(prim, "thickness", usual if self._collides(prim) else None)
        if thickness is None:
            return {}
        contact = {key: thickness if key == "thickness" else thickness / 2, **self._material(prim)}
        if _value(prim, "selfCollision") is False:
            contact["self"] = False
        return {"contact": contact}

    def _surface(self, prim: Usd.Prim) -> dict[str, typing.Any]:
        self._need(prim, UsdGeom.Mesh, "a Mesh")
        used, faces = _shapes.world_faces_of(prim, self.space)
        name = str(prim.GetPath())
        self.points.append(Points(name, prim, used))
        return {"name": name, "mesh": {"points": self.space.points(prim)[used], "polygons": faces}}

    def _cloth(self, prim: Usd.Prim) -> None:
        surface = self._surface(prim)
        thickness = _shapes.usual_thickness(surface["mesh"]["points"], surface["mesh"]["polygons"])
        made = {**surface, "type": "cloth", **_values(prim, _CLOTH), **self._contact(prim, "thickness", thickness)}
        bend, drag, wind = _value(prim, "bend"), _value(prim, "drag"), _value(prim, "wind")
        if bend:
            made["bend"] = {"compliance": 1 / bend}
        if drag is not None or wind is not None:
            made["air"] = {"drag": 0.6 if drag is None else drag, "wind": wind or [0, 0, 0]}
        self.objects.append(made)

    def _soft(self, prim: Usd.Prim) -> None:
        self._need(prim, UsdGeom.TetMesh, "a TetMesh")
        tets = numpy.asarray(UsdGeom.TetMesh(prim).GetTetVertexIndicesAttr().Get() or (), dtype=int).reshape(-1, 4)
        used, tets = numpy.unique(tets, return_inverse=True)
        name, points, tets = str(prim.GetPath()), self.space.points(prim)[used], tets.reshape(-1, 4)
        self.points.append(Points(name, prim, used))
        self.objects.append({"name": name, "type": "soft", "mesh": {"points": points, "tetrahedra": tets},
                             **_values(prim, _SOFT, density=_DENSITY, young=1e5),
                             **self._contact(prim, "radius", _shapes.usual_thickness(points, tets))})

    def _curves(self, prim: Usd.Prim) -> None:
        self._need(prim, UsdGeom.Curves, "BasisCurves")
        if UsdGeom.BasisCurves(prim) and UsdGeom.BasisCurves(prim).GetWrapAttr().Get() == UsdGeom.Tokens.periodic:
            raise ValueError(f"{prim.GetPath()}: is a closed curve; ropes and rods have two ends")
        points, counts = self.space.points(prim), UsdGeom.Curves(prim).GetCurveVertexCountsAttr().Get()
        last = numpy.cumsum(counts)
        for number, (end, count) in enumerate(zip(last, counts)):
            name = str(prim.GetPath()) if len(counts) == 1 else f"{prim.GetPath()}[{number}]"
            used = numpy.arange(end - count, end)
            self.points.append(Points(name, prim, used))
            keys = self._rope(prim) if prim.HasAPI("TautRopeAPI") else self._rod(prim)
            pieces = numpy.stack([numpy.arange(count - 1), numpy.arange(1, count)], axis=1)
            thickness = self._width(prim) or _shapes.usual_thickness(points[used], pieces)
            self.objects.append({"name": name, "points": points[used], **keys, **self._contact(prim, "radius", thickness)})

    def _width(self, prim: Usd.Prim) -> float | None:
        widths = UsdGeom.Curves(prim).GetWidthsAttr().Get()
        width = _value(prim, "diameter")
        return width if width is not None or not widths else float(widths[0]) * self.space.unit

    def _rope(self, prim: Usd.Prim) -> dict[str, typing.Any]:
        made = {"type": "rope", **_values(prim, ("rope", "density"))}
        if "rope" in made:
            made["diameter"] = self._width(prim)
        stretch = _value(prim, "stretch")
        return made if stretch is None else {**made, "stretch": {"compliance": stretch}}

    def _rod(self, prim: Usd.Prim) -> dict[str, typing.Any]:
        width = self._width(prim)
        if not width:
            raise ValueError(f"{prim.GetPath()}: a rod needs taut:diameter or widths")
        return {"type": "rod", "radius": width / 2, **_values(prim, _ROD)}

    def _follower(self, prim: Usd.Prim) -> None:
        targets = prim.GetRelationship("taut:follow:target").GetTargets()
        if len(targets) != 1:
            raise ValueError(f"{prim.GetPath()}: taut:follow:target has {len(targets)} prims; one is needed")
        self.mappings.append({**self._surface(prim), "type": "barycentric", "object": str(targets[0])})

    # ---- what holds --------------------------------------------------------------------------------------------------------

    def object_at(self, prim: Usd.Prim, vertex: int) -> tuple[str, int]:
        """The object and its vertex of a vertex of a prim."""
        for points in self.points:
            place = numpy.searchsorted(points.used, vertex)
            if points.prim == prim and place < len(points.used) and points.used[place] == vertex:
                return points.object, int(place)
        raise ValueError(f"{prim.GetPath()}: has no simulated vertex {vertex}")

    def _moved(self, at: dict[str, typing.Any], mover: Usd.Prim) -> None:
        pin: dict[str, typing.Any] = {"type": "pin", "at": at}
        if self.space.moves(mover):
            pin.update(motion=self.space.motion(mover), centre=self.space.pose(mover).position)
        self.constraints.append(pin)

    def _pin(self, prim: Usd.Prim) -> None:
        if not prim.HasAPI("TautPinAPI"):
            return
        wanted: dict[str, list[int]] = {}
        for vertex in prim.GetAttribute("taut:pin:vertices").Get() or ():
            name, place = self.object_at(prim, vertex)
            wanted.setdefault(name, []).append(place)
        targets = prim.GetRelationship("taut:pin:target").GetTargets()
        mover = self.stage.GetPrimAtPath(targets[0]) if targets else prim
        if not mover:
            raise ValueError(f"{prim.GetPath()}: taut:pin:target: there is no {targets[0]}")
        compliance = _value(prim, "pin:compliance")
        for name, places in wanted.items():
            self._moved({"object": name, "vertices": places}, mover)
            if compliance is not None:
                self.constraints[-1]["compliance"] = compliance

    def _join(self, prim: Usd.Prim) -> None:
        if prim.IsA(UsdPhysics.Joint):
            joint = joint_of(prim, self.space, self.body_of, self.notes)
            if joint:
                self.constraints.append(joint)
        elif prim.GetTypeName() == "TautAttachment":
            self._attach(prim)

    def _attach(self, prim: Usd.Prim) -> None:
        ends = []
        for side in "ab":
            targets = prim.GetRelationship(f"taut:{side}").GetTargets()
            end = self.stage.GetPrimAtPath(targets[0]) if len(targets) == 1 else None
            if not end:
                raise ValueError(f"{prim.GetPath()}: taut:{side} needs one prim")
            ends.append((end, prim.GetAttribute(f"taut:{side}Vertex").Get()))
        bodies = [self.body_of(end) for end, _ in ends]
        places = [None if body else self.space.points(end)[vertex or 0] for body, (end, vertex) in zip(bodies, ends)]
        at = next((place for place in places if place is not None), None)
        if at is None:
            raise ValueError(f"{prim.GetPath()}: joins two bodies; use a joint")
        made = [{"object": str(body.GetPath()), "at": at} if body else list(self.object_at(end, vertex or 0))
                for body, (end, vertex) in zip(bodies, ends)]
        compliance = _value(prim, "compliance", 0)
        self.constraints.append({"type": "attach", "a": made[0], "b": made[1], "compliance": compliance})


def _baked(stage: Usd.Stage, first: int, last: int) -> Usd.Stage:
    """The stage, or, where characters have skeletons, one on the same layers in which their meshes have time samples."""
    if not any(prim.IsA(UsdSkel.Root) for prim in stage.Traverse()):
        return stage
    own = Usd.Stage.Open(stage.GetRootLayer(), Sdf.Layer.CreateAnonymous())
    own.SetEditTarget(own.GetSessionLayer())
    for prim in own.Traverse():
        if prim.IsA(UsdSkel.Root) and not UsdSkel.BakeSkinning(UsdSkel.Root(prim), Gf.Interval(first, last)):
            raise ValueError(f"{prim.GetPath()}: its skinning cannot be baked")
    return own


def read(stage: Usd.Stage | str | os.PathLike, frames: tuple[int, int] | None = None) -> Translation:
    """Reads a stage, or a file of one, as a scene of taut's format.

    frames: first and last time code; default: those of the stage
    """
    opened = stage if isinstance(stage, Usd.Stage) else Usd.Stage.Open(os.fspath(stage))
    first, last = frames or (round(opened.GetStartTimeCode()), round(opened.GetEndTimeCode()))
    if last < first:
        raise ValueError(f"frames: {first}:{last} has none")
    return _Reader(_baked(opened, first, last), numpy.arange(first, last + 1)).read()
