"""Joints of UsdPhysics as constraints of taut's format."""

from __future__ import annotations

import collections.abc
import typing

import numpy
from pxr import Usd, UsdGeom, UsdPhysics
from scipy.spatial.transform import Rotation

from ._space import Array, Space, pose_of

_AXES = {"X": [1, 0, 0], "Y": [0, 1, 0], "Z": [0, 0, 1]}
_KINDS = ((UsdPhysics.RevoluteJoint, "hinge"), (UsdPhysics.PrismaticJoint, "slider"), (UsdPhysics.SphericalJoint, "ball"),
          (UsdPhysics.FixedJoint, "fixed"))


def _side(prim: Usd.Prim, number: int) -> Usd.Prim | None:
    joint = UsdPhysics.Joint(prim)
    targets = (joint.GetBody0Rel() if number == 0 else joint.GetBody1Rel()).GetTargets()
    if not targets:
        return None
    found = prim.GetStage().GetPrimAtPath(targets[0])
    if not found:
        raise ValueError(f"{prim.GetPath()}: physics:body{number}: there is no {targets[0]}")
    return found


def _frame(prim: Usd.Prim, side: Usd.Prim | None, number: int, space: Space) -> tuple[Array, Rotation]:
    """Where a side has the joint, m, world, and the axes of it there."""
    joint = UsdPhysics.Joint(prim)
    place = joint.GetLocalPos0Attr() if number == 0 else joint.GetLocalPos1Attr()
    turn = (joint.GetLocalRot0Attr() if number == 0 else joint.GetLocalRot1Attr()).Get()
    matrix = space.matrix(side) if side else numpy.vstack([space.unit * numpy.eye(3), numpy.zeros(3)])
    axes = pose_of(matrix).rotation * Rotation.from_quat([*turn.GetImaginary(), turn.GetReal()])
    return numpy.asarray(place.Get(), dtype=float) @ matrix[:3] + matrix[3], axes


def joint_of(prim: Usd.Prim, space: Space, body_of: collections.abc.Callable, notes: list[str]) -> dict[str, typing.Any] | None:
    """The constraint; None where the joint is disabled. What it has that taut has not is noted."""
    joint = UsdPhysics.Joint(prim)
    kind = next((name for schema, name in _KINDS if prim.IsA(schema)), None)
    if not joint.GetJointEnabledAttr().Get():
        return None
    if not kind:
        notes.append(f"{prim.GetPath()}: a {prim.GetTypeName()} is not simulated")
        return None
    sides = [_side(prim, number) for number in (0, 1)]
    bodies = [body_of(side) if side else None for side in sides]
    if not any(bodies):
        raise ValueError(f"{prim.GetPath()}: neither side is a rigid body")
    number = 0 if bodies[0] else 1
    frames = [_frame(prim, side, i, space) for i, side in enumerate(sides)]
    position, axes = frames[number]
    made = {"type": kind, "a": _name(bodies[0]), "b": _name(bodies[1]), "position": position,
            "contact": bool(joint.GetCollisionEnabledAttr().Get())}
    if kind != "fixed":
        axis = _AXES[prim.GetAttribute("physics:axis").Get() or "X"]
        made["axis"] = axes.apply(axis)
        made.update(_drive(prim, kind, _motion(frames, axis, kind), notes) if kind != "ball" else {})
        made.update(_limits(prim, kind, frames, axis, notes))
    return made


def _motion(frames: list[tuple[Array, Rotation]], axis: list[int], kind: str) -> float:
    """Of the second side against the first, by the authored frames, in degrees or m. In taut's format it is 0 at the start."""
    (from_place, from_axes), (to_place, to_axes) = frames
    if kind == "slider":
        return float(numpy.dot(to_place - from_place, from_axes.apply(axis)))
    return float(numpy.degrees(numpy.dot((from_axes.inv() * to_axes).as_rotvec(), axis)))


def _name(body: Usd.Prim | None) -> str:
    return str(body.GetPath()) if body else "world"


def _drive(prim: Usd.Prim, kind: str, motion: float, notes: list[str]) -> dict[str, typing.Any]:
    """A spring to a target, or a motor: stiffness in N/m, or in N m for each degree, in the units of the stage."""
    name = "angular" if kind == "hinge" else "linear"
    if not prim.HasAPI(UsdPhysics.DriveAPI, name):
        return {}
    drive, stage = UsdPhysics.DriveAPI(prim, name), prim.GetStage()
    stiffness, damping, speed = (attribute.Get() or 0 for attribute in
                                 (drive.GetStiffnessAttr(), drive.GetDampingAttr(), drive.GetTargetVelocityAttr()))
    if not (stiffness > 0 or damping > 0) or drive.GetTypeAttr().Get() == UsdPhysics.Tokens.acceleration:
        notes.append(f"{prim.GetPath()}: a drive without stiffness and damping, or by accelerations, is not simulated")
        return {}
    length, mass = UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)
    unit, step = (mass * length**2 * 180 / numpy.pi, 1) if kind == "hinge" else (mass, length)
    limit = drive.GetMaxForceAttr().Get()
    most = limit * mass * (length**2 if kind == "hinge" else length) if numpy.isfinite(limit) and limit < 1e30 else None
    if not stiffness > 0:
        return {"motor": {"speed": speed * step, "slip": 1 / (damping * unit)} | ({"max_force": most} if most else {})}
    if speed:
        notes.append(f"{prim.GetPath()}: the target velocity of a drive with stiffness is not simulated")
    made = {"target": (drive.GetTargetPositionAttr().Get() or 0) * step - motion,
            "compliance": 1 / (stiffness * unit), "damping": damping / stiffness}
    return {"drive": made | ({"lower": -most, "upper": most} if most else {})}


def _finite(value: float | None) -> bool:
    return value is not None and bool(numpy.isfinite(value))


def _limits(prim: Usd.Prim, kind: str, frames: list[tuple[Array, Rotation]], axis: list[int],
            notes: list[str]) -> dict[str, typing.Any]:
    """Of the angle or the offset, or of a cone. Cones are round, about where the joint starts."""
    if kind == "ball":
        cone = [prim.GetAttribute(f"physics:coneAngle{i}Limit").Get() for i in (0, 1)]
        if not any(_finite(angle) and 0 <= angle < 180 for angle in cone):
            return {}
        swing = numpy.degrees(numpy.arccos(numpy.clip(frames[0][1].apply(axis) @ frames[1][1].apply(axis), -1, 1)))
        if cone[0] != cone[1] or swing > 0.1:
            notes.append(f"{prim.GetPath()}: the cone of its motion is taken as round, by the larger angle, about where it starts")
        # A cone of nothing is one of a tenth of a degree: what has none at all is a hinge.
        return {"limits": {"swing": max(0.1, *(angle for angle in cone if _finite(angle) and angle < 180))}}
    step = UsdGeom.GetStageMetersPerUnit(prim.GetStage()) if kind == "slider" else 1
    motion = _motion(frames, axis, kind)
    limits = {key: prim.GetAttribute(f"physics:{key}Limit").Get() for key in ("lower", "upper")}
    made = {key: value * step - motion for key, value in limits.items() if _finite(value)}
    return {"limits": made} if made else {}
