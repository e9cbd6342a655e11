"""Scenes from arrays: shapes, types, defaults, refusals."""

import numpy
import pytest

import taut
from taut import _taut


def test_the_version_is_that_of_the_headers():
    import importlib.metadata
    import pathlib
    import re
    assert importlib.metadata.version("taut") == taut.__version__
    header = pathlib.Path(__file__).parents[2] / "include/taut/base.h"
    if header.exists():
        numbers = re.findall(r"#define TAUT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text())
        assert ".".join(numbers) == taut.__version__


def test_every_function_of_the_headers_that_adds_is_there():
    import pathlib
    import re
    headers = pathlib.Path(__file__).parents[2] / "include/taut"
    if not headers.exists():
        pytest.skip("installed without the sources")
    text = "\n".join(path.read_text() for path in headers.glob("*.h"))
    for owner, name in re.findall(r"taut_(scene|world)_(add_\w+)\(", text):
        assert hasattr(getattr(taut, owner.capitalize()), name), name


def test_docstrings_tell_shapes_and_sizes():
    assert "bodies: count x 4: point, frame, point, frame\n" in taut.World.add_welds.__doc__
    assert "bodies: count x 4: point, frame, point, frame: bodies, or WORLD\n" in taut.Scene.add_joints.__doc__
    assert "bodies: count x 2: point, frame: bodies, or WORLD; " in taut.Scene.add_colliders.__doc__
    assert "body: point, frame: default WORLD" in taut.Scene.add_body_points.__doc__
    told = taut.Scene.add_colliders.__doc__
    assert "    plane: solid for z <= 0 in the axes of the collider\n" in told
    assert "    capsule: size[0]: radius, size[1]: half of the length of the straight part, along z\n" in told


def test_defaults_are_those_of_the_library():
    assert taut.defaults("particles")["mass"] == 1
    world = taut.defaults("world")
    assert world["gravity"] == (0, -9.81, 0)
    assert world["solver"]["tolerance"] == 1e-4 and world["solver"]["method"] == "auto"
    assert world["integrator"]["substeps"] == 1 and world["integrator"]["primal"] == dict(a=1, b=1, c=1, e=1, g=1)
    assert taut.defaults("material")["friction"] == 0.5
    with pytest.raises(ValueError, match="no definition 'glue'"):
        taut.defaults("glue")


def test_positions_of_any_array():
    scene = taut.Scene()
    assert scene.add_particles(positions=[[0, 0, 0], [1, 2, 3]]) == range(0, 2)
    assert scene.add_particles(positions=numpy.arange(6, dtype=numpy.float32).reshape(2, 3)) == range(2, 4)
    assert scene.add_particles(positions=numpy.zeros((4, 6))[::2, ::2]) == range(4, 6)  # with gaps
    assert scene.add_particles(positions=[7, 8, 9]) == range(6, 7)
    with pytest.raises(taut.Error, match="count is 0"):
        scene.add_particles(positions=numpy.zeros((0, 3)))
    assert scene.add_particles(positions=numpy.ma.masked_array([7, 8, 9])) == range(7, 8)  # nothing is masked
    numpy.testing.assert_array_equal(scene.positions()[:7], [[0, 0, 0], [1, 2, 3], [0, 1, 2], [3, 4, 5], [0, 0, 0], [0, 0, 0],
                                                         [7, 8, 9]])


class OnlyDlpack:
    """What other libraries hand over: no array of NumPy."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_positions_of_dlpack():
    scene = taut.Scene()
    scene.add_particles(positions=OnlyDlpack(numpy.array([[1.0, 2, 3]])))
    numpy.testing.assert_array_equal(scene.positions(), [[1, 2, 3]])


@pytest.mark.parametrize("members, error, sentence", [
    (dict(positions=[[0, 0], [1, 1]]), ValueError, r"positions: has the shape \(2, 2\); it takes count x 3"),
    (dict(positions=[[0, 0, 0]], masses=[1, 2]), ValueError, "masses: has 2 rows in place of 1"),
    (dict(positions=[[0, 0, 0]], count=2), ValueError, "positions: has 1 rows in place of 2"),
    (dict(positions=numpy.ma.masked_less([[0, 0, 0], [1, 1, 1]], 1)), ValueError, "positions: has masked values"),
    (dict(positions=["a", "b", "c"]), TypeError, "positions: takes numbers"),
    (dict(positions=[[0, 0, 0]], fixed=[1.5]), TypeError, "fixed: takes True and False"),
    (dict(positions=[[0, 0, 0]], mass="heavy"), TypeError, "mass: cannot be 'heavy'"),
    (dict(positions=[[0, 0, 0]], mass=True), TypeError, "mass: cannot be True"),
    (dict(positions=[[0, 0, 0]], count=True), TypeError, "count: cannot be True"),
    (dict(positions=[[0, 0, 0]], weight=1), TypeError, "taut_particles_def has no member 'weight'; it has count, positions"),
    (dict(positions=[[0, 0, 0]], mass=-1), taut.Error, "mass"),
    (dict(positions=[[numpy.nan, 0, 0]]), taut.Error, "finite"),
    (dict(), taut.Error, "positions")])
def test_particles_refused(members, error, sentence):
    scene = taut.Scene()
    with pytest.raises(error, match=sentence):
        scene.add_particles(**members)
    assert scene.particle_count == 0


@pytest.mark.parametrize("pairs, error", [([[0, 1.5]], TypeError), ([[0, -1]], ValueError), ([[0, 2**32]], ValueError),
                                          ([[0, 9]], taut.Error), ([[0, 0]], taut.Error), ([[0, 1, 2]], ValueError)])
def test_indices_refused(pairs, error):
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [1, 0, 0]])
    with pytest.raises(error):
        scene.add_distances(particles=pairs)
    assert scene.batch_count == 0


def test_errors_have_the_name_of_the_status():
    with pytest.raises(taut.Error) as caught:
        taut.Scene().add_distances(particles=[[0, 1]])
    assert caught.value.status == "TAUT_INVALID_ARGUMENT"
    assert "particle" in str(caught.value)


def test_names_of_enumerations():
    scene = taut.Scene()
    with pytest.raises(ValueError, match="shape: is 'blob'; it takes plane, sphere, capsule, box, mesh, cylinder, cone"):
        scene.add_colliders(shape="blob")
    assert scene.add_colliders() == range(0, 1)  # one plane
    assert scene.add_colliders(shape="sphere", size=[0.1, 1, 1], positions=[[0, 1, 0], [0, 2, 0]]) == range(1, 3)
    assert taut.NAMES["touch"][0] == "collider"


def test_bodies_joints_and_rods():
    scene = taut.Scene()
    scene.add_particles(positions=[[5, 5, 5]])
    bodies = scene.add_bodies(positions=[[0, 0, 0], [1, 0, 0]], mass=2, inertia=taut.inertia_of_box(2, [1, 1, 1]))
    assert (bodies.points, bodies.frames) == (range(1, 3), range(0, 2))
    first, second = bodies.bodies
    assert bodies.bodies.tolist() == [[1, 0], [2, 1]]
    joints = scene.add_joints(type="hinge", bodies=[[first, second], [taut.WORLD, first]], positions=[[0.5, 0, 0], [0, 0, 0]])
    assert scene.describe(joints.prismatic) == ("prismatic", 6)
    assert scene.describe(joints.angular) == ("angular", 4)
    assert not joints.drive
    limits = scene.add_limits(bodies=[[first, second]], lower=[-1], orientations=[[1, 0, 0, 0]])
    assert scene.describe(limits.lower) == ("angular", 1) and not limits.upper
    assert scene.describe(scene.add_motors(motion="slide", bodies=[[first, second]], speeds=[2], max_force=3)) == ("prismatic", 1)
    with pytest.raises(taut.Error, match="a swing has an upper limit alone"):
        scene.add_limits(motion="swing", bodies=[[first, second]], lower=[-1])
    first = scene.particle_count
    rods = scene.add_rods(offsets=[0, 3, 5], positions=[[0, 0, 0], [0, 0, 1], [0, 0, 2], [3, 0, 0], [3, 0, 1]], radius=0.02,
                          clamped=[True, False, False, False, False])
    assert rods.points == range(first, first + 5) and len(rods.frames) == 3
    assert scene.describe(rods.segments) == ("segment", 3)
    assert scene.describe(rods.bends) == ("alignment", 2)  # the clamp, and between the two pieces of the first rod
    with pytest.raises(ValueError, match="positions: has 2 rows in place of 3"):
        scene.add_rods(offsets=[0, 3], positions=[[0, 0, 0], [0, 0, 1]])


def test_bodies_are_pairs_of_a_point_and_a_frame():
    scene = taut.Scene()
    scene.add_particles(positions=[[5, 5, 5]])
    made = scene.add_bodies(positions=[[0, 0, 0], [1, 0, 0]])
    first, second = made.bodies
    assert taut.WORLD == tuple(taut.defaults("body_points")["body"])
    assert scene.add_colliders(shape="sphere", bodies=made.bodies) == range(0, 2)
    assert scene.add_colliders(shape="sphere", bodies=[first, taut.WORLD]) == range(2, 4)
    assert scene.add_contact_points(bodies=[second], offsets=[[0, 0, 1]], radius=0.1) == range(0, 1)
    points = scene.add_body_points(body=second, local=[[0, 1, 0], [0, 2, 0]])
    numpy.testing.assert_allclose(scene.positions()[points.start:], [[1, 1, 0], [1, 2, 0]])
    skinned = scene.add_skinned(positions=[[0.5, 0, 0]], bodies=[[first, second]], weights=[[0.5, 0.5]])
    numpy.testing.assert_allclose(scene.positions()[skinned.start], [0.5, 0, 0])
    assert len(scene.add_skinned(positions=[[1, 0, 0], [1, 1, 0]], bodies=[second, second])) == 2
    scene.exclude_contacts([[first, second]])
    scene.set_bodies_fixed(made.bodies)
    world = taut.World(scene)
    world.move_fixed_bodies([first], [[0, 1, 0]], [[0, 1, 0, 0]])
    world.turn_fixed_bodies([second], [[0, 1, 0]], [[0.5**0.5, 0, 0, 0.5**0.5]], [0, 0, numpy.pi / 2], [0, 0, 0])
    world.step(0.1)
    numpy.testing.assert_allclose(world.positions[1:3], [[0, 1, 0], [0, 1, 0]], atol=1e-12)
    numpy.testing.assert_allclose(world.orientations[:2], [[0, 1, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5]], atol=1e-7)
    world.set_bodies_fixed([first], False)
    with pytest.raises(taut.Error, match="is free"):
        world.move_fixed_bodies([first], [[0, 1, 0]], [[0, 1, 0, 0]])


@pytest.mark.parametrize("bodies, error, sentence", [
    ([0, 1], taut.Error, "point 0 and frame 1 are not of one body; frame 1 has point 2"),  # frames, as they were given once
    ([[2, 0]], taut.Error, "point 2 and frame 0 are not of one body"),
    ([1], ValueError, "count x 2"), ([[1, 0, 2]], ValueError, "count x 2"), ([[1, 9]], taut.Error, "frame 9 does not exist")])
def test_pairs_that_are_no_bodies_are_refused(bodies, error, sentence):
    scene = taut.Scene()
    scene.add_particles(positions=[[5, 5, 5]])
    scene.add_bodies(positions=[[0, 0, 0], [1, 0, 0]])
    for add in (lambda: scene.add_colliders(shape="sphere", bodies=bodies), lambda: scene.set_bodies_fixed(bodies),
                lambda: scene.add_contact_points(bodies=bodies), lambda: scene.add_body_points(bodies=bodies, local=[[0, 0, 0]])):
        with pytest.raises(error, match=sentence):
            add()
    with pytest.raises(ValueError, match="count x 4"):
        scene.add_joints(bodies=[[0, 1]], positions=[[0, 0, 0]])  # frames of two bodies
    with pytest.raises(ValueError, match="count x 4"):
        scene.exclude_contacts([[0, 1]])


def test_mapped_points():
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [2, 0, 0], [0, 4, 0]])
    assert scene.add_combinations(parents=[[0, 1], [1, 2]], weights=[[0.5, 0.5], [0.25, 0.75]]) == range(3, 5)
    assert scene.add_combinations(offsets=[0, 1, 3], parents=[0, 1, 2], weights=[1, 0.5, 0.5]) == range(5, 7)
    assert scene.add_combinations(parents=[2]) == range(7, 8)
    with pytest.raises(ValueError, match="weights: has 2 rows in place of 3"):
        scene.add_combinations(offsets=[0, 1, 3], parents=[0, 1, 2], weights=[1, 1])
    expected = [[1, 0, 0], [0.5, 3, 0], [0, 0, 0], [1, 2, 0], [0, 4, 0]]
    numpy.testing.assert_allclose(scene.positions()[3:], expected)
    assert scene.add_linear_map(offsets=[0, 1, 1, 1], coordinates=[3], weights=[2]) == range(8, 9)
    assert scene.positions()[8].tolist() == [4, 0, 0]
    batch = scene.add_linear(offsets=[0, 2], coordinates=[0, 3], weights=[1, 1])
    assert scene.describe(batch) == ("linear", 1)
    numpy.testing.assert_allclose(taut.barycentric([[0, 0, 0], [2, 0, 0]], [0.5, 1, 0]), [0.75, 0.25])


@pytest.mark.parametrize("offsets", [[0, 100, 5], [0, 4, 2, 5], [1, 5], [5, 0, 5], [0, 5, 5]])
def test_offsets_that_lead_elsewhere_are_refused(offsets):
    scene = taut.Scene()
    bodies = scene.add_bodies(positions=[[0, 0, i] for i in range(6)])
    points, rods = numpy.zeros((5, 3)), len(offsets) - 1
    points[:, 2] = range(5)
    for add in (lambda: scene.add_rods(offsets=offsets, positions=points),
                lambda: scene.add_combinations(offsets=offsets, parents=[0, 1, 2, 3, 4], weights=numpy.ones(5)),
                lambda: scene.add_linear(offsets=offsets, coordinates=[0, 1, 2, 3, 4], weights=numpy.ones(5)),
                lambda: scene.add_skinned(offsets=offsets, positions=numpy.zeros((rods, 3)), bodies=bodies.bodies[:5],
                                          weights=numpy.ones(5))):
        with pytest.raises((taut.Error, ValueError)):
            add()
    assert scene.particle_count == 6 and scene.batch_count == 0


def test_inertias_and_fabrics():
    numpy.testing.assert_allclose(taut.inertia_of_sphere(5, 2), [8, 8, 8, 0, 0, 0])  # 2/5 m r^2
    numpy.testing.assert_allclose(taut.inertia_of_box(12, [1, 2, 3]), [13, 10, 5, 0, 0, 0])  # m (b^2 + c^2) / 12
    numpy.testing.assert_allclose(taut.inertia_of_cylinder(4, 1, 3), [4, 4, 2, 0, 0, 0])  # m (3 r^2 + h^2) / 12, m r^2 / 2
    assert 0.1 < taut.fabrics()["denim"].density < 1
    assert taut.ropes()["nylon"].stiffness > 0


def test_materials_and_closed_scenes():
    with taut.Scene() as scene:
        ice = scene.add_material(friction=0.02)
        assert ice == 1
        scene.set_material_pair(0, ice, friction=0.01)
        with pytest.raises(taut.Error):
            scene.add_material(friction=-1)
    with pytest.raises(ValueError, match="closed"):
        scene.add_material()


def test_types_are_beside_the_extension():
    import ast
    import pathlib
    folder = pathlib.Path(taut.__file__).parent
    assert (folder / "py.typed").exists()
    classes = {node.name: {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
               for node in ast.parse((folder / "_taut.pyi").read_text()).body if isinstance(node, ast.ClassDef)}
    assert {"add_particles", "add_rods", "set_bounds"} <= classes["Scene"]
    assert {"step", "positions", "cast_rays", "save"} <= classes["World"]
    assert "m/N" in taut.Scene.add_distances.__doc__ and "count x 2" in taut.Scene.add_distances.__doc__


def test_the_table_of_every_definition_can_be_shown():
    import pathlib
    import re
    headers = pathlib.Path(__file__).parents[2] / "include/taut"
    if not headers.exists():
        pytest.skip("installed without the sources")
    text = "\n".join(path.read_text() for path in headers.glob("*.h"))
    names = set(re.findall(r"\} taut_(\w+)_def;", text)) - {"scene"}
    assert len(names) > 25
    for name in names:
        assert isinstance(_taut.defaults(name), dict)
