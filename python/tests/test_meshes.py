"""Meshes as objects: of meshio, of trimesh, as arrays; scenes written with all their files; results as xarray."""

import json

import numpy
import pytest

import taut

CORNERS = numpy.array([[0, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1 + 1e-13, 1]])
TRIANGLES = [[0, 2, 1], [1, 2, 3]]


def cloth(mesh, **more):
    return {"taut": 1, "frames": 3, "objects": [{"name": "patch", "type": "cloth", "mesh": mesh, "density": 0.2, **more}]}


def test_a_mesh_of_trimesh_is_its_arrays_bit_by_bit():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=1)
    with taut.Simulation(cloth(mesh)) as simulation:
        numpy.testing.assert_array_equal(simulation.positions("patch"), mesh.vertices)
        numpy.testing.assert_array_equal(simulation.triangles("patch"), mesh.faces)


def test_a_mesh_of_meshio_is_a_surface_or_a_solid():
    meshio = pytest.importorskip("meshio")
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]
    mesh = meshio.Mesh(points, [("tetra", [[0, 1, 2, 3]]), ("quad", [[0, 1, 4, 2]])])
    soft = {"taut": 1, "objects": [{"name": "b", "type": "soft", "mesh": mesh, "density": 1000, "young": 1e5}]}
    assert len(taut.load(soft).object_list[0].points) == 4
    assert taut.load(cloth(mesh)).object_list[0].triangles.shape == (2, 3)


def test_a_mesh_of_arrays():
    surface = taut.Simulation(cloth({"points": CORNERS, "triangles": TRIANGLES}))
    numpy.testing.assert_array_equal(surface.positions("patch"), CORNERS)
    quads = taut.Simulation(cloth({"points": CORNERS, "polygons": [[0, 2, 3, 1]]}))
    assert quads.triangles("patch").shape == (2, 3)


@pytest.mark.parametrize("change, sentence", [
    ({"triangles": [[0, 1, 2.9]]}, r"corners \[0.0, 1.0, 2.9\]; they are whole numbers"),
    ({"triangles": [[0, 1, float("nan")]]}, "whole numbers"),
    ({"triangles": [[0, 1]]}, "has 2 corners"),
    ({"triangles": [[0, 1, 7]]}, "beyond the 4 points"),
    ({"points": [[0, 1, 0], [1, float("nan"), 0], [0, 1, 1], [1, 1, 1]]}, "points 1 is not finite")])
def test_faults_of_arrays_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        taut.load(cloth({"points": CORNERS, "triangles": TRIANGLES, **change}))


@pytest.mark.parametrize("change, error, sentence", [
    ({"triangles": [[0, 2, 1], [1, 2, 7]]}, ValueError, r"mesh: triangles\[1\] has the corner 7, beyond the 4 points$"),
    ({"points": [[0, 0]]}, ValueError, r"mesh: points has the shape \(1, 2\); count x 3 is needed$"),
    ({"points": [[0, 0, 0], [1, 0, 0], [0, 1, float("inf")]]}, ValueError, "mesh: points 2 is not finite$"),
    ({"points": numpy.ma.masked_less(CORNERS, 1)}, ValueError, "mesh: points has masked values$"),
    ({"points": CORNERS * 1j}, TypeError, "mesh: points has complex numbers$")])
def test_faults_of_arrays_name_their_place(change, error, sentence, tmp_path):
    scene = cloth("flag.obj")
    scene["objects"].append({"name": "c", "type": "cloth", "mesh": {"points": CORNERS, "triangles": TRIANGLES, **change}, "density": 1})
    (tmp_path / "flag.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
    for use in (lambda: taut.load(scene, folder=tmp_path), lambda: taut.save_scene(scene, tmp_path / "packed", folder=tmp_path)):
        with pytest.raises(error, match=r"^scene: objects\[1\]." + sentence):
            use()


def test_faults_of_an_animation_name_their_place():
    scene = cloth({"points": CORNERS, "triangles": TRIANGLES})
    scene["objects"].append({"name": "lid", "type": "collider", "mesh": {"points": CORNERS, "triangles": TRIANGLES},
                             "animation": {"points": CORNERS, "fps": 2}})
    with pytest.raises(ValueError, match=r"^scene: objects\[1\].animation: points has the shape \(4, 3\)"):
        taut.load(scene)


def test_corners_may_be_whole_floats():
    assert taut.load(cloth({"points": CORNERS, "triangles": numpy.array(TRIANGLES, float)})).object_list[0].triangles.shape == (2, 3)


def test_faults_of_arrays_name_no_file():
    with pytest.raises(taut.Error) as caught:
        taut.load(cloth({"points": CORNERS, "triangles": [[0, 1, 1]]}))
    assert str(caught.value) == "scene: objects[0].mesh: triangle 1 has the same corner twice"
    assert caught.value.status == "TAUT_INVALID_DEFINITION"


def test_warnings_of_arrays_name_their_place(caplog, capfd):
    taut.load(cloth({"points": CORNERS, "triangles": [*TRIANGLES, TRIANGLES[0]]}))
    assert [(record.name, record.levelname) for record in caplog.records] == [("taut", "WARNING")]
    assert caplog.messages == ["scene: objects[0].mesh: 1 triangle has the corners of another one and is skipped"]
    assert not capfd.readouterr().err


def test_an_animation_of_arrays_moves_a_collider():
    samples = numpy.stack([CORNERS, CORNERS + [0, 0.5, 0]])
    scene = {"taut": 1, "frames": 60, "objects": [
        {"name": "lid", "type": "collider", "mesh": {"points": CORNERS, "triangles": TRIANGLES}, "thickness": 0.01,
         "animation": {"points": samples, "fps": 2}},
        {"name": "dot", "type": "particles", "positions": [[5, 0, 0]]}]}
    lid = taut.run(scene).object("lid")
    numpy.testing.assert_allclose(lid[30], CORNERS + [0, 0.5, 0], atol=1e-6)
    numpy.testing.assert_allclose(lid[15], CORNERS + [0, 0.25, 0], atol=1e-6)


@pytest.mark.parametrize("mesh, error, sentence", [
    ({"points": CORNERS[:, :2], "triangles": TRIANGLES}, ValueError, r"points has the shape \(4, 2\)"),
    ({"points": CORNERS, "triangles": [[0, 1, 4]]}, ValueError, "beyond the 4 points"),
    ({"points": CORNERS, "triangles": [[0, 1, -1]]}, ValueError, "beyond the 4 points"),
    ({"points": CORNERS}, ValueError, "no triangles"),
    (3, TypeError, "int is no file name")])
def test_bad_meshes(mesh, error, sentence):
    with pytest.raises(error, match=sentence):
        taut.load(cloth(mesh))


def test_a_saved_scene_has_all_its_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/flag.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n")
    for number in (1, 2):
        (tmp_path / f"parts/walk_{number:04d}.obj").write_text(f"v 0 {number} 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n")
    scene = cloth("parts/flag.obj")
    scene["objects"].append({"name": "arrays", "type": "cloth", "mesh": {"points": CORNERS, "triangles": TRIANGLES}, "density": 1})
    scene["objects"].append({"name": "lid", "type": "collider", "mesh": "parts/flag.obj", "thickness": 0.01,
                             "animation": {"file": "parts/walk_%04d.obj"}})
    path = taut.save_scene(scene, tmp_path / "packed", folder=tmp_path)
    written = json.loads((tmp_path / "packed/scene.json").read_text())
    assert written["objects"][0]["mesh"] == written["objects"][2]["mesh"]
    again = taut.save_scene(path, tmp_path / "again")
    ends = [taut.run(each).positions[-1] for each in (path, again, taut.load(scene, folder=tmp_path))]
    numpy.testing.assert_array_equal(ends[0], ends[1])
    numpy.testing.assert_array_equal(ends[0], ends[2])
    numpy.testing.assert_array_equal(ends[0][4:8], taut.run(path).object("arrays")[-1])


def test_a_result_as_xarray(cloth_file):
    pytest.importorskip("xarray")
    result = taut.run(cloth_file, record=("positions", "orientations", "violations"))
    data = result.to_xarray()
    assert data["positions"].dims == ("frame", "point", "component") and data["positions"].attrs["units"] == "m"
    cloth = data["positions"].where(data["object_of_point"] == "cloth", drop=True)
    numpy.testing.assert_array_equal(cloth, result.object("cloth"))
    assert data["orientations"].shape == (7, 1, 4) and float(data["time"][-1]) == pytest.approx(0.1)
