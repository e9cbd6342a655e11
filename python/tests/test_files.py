"""Scene files and dicts, runs, results, writers, the demo."""

import concurrent.futures
import copy
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys

import numpy
import pytest

import taut

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/scenes"


def test_a_dict_and_its_file_are_one_scene(cloth_file, tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(cloth_file))
    ends = [taut.run(scene, backend="cpu").positions[-1] for scene in (cloth_file, path, str(path))]
    numpy.testing.assert_array_equal(ends[0], ends[1])
    numpy.testing.assert_array_equal(ends[0], ends[2])


def test_objects_by_name(cloth_file):
    with taut.Simulation(cloth_file) as simulation:
        assert list(simulation.objects) == ["cloth", "ball"]
        cloth, ball = simulation.objects["cloth"], simulation.objects["ball"]
        assert (cloth.type, cloth.points, cloth.triangles.shape) == ("cloth", range(0, 49), (72, 3))
        assert (ball.type, ball.points, ball.frames) == ("rigid", range(49, 50), range(0, 1))
        assert ball.bodies.tolist() == [[49, 0]] and cloth.bodies.shape == (0, 2)
        assert cloth.triangles.max() == 48 and not cloth.triangles.flags.owndata
        assert simulation.positions("cloth").shape == (49, 3) and simulation.orientations("ball").shape == (1, 4)
        with pytest.raises(KeyError, match="no object 'sheet'; it has cloth, ball"):
            simulation.positions("sheet")
        assert simulation.scene.batches["objects[0].shear"]
        assert "objects[0].stretch" in simulation.scene.batches
    del simulation
    assert cloth.triangles.max() == 48  # the object keeps the scene


def test_pins_move_as_the_file_says(cloth_file):
    with taut.Simulation(cloth_file) as simulation:
        start = simulation.positions("cloth")[0].copy()
        for _ in range(6):
            info = simulation.step()
        assert simulation.frame == 6 and simulation.time == pytest.approx(0.1)
        assert info.step == 6
        numpy.testing.assert_allclose(simulation.positions("cloth")[0] - start, [0, 0.1, 0], atol=1e-12)


def test_a_run_has_the_numbers_of_the_tool(cloth_file, tmp_path):
    """The tool is another program: what it writes is compared with what this run returns."""
    tool = pathlib.Path(os.environ.get("TAUT_PROGRAM", pathlib.Path(__file__).parents[2] / "build/release/bin/taut"))
    if not tool.is_file():
        pytest.skip("the command-line tool is not built")
    (tmp_path / "scene.json").write_text(json.dumps(cloth_file))
    subprocess.run([tool, "run", "scene.json", "--backend", "cpu", "--stats", "stats.jsonl", "--export", "pc2"], cwd=tmp_path,
                   check=True, capture_output=True)
    lines = [json.loads(line) for line in (tmp_path / "stats.jsonl").read_text().splitlines()]
    result = taut.run(tmp_path / "scene.json", backend="cpu", export="pc2", out=tmp_path / "here")
    assert [line["iterations"] for line in lines] == result.values("iterations").tolist()
    assert (tmp_path / "here/cloth.pc2").read_bytes() == (tmp_path / "out/cloth.pc2").read_bytes()
    with pytest.raises(AttributeError, match="nix"):
        taut.run(cloth_file, frames=0).values("nix")


def test_results(cloth_file, tmp_path):
    seen = []
    result = taut.run(cloth_file, frames=4, record=("positions", "velocities", "orientations"), every=2,
                      progress=lambda frame, frames: seen.append((frame, frames)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert result.positions.shape == (3, 50, 3) and result.frames.tolist() == [0, 2, 4]
    numpy.testing.assert_allclose(result.times, [0, 2 / 60, 4 / 60])
    assert result.object("cloth").shape == (3, 49, 3) and result.object("ball", "orientations").shape == (3, 1, 4)
    assert len(result.info) == 4 and result.outcome == "done"
    with pytest.raises(AttributeError, match="has not recorded 'multipliers'; it has positions, velocities, orientations"):
        result.multipliers
    result.save(tmp_path / "result.npz")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "result.npz")["positions"], result.positions)
    with pytest.raises(ValueError, match="takes positions"):
        taut.run(cloth_file, record=("colours",))


def test_results_are_pickled_without_their_scene(cloth_file):
    result = taut.run(cloth_file, frames=3, record=("positions", "orientations"), threads=1)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as workers:
        there = workers.submit(taut.run, cloth_file, frames=3, record=("positions", "orientations"), threads=1).result()
    for other in (there, pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other.scene is None and other.outcome == "done" and other.times.tolist() == result.times.tolist()
        for name, field in (("cloth", "positions"), ("ball", "orientations")):
            numpy.testing.assert_array_equal(other.object(name, field), result.object(name, field))
        assert other.values("iterations").tolist() == result.values("iterations").tolist()
        with pytest.raises(KeyError, match="no object 'sheet'"):
            other.object("sheet")
        with pytest.raises(AttributeError, match="has not recorded 'velocities'"):
            other.velocities
    assert copy.copy(result).scene is result.scene


def test_reports_are_pickled(cloth_file):
    with taut.Simulation(cloth_file) as simulation:
        info, choice, overlaps = simulation.step(), simulation.world.choice(), simulation.world.overlaps()
        saved = taut.World.describe_saved(simulation.world.save())
    ranges = taut.Scene().add_bodies(positions=[[0, 0, 0], [1, 0, 0]])
    for report in (info, choice, overlaps, saved, ranges):
        again = pickle.loads(pickle.dumps(report))
        assert type(again) is type(report) and again.as_dict() == report.as_dict()
        assert copy.deepcopy(report).as_dict() == report.as_dict()
    assert math.isfinite(info.residual) and info.max_violation["distance"] == pickle.loads(pickle.dumps(info)).max_violation["distance"]
    for change in ({"colour": 1}, {"step": "first"}, {"max_violation": {}}):
        with pytest.raises(ValueError, match="taut_step_info: was made by another version"):
            taut.StepInfo.__new__(taut.StepInfo).__setstate__({**info.as_dict(), **change})


@pytest.mark.parametrize("name, values, least", [("frames", (-1, -100, True, 1.5, "3", numpy.float64(3), numpy.array([3])), 0),
                                                 ("every", (0, -2, True, 1.5, None), 1)])
def test_counts_of_a_run_are_whole_numbers(cloth_file, name, values, least):
    for value in values:
        with pytest.raises((ValueError, TypeError)) as caught:
            taut.run(cloth_file, **{"frames": 2, name: value})
        assert str(caught.value) == f"{name}: is {value!r}; it is a whole number, at least {least}"
    assert taut.run(cloth_file, frames=numpy.int64(2), every=numpy.uint8(2)).frames.tolist() == [0, 2]
    assert taut.run(cloth_file, frames=0).positions.shape == (1, 50, 3)


def test_a_number_that_is_not_finite_is_named(cloth_file, tmp_path):
    cloth_file["objects"][0]["translate"] = (0, float("inf"), 0)
    with pytest.raises(ValueError, match=r"^scene: objects\[0\].translate\[1\] is inf; numbers of a scene are finite"):
        taut.load(cloth_file)
    cloth_file["objects"][0]["translate"] = [0, 0, 0]
    cloth_file["gravity"] = numpy.array([0, numpy.nan, 0])
    with pytest.raises(ValueError, match=r"gravity\[1\] is nan"):
        taut.save_scene(cloth_file, tmp_path)


def test_a_progress_bar(cloth_file, capfd):
    pytest.importorskip("tqdm")
    taut.run(cloth_file, frames=2, progress=True)
    assert "2/2 [" in capfd.readouterr().err


def test_a_run_goes_on_and_each_may_change_things(cloth_file):
    simulation = taut.Simulation(cloth_file)
    taut.run(simulation, frames=2)
    frames = []
    taut.run(simulation, frames=3, each=lambda s: frames.append(s.frame))
    assert frames == [2, 3, 4] and simulation.frame == 5
    with pytest.raises(TypeError, match="threads cannot be set"):
        taut.run(simulation, threads=1)


def test_settings_of_the_file_and_of_the_call(cloth_file):
    cloth_file["gravity"] = [0, -1, 0]
    cloth_file["solver"] = {"tolerance": 1e-6}
    world = taut.Simulation(cloth_file, solver=dict(max_iterations=7)).world
    assert world.solver["tolerance"] == 1e-6 and world.solver["max_iterations"] == 7


def test_a_budget_of_the_call_is_that_of_the_file(cloth_file):
    with pytest.raises(ValueError, match="budget_ms: must be a number above 0"):
        taut.Simulation(cloth_file, budget_ms=0)
    cloth_file["substeps"] = 8
    assert taut.run(cloth_file, budget_ms=1e-3).values("substeps")[-1] < 8  # the first frame does not know yet
    cloth_file["budget_ms"] = 1e-3
    assert all(taut.run(cloth_file, budget_ms=1e6).values("substeps") == 8)


def test_a_report_has_no_such_number(cloth_file):
    with pytest.raises(AttributeError, match="reports have no 'heat'"):
        taut.run(cloth_file, frames=1).values("heat")


def test_a_run_that_fails(cloth_file):
    cloth_file["speed_limit"] = 0.01
    with pytest.raises(taut.Error) as caught:
        taut.run(cloth_file)
    assert caught.value.status == "TAUT_DIVERGED"
    result = taut.run(cloth_file, strict=False)
    assert result.outcome != "done" and len(result.frames) >= 1


def test_room_for_contacts_grows(cloth_file):
    cloth_file["contact"] = {"capacity": 1}
    cloth_file["frames"] = 40
    view = None

    def look(simulation):
        nonlocal view
        view = simulation.world.positions if view is None else view

    result = taut.run(cloth_file, each=look)
    assert max(result.values("contacts")) > 1
    assert numpy.all(numpy.isfinite(view))


def test_arrays_in_dicts_and_more_constraints():
    file = taut.load({"taut": 1, "objects": [{"name": "dots", "type": "particles", "positions": numpy.eye(3),
                                              "masses": numpy.float64(2)}]})
    file.scene.add_distances(particles=[[0, 1]])
    assert file.world().row_count == 1


@pytest.mark.parametrize("change, sentence", [
    (dict(taut=2), "scene: taut: is 2"),
    (dict(objects=[{"name": "x", "type": "jelly"}]), r"scene: objects\[0\].type"),
    (dict(friction=1), "scene: .*friction"),
    (dict(frames=-1), "scene: frames")])
def test_bad_scenes_are_refused_with_the_place(cloth_file, change, sentence):
    cloth_file.update(change)
    with pytest.raises(taut.Error, match=sentence):
        taut.load(cloth_file)


def test_a_file_that_is_not_there():
    with pytest.raises(taut.Error, match="nowhere.json: cannot be opened"):
        taut.load("nowhere.json")


def test_meshes_beside_the_scene(tmp_path):
    (tmp_path / "triangle.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n")
    scene = {"taut": 1, "objects": [{"name": "flag", "type": "cloth", "mesh": "triangle.obj", "density": 0.2, "stretch": {}}]}
    assert len(taut.load(scene, folder=tmp_path).object_list[0].points) == 4
    with pytest.raises(taut.Error, match="triangle.obj"):
        taut.load(scene)


def test_writers(cloth_file, tmp_path):
    taut.run(cloth_file, frames=2, export="obj,usda,ply,pc2", out=tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"cloth.0000.obj", "cloth.0002.obj", "cloth.0001.ply", "cloth.pc2", "scene.usda", "ball.0002.obj"} <= names
    with pytest.raises(ValueError, match="gif"):
        taut.run(cloth_file, frames=1, export="gif", out=tmp_path)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="installed without the sources")
def test_every_example_loads_and_steps():
    paths = sorted(EXAMPLES.glob("*.json"))
    assert paths
    for path in paths:
        meshes = [path.parent / o["mesh"] for o in json.loads(path.read_text())["objects"] if "mesh" in o]
        if not all(mesh.exists() for mesh in meshes):  # real data, which lie beside the sources or nowhere
            continue
        with taut.Simulation(path) as simulation:
            simulation.step()
            assert numpy.all(numpy.isfinite(simulation.world.positions)), path


def test_the_demo(tmp_path):
    done = subprocess.run([sys.executable, "-m", "taut.demo", "--headless", "--frames", "15", "--cells", "12", "--out",
                           str(tmp_path)], check=True, capture_output=True, text=True)
    assert "169 vertices, 15 frames" in done.stdout
    cloth = numpy.load(tmp_path / "cloth.npz")
    assert cloth["positions"].shape == (16, 169, 3)
    assert cloth["positions"][-1, :, 1].min() < 0.99  # it sags
    assert (tmp_path / "scene.usda").read_text().startswith("#usda 1.0")
