"""Simulation of large constrained mechanical systems: cloth, ropes, rods, soft and rigid bodies, with contact.

    scene = taut.Scene()                       particles and constraints, from arrays
    world = taut.World(scene)                  a compiled scene
    world.step(1 / 60)                         seconds
    world.positions                            a view, count x 3, m

    simulation = taut.Simulation(taut.load("scene.json"))        a scene file, or a dict of that format
    result = taut.run("scene.json", frames=120, progress=True)   all frames as arrays
    taut.view("scene.json")                                      a window in which it runs; world.view() of any world
    variants = taut.sweep("scene.json", {"fps": [60, 120]})      variants of it, here or on a cluster

Units are SI, angles radians, quaternions (w, x, y, z). Failures raise taut.Error with the library's sentence; wrong shapes
and names raise ValueError or TypeError. taut.operators has the operators of a step for SciPy, taut.solve its linear system with
a callback for each iteration, and taut.usd scenes of USD; they are loaded when they are first used."""

import importlib
import typing

from ._files import Result, Simulation, load, run, save_scene, view
from ._sweep import Variant, plan, run_variant, sweep
from ._taut import (
    NAMES,
    NO_COLLIDER,
    WORLD,
    Assembly,
    Batch,
    BodyRanges,
    Choice,
    DeviceInfo,
    Error,
    Exporter,
    Fabric,
    Grab,
    Gradients,
    JointBatches,
    Overlaps,
    RodRanges,
    RopeKind,
    Saved,
    Scene,
    SceneFile,
    SceneObject,
    StepInfo,
    World,
    __version__,
    backend_available,
    barycentric,
    baumgarte,
    cuda_devices,
    defaults,
    fabrics,
    inertia_of_box,
    inertia_of_cone,
    inertia_of_cylinder,
    inertia_of_sphere,
    ropes,
)
from ._views import ArrayLike, DeviceView, View

__all__ = [
    "NAMES", "NO_COLLIDER", "WORLD", "ArrayLike", "Assembly", "Batch", "BodyRanges", "Choice", "DeviceInfo", "DeviceView", "Error", "Exporter", "Fabric",
    "Grab", "Gradients", "JointBatches", "Overlaps", "Result", "RodRanges", "RopeKind", "Saved", "Scene", "SceneFile", "SceneObject",
    "Simulation", "StepInfo", "Variant", "View", "World", "__version__", "backend_available", "barycentric", "baumgarte", "cuda_devices",
    "defaults", "fabrics", "inertia_of_box", "inertia_of_cone", "inertia_of_cylinder", "inertia_of_sphere", "load", "plan", "ropes",
    "run", "run_variant", "save_scene", "sweep", "view"]

if typing.TYPE_CHECKING:
    from . import operators as operators
    from . import usd as usd
    from .operators import solve as solve


def __getattr__(name: str) -> typing.Any:
    """What needs packages of its own."""
    if name not in ("operators", "solve", "usd"):
        raise AttributeError(f"module 'taut' has no attribute {name!r}")
    try:
        module = importlib.import_module("taut.operators" if name == "solve" else f"taut.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(str(error)) from None
    return module.solve if name == "solve" else module


def __dir__() -> "list[str]":
    return sorted({*globals(), "operators", "solve", "usd"})
