"""Meshes that a scene holds as objects instead of file names: of meshio or trimesh, or arrays. They become files for the tool's
readers, in float64 without loss (animations: PC2, float32)."""

from __future__ import annotations

import collections.abc
import glob
import itertools
import os
import re
import shutil
import struct
import typing

import numpy

Scene = typing.Mapping[str, typing.Any]
_NUMBERED = re.compile(r"%0?\d*d")


def _rows(name: str, values: typing.Any, columns: int, kind: typing.Any) -> numpy.ndarray:
    array = numpy.asarray(values, dtype=kind)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"mesh: {name} has the shape {array.shape}; count x {columns} is needed")
    if not numpy.isfinite(array).all():
        raise ValueError(f"mesh: {name} {numpy.argmin(numpy.isfinite(array).all(axis=1))} is not finite")
    return array


def _corners(cell: collections.abc.Iterable, solid: bool) -> list[int]:
    corners = list(cell)
    if any(i != i // 1 for i in corners):
        raise ValueError(f"mesh: a cell has the corners {[float(i) for i in corners]}; they are whole numbers")
    if len(corners) != 4 if solid else len(corners) < 3:
        raise ValueError(f"mesh: a cell has {len(corners)} corners; {'a tetrahedron has 4' if solid else 'it has at least 3'}")
    return [int(i) for i in corners]


def _cells(mesh: typing.Any, solid: bool) -> tuple[typing.Any, list[collections.abc.Iterable]]:
    """Points and cells, those of a soft body or those of a surface: a list per kind of cell."""
    if isinstance(mesh, collections.abc.Mapping):
        names = ("tetrahedra",) if solid else ("triangles", "polygons")
        return mesh.get("points"), [mesh[name] for name in names if name in mesh]
    if hasattr(mesh, "cells") and hasattr(mesh, "points"):  # meshio
        kinds = ("tetra",) if solid else ("triangle", "quad", "polygon")
        return mesh.points, [block.data for block in mesh.cells if block.type in kinds]
    if hasattr(mesh, "faces") and hasattr(mesh, "vertices") and not solid:  # trimesh
        return mesh.vertices, [mesh.faces]
    raise TypeError(f"mesh: {type(mesh).__name__} is no file name, no mesh of meshio{'' if solid else ' or trimesh'}, and no dict "
                    f"of points and {'tetrahedra' if solid else 'triangles'}")


def write(mesh: typing.Any, path: str, solid: bool = False) -> str:
    """Writes a mesh beside `path`: PATH.obj, or for soft bodies PATH.mesh (Medit). Returns the path with its ending."""
    points, blocks = _cells(mesh, solid)
    points = _rows("points", points, 3, float)
    cells = [_corners(cell, solid) for block in blocks for cell in block]
    if not cells:
        raise ValueError(f"mesh: has no {'tetrahedra' if solid else 'triangles or polygons'}")
    if min(map(min, cells)) < 0 or max(map(max, cells)) >= len(points):
        raise ValueError(f"mesh: a cell has a point beyond the {len(points)} points")
    path += ".mesh" if solid else ".obj"
    with open(path, "w") as file:
        if solid:
            file.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(points)}\n")
            file.writelines("%.17g %.17g %.17g 0\n" % tuple(p) for p in points.tolist())
            file.write(f"Tetrahedra\n{len(cells)}\n")
            file.writelines(" ".join(str(i + 1) for i in cell) + " 0\n" for cell in cells)
            file.write("End\n")
        else:
            file.writelines("v %.17g %.17g %.17g\n" % tuple(p) for p in points.tolist())
            file.writelines("f " + " ".join(str(i + 1) for i in cell) + "\n" for cell in cells)
    return path


def write_cache(samples: typing.Any, fps: float, path: str) -> str:
    """Writes samples x points x 3, m, as a PC2 point cache."""
    array = numpy.asarray(samples, dtype="<f4")
    if array.ndim != 3 or array.shape[2] != 3 or not len(array):
        raise ValueError(f"animation: points has the shape {array.shape}; samples x points x 3 is needed")
    with open(path + ".pc2", "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, array.shape[1], 0, 1, len(array)))
        file.write(array.tobytes())
    return path + ".pc2"


def holds_objects(scene: Scene) -> bool:
    """Whether a mesh or an animation of the scene is not a file name."""
    return any(not isinstance(item.get("mesh", ""), (str, os.PathLike)) or "points" in (item.get("animation") or ())
               for item in _items(scene))


def _items(scene: Scene) -> list[Scene]:
    return [item for key in ("objects", "mappings") for item in scene.get(key) or () if isinstance(item, collections.abc.Mapping)]


class _Target:
    """Gives what the items of a scene name or hold a file in a folder. Files of the source folder are copied, or named only."""

    def __init__(self, source: str, target: str, copy: bool) -> None:
        self.source, self.target, self.copy = source, target, copy
        self.numbers = itertools.count()
        self.names: dict[str, str] = {}

    def item(self, item: Scene) -> dict[str, typing.Any]:
        made = dict(item)
        if "mesh" in item:
            made["mesh"] = self._mesh(item["mesh"], item.get("type") == "soft")
        if isinstance(item.get("animation"), collections.abc.Mapping):
            made["animation"] = self._animation(dict(item["animation"]))
        return made

    def _mesh(self, mesh: typing.Any, solid: bool) -> str:
        if isinstance(mesh, (str, os.PathLike)):
            return self._file(os.fspath(mesh))
        return self._named(write(mesh, self._new("mesh"), solid))

    def _animation(self, animation: dict[str, typing.Any]) -> dict[str, typing.Any]:
        if "points" in animation:
            animation["file"] = self._named(write_cache(animation.pop("points"), animation.get("fps", 0), self._new("animation")))
        elif isinstance(animation.get("file"), (str, os.PathLike)):
            animation["file"] = self._file(os.fspath(animation["file"]))
        return animation

    def _new(self, stem: str) -> str:
        return os.path.join(self.target, f"{stem}{next(self.numbers)}")

    def _named(self, path: str) -> str:
        return os.path.basename(path) if self.copy else path

    def _file(self, name: str) -> str:
        path = os.path.abspath(os.path.join(self.source, name))
        if not self.copy:
            return path
        if path not in self.names:
            stem, ending = os.path.splitext(os.path.basename(path))
            self.names[path] = f"{stem}-{next(self.numbers)}{ending}"
            self._copy(path, self.names[path])
        return self.names[path]

    def _copy(self, path: str, name: str) -> None:
        """A file, all numbers of a sequence, or the two files of TetGen."""
        number = _NUMBERED.search(os.path.basename(path))
        if number:
            head, tail = os.path.basename(path).split(number.group(), 1)
            for found in glob.glob(glob.escape(os.path.join(os.path.dirname(path), head)) + "*" + glob.escape(tail)):
                digits = os.path.basename(found)[len(head):len(os.path.basename(found)) - len(tail)]
                if digits.isdigit():
                    shutil.copyfile(found, os.path.join(self.target, name.replace(number.group(), digits)))
            return
        shutil.copyfile(path, os.path.join(self.target, name))
        other = {".node": ".ele", ".ele": ".node"}.get(os.path.splitext(path)[1])
        if other:
            shutil.copyfile(os.path.splitext(path)[0] + other, os.path.join(self.target, os.path.splitext(name)[0] + other))


def placed(scene: Scene, source: str, target: str, copy: bool) -> dict[str, typing.Any]:
    """The scene with a file for every mesh and animation. copy: all of them lie in `target` and are named from there; otherwise
    only what was no file is written there, and names are absolute."""
    place = _Target(source, target, copy)
    made = dict(scene)
    for key in ("objects", "mappings"):
        if key in scene:
            made[key] = [place.item(item) if isinstance(item, collections.abc.Mapping) else item for item in scene[key]]
    return made
