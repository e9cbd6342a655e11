"""A window in which a world runs: the viewer of the command-line tool."""

from __future__ import annotations

import collections.abc
import importlib.util
import math
import os
import typing

import numpy

from . import _taut


def _module() -> typing.Any:
    if importlib.util.find_spec("taut._view") is None:
        raise _taut.Error("this package was built without the viewer: GLFW, epoxy, Dear ImGui, GLM or libpng was not found")
    try:
        return importlib.import_module("taut._view")
    except ImportError as error:
        raise _taut.Error(f"the viewer cannot be loaded: {error}") from None


def show(world: _taut.World, *, before: collections.abc.Callable[[int], object] | None, after: collections.abc.Callable[[int], object],
         frame: int, fps: float | None = None, title: str | None = None, size: tuple[int, int] = (1280, 720),
         camera: collections.abc.Sequence[float] = (), target: collections.abc.Sequence[float] | None = None, colour: str = "object",
         contacts: bool = False, playing: bool = True, floor: float | bool | None = None, triangles: typing.Any = None,
         script: str | os.PathLike | None = None) -> None:
    """Until the window is closed. before, after: called with the number of the frame, before each step and at the end."""
    faces = numpy.empty((0, 3), dtype=numpy.uint32) if triangles is None else numpy.asarray(triangles)
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu" or (faces.size and faces.min() < 0):
        raise ValueError("triangles: takes count x 3 numbers of points")
    if fps is not None and not 0 < fps < math.inf:
        raise ValueError(f"fps: is {fps!r}; it is a number above 0")

    def ask(frame: int) -> object:
        answer = before(frame) if before else None
        if world.closed:
            raise ValueError("the world is closed")
        return answer

    _module().show(
        world, before=ask, after=after, frame=frame, fps=float(fps or 0), title=title or "taut", size=size,
        camera=[float(v) for v in camera], target=target, colour=colour, contacts=contacts, playing=playing,
        floor=math.nan if floor is False else floor, script=os.fspath(script) if script else "", triangles=faces.tolist())


def view(world: _taut.World, on_frame: collections.abc.Callable[[_taut.World], object] | None = None,
         **options: typing.Any) -> None:
    """World.view."""
    before = (lambda frame: on_frame(world)) if on_frame else None
    show(world, before=before, after=lambda frame: None, frame=0, **options)
