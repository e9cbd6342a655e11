"""Variants of a scene, each in a folder of its own, run where a client runs them, and resumed where they were killed.

A folder of a variant, named by its hash:
    scene.json, meshes      what is simulated
    variant.json            values, settings, version, hash
    part-A-B.npz            what frames A to B recorded, and their reports
    checkpoint.taut         the state after the last part: a state of World.save behind its frame
    starts.jsonl            a line each time that a process began or went on
    result.npz, done.json   when it is complete; parts and checkpoint are removed then"""

from __future__ import annotations

import collections.abc
import contextlib
import copy
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import struct
import tempfile
import typing

import numpy

from . import _files, _taut

Path = typing.Union[str, "os.PathLike[str]"]
Key = typing.Union[str, typing.Tuple[typing.Union[str, int], ...]]
Values = typing.Union[typing.Mapping[Key, typing.Sequence[typing.Any]], typing.Sequence[typing.Mapping[Key, typing.Any]]]
_REPORTS = ("iterations", "residual", "penetration", "contacts", "kinetic", "potential", "elastic")
_FRAME = struct.Struct("<8sQ")
_MARK = b"tautpart"


class Variant:
    """One variant: values (key: value), folder, hash; frames, outcome ("done", the sentence of a failure, or "" while it is not
    complete) and not_converged, the number of such frames."""

    def __init__(self, folder: Path) -> None:
        self.folder = pathlib.Path(folder)
        about = json.loads((self.folder / "variant.json").read_text())
        self.values: dict[str, typing.Any] = about["values"]
        self.settings: dict[str, typing.Any] = about["settings"]
        self.version: str = about["version"]
        self.hash: str = about["hash"]

    @property
    def done(self) -> dict[str, typing.Any]:
        path = self.folder / "done.json"
        return json.loads(path.read_text()) if path.is_file() else {"outcome": "", "frames": 0, "not_converged": 0}

    @property
    def outcome(self) -> str:
        return self.done["outcome"]

    @property
    def not_converged(self) -> int:
        return self.done["not_converged"]

    def load(self) -> dict[str, numpy.ndarray]:
        """Arrays with a row per recorded frame: frames, times (s), and what was recorded, such as positions; and with a row per
        frame from 1 on the reports: iterations, residual, ..., converged."""
        path = self.folder / "result.npz"
        if not path.is_file():
            raise FileNotFoundError(f"{self.folder} has no result: {self.outcome or 'it is not complete'}")
        with numpy.load(path) as file:
            return dict(file)

    def __repr__(self) -> str:
        return f"Variant({self.values}, {str(self.folder)!r}, {self.outcome!r})"


# ---- planning -------------------------------------------------------------------------------------------------------------

def _place(scene: typing.Any, key: Key, value: typing.Any) -> None:
    """Sets scene["a"]["b"] for "a.b". In lists a part is a number or a name; "objects[0].air" is "objects.0.air".

    >>> scene = {"objects": [{"name": "flag"}]}
    >>> _place(scene, "objects.flag.air.drag", 0.5)
    >>> _place(scene, ("objects", 0, "air", "lift"), 1)
    >>> scene
    {'objects': [{'name': 'flag', 'air': {'drag': 0.5, 'lift': 1}}]}
    """
    parts = [str(part) for part in key] if isinstance(key, tuple) else re.sub(r"\[(\w+)\]", r".\1", key).split(".")
    at = scene
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        if isinstance(at, list):
            found = next((i for i, item in enumerate(at) if isinstance(item, dict) and item.get("name") == part), None)
            if found is None and not (part.lstrip("-").isdigit() and int(part) < len(at)):
                raise KeyError(f"{'.'.join(parts)}: there is no '{part}'")
            place: typing.Any = int(part) if found is None else found
        elif isinstance(at, dict):
            place = part
        else:
            raise KeyError(f"{'.'.join(parts)}: '{parts[depth - 1]}' has no parts")
        if last:
            at[place] = value
        elif isinstance(at, dict):
            at = at.setdefault(place, {})
        else:
            at = at[place]


def _combinations(values: Values) -> list[dict[Key, typing.Any]]:
    if isinstance(values, collections.abc.Mapping):
        keys = list(values)
        return [dict(zip(keys, row)) for row in itertools.product(*(list(values[key]) for key in keys))]
    return [dict(row) for row in values]


def _hash(folder: pathlib.Path, settings: dict[str, typing.Any]) -> str:
    """Of all that decides the result: files, settings and version."""
    digest = hashlib.sha256(json.dumps([settings, _taut.__version__], sort_keys=True).encode())
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@contextlib.contextmanager
def _whole(path: pathlib.Path) -> collections.abc.Iterator[typing.IO[bytes]]:
    """A file that appears whole under its name."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(name, path)


def _write(path: pathlib.Path, data: bytes) -> None:
    with _whole(path) as file:
        file.write(data)


def _save(path: pathlib.Path, arrays: dict[str, numpy.ndarray]) -> None:
    with _whole(path) as file:
        numpy.savez(file, **typing.cast(typing.Any, arrays))


def _text(value: typing.Any) -> bytes:
    return (json.dumps(value, indent=1, default=_files._plain) + "\n").encode()


def plan(scene: Path | collections.abc.Mapping[str, typing.Any], values: Values, out: Path = "sweep", *, folder: Path | None = None,
         frames: int | None = None, record: collections.abc.Sequence[str] = ("positions",), every: int = 1, checkpoint: int = 20,
         **world: typing.Any) -> list[Variant]:
    """Makes the folders of all variants, and variants.json with their names; runs nothing. Arguments: see sweep."""
    if isinstance(scene, collections.abc.Mapping):
        base = dict(scene)
    else:
        folder = os.path.dirname(os.fspath(scene))
        base = json.loads(pathlib.Path(scene).read_text())
    frames = None if frames is None else _files._count("frames", frames, 0)
    every, checkpoint = _files._count("every", every, 1), _files._count("checkpoint", checkpoint, 1)
    record = _files._recorded(record)
    root = pathlib.Path(out).absolute()
    root.mkdir(parents=True, exist_ok=True)
    settings = {"frames": frames, "record": record, "every": every, "world": {"threads": 1, **world}}
    variants = [_make(base, chosen, root, folder, settings, checkpoint) for chosen in _combinations(values)]
    _write(root / "variants.json", _text([variant.folder.name for variant in variants]))
    return variants


def _make(base: dict[str, typing.Any], chosen: dict[Key, typing.Any], root: pathlib.Path, folder: Path | None,
          settings: dict[str, typing.Any], checkpoint: int) -> Variant:
    scene = copy.deepcopy(base)
    for key, value in chosen.items():
        _place(scene, key, value)
    made = pathlib.Path(tempfile.mkdtemp(dir=root, prefix=".new-"))
    try:
        _files.save_scene(scene, made, folder)
        name = _hash(made, settings)
        named = {key if isinstance(key, str) else ".".join(map(str, key)): value for key, value in chosen.items()}
        about = {"values": named, "settings": settings, "checkpoint": checkpoint, "version": _taut.__version__, "hash": name}
        _write(made / "variant.json", _text(about))
        target = root / name[:12]
        if not target.exists():
            made.chmod(0o755)
            with contextlib.suppress(OSError):  # another process was first
                made.rename(target)
        variant = Variant(target)
        variant.values = named  # of this call: another one may have made the folder by other keys
        return variant
    finally:
        shutil.rmtree(made, ignore_errors=True)


# ---- running --------------------------------------------------------------------------------------------------------------

class _Refused(Exception):
    """The scene of a variant is not one."""


def _end(folder: pathlib.Path, outcome: str, frames: int = 0, not_converged: int = 0) -> dict[str, typing.Any]:
    """Says in done.json how a variant ended."""
    told = {"outcome": outcome, "frames": frames, "not_converged": not_converged}
    _write(folder / "done.json", _text(told))
    return told


class _Run:
    """A variant in a process: goes on behind its last part, and writes the next ones."""

    def __init__(self, folder: pathlib.Path) -> None:
        about = json.loads((folder / "variant.json").read_text())
        self.folder, self.settings, self.period = folder, about["settings"], about["checkpoint"]
        if about["version"] != _taut.__version__:
            raise RuntimeError(f"{folder}: is of version {about['version']} and this is {_taut.__version__}: plan it anew")
        try:
            self.simulation = _files.Simulation(os.fspath(folder / "scene.json"), **self.settings["world"])
        except _taut.Error as error:
            raise _Refused(str(error)) from error
        frames = self.settings["frames"]
        self.frames = self.simulation.scene.frames if frames is None else frames
        self._go_on()
        with open(folder / "starts.jsonl", "a") as file:
            file.write(json.dumps({"frame": self.simulation.frame, "host": os.uname().nodename, "process": os.getpid()}) + "\n")

    def _go_on(self) -> None:
        path = self.folder / "checkpoint.taut"
        if not path.is_file():
            return
        block = path.read_bytes()
        mark, frame = _FRAME.unpack_from(block)
        if mark != _MARK:
            raise RuntimeError(f"{path}: is no checkpoint of a sweep")
        state, world = block[_FRAME.size:], self.simulation.world
        room = _taut.World.describe_saved(state).contact_capacity
        if room:  # as much as it had: sums depend on it
            world.grow_contacts(room)
        world.load(state)
        self.simulation.frame = frame

    def part(self) -> str:
        """Simulates until the next checkpoint, and returns the outcome: "" where frames are left."""
        first = self.simulation.frame
        count = min(self.period - first % self.period, self.frames - first)
        record = _files._Recorder(self.simulation, self.settings["record"], self.settings["every"])
        if first == 0:
            record.take(0)
        info, outcome = _files._run_frames(self.simulation, count, None, lambda _: record.take(self.simulation.frame), False)
        fields = {name: numpy.stack(values) for name, values in record.fields.items() if values}
        reports = {name: numpy.array([getattr(i, name) for i in info]) for name in _REPORTS}
        reports["converged"] = numpy.array([i.outcome == "converged" for i in info], dtype=bool)
        self._keep(first, numpy.array(record.frames, dtype=numpy.int64), fields, reports)
        if outcome == "done" and self.simulation.frame < self.frames:
            _write(self.folder / "checkpoint.taut", _FRAME.pack(_MARK, self.simulation.frame) + self.simulation.world.save())
            return ""
        return outcome

    def _keep(self, first: int, frames: numpy.ndarray, fields: dict, reports: dict) -> None:
        name = f"part-{first:08d}-{self.simulation.frame:08d}.npz"
        _save(self.folder / name, {"frames": frames, **fields, **reports})

    def finish(self, outcome: str) -> dict[str, typing.Any]:
        parts = []
        for path in sorted(self.folder.glob("part-*.npz")):
            with numpy.load(path) as file:
                parts.append(dict(file))
        names = sorted({name for part in parts for name in part})
        whole = {name: numpy.concatenate([part[name] for part in parts if name in part]) for name in names}
        whole["times"] = whole["frames"] / self.simulation.scene.fps
        _save(self.folder / "result.npz", whole)
        told = _end(self.folder, outcome, int(self.simulation.frame), int((~whole["converged"]).sum()))
        for path in [*self.folder.glob("part-*.npz"), self.folder / "checkpoint.taut"]:
            path.unlink(missing_ok=True)
        return told


def run_variant(folder: Path) -> dict[str, typing.Any]:
    """Runs a variant to its end in this process, from its last checkpoint on, and returns what done.json then has. A variant that
    is complete is not run again."""
    path = pathlib.Path(folder)
    if (path / "done.json").is_file():
        return json.loads((path / "done.json").read_text())
    try:
        run = _Run(path)
    except _Refused as refused:
        return _end(path, str(refused))
    outcome = ""
    while not outcome:
        outcome = run.part()
    return run.finish(outcome)


@contextlib.contextmanager
def _client_of(client: typing.Any) -> collections.abc.Iterator[typing.Any]:
    if client is not None:
        yield client
        return
    try:
        import distributed
    except ImportError:
        raise ImportError("taut.sweep without a client needs Dask: pip install 'taut[sweep]'") from None
    with distributed.LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as made:
            yield made


def _refuse_if_all_are(variants: list[Variant]) -> None:
    """A mistake in all of them is told at once."""
    first = None
    for variant in variants:
        try:
            _files.load(os.fspath(variant.folder / "scene.json"))
            return
        except _taut.Error as error:
            first = first or error
    if first:
        raise first


def sweep(scene: Path | collections.abc.Mapping[str, typing.Any], values: Values, out: Path = "sweep", *, client: typing.Any = None,
          folder: Path | None = None, frames: int | None = None, record: collections.abc.Sequence[str] = ("positions",),
          every: int = 1, checkpoint: int = 20, progress: bool | collections.abc.Callable[[int, int], object] = False,
          **world: typing.Any) -> list[Variant]:
    """Runs a scene with all combinations of values, each in a folder of its own under `out`, and returns the variants.

    scene: a path, or a dict as taut.load takes it, with `folder`, where its meshes lie
    values: {"objects.flag.air.drag": [0.3, 0.6], ...}: all combinations; or a list of dicts: one variant for each. In lists a part
        of a key is a number or the name of an item; a tuple of parts may have dots in them
    client: what has submit(): a dask.distributed.Client (on Slurm and the like one of a dask_jobqueue cluster), or an executor of
        concurrent.futures. Workers need taut and the folder `out`. Default: Dask on this machine, a process per processor
    frames, record, every: as of taut.run
    checkpoint: frames between two saved states. A worker that dies loses at most that many: its variant goes on elsewhere, with
        the bits of a run without interruption. The same call again runs only what is not complete
    progress: True: a bar of the variants
    world: members of the world, plain values; the default is threads=1

    A failure of a step ends its variant alone, and is its outcome; likewise a scene that is refused, unless all of them are.
    """
    variants = plan(scene, values, out, folder=folder, frames=frames, record=record, every=every, checkpoint=checkpoint, **world)
    left = [variant for variant in variants if not variant.outcome]
    _refuse_if_all_are(left)
    tell = _files._bar(len(left), progress, "variant")
    with _client_of(client if left else ()) as chosen:
        dask = {"pure": False, "retries": 2} if hasattr(chosen, "scheduler_info") else {}
        futures = [chosen.submit(run_variant, os.fspath(variant.folder), **dask) for variant in left]
        for number, future in enumerate(futures, 1):
            future.result()
            tell(number)
    return variants
