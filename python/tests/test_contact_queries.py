"""Queries and contact events."""

import math

import numpy
import pytest

import taut

UP = [math.sqrt(0.5), -math.sqrt(0.5), 0, 0]  # turns z to y


@pytest.fixture
def ball_on_floor():
    scene = taut.Scene()
    ball = scene.add_bodies(positions=[[0, 1, 0]], mass=2, inertia=taut.inertia_of_sphere(2, 0.5))
    scene.add_colliders(orientations=[UP])
    scene.add_colliders(shape="sphere", size=[0.5, 1, 1], bodies=ball.bodies)
    return scene


def test_rays(ball_on_floor):
    world = taut.World(ball_on_floor)
    hits = world.cast_rays([[0, 5, 0], [3, 5, 0], [0, 5, 0]], [[0, -2, 0], [0, -1, 0], [0, 1, 0]])
    numpy.testing.assert_allclose(hits["distance"], [3.5, 5, math.inf], atol=1e-12)
    assert [taut.NAMES["found"][f] for f in hits["found"]] == ["collider", "collider", "nothing"]
    numpy.testing.assert_array_equal(hits["collider"], [1, 0, 2**32 - 1])
    numpy.testing.assert_allclose(hits["normal"][:2], [[0, 1, 0], [0, 1, 0]], atol=1e-12)
    assert taut.NAMES["found"][world.cast_rays([0, 5, 0], [0, -1, 0], lengths=2)["found"][0]] == "nothing"


@pytest.mark.parametrize("lengths, told", [([1, 2, 3], "has 3 values"), ([], "has 0 values")])
def test_lengths_of_rays_are_one_or_one_each(ball_on_floor, lengths, told):
    world = taut.World(ball_on_floor)
    with pytest.raises(ValueError, match=f"^lengths: {told}; it takes one for all, or 2, one for each"):
        world.cast_rays([[0, 5, 0]] * 2, [[0, -1, 0]] * 2, lengths=lengths)
    hits = world.cast_rays([[0, 5, 0]] * 2, [[0, -1, 0]] * 2, lengths=[1, 9])
    assert [taut.NAMES["found"][f] for f in hits["found"]] == ["nothing", "collider"]


def test_shapes_to_overlap_have_three_sizes(ball_on_floor):
    world = taut.World(ball_on_floor)
    for size, shape in ((1, "()"), ([1], "(1,)"), ([[1, 1, 1], [2, 2, 2]], "(2, 3)")):
        with pytest.raises(ValueError) as caught:
            world.overlapping("sphere", size, [0, 0, 0])
        assert str(caught.value) == f"size: has the shape {shape}; it takes 3 values"
    with pytest.raises(ValueError, match="^orientation: has the shape .3,.; it takes 4 values"):
        world.overlapping("sphere", [1, 1, 1], [0, 0, 0], [1, 0, 0])


def test_there_is_no_room_for_what_is_not_there(ball_on_floor):
    world = taut.World(ball_on_floor)
    for first, count in ((0, 3), (0, 2**40), (2**63, 2**63), (1, 2**64 - 1)):
        with pytest.raises(taut.Error, match="do not all exist: there are 2"):
            world.collider_forces(first, count)
    with pytest.raises(taut.Error, match="has no mesh that deforms"):
        world.collider_vertices(0, 2**40)
    assert world.collider_forces(0, 2).shape == (2, 6)


def test_closest_points_and_overlaps(ball_on_floor):
    world = taut.World(ball_on_floor)
    near = world.closest_points([[0, 2, 0], [0, 1.2, 0]])
    numpy.testing.assert_allclose(near["distance"], [0.5, -0.3], atol=1e-9)
    numpy.testing.assert_allclose(near["position"][0], [0, 1.5, 0], atol=1e-9)
    assert world.overlapping("box", [1, 1, 1], [0, 3, 0]).size == 0
    assert sorted(world.overlapping("sphere", [0.6, 1, 1], [0, 0.5, 0])["collider"]) == [0, 1]
    with pytest.raises(taut.Error):
        world.overlapping("plane", [1, 1, 1], [0, 0, 0])


def test_bodies_of_meshes_are_met_as_their_collider():
    corners = numpy.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = [[side[0], side[i], side[i + 1]] for side in sides for i in (1, 2)]
    body = {"name": "b", "type": "rigid", "mesh": {"points": corners, "triangles": faces}, "density": 500, "contact": {}}
    world = taut.load({"taut": 1, "objects": [body]}).world()
    near = world.closest_points(1.5 * corners)
    assert [taut.NAMES["found"][found] for found in near["found"]] == 8 * ["collider"]
    numpy.testing.assert_allclose(near["distance"], 0.05 * math.sqrt(3), atol=1e-9)
    met = world.overlapping("sphere", [0.2, 0, 0], [0, 0, 0])
    assert [(taut.NAMES["found"][m["found"]], m["collider"]) for m in met] == [("collider", 0)]


def test_events(ball_on_floor):
    world = taut.World(ball_on_floor, contact=dict(events=100))
    began = 0
    for _ in range(60):
        world.step(1 / 60)
        pairs, lost = world.pairs()
        assert lost == 0
        began += int(pairs["began"].sum())
    assert began == 1
    assert pairs["touching"].tolist() == [True]
    assert [taut.NAMES["object"][k] for k in (pairs["first"][0], pairs["second"][0])] == ["body", "collider"]
    numpy.testing.assert_allclose(abs(pairs["force"][0, 1]), 2 * 9.81, rtol=1e-2)
    assert world.overlaps().bodies < 1e-2 and world.count_intersections() == 0
    with pytest.raises(taut.Error):
        taut.World(ball_on_floor).pairs()
