"""Scene files and dicts of the same format: reading, simulating frame by frame, results as arrays."""

from __future__ import annotations

import collections.abc
import json
import os
import typing

import numpy

from . import _taut

SceneLike = typing.Union[str, os.PathLike, collections.abc.Mapping, _taut.SceneFile]
_FIELDS = ("positions", "velocities", "orientations", "angular_velocities", "violations", "multipliers")


def _plain(value: typing.Any) -> typing.Any:
    """What json does not know: arrays, numbers of NumPy, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, range):
        return list(value)
    raise TypeError(f"a scene cannot hold {type(value).__name__}")


def load(scene: SceneLike, folder: str | os.PathLike | None = None) -> _taut.SceneFile:
    """Reads and builds a scene: a path, or a dict of the same format (docs/scene-format.md), which may hold arrays.

    folder: where the meshes of a dict lie; default: the working folder. A fault raises taut.Error with file, key and cause.
    """
    if isinstance(scene, _taut.SceneFile):
        return scene
    if not isinstance(scene, collections.abc.Mapping):
        return _taut.read_scene(os.fspath(scene))
    text = json.dumps(scene, default=_plain, allow_nan=False)
    return _taut.parse_scene(text, os.path.join(os.fspath(folder) if folder is not None else "", "scene"))


class Simulation:
    """A scene file in motion: a world, its frame, and its objects by name.

    world: members of the world that are not those of the file, such as backend="cpu", threads=1 or solver={...}.
    """

    def __init__(self, scene: SceneLike, **world: typing.Any) -> None:
        self.scene = load(scene)
        self.objects: dict[str, _taut.SceneObject] = {o.name: o for o in self.scene.object_list}
        self.world = self.scene.world(**world)
        self.frame = 0
        self._start = 0.0

    @property
    def time(self) -> float:
        """Simulated time of the frame, s."""
        return self.frame / self.scene.fps

    def step(self) -> _taut.StepInfo:
        """One frame: moves pins, colliders and drives of the file, steps, and returns the report."""
        self.scene.step(self.world, (self.frame + 1) / self.scene.fps, 1 / self.scene.fps)
        self.frame += 1
        return self.world.info()

    def positions(self, name: str) -> numpy.ndarray:
        """The vertices of an object now, count x 3, m: a view."""
        points = self._object(name).points
        return self.world.positions[points.start:points.stop]

    def orientations(self, name: str) -> numpy.ndarray:
        """The frames of an object now, count x 4: a view."""
        frames = self._object(name).frames
        return self.world.orientations[frames.start:frames.stop]

    def triangles(self, name: str) -> numpy.ndarray:
        """The triangles of an object, count x 3, counted from its first vertex."""
        return self._object(name).triangles

    def _object(self, name: str) -> _taut.SceneObject:
        if name not in self.objects:
            raise KeyError(f"the scene has no object '{name}'; it has {', '.join(self.objects) or 'none'}")
        return self.objects[name]

    def close(self) -> None:
        """Ends the world. Its memory stays as long as views of it do."""
        self.world.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Result:
    """What a run recorded: arrays with a row per recorded frame, by the names of `record`, such as `result.positions`.

    frames: numbers of the recorded frames; times: s; info: the report of every step, from frame 1 on; scene: the scene;
    outcome: "done", or the sentence of the failure that ended the run early.
    """

    def __init__(self, scene: _taut.SceneFile, frames: list[int], fields: dict[str, list[numpy.ndarray]],
                 info: list[_taut.StepInfo], outcome: str) -> None:
        self.scene = scene
        self.frames = numpy.array(frames, dtype=numpy.int64)
        self.times = self.frames / scene.fps
        self.info = info
        self.outcome = outcome
        self.fields = {name: numpy.stack(values) for name, values in fields.items()}

    def __getattr__(self, name: str) -> numpy.ndarray:
        fields = self.__dict__.get("fields", {})
        if name not in fields:
            raise AttributeError(f"the run has not recorded '{name}'; it has {', '.join(fields) or 'nothing'}")
        return fields[name]

    def object(self, name: str, field: str = "positions") -> numpy.ndarray:
        """A field of one object: frames x count x columns. positions and velocities are of vertices, orientations and
        angular_velocities of frames."""
        found = next((o for o in self.scene.object_list if o.name == name), None)
        if found is None:
            raise KeyError(f"the scene has no object '{name}'")
        if field not in _FIELDS[:4]:
            raise ValueError(f"'{field}' is of no object")
        part = found.frames if field in ("orientations", "angular_velocities") else found.points
        return getattr(self, field)[:, part.start:part.stop]

    def values(self, name: str) -> numpy.ndarray:
        """A number of every report, such as values("residual") or values("iterations")."""
        return numpy.array([getattr(info, name) for info in self.info])

    def save(self, path: str | os.PathLike) -> None:
        """Writes frames, times and fields to a file of numpy.savez."""
        numpy.savez(path, frames=self.frames, times=self.times, **self.fields)


def _bar(frames: int, progress: bool | collections.abc.Callable[[int, int], object]) -> collections.abc.Callable[[int], None]:
    """Called after each frame: tqdm's bar, the caller's function, or nothing."""
    if callable(progress):
        return lambda frame: progress(frame, frames) and None
    if not progress:
        return lambda frame: None
    try:
        import tqdm
    except ImportError:
        return lambda frame: print(f"\rframe {frame} of {frames}", end="\n" if frame == frames else "", flush=True)
    bar = tqdm.tqdm(total=frames, unit="frame")
    return lambda frame: (bar.update(1), bar.close() if frame == frames else None) and None


class _Recorder:
    def __init__(self, simulation: Simulation, record: collections.abc.Sequence[str], every: int) -> None:
        unknown = [name for name in record if name not in _FIELDS]
        if unknown or every < 1:
            raise ValueError(f"record: takes {', '.join(_FIELDS)}" if unknown else "every: is at least 1")
        self.world, self.every = simulation.world, every
        self.frames: list[int] = []
        self.fields: dict[str, list[numpy.ndarray]] = {name: [] for name in record}

    def take(self, frame: int) -> None:
        if frame % self.every == 0:
            self.frames.append(frame)
            for name, values in self.fields.items():
                values.append(self.world.read(name))


def run(scene: SceneLike | Simulation, frames: int | None = None, *, progress: bool | collections.abc.Callable = False,
        record: collections.abc.Sequence[str] = ("positions",), every: int = 1, export: str | None = None,
        out: str | os.PathLike = "out", each: collections.abc.Callable[[Simulation], object] | None = None,
        strict: bool = True, **world: typing.Any) -> Result:
    """Simulates a scene and returns what it recorded.

    scene: a path, a dict, a loaded scene, or a Simulation, which goes on where it is
    frames: default: those of the scene
    progress: True: a bar (tqdm, where it is installed); or a function of the frame and of all frames
    record: fields that every `every`-th frame records, the first one too: positions, velocities, orientations,
        angular_velocities, violations, multipliers
    export: formats that the tool's writers write to the folder `out`: "usda", "obj", "ply", "pc2", with commas between
    each: called with the Simulation before each step; it may move things
    strict: False: a step that fails ends the run with what it has, and `outcome` tells why
    world: members of the world, as Simulation takes them
    """
    if isinstance(scene, Simulation) and world:
        raise TypeError(f"the simulation has its world already: {', '.join(world)} cannot be set")
    simulation = scene if isinstance(scene, Simulation) else Simulation(scene, **world)
    count = simulation.scene.frames if frames is None else frames
    recorder = _Recorder(simulation, record, every)
    exporter = _taut.Exporter(simulation.scene, os.fspath(out), export) if export else None
    try:
        info, outcome = _run_frames(simulation, count, recorder, exporter, _bar(count, progress), each, strict)
    finally:
        if exporter:
            exporter.close()
    return Result(simulation.scene, recorder.frames, recorder.fields, info, outcome)


def _run_frames(simulation: Simulation, count: int, recorder: _Recorder, exporter: _taut.Exporter | None,
                told: collections.abc.Callable[[int], None], each: collections.abc.Callable | None,
                strict: bool) -> tuple[list[_taut.StepInfo], str]:
    info: list[_taut.StepInfo] = []
    recorder.take(simulation.frame)
    if exporter:
        exporter.write(simulation.world, 0)
    for frame in range(1, count + 1):
        try:
            if each:
                each(simulation)
            info.append(simulation.step())
            if simulation.scene.require_convergence and info[-1].outcome != "converged":
                raise _taut.Error(f"frame {simulation.frame}: the solver did not converge ({info[-1].outcome}, residual "
                                  f"{info[-1].residual:.2g})")
        except _taut.Error as error:
            if strict:
                raise
            return info, str(error)
        recorder.take(simulation.frame)
        if exporter:
            exporter.write(simulation.world, frame)
        told(frame)
    return info, "done"
