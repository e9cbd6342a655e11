"""Type stubs as a checker reads them, and the examples in docstrings."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import numpy
import pytest

import taut

GOOD = """
import numpy
import taut

scene = taut.Scene()
reveal_type(scene.add_particles(positions=numpy.eye(3), masses=[1, 2, 3]))
links = scene.add_distances(particles=[[0, 1]], compliance=1e-3)
with taut.World(scene, backend="cpu", integrator={"substeps": 2}) as world:
    world.step(1 / 60)
    reveal_type(world.info().residual)
    reveal_type(world.positions)
    reveal_type(numpy.asarray(world.positions))
    world.velocities = world.positions
    world.set_forces(world.positions[1:])
result = taut.run("scene.json", frames=3, progress=True, record=("positions",))
reveal_type(result.object("cloth"))
reveal_type(taut.sweep("scene.json", {"fps": [60, 120]}, checkpoint=5))
"""
BAD = """
import taut

taut.run("scene.json", framse=3, frames="many")
taut.Scene().add_distance()
taut.World(taut.Scene()).step("soon")
taut.World(taut.Scene()).positions.sum()  # nothing that lies on a device has
taut.World(taut.Scene()).set_forces(taut)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy keeps of the modules that programs import: most of its time."""
    return tmp_path_factory.mktemp("mypy")


def check(text, tmp_path, cache):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "program.py"], cwd=tmp_path,
                          capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_program_has_the_types_that_it_sees(tmp_path, cache):
    status, told = check(GOOD, tmp_path, cache)
    assert status == 0, told
    found = [line.split('"')[1] for line in told.splitlines() if "Revealed type" in line]
    assert found[0] == "range" or found[0] == "builtins.range"
    assert found[1] in ("float", "builtins.float") and "ndarray" in found[2] and "DeviceView" in found[2]
    assert "ndarray" in found[3] and "DeviceView" not in found[3] and "ndarray" in found[4]
    assert found[5].endswith("list[taut._sweep.Variant]")


def test_wrong_programs_are_told(tmp_path, cache):
    status, told = check(BAD, tmp_path, cache)
    lines = [line for line in told.splitlines() if "error:" in line]
    assert status == 1 and len(lines) >= 5, told
    assert 'Item "DeviceView"' in told and "set_forces" in told and "frames" in told and "add_distance" in told and "step" in told


@pytest.mark.parametrize("name", ["taut", *(f"taut.{m.name}" for m in pkgutil.iter_modules(taut.__path__))])
def test_examples_in_docstrings(name):
    module = pytest.importorskip(name) if name == "taut.usd" else importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"taut": taut, "numpy": numpy}, optionflags=doctest.ELLIPSIS).failed == 0


def test_there_are_examples_in_docstrings():
    names = ["taut._files", "taut._meshes", "taut._sweep", "taut._views", "taut.operators"]
    tried = [len(e.examples) for n in names for e in doctest.DocTestFinder().find(importlib.import_module(n))]
    assert sum(tried) >= 10
