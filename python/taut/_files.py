"""Scene files and dicts of the same format: reading, simulating frame by frame, results as arrays."""

from __future__ import annotations

import collections.abc
import json
import math
import operator
import os
import re
import tempfile
import typing

import numpy

if typing.TYPE_CHECKING:
    import xarray

from . import _extras, _log, _meshes, _taut, _views, _window

SceneLike = typing.Union[str, os.PathLike, collections.abc.Mapping, _taut.SceneFile]
_FIELDS = ("positions", "velocities", "orientations", "angular_velocities", "violations", "multipliers")
_UNITS = dict(zip(_FIELDS, ("m", "m/s", "1", "rad/s", "unit of the constraint", "unit of the force")))


def _plain(value: typing.Any) -> typing.Any:
    """What json does not know: arrays, numbers of NumPy, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, range):
        return list(value)
    raise TypeError(f"a scene cannot hold {type(value).__name__}")


def _count(name: str, value: typing.Any, least: int) -> int:
    """A whole number, at least `least`."""
    sentence = f"{name}: is {value!r}; it is a whole number, at least {least}"
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError(sentence)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(sentence) from None
    if number < least:
        raise ValueError(sentence)
    return number


def load(scene: SceneLike, folder: str | os.PathLike | None = None) -> _taut.SceneFile:
    """Reads and builds a scene: a path, or a dict of the same format (docs/scene-format.md), which may hold arrays.

    folder: where the meshes of a dict lie; default: the working folder. A fault raises taut.Error with file, key and cause;
    warnings go to the logger `taut` of logging.

    The "mesh" of an object of a dict may be a mesh of meshio or trimesh, or {"points": count x 3, m, "triangles": count x 3} (of
    surfaces "polygons", of soft bodies "tetrahedra": count x 4). An "animation" may hold "points": samples x count x 3, m.

    >>> corners = [[0, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]]
    >>> patch = {"points": corners, "triangles": [[0, 2, 1], [1, 2, 3]]}
    >>> scene = {"taut": 1, "objects": [{"name": "patch", "type": "cloth", "mesh": patch, "density": 0.2}]}
    >>> taut.load(scene).object_list[0].points
    range(0, 4)
    """
    if isinstance(scene, _taut.SceneFile):
        return scene
    if not isinstance(scene, collections.abc.Mapping):
        return _taut.read_scene(os.fspath(scene), _warn)
    source = os.fspath(folder) if folder is not None else ""
    if not _meshes.holds_objects(scene):
        return _parse(scene, source)
    with tempfile.TemporaryDirectory(prefix="taut-") as made:
        placed, places = _meshes.placed(scene, source, made, copy=False)
        try:
            return _parse(placed, source, places)
        except _taut.Error as error:
            raise _without_files(error, made) from None


def _warn(sentence: str) -> None:
    _log.tell("warning", sentence)


def _without_files(error: _taut.Error, folder: str) -> _taut.Error:
    """The same without the names of files that the caller knows nothing of, and their lines."""
    told = _taut.Error(re.sub(re.escape(folder + os.sep) + r"\S*?(:\d+)?: ", "", str(error)))
    told.status = error.status
    return told


def _parse(scene: collections.abc.Mapping, folder: str, places: collections.abc.Mapping[str, str] = {}) -> _taut.SceneFile:
    def warn(sentence: str) -> None:
        for path, place in places.items():
            sentence = sentence.replace(path, f"scene: {place}")
        _warn(sentence)

    return _taut.parse_scene(_text(scene), os.path.join(folder, "scene"), warn)


def _text(scene: collections.abc.Mapping, **layout: typing.Any) -> str:
    try:
        return json.dumps(scene, default=_plain, allow_nan=False, **layout)
    except ValueError as error:
        if "JSON compliant" not in str(error):
            raise
        place, value = next(_not_finite(scene, ""), ("", math.nan))
        raise ValueError(f"scene: {place} is {value}; numbers of a scene are finite") from None


def _not_finite(value: typing.Any, place: str) -> collections.abc.Iterator[tuple[str, float]]:
    """The keys of numbers that are not finite."""
    if isinstance(value, collections.abc.Mapping):
        for key, inner in value.items():
            yield from _not_finite(inner, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from _not_finite(inner, f"{place}[{i}]")
    elif hasattr(value, "tolist"):
        yield from _not_finite(value.tolist(), place)
    elif isinstance(value, float) and not math.isfinite(value):
        yield place, value


def save_scene(scene: str | os.PathLike | collections.abc.Mapping[str, typing.Any], out: str | os.PathLike,
               folder: str | os.PathLike | None = None) -> str:
    """Writes a scene to the folder `out` with all that it needs: scene.json, and its meshes and animations beside it. Returns the
    path of scene.json, which `taut run` and taut.load take.

    scene: a path, or a dict as taut.load takes it; folder: where the meshes of a dict lie
    """
    if not isinstance(scene, collections.abc.Mapping):
        folder = os.path.dirname(os.fspath(scene))
        with open(scene, encoding="utf-8") as file:
            held = json.load(file)
    else:
        held = scene
    os.makedirs(out, exist_ok=True)
    placed, _ = _meshes.placed(held, os.fspath(folder) if folder is not None else "", os.fspath(out), copy=True)
    path = os.path.join(os.fspath(out), "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_text(placed, indent=1) + "\n")
    return path


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

    def positions(self, name: str) -> numpy.ndarray | _views.DeviceView:
        """The vertices of an object now, count x 3, m: a view, on CUDA a DeviceView."""
        points = self._object(name).points
        return self.world.positions[points.start:points.stop]

    def orientations(self, name: str) -> numpy.ndarray | _views.DeviceView:
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

    def view(self, on_frame: collections.abc.Callable[[Simulation], object] | None = None, **options: typing.Any) -> None:
        """Shows the simulation in a window while it runs, and returns when the window is closed; `frame` is then where it is.

        on_frame: called with the Simulation before each step; it may move and set things, and closes the window by returning False
        options: those of World.view, such as size, camera or colour
        """
        first = self.frame

        def take(frame: int) -> None:
            self.frame = frame

        def before(frame: int) -> object:
            take(frame)
            return on_frame(self) if on_frame else None

        _window.show(self.world, before=before, after=take, frame=first, **{"title": f"taut: {self.scene.path}", **options})

    def close(self) -> None:
        """Ends the world. Its memory stays as long as views of it do."""
        self.world.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Part(typing.NamedTuple):
    """What a result knows of an object of its scene."""

    name: str
    points: range
    frames: range


class Result:
    """What a run recorded: arrays with a row per recorded frame, by the names of `record`, such as `result.positions`.

    frames: numbers of the recorded frames; times: s; info: the report of every step, from frame 1 on; scene: the scene;
    outcome: "done", or the sentence of the failure that ended the run early.

    It can be pickled, as workers of multiprocessing do with what they return: all but the scene, which is None then.
    """

    def __init__(self, scene: _taut.SceneFile, frames: list[int], fields: dict[str, list[numpy.ndarray]],
                 info: list[_taut.StepInfo], outcome: str) -> None:
        self.scene = scene
        self._parts = [_Part(o.name, o.points, o.frames) for o in scene.object_list]
        self.frames = numpy.array(frames, dtype=numpy.int64)
        self.times = self.frames / scene.fps
        self.info = info
        self.outcome = outcome
        self.fields = {name: numpy.stack(values) for name, values in fields.items()}

    def __getstate__(self) -> dict[str, typing.Any]:
        return {**self.__dict__, "scene": None}

    def __copy__(self) -> Result:
        made = Result.__new__(Result)
        made.__dict__.update(self.__dict__)
        return made

    def __getattr__(self, name: str) -> numpy.ndarray:
        fields = self.__dict__.get("fields", {})
        if name not in fields:
            raise AttributeError(f"the run has not recorded '{name}'; it has {', '.join(fields) or 'nothing'}")
        return fields[name]

    def object(self, name: str, field: str = "positions") -> numpy.ndarray:
        """A field of one object: frames x count x columns. positions and velocities are of vertices, orientations and
        angular_velocities of frames."""
        found = next((part for part in self._parts if part.name == name), None)
        if found is None:
            raise KeyError(f"the scene has no object '{name}'")
        if field not in _FIELDS[:4]:
            raise ValueError(f"'{field}' is of no object")
        part = found.frames if field in ("orientations", "angular_velocities") else found.points
        return getattr(self, field)[:, part.start:part.stop]

    def values(self, name: str) -> numpy.ndarray:
        """A number of every report, such as values("residual") or values("iterations")."""
        if not hasattr(_taut.StepInfo, name):  # where there are no reports, too
            raise AttributeError(f"reports have no '{name}'; taut.StepInfo lists what they have")
        return numpy.array([getattr(info, name) for info in self.info])

    def save(self, path: str | os.PathLike) -> None:
        """Writes frames, times and fields to a file of numpy.savez."""
        numpy.savez(path, frames=self.frames, times=self.times, **typing.cast(typing.Any, self.fields))

    def to_xarray(self) -> xarray.Dataset:
        """The fields as an xarray.Dataset (the extra `xarray`), without a copy: dimensions frame; point, body or row; component.
        The coordinates are frame, time (s), and object, the name of what a point or body belongs to."""
        try:
            import xarray
        except ModuleNotFoundError as error:
            raise _extras.missing("to_xarray", error, "xarray") from None
        rows = dict.fromkeys(("positions", "velocities"), "point") | dict.fromkeys(("orientations", "angular_velocities"), "body")
        names = {"point": self._names("points"), "body": self._names("frames")}
        data: dict[str, typing.Any] = {}
        places: dict[str, typing.Any] = {"frame": self.frames, "time": ("frame", self.times, {"units": "s"})}
        for name, values in self.fields.items():
            row = rows.get(name, "row_of_" + name)
            component = ([f"component_of_{name}"] if values.shape[-1] != 3 else ["component"]) if values.ndim == 3 else []
            data[name] = (["frame", row, *component], values, {"units": _UNITS[name]})
            if row in names:
                places[f"object_of_{row}"] = (row, names[row][:values.shape[1]])
        return xarray.Dataset(data, places)

    def _names(self, part: str) -> numpy.ndarray:
        owned = [(getattr(o, part), o.name) for o in self._parts]
        names = numpy.full(max((numbers.stop for numbers, _ in owned), default=0), "", dtype=object)
        for numbers, name in owned:
            names[numbers.start:numbers.stop] = name
        return names


def _bar(frames: int, progress: bool | collections.abc.Callable[[int, int], object],
         unit: str = "frame") -> collections.abc.Callable[[int], object]:
    """Called after each frame: tqdm's bar, the caller's function, or nothing."""
    if callable(progress):
        return lambda frame: progress(frame, frames)
    if not progress:
        return lambda frame: None
    try:
        import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return lambda frame: print(f"\r{unit} {frame} of {frames}", end="\n" if frame == frames else "", flush=True)
    bar = tqdm.tqdm(total=frames, unit=unit)

    def tell(frame: int) -> None:
        bar.update(1)
        if frame == frames:
            bar.close()

    return tell


def _recorded(record: collections.abc.Sequence[str]) -> list[str]:
    unknown = [name for name in record if name not in _FIELDS]
    if unknown:
        raise ValueError(f"record: has {unknown[0]!r}; takes {', '.join(_FIELDS)}")
    return list(record)


class _Recorder:
    def __init__(self, simulation: Simulation, record: collections.abc.Sequence[str], every: int) -> None:
        self.world, self.every = simulation.world, _count("every", every, 1)
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
        after: collections.abc.Callable[[Simulation], object] | None = None, strict: bool = True, **world: typing.Any) -> Result:
    """Simulates a scene and returns what it recorded.

    scene: a path, a dict, a loaded scene, or a Simulation, which goes on where it is
    frames: default: those of the scene
    progress: True: a bar (tqdm, where it is installed); or a function of the frame and of all frames
    record: fields that every `every`-th frame records, the first one too: positions, velocities, orientations,
        angular_velocities, violations, multipliers
    export: formats that the tool's writers write to the folder `out`: "usda", "obj", "ply", "pc2", with commas between
    each: called with the Simulation before each step; it may move things
    after: called with the Simulation after each step
    strict: False: a step that fails ends the run with what it has, and `outcome` tells why
    world: members of the world, as Simulation takes them

    >>> falling = {"taut": 1, "objects": [{"name": "dot", "type": "particles", "positions": [[0, 1, 0]]}]}
    >>> result = taut.run(falling, frames=30)
    >>> result.positions.shape, float(result.times[-1]), bool(result.object("dot")[-1, 0, 1] < 0)
    ((31, 1, 3), 0.5, True)
    """
    frames = None if frames is None else _count("frames", frames, 0)
    if isinstance(scene, Simulation) and world:
        raise TypeError(f"the simulation has its world already: {', '.join(world)} cannot be set")
    record = _recorded(record)
    simulation = scene if isinstance(scene, Simulation) else Simulation(scene, **world)
    count = simulation.scene.frames if frames is None else frames
    recorder = _Recorder(simulation, record, every)
    exporter = _taut.Exporter(simulation.scene, os.fspath(out), export) if export else None
    told = _bar(count, progress)

    def keep(frame: int) -> None:
        recorder.take(simulation.frame)
        if exporter:
            exporter.write(simulation.world, frame)

    def finish(frame: int) -> None:
        keep(frame)
        if after:
            after(simulation)
        told(frame)

    try:
        keep(0)
        info, outcome = _run_frames(simulation, count, each, finish, strict)
    finally:
        if exporter:
            exporter.close()
    return Result(simulation.scene, recorder.frames, recorder.fields, info, outcome)


def view(scene: SceneLike | Simulation, on_frame: collections.abc.Callable[[Simulation], object] | None = None, *,
         world: collections.abc.Mapping[str, typing.Any] | None = None, **options: typing.Any) -> Simulation:
    """Shows a scene in a window while it runs, and returns its Simulation when the window is closed. The mouse drags things.

    scene: a path, a dict, a loaded scene, or a Simulation, which goes on where it is
    on_frame, options: as Simulation.view takes them
    world: members of the world, as Simulation takes them. Default: room for one target to drag things by, where the method of the
        scene can have it. The world measures its stages and keeps residuals, unless `world` says otherwise
    """
    shown = {"profile": True, "residuals": True}  # what the plots and colours tell
    if isinstance(scene, Simulation):
        simulation = scene
    elif world is not None:
        simulation = Simulation(scene, **{**shown, **world})
    else:
        loaded = load(scene)
        try:
            simulation = Simulation(loaded, reserve={"targets": 1}, **shown)
        except _taut.Error:
            simulation = Simulation(loaded, **shown)
    simulation.view(on_frame, **options)
    return simulation


def _run_frames(simulation: Simulation, count: int, each: collections.abc.Callable | None,
                finish: collections.abc.Callable[[int], None], strict: bool) -> tuple[list[_taut.StepInfo], str]:
    info: list[_taut.StepInfo] = []
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
        finish(frame)
    return info, "done"
