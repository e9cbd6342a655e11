"""USD in and out (the extra `usd`): scenes that are authored in USD are simulated, and results are layers over them.

    python -m taut.usd scene.usda --frames 0:240 --out sim.usdc

Rigid bodies, colliders, joints and materials are those of UsdPhysics; cloth, soft bodies, ropes, rods and pins have API schemas of
taut's own, in `schema/generatedSchema.usda` beside this file. Programs that shall know them, such as usdview, take the folder
taut.usd.SCHEMA in the environment variable PXR_PLUGINPATH_NAME."""

from __future__ import annotations

import os
import re
import typing
import warnings

import taut

from .. import _extras

try:
    import scipy.spatial  # noqa: F401
    from pxr import Plug, Usd
except ModuleNotFoundError as error:
    raise _extras.missing("taut.usd", error, "usd") from None

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema")
Plug.Registry().RegisterPlugins(SCHEMA)

from ._read import Translation, read  # noqa: E402 the schemas come first
from ._write import Layer  # noqa: E402

__all__ = ["SCHEMA", "Layer", "Translation", "faults", "read", "simulate"]


def simulate(scene: Translation | Usd.Stage | str | os.PathLike, out: str | os.PathLike, frames: tuple[int, int] | None = None, *,
             progress: bool = False, strict: bool = True, **world: typing.Any) -> taut.Result:
    """Simulates a stage and writes what moved as a layer over it.

    scene: a stage or its file, or what read() made of it; out: the layer, .usdc or .usda; frames: first and last time code; default: those of the stage
    progress, strict, world: as of taut.run. The result records nothing but the reports of the steps. What is left out of a stage or file is
    a warning (UserWarning) each; a Translation has its notes.
    """
    translation = scene if isinstance(scene, Translation) else read(scene, frames)
    if translation is not scene:
        for note in translation.notes:
            warnings.warn(note, stacklevel=2)
    try:
        simulation = taut.Simulation(translation.scene, **world)
    except taut.Error as error:
        raise _naming_prims(error, translation) from None
    layer = Layer(translation, out)
    layer.write(simulation)
    try:
        return taut.run(simulation, record=(), progress=progress, strict=strict, after=layer.write)
    finally:
        layer.save()


def _naming_prims(error: taut.Error, translation: Translation) -> taut.Error:
    """The same with the paths of prims in the place of numbers of the scene that they became."""
    objects = translation.scene["objects"]

    def path(found: re.Match) -> str:
        return objects[int(found[1])]["name"]

    told = taut.Error(re.sub(r"\bobjects\[(\d+)\]", path, str(error)))
    told.status = error.status
    return told


def faults(path: str | os.PathLike) -> list[str]:
    """What the validators of OpenUSD (UsdValidation) find wrong with a stage: a sentence each."""
    from pxr import UsdValidation

    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    stage = Usd.Stage.Open(os.fspath(path))
    return [f"{error.GetName()}: {error.GetMessage()}" for error in context.Validate(stage)]
