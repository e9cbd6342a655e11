"""Places of prims in metres, at every frame. Rows are points: world = local @ M[:3] + M[3]."""

from __future__ import annotations

import typing
import warnings

import numpy
from pxr import Usd, UsdGeom
from scipy.spatial.transform import Rotation

Array = numpy.ndarray


class Pose(typing.NamedTuple):
    """A rigid placement, and the scale within it: world = position + rotation(scale * local)."""

    position: Array
    rotation: Rotation
    scale: Array

    def inward(self, points: Array) -> Array:
        """World points in the axes of the pose, not scaled."""
        return self.rotation.inv().apply(points - self.position)


def mirrors(matrix: Array) -> bool:
    return bool(numpy.linalg.det(matrix[:3]) < 0)


def pose_of(matrix: Array) -> Pose:
    scale = numpy.linalg.norm(matrix[:3], axis=1)
    if not numpy.all(scale > 0):
        raise ValueError("a transform has the scale 0")
    if mirrors(matrix):
        scale[2] = -scale[2]
    return Pose(matrix[3], Rotation.from_matrix((matrix[:3] / scale[:, None]).T), scale)


class Space:
    """Transforms of a stage at the time codes of a run."""

    def __init__(self, stage: Usd.Stage, codes: Array) -> None:
        self.stage, self.codes = stage, codes
        self.unit = UsdGeom.GetStageMetersPerUnit(stage)
        self.caches = [UsdGeom.XformCache(Usd.TimeCode(float(code))) for code in codes]

    def matrix(self, prim: Usd.Prim, frame: int = 0) -> Array:
        """4 x 3, from the units of the stage to m."""
        return numpy.array(self.caches[frame].GetLocalToWorldTransform(prim))[:, :3] * self.unit

    def parent(self, prim: Usd.Prim, frame: int = 0) -> Array:
        """4 x 4, without units: from the parent's axes to the stage's."""
        return numpy.array(self.caches[frame].GetParentToWorldTransform(prim))

    def pose(self, prim: Usd.Prim, frame: int = 0) -> Pose:
        return pose_of(self.matrix(prim, frame))

    def points(self, prim: Usd.Prim, frame: int = 0) -> Array:
        """Of a point-based prim, m, world."""
        values = UsdGeom.PointBased(prim).GetPointsAttr().Get(Usd.TimeCode(float(self.codes[frame])))
        if not values:
            raise ValueError(f"{prim.GetPath()}: has no points")
        matrix = self.matrix(prim, frame)
        return numpy.asarray(values, dtype=float) @ matrix[:3] + matrix[3]

    def moves(self, prim: Usd.Prim) -> bool:
        first = self.matrix(prim)
        return any(not numpy.allclose(self.matrix(prim, frame), first, rtol=0, atol=1e-12) for frame in range(len(self.codes)))

    def motion(self, prim: Usd.Prim) -> list[dict[str, typing.Any]]:
        """Keyframes of the motion of a prim about its first position; a pin takes them with that as its centre."""
        first = self.pose(prim)
        keys, last = [], numpy.zeros(3)
        for frame in range(1, len(self.codes)):
            pose = self.pose(prim, frame)
            if not numpy.allclose(pose.scale, first.scale, rtol=1e-6):
                raise ValueError(f"{prim.GetPath()}: its scale changes with time, which only animated meshes can")
            last = _near(angles_of(pose.rotation * first.rotation.inv()), last)
            keys.append({"time": frame / self.stage.GetTimeCodesPerSecond(), "translate": pose.position - first.position,
                         "rotate_degrees": last})
        return keys


def angles_of(rotation: Rotation) -> Array:
    """Degrees about x, then y, then z. Where that is not unique, any will do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return rotation.as_euler("xyz", degrees=True)


def _near(angles: Array, last: Array) -> Array:
    """The same rotation by the angles that are nearest to the last ones."""
    other = angles * [1, -1, 1] + [180, 180, 180]
    turned = [a + 360 * numpy.round((last - a) / 360) for a in (angles, other)]
    return min(turned, key=lambda a: numpy.abs(a - last).sum())
