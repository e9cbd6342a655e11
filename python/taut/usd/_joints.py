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
    position, axes = _frame(prim, sides[number], number, space)
    made = {"type": kind, "a": _name(bodies[0]), "b": _name(bodies[1]), "position": position,
            "contact": bool(joint.GetCollisionEnabledAttr().Get())}
    if kind in ("hinge", "slider"):
        axis = prim.GetAttribute("physics:axis").Get() or "X"
        made["axis"] = axes.apply(_AXES[axis])
        made.update(_drive(prim, kind, notes))
    _note_limits(prim, kind, notes)
    return made


def _name(body: Usd.Prim | None) -> str:
    return str(body.GetPath()) if body else "world"


def _drive(prim: Usd.Prim, kind: str, notes: list[str]) -> dict[str, typing.Any]:
    """A spring to a target: stiffness in N/m, or in N m for each degree, in the units of the stage."""
    name = "angular" if kind == "hinge" else "linear"
    if not prim.HasAPI(UsdPhysics.DriveAPI, name):
        return {}
    drive, stage = UsdPhysics.DriveAPI(prim, name), prim.GetStage()
    stiffness, damping = drive.GetStiffnessAttr().Get(), drive.GetDampingAttr().Get()
    if not stiffness > 0 or drive.GetTypeAttr().Get() == UsdPhysics.Tokens.acceleration:
        notes.append(f"{prim.GetPath()}: a drive without stiffness, or by accelerations, is not simulated")
        return {}
    unit = UsdPhysics.GetStageKilogramsPerUnit(stage)
    length = UsdGeom.GetStageMetersPerUnit(stage)
    unit *= length**2 * 180 / numpy.pi if kind == "hinge" else 1
    made = {"target": (drive.GetTargetPositionAttr().Get() or 0) * (1 if kind == "hinge" else length),
            "compliance": 1 / (stiffness * unit), "damping": damping / stiffness}
    limit = drive.GetMaxForceAttr().Get()
    if numpy.isfinite(limit) and limit < 1e30:
        most = limit * UsdPhysics.GetStageKilogramsPerUnit(stage) * (length**2 if kind == "hinge" else length)
        made.update(lower=-most, upper=most)
    return {"drive": made}


def _note_limits(prim: Usd.Prim, kind: str, notes: list[str]) -> None:
    names = ("physics:lowerLimit", "physics:upperLimit") if kind in ("hinge", "slider") else ()
    limits = [prim.GetAttribute(name).Get() for name in names]
    cone = [prim.GetAttribute(f"physics:coneAngle{i}Limit").Get() for i in (0, 1)] if kind == "ball" else []
    if any(v is not None and numpy.isfinite(v) for v in limits) or any(v is not None and v >= 0 for v in cone):
        notes.append(f"{prim.GetPath()}: the limits of its motion are not simulated")
