"""Meshes that a scene holds as objects instead of file names: of meshio or trimesh, or arrays. They become files for the tool's
readers, in float64 without loss (animations: PC2, float32)."""

from __future__ import annotations

import collections.abc
import contextlib
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


def _real(values: typing.Any, kind: typing.Any) -> numpy.ndarray:
    if values is None:
        raise ValueError("has no points")
    if numpy.ma.is_masked(values):
        raise ValueError("points has masked values")
    if numpy.iscomplexobj(values):
        raise TypeError("points has complex numbers")
    return numpy.asarray(values, dtype=kind)


def _points(values: typing.Any) -> numpy.ndarray:
    array = _real(values, float)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"points has the shape {array.shape}; count x 3 is needed")
    if not numpy.isfinite(array).all():
        raise ValueError(f"points {numpy.argmin(numpy.isfinite(array).all(axis=1))} is not finite")
    return array


def _corners(name: str, cell: collections.abc.Iterable, solid: bool, points: int) -> list[int]:
    corners = list(cell)
    if any(i != i // 1 for i in corners):
        raise ValueError(f"{name} has the corners {[float(i) for i in corners]}; they are whole numbers")
    if len(corners) != 4 if solid else len(corners) < 3:
        raise ValueError(f"{name} has {len(corners)} corners; {'a tetrahedron has 4' if solid else 'it has at least 3'}")
    beyond = [int(i) for i in corners if not 0 <= i < points]
    if beyond:
        raise ValueError(f"{name} has the corner {beyond[0]}, beyond the {points} points")
    return [int(i) for i in corners]


def _cells(mesh: typing.Any, solid: bool) -> tuple[typing.Any, list[tuple[str, collections.abc.Iterable]]]:
    """Points and cells, those of a soft body or those of a surface: a name and a list per kind of cell."""
    if isinstance(mesh, collections.abc.Mapping):
        names = ("tetrahedra",) if solid else ("triangles", "polygons")
        return mesh.get("points"), [(name, mesh[name]) for name in names if name in mesh]
    if hasattr(mesh, "cells") and hasattr(mesh, "points"):  # meshio
        kinds = ("tetra",) if solid else ("triangle", "quad", "polygon")
        return mesh.points, [(block.type, block.data) for block in mesh.cells if block.type in kinds]
    if hasattr(mesh, "faces") and hasattr(mesh, "vertices") and not solid:  # trimesh
        return mesh.vertices, [("faces", mesh.faces)]
    raise TypeError(f"{type(mesh).__name__} is no file name, no mesh of meshio{'' if solid else ' or trimesh'}, and no dict "
                    f"of points and {'tetrahedra' if solid else 'triangles'}")


def write(mesh: typing.Any, path: str, solid: bool = False) -> str:
    """Writes a mesh beside `path`: PATH.obj, or for soft bodies PATH.mesh (Medit). Returns the path with its ending."""
    held, blocks = _cells(mesh, solid)
    points = _points(held)
    cells = [_corners(f"{name}[{i}]", cell, solid, len(points)) for name, block in blocks for i, cell in enumerate(block)]
    if not cells:
        raise ValueError(f"has no {'tetrahedra' if solid else 'triangles or polygons'}")
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
    array = _real(samples, "<f4")
    if array.ndim != 3 or array.shape[2] != 3 or not len(array):
        raise ValueError(f"points has the shape {array.shape}; samples x points x 3 is needed")
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


@contextlib.contextmanager
def _at(place: str) -> collections.abc.Iterator[None]:
    """Faults name their place in the scene."""
    try:
        yield
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"scene: {place}: {error}") from None


class _Target:
    """Gives what the items of a scene name or hold a file in a folder. Files of the source folder are copied, or named only.
    places: those of the files that are made, in the scene."""

    def __init__(self, source: str, target: str, copy: bool) -> None:
        self.source, self.target, self.copy = source, target, copy
        self.numbers = itertools.count()
        self.names: dict[str, str] = {}
        self.places: dict[str, str] = {}

    def item(self, item: Scene, place: str) -> dict[str, typing.Any]:
        made = dict(item)
        if "mesh" in item:
            with _at(f"{place}.mesh"):
                made["mesh"] = self._mesh(item["mesh"], item.get("type") == "soft", f"{place}.mesh")
        if isinstance(item.get("animation"), collections.abc.Mapping):
            with _at(f"{place}.animation"):
                made["animation"] = self._animation(dict(item["animation"]), f"{place}.animation")
        return made

    def _mesh(self, mesh: typing.Any, solid: bool, place: str) -> str:
        if isinstance(mesh, (str, os.PathLike)):
            return self._file(os.fspath(mesh))
        return self._named(write(mesh, self._new("mesh"), solid), place)

    def _animation(self, animation: dict[str, typing.Any], place: str) -> dict[str, typing.Any]:
        if "points" in animation:
            made = write_cache(animation.pop("points"), animation.get("fps", 0), self._new("animation"))
            animation["file"] = self._named(made, place)
        elif isinstance(animation.get("file"), (str, os.PathLike)):
            animation["file"] = self._file(os.fspath(animation["file"]))
        return animation

    def _new(self, stem: str) -> str:
        return os.path.join(self.target, f"{stem}{next(self.numbers)}")

    def _named(self, path: str, place: str) -> str:
        self.places[path] = place
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


def placed(scene: Scene, source: str, target: str, copy: bool) -> tuple[dict[str, typing.Any], dict[str, str]]:
    """The scene with a file for every mesh and animation, and the places in it of the files that were made. copy: all of them lie
    in `target` and are named from there; otherwise only what was no file is written there, and names are absolute."""
    place = _Target(source, target, copy)
    made = dict(scene)
    for key in ("objects", "mappings"):
        if key in scene:
            made[key] = [place.item(item, f"{key}[{i}]") if isinstance(item, collections.abc.Mapping) else item
                         for i, item in enumerate(scene[key])]
    return made, place.places
