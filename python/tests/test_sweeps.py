"""Variants of a scene on executors and on Dask: what is the same as without interruption, what is run again, what is refused."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy
import pytest

import taut
from taut import _sweep

ROOT = pathlib.Path(__file__).parents[2]


class Here:
    """An executor that runs in this thread."""

    def submit(self, function, *arguments):
        future = concurrent.futures.Future()
        future.set_result(function(*arguments))
        return future


def starts(variant):
    return [json.loads(line)["frame"] for line in (variant.folder / "starts.jsonl").read_text().splitlines()]


def test_all_combinations_have_the_numbers_of_runs(cloth_file, tmp_path):
    values = {"objects.cloth.density": [0.2, 0.4], "gravity": [[0, -9.81, 0], [0, -1.6, 0]]}
    variants = taut.sweep(cloth_file, values, tmp_path, client=Here(), checkpoint=4, record=("positions", "orientations"))
    assert [list(v.values.values()) for v in variants] == [[0.2, [0, -9.81, 0]], [0.2, [0, -1.6, 0]], [0.4, [0, -9.81, 0]],
                                                           [0.4, [0, -1.6, 0]]]
    for variant in variants:
        cloth_file["objects"][0]["density"], cloth_file["gravity"] = variant.values.values()
        whole = taut.run(cloth_file, threads=1, record=("positions", "orientations"))
        made = variant.load()
        for name in ("frames", "times", "positions", "orientations"):
            numpy.testing.assert_array_equal(made[name], getattr(whole, name))
        numpy.testing.assert_array_equal(made["iterations"], whole.values("iterations"))
        assert variant.outcome == "done" and variant.not_converged == 0 and len(made["converged"]) == 6
        assert {path.name for path in variant.folder.iterdir()} == {"scene.json", "variant.json", "starts.jsonl", "result.npz",
                                                                     "done.json"}


def test_variants_have_the_keys_of_their_call(cloth_file, tmp_path):
    for key in ("objects.cloth.density", "objects[0].density", ("objects", 0, "density")):
        name = key if isinstance(key, str) else "objects.0.density"
        assert [v.values for v in taut.plan(cloth_file, {key: [0.2, 0.3]}, tmp_path)] == [{name: 0.2}, {name: 0.3}]
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 2


def test_what_is_complete_is_not_run_again(cloth_file, tmp_path):
    first = taut.sweep(cloth_file, {"fps": [60]}, tmp_path, client=Here())
    again = taut.sweep(cloth_file, {"fps": [60, 120]}, tmp_path, client=Here())
    assert again[0].folder == first[0].folder and starts(again[0]) == [0]
    changed = taut.plan(cloth_file, {"fps": [60]}, tmp_path, integrator={"substeps": 2})
    assert changed[0].folder != first[0].folder
    assert (changed[0].version, len(changed[0].hash)) == (taut.__version__, 64)


def test_a_variant_that_was_killed_goes_on_with_the_same_bits(cloth_file, tmp_path):
    cloth_file["contact"] = {"capacity": 1}  # the room for contacts has grown before the checkpoint
    cloth_file["frames"] = 40
    (variant,) = taut.plan(cloth_file, [{"fps": 60}], tmp_path, checkpoint=15)
    run = _sweep._Run(variant.folder)
    assert run.part() == "" and run.part() == ""
    (variant.folder / ".result.npz.left").write_bytes(b"of a process that was killed")
    taut.run_variant(variant.folder)
    assert starts(variant) == [0, 30]
    numpy.testing.assert_array_equal(variant.load()["positions"], taut.run(cloth_file, threads=1).positions)


def test_a_failure_ends_its_variant_alone(cloth_file, tmp_path):
    bad, good = taut.sweep(cloth_file, {"speed_limit": [0.01, 100.0]}, tmp_path, client=Here())
    assert "diverged" in bad.outcome and good.outcome == "done" and len(bad.load()["frames"]) >= 1


@pytest.mark.parametrize("key, sentence", [
    ("objects.clth.density", "there is no 'clth'"), ("objects.9.density", "there is no '9'"), ("frames.now", "'frames' has no parts")])
def test_keys_that_lead_nowhere(key, sentence, cloth_file, tmp_path):
    with pytest.raises(KeyError, match=sentence):
        taut.plan(cloth_file, {key: [1]}, tmp_path)
    assert not list(tmp_path.glob(".new*"))


def test_keys_by_number_by_name_and_by_parts(cloth_file, tmp_path):
    folders = {v.folder for key in ("objects.0.density", "objects[0].density", "objects.cloth.density", ("objects", "cloth", "density"))
               for v in taut.plan(cloth_file, {key: [0.3]}, tmp_path)}
    scenes = {(folder / "scene.json").read_text() for folder in folders}
    assert len(scenes) == len(folders) == 1


def test_what_is_refused_is_the_outcome_of_its_variant(cloth_file, tmp_path):
    bad, good = taut.sweep(cloth_file, {"objects.cloth.density": [-1, 0.2]}, tmp_path, client=Here())
    assert good.outcome == "done" and "density" in bad.outcome
    with pytest.raises(FileNotFoundError, match="has no result: .*density"):
        bad.load()


def test_a_wrong_value_is_told_at_once(cloth_file, tmp_path):
    with pytest.raises(taut.Error, match="density"):
        taut.sweep(cloth_file, {"objects.cloth.density": [-1]}, tmp_path, client=Here())


def test_an_unknown_field_is_told_before_anything_is_made(cloth_file, tmp_path):
    for act in (taut.plan, taut.sweep):
        with pytest.raises(ValueError, match="record: has 'colours'; takes positions, "):
            act(cloth_file, {"fps": [60]}, tmp_path / "sweep", record=["positions", "colours"])
    assert not (tmp_path / "sweep").exists()


def test_another_version_is_refused(cloth_file, tmp_path):
    (variant,) = taut.plan(cloth_file, [{}], tmp_path)
    about = variant.folder / "variant.json"
    about.write_text(about.read_text().replace(taut.__version__, "0.0.1"))
    with pytest.raises(RuntimeError, match="is of version 0.0.1"):
        taut.run_variant(variant.folder)


def test_two_workers_of_dask_one_of_which_is_killed(cloth_file, tmp_path):
    distributed = pytest.importorskip("distributed")
    cloth_file["frames"] = 80
    cloth_file["objects"][0]["grid"]["cells"] = [12, 12]
    values = {"objects.cloth.density": [0.2, 0.3]}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        with concurrent.futures.ThreadPoolExecutor() as aside:
            running = aside.submit(taut.sweep, cloth_file, values, tmp_path, client=client, checkpoint=5)
            victim, process = None, 0
            while victim is None and not running.done():
                time.sleep(0.02)
                for path in tmp_path.glob("*/checkpoint.taut"):
                    victim = path.parent
            process = json.loads((victim / "starts.jsonl").read_text())["process"]
            os.kill(process, signal.SIGKILL)
            variants = running.result(timeout=300)
    killed = next(v for v in variants if v.folder == victim)
    assert [v.outcome for v in variants] == ["done", "done"]
    first, second = starts(killed)
    assert first == 0 and second >= 5 and second % 5 == 0  # from the last checkpoint on
    cloth_file["objects"][0]["density"] = killed.values["objects.cloth.density"]
    numpy.testing.assert_array_equal(killed.load()["positions"], taut.run(cloth_file, threads=1).positions)


@pytest.mark.skipif(not (ROOT / "examples/farm").is_dir(), reason="installed without the sources")
def test_an_array_of_a_farm(cloth_file, tmp_path):
    (tmp_path / "scene.json").write_text(json.dumps(cloth_file))
    farm = [sys.executable, "-m", "taut.farm"]
    planned = subprocess.run([*farm, "plan", "scene.json", "--set", "objects.cloth.density=[0.2, 0.4]", "--set", "fps=[60]", "--out",
                              "sweep"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "2 variants" in planned.stdout
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    for index in range(2):  # as Slurm does
        subprocess.run(["sh", ROOT / "examples/farm/slurm.sh", "sweep"], cwd=tmp_path, check=True,
                       env={**os.environ, "SLURM_ARRAY_TASK_ID": str(index), "PATH": path})
    table = subprocess.run([*farm, "table", "sweep"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()
    assert table[0] == "folder,objects.cloth.density,fps,outcome,not_converged" and table[1].endswith(",0.2,60,done,0")
    lost = subprocess.run([*farm, "run", "sweep", "--index", "7"], cwd=tmp_path, capture_output=True, text=True)
    assert lost.returncode == 2 and "Traceback" not in lost.stderr
    shutil.rmtree(tmp_path / "sweep")


@pytest.mark.parametrize("name, values, least", [("frames", (-1, True, 2.0), 0), ("every", (0, True, "2"), 1),
                                                 ("checkpoint", (0, -1, True, 2.5), 1)])
def test_counts_of_a_sweep_are_whole_numbers(cloth_file, tmp_path, name, values, least):
    for value in values:
        for act in (taut.plan, taut.sweep):
            with pytest.raises((ValueError, TypeError)) as caught:
                act(cloth_file, {"fps": [60]}, tmp_path, **{name: value})
            assert str(caught.value) == f"{name}: is {value!r}; it is a whole number, at least {least}"
    assert not list(tmp_path.iterdir())
    variants = taut.sweep(cloth_file, {"fps": [60]}, tmp_path, client=Here(), **{name: numpy.int64(2)})
    assert variants[0].outcome == "done"
