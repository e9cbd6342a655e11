"""Worlds: steps against a formula, views without copies, parameters, states, threads."""

import gc
import math
import threading
import time
import weakref

import numpy
import pytest

import taut


def test_a_pendulum_swings_as_the_formula_says(pendulum):
    """The time from rest at a right angle to the bottom: K(1/2) sqrt(l/g) with K = 1.8540746773 (complete elliptic integral)."""
    world = taut.World(pendulum, backend="cpu", integrator=dict(newton=20, alpha=0.5, beta=0.5, hard_row_damping=1))
    quarter = 1.8540746773013719 * math.sqrt(1 / 9.81)
    for _ in range(400):
        world.step(quarter / 400)
    numpy.testing.assert_allclose(world.positions[1], [0, -1, 0], atol=2e-3)
    numpy.testing.assert_allclose(numpy.linalg.norm(world.velocities[1]), math.sqrt(2 * 9.81), rtol=2e-3)
    assert world.info().outcome == "converged"


def test_free_fall_of_implicit_euler_is_exact():
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0]], velocities=[[1, 0, 0]])
    world = taut.World(scene, gravity=[0, -10, 0], backend="cpu")
    for _ in range(10):
        world.step(0.1)
    numpy.testing.assert_allclose(world.positions[0], [1, -10 * 0.01 * 55, 0], rtol=1e-12)
    info = world.info()
    assert info.step == 10 and abs(info.time - 1) < 1e-12
    assert info.max_violation["distance"] == 0 and set(info.stage_seconds) >= {"solve", "collide"}
    assert info.as_dict()["step"] == 10


# ---- views -------------------------------------------------------------------------------------------------------------


def test_views_show_the_state_without_copies(pendulum):
    world = taut.World(pendulum)
    view = world.positions
    assert view.shape == (2, 3) and not view.flags.owndata and not view.flags.writeable
    assert view.ctypes.data == world.positions.ctypes.data
    before = view.copy()
    world.step(0.1)
    assert view[1, 1] < before[1, 1]
    numpy.testing.assert_allclose(world.positions_f32, view.astype(numpy.float32))
    assert world.positions_f32.dtype == numpy.float32
    assert world.violations.shape == (1,) and world.multipliers.shape == (1,)
    assert world.orientations.shape == (0, 4)
    numpy.testing.assert_array_equal(world.read("positions", 1, 1), view[1:])
    with pytest.raises(IndexError):
        world.read("positions", 1, 2)
    with pytest.raises(taut.Error, match="do not all exist"):
        world.read_broken(pendulum.batch(1), 0, 2**40)
    with pytest.raises(ValueError, match="field: is 'colours'"):
        world.read("colours")
    for call in (lambda: world.read("positions", True), lambda: world.read("positions", 0, count=True),
                 lambda: world.write("positions", [[0, 0, 0]], first=False), lambda: pendulum.batch(True),
                 lambda: world.collider_forces(0, True), lambda: world.note_steps(True)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()
    with pytest.raises(taut.Error, match="^nothing can touch in this world"):
        world.grow_contacts(0)
    numpy.testing.assert_array_equal(world.read("positions", numpy.int8(1), numpy.uint64(1)), view[1:])


def test_views_keep_the_world_alive(sheet):
    with taut.World(sheet, backend="cpu") as world:
        world.step(0.01)
        view = world.positions
        kept = view.copy()
    assert world.closed
    del world
    gc.collect()
    others = [taut.World(sheet, backend="cpu") for _ in range(8)]  # they take the memory, if it was released
    for other in others:
        other.positions = other.positions + 100
        other.step(0.01)
    numpy.testing.assert_array_equal(view, kept)


def test_views_from_before_a_growth_stay_valid():
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 1, 0], [0.3, 1, 0]])
    scene.add_contact_points(particles=[0, 1], radius=0.05)
    scene.add_colliders(orientations=[[math.sqrt(0.5), -math.sqrt(0.5), 0, 0]])  # z up to y
    world = taut.World(scene)
    view, start = world.positions, world.positions.copy()
    world.grow_contacts(100000)
    numpy.testing.assert_array_equal(view, start)
    for _ in range(60):
        world.step(1 / 60)
    assert abs(world.positions[0, 1] - 0.05) < 1e-3  # rests on the plane
    contacts = world.contacts()
    assert len(contacts) == 2 and contacts["point"].tolist() == [0, 1]
    numpy.testing.assert_allclose(contacts["normal"], [[0, 1, 0]] * 2, atol=1e-12)
    numpy.testing.assert_allclose(contacts["force"].sum(axis=0), [0, 2 * 9.81, 0], rtol=1e-2, atol=1e-6)
    numpy.testing.assert_allclose(world.collider_forces()[0, :3], [0, -2 * 9.81, 0], rtol=1e-2, atol=1e-6)


def test_there_may_be_no_rows_to_read(pendulum):
    world = taut.World(pendulum)
    assert world.read("positions", count=0).shape == (0, 3) and world.read("positions", first=2).shape == (0, 3)
    assert world.read("orientations").shape == (0, 4) and world.read("violations", count=0).shape == (0,)


def test_a_hand_that_has_let_go_does_not_move(pendulum):
    world = taut.World(pendulum, reserve={"targets": 1})
    hand = world.grab(1, [1, 0, 0])
    hand.move([1, 0.1, 0])
    hand.release()
    with pytest.raises(ValueError, match="let go"):
        hand.move([1, 0.2, 0])
    assert not hand.held and world.room()[1]["targets"] == 1


def test_closed_worlds_are_refused(pendulum):
    world = taut.World(pendulum)
    world.close()
    for use in (lambda: world.step(0.1), lambda: world.positions, world.info, lambda: world.backend):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_hands_on_a_closed_world_are_refused(pendulum):
    world = taut.World(pendulum, reserve={"targets": 1})
    with world.grab(1, [1, 0, 0]) as hand:
        world.close()
        assert not hand.held
        for use in (lambda: hand.move([1, 0.1, 0]), hand.release):
            with pytest.raises(ValueError, match="the world is closed"):
                use()


def test_dlpack(sheet):
    world = taut.World(sheet, backend="cpu")
    shared = numpy.from_dlpack(world.positions)
    world.step(0.01)
    numpy.testing.assert_array_equal(shared, world.positions)


def test_writing(pendulum):
    world = taut.World(pendulum)
    world.velocities = [0, 0, 0.5]  # one row for all
    numpy.testing.assert_array_equal(world.velocities[1], [0, 0, 0.5])
    world.write("positions", [[0, 1, 0]], first=1)
    numpy.testing.assert_array_equal(world.positions, [[0, 0, 0], [0, 1, 0]])
    world.positions = world.positions + 1
    numpy.testing.assert_array_equal(world.positions, [[1, 1, 1], [1, 2, 1]])
    with pytest.raises(ValueError):
        world.positions = numpy.zeros((3, 3))
    with pytest.raises(AttributeError):
        world.violations = [0]
    with pytest.raises(taut.Error):
        world.write("violations", [0])


# ---- settings and parameters ----------------------------------------------------------------------------------------------


def test_settings_by_name(sheet):
    world = taut.World(sheet, backend="cpu", threads=1, solver=dict(method="schur", preconditioner="none", tolerance=1e-8), gravity=[0, 0, -1])
    assert world.choice().schur_rows == sheet.row_count
    world.step(0.1)
    world.set_solver(max_iterations=2)
    assert world.solver["tolerance"] == 1e-8 and world.solver["method"] == "schur" and world.solver["max_iterations"] == 2
    world.step(0.1)
    assert world.info().outcome == "iteration_limit"
    with pytest.raises(taut.Error):
        world.set_solver(method="condensed")  # fixed at creation
    assert world.solver["method"] == "schur"
    world.set_integrator(preset="midpoint", substeps=2)
    assert world.integrator["alpha"] == 0.5 and world.integrator["substeps"] == 2
    with pytest.raises(TypeError, match="taut_solver has no member 'tolerence'"):
        taut.World(sheet, solver=dict(tolerence=1))
    with pytest.raises(ValueError, match="method: is 'magic'"):
        taut.World(sheet, solver=dict(method="magic"))
    with pytest.raises(TypeError, match="taut_world_def has no member 'friction'"):
        taut.World(sheet, friction=1)
    for threads in (True, -1, 1.5, numpy.float32(1.7), "4"):
        with pytest.raises(TypeError, match="threads: cannot be"):
            taut.World(sheet, threads=threads)
    taut.World(sheet, threads=numpy.int64(1))


def test_quality_changes_what_is_set(sheet):
    world = taut.World(sheet, backend="cpu", integrator=dict(substeps=4), solver=dict(tolerance=1e-4), quality="preview")
    assert world.integrator["substeps"] == 2 and world.solver["tolerance"] == 1e-2
    with pytest.raises(ValueError, match="quality: is 'best'"):
        taut.World(sheet, quality="best")


def test_steps_in_a_given_time(sheet):
    plain, timed = (taut.World(sheet, backend="cpu", threads=1, integrator=dict(substeps=2)) for _ in range(2))
    for _ in range(3):
        plain.step(1 / 60)
        timed.step_for(1 / 60, seconds=1000)
    assert numpy.array_equal(plain.positions, timed.positions)
    assert timed.info().substeps == 2 and timed.info().hurried == 0
    for _ in range(2):
        timed.step_for(1 / 60, 1e-9)
    assert timed.info().substeps == 1
    with pytest.raises(taut.Error, match="the budget is 0 s"):
        timed.step_for(1 / 60, 0)


def test_a_step_is_stopped(sheet):
    world = taut.World(sheet, backend="cpu")
    world.stop()
    with pytest.raises(taut.Error, match="was stopped") as caught:
        world.step(1 / 60)
    assert caught.value.status == "TAUT_STOPPED"
    world.step(1 / 60)


def test_what_rests_sleeps(pendulum):
    with taut.World(pendulum, backend="cpu", sleep={"speed": 100.0, "time": 0.05}) as world:
        assert not world.read_asleep().any()
        for _ in range(10):
            world.step(1 / 60)
        assert world.info().asleep == world.read_asleep().sum()
        world.wake([1])
        world.wake()
        assert not world.read_asleep().any()


def test_the_cuda_backend_says_whether_it_is_there(pendulum):
    if taut.backend_available("cuda"):
        assert len(taut.cuda_devices()) > 0
        return
    with pytest.raises(taut.Error) as caught:
        taut.World(pendulum, backend="cuda")
    assert caught.value.status == "TAUT_BACKEND_UNAVAILABLE"


def test_messages_go_to_a_function_or_to_logging(pendulum, caplog):
    told = []
    taut.World(pendulum, log=lambda level, sentence: told.append((level, sentence)))
    with caplog.at_level("INFO", logger="taut"):
        taut.World(pendulum)
    assert len(caplog.records) == len(told) and all(level in ("info", "warning") for level, _ in told)
    taut.World(pendulum, log=None)


def test_forces_and_fixed_points(pendulum):
    world = taut.World(pendulum, gravity=[0, 0, 0])
    world.set_forces([[3.0, 0, 0]], first=1)
    world.step(0.1)
    assert world.multipliers[0] == pytest.approx(-3, rel=1e-4)  # a stretched link pulls
    world.set_forces([[0, 0, 0]], first=1)
    world.set_fixed([1])
    world.move_fixed([1], [[0, 1, 0]])
    world.step(0.1)
    numpy.testing.assert_allclose(world.positions[1], [0, 1, 0], atol=1e-12)
    world.turn_fixed([1], [[1, 0, 0]], [0, 0, -numpy.pi / 2], [0, 0, 0])
    world.step(0.1)
    numpy.testing.assert_allclose(world.positions[1], [1, 0, 0], atol=1e-12)
    with pytest.raises(ValueError, match="rotation"):
        world.turn_fixed([1], [[1, 0, 0]], [0, 0], [0, 0, 0])


def test_values_of_batches():
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [0, -1, 0]], fixed=[True, False], mass=1)
    spring = scene.add_distances(particles=[[0, 1]], rest_lengths=[1], compliance=0.01, damping=0.1)
    pull = scene.add_targets(particles=[1], compliance=1e6)
    world = taut.World(scene, backend="cpu")
    for _ in range(300):
        world.step(0.05)
    assert -world.positions[1, 1] == pytest.approx(1 + 0.01 * 9.81, rel=1e-3)  # L + C m g
    world.set_compliances(spring, 0.02)  # one value for all
    world.set_rest_values(spring, [2])
    for _ in range(300):
        world.step(0.05)
    assert -world.positions[1, 1] == pytest.approx(2 + 0.02 * 9.81, rel=1e-3)
    assert world.batch_rows(pull) == range(1, 4)
    world.set_compliances(pull, [0])
    world.move_targets(pull, [[0, -3, 0]])
    world.step(0.05)
    numpy.testing.assert_allclose(world.positions[1], [0, -3, 0], atol=1e-4)
    world.turn_targets(pull, [[3, 0, 0]], [0, 0, numpy.pi / 2], [0, 0, 0])
    world.step(0.05)
    numpy.testing.assert_allclose(world.positions[1], [3, 0, 0], atol=1e-4)
    with pytest.raises(ValueError, match="values: has the shape"):
        world.move_targets(pull, [[1, 2]])
    later = scene.add_distances(particles=[[0, 1]])
    with pytest.raises(ValueError, match="no such batch"):
        world.set_compliances(later, [0])


def test_moduli_of_solids():
    """A bar of two cubes along x, stretched evenly since Poisson's ratio is 0: u = F L/(E A)."""
    scene = taut.Scene()
    corners = [[x, y, z] for x in (0, 1, 2) for z in (0, 1) for y in (0, 1)]
    cube = numpy.array([[0, 4, 5, 7], [0, 4, 7, 6], [0, 6, 7, 2], [0, 2, 7, 3], [0, 3, 7, 1], [0, 1, 7, 5]])
    scene.add_particles(positions=corners, mass=1, fixed=[x == 0 for x, _, _ in corners])
    solids = scene.add_solids(particles=numpy.vstack([cube, cube + 4]), young=1e3, poisson=0, elasticity="corotational")
    scene.add_surfaces(particles=[[8, 9, 11], [8, 11, 10]], traction=[20, 0, 0])
    world = taut.World(scene, backend="cpu", gravity=[0, 0, 0])

    def stretch():
        for _ in range(60):
            world.step(10)
        return world.positions[8:, 0] - 2

    numpy.testing.assert_allclose(stretch(), 20 * 2 / 1e3, rtol=1e-5)
    world.set_moduli(solids, 4e3)  # one value for all
    numpy.testing.assert_allclose(stretch(), 20 * 2 / 4e3, rtol=1e-5)
    world.set_moduli(solids, youngs=numpy.full(6, 1e3), poissons=0, first=6)  # of the second cube
    numpy.testing.assert_allclose(stretch(), 20 / 4e3 + 20 / 1e3, rtol=1e-5)
    world.set_moduli(solids, poissons=[0.3])
    assert stretch().mean() < 20 / 4e3 + 20 / 1e3 - 1e-4  # the clamp hinders the sections
    with pytest.raises(ValueError, match="youngs, poissons or both"):
        world.set_moduli(solids)
    with pytest.raises(ValueError, match="youngs: has 3 values; it takes one for all, or 12, one for each"):
        world.set_moduli(solids, [1, 2, 3])
    with pytest.raises(taut.Error, match=r"solid\[0\]: Young's modulus is 0"):
        world.set_moduli(solids, 0)


def test_batches_of_another_scene_are_refused():
    def made():
        scene = taut.Scene()
        scene.add_particles(positions=numpy.eye(3))
        rods = scene.add_rods(offsets=[0, 3], positions=[[0, 0, 0], [0, 0, 1], [0, 0, 2]])
        return scene, scene.add_distances(particles=[[0, 1], [1, 2]], compliance=1e-2), rods

    scene, links, rods = made()
    other, others, _ = made()
    world = taut.World(other, backend="cpu", integrator={"newton": 20})
    uses = {  # of the world
        "set": lambda batch: world.set_compliances(batch, 0.5), "wind": lambda batch: world.set_wind(batch, [0, 0, 1]),
        "moduli": lambda batch: world.set_moduli(batch, 1),
        "bounds": lambda batch: world.set_bounds(batch, -1, 1), "present": lambda batch: world.set_present(batch, False, 0),
        "rows": world.batch_rows, "broken": lambda batch: world.read_broken(batch, 0, 1), "contradicting": world.contradicting_rows,
        "gradient": lambda batch: taut.Gradients(world, 1).read("compliances", batch),
        # of the scene
        "describe": other.describe, "forces": other.use_as_forces, "bounds of a scene": lambda batch: other.set_bounds(batch, upper=0)}
    for use in uses.values():
        for batch in (links, rods.bends, scene.batch(1), rods.as_dict()["segments"]):
            with pytest.raises(ValueError, match="batch: belongs to another scene"):
                use(batch)
    world.set_compliances(others, 0.5)
    assert world.batch_rows(others) == world.batch_rows(other.batch(others.id))
    assert others == other.batch(others.id) and others != links and len({links, others}) == 2


def test_batches_of_a_scene_file_belong_to_it(cloth_file):
    first, second = taut.Simulation(cloth_file), taut.Simulation(cloth_file)
    threads = first.scene.batches["objects[0].stretch"][0]
    first.world.set_compliances(threads, 1e-3)
    assert first.scene.scene.describe(threads)[0] == "distance"
    with pytest.raises(ValueError, match="another scene"):
        second.world.set_compliances(threads, 1e-3)


def chain():
    """Five points and four links, compliant and with bounds."""
    scene = taut.Scene()
    scene.add_particles(positions=numpy.arange(5)[:, None] * [1.0, 0, 0])
    links = scene.add_distances(particles=[[i, i + 1] for i in range(4)], compliance=1e-4)
    scene.set_bounds(links, upper=100)
    return taut.World(scene, backend="cpu", gravity=[0, 0, 0]), links


@pytest.mark.parametrize("one", [7.0, [7.0], numpy.array([7.0]), numpy.array(7.0), [[7.0]]])
def test_one_value_is_for_all(one):
    operators = pytest.importorskip("taut.operators")
    world, links = chain()
    world.set_compliances(links, one)
    assert operators.assemble(world).C.diagonal().tolist() == 4 * [7]
    world.set_dampings(links, one)
    world.set_rest_values(links, one)
    world.set_bounds(links, lower=-7, upper=one, strengths=one)


def test_one_value_each_or_a_part():
    operators = pytest.importorskip("taut.operators")
    world, links = chain()
    for values, first, expected in (([1, 2, 3, 4], None, [1, 2, 3, 4]), ([8], 0, [8, 2, 3, 4]), ([8], 2, [8, 2, 8, 4]),
                                    ([5, 6], 1, [8, 5, 6, 4]), (9, 2, [8, 5, 9, 9]), (3, 0, [3, 3, 3, 3])):
        world.set_compliances(links, values, **({} if first is None else {"first": first}))
        assert operators.assemble(world).C.diagonal().tolist() == expected


@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, 2.0, 3.0], numpy.ones(5), []])
def test_neither_one_nor_all_values_are_refused(values):
    world, links = chain()
    told = f"values: has {len(values)} values; it takes one for all, or 4, one for each"
    for use in (world.set_compliances, world.set_dampings, world.set_rest_values):
        with pytest.raises(ValueError, match=told):
            use(links, values)
    with pytest.raises(ValueError, match=told.replace("values:", "upper:")):
        world.set_bounds(links, -1, values)


def test_bounds_of_a_part_have_one_value_each():
    world, links = chain()
    world.set_bounds(links, -1, [1, 2], first=2)
    with pytest.raises(ValueError, match="^lower: has 2 values; it takes 3$"):
        world.set_bounds(links, [-1, -2], 1, [1, 2, 3], first=1)


def test_one_row_is_for_all_points():
    world, links = chain()
    world.set_forces([0, 0, 2])
    world.step(0.1)
    numpy.testing.assert_allclose(world.velocities[:, 2], 0.2, rtol=1e-6)
    world.set_forces([[0, 0, -2]])
    world.step(0.1)
    numpy.testing.assert_allclose(world.velocities[:, 2], 0, atol=1e-9)
    world.set_forces([0, 0, 0])
    world.set_forces([0, 0, 2], first=4)  # a part of one point
    world.step(0.1)
    assert world.velocities[0, 2] == pytest.approx(0, abs=1e-9) and world.velocities[4, 2] > 0.1
    world.write("velocities", [[0, 1, 0]])
    assert world.velocities[:, 1].tolist() == 5 * [1]
    world.write("velocities", [0, 2, 0], first=3)
    assert world.velocities[:, 1].tolist() == [1, 1, 1, 2, 1]
    four = "has 4 rows; it takes one for all, or 5, one for each"
    for name, use in (("forces", lambda: world.set_forces(numpy.ones((4, 3)))),
                      ("positions", lambda: world.write("positions", numpy.ones((4, 3)))),
                      ("positions", lambda: setattr(world, "positions", numpy.ones((4, 3))))):
        with pytest.raises(ValueError, match=f"^{name}: {four}"):
            use()
    with pytest.raises(ValueError, match=r"^positions: has the shape \(5, 2\); it takes count x 3"):
        world.positions = numpy.ones((5, 2))
    world.set_torques(numpy.zeros((0, 3)))  # there are no frames


@pytest.mark.parametrize("first", [{}, {"first": 1}])
@pytest.mark.parametrize("number", [1.0, 0, numpy.float64(2), numpy.array(3)])
def test_a_number_is_no_row(first, number):
    scene = taut.Scene()
    scene.add_bodies(positions=[[i, 0, 0] for i in range(6)])
    targets = scene.add_targets(particles=[0, 1, 2])
    turned = scene.add_alignments(frames=[[0, 3], [1, 4], [2, 5]])
    world = taut.World(scene, backend="cpu")
    before = world.save()
    for name, columns, use in (("forces", 3, world.set_forces), ("torques", 3, world.set_torques),
                               ("values", 3, lambda n, **part: world.move_targets(targets, n, **part)),
                               ("values", 3, lambda n, **part: world.move_targets(turned, n, **part)),
                               ("values", 3, lambda n, **part: world.set_rest_values(turned, n, **part)),
                               ("positions", 3, lambda n, **part: world.write("positions", n, **part)),
                               ("velocities", 3, lambda n, **part: world.write("velocities", n, **part)),
                               ("orientations", 4, lambda n, **part: world.write("orientations", n, **part)),
                               ("angular_velocities", 3, lambda n, **part: world.write("angular_velocities", n, **part))):
        rows = (3 if name == "values" else 6) - len(first)
        with pytest.raises(ValueError, match=f"^{name}: is a number; it takes {columns} values for all, or {rows} x {columns}$"):
            use(number, **first)
    for field in ("positions", "velocities", "orientations", "angular_velocities"):
        with pytest.raises(ValueError, match=f"^{field}: is a number"):
            setattr(world, field, number)
    assert world.save() == before
    world.set_compliances(turned, 1e-3)  # the same about all axes


@pytest.mark.parametrize("gravity, shape", [([0, 0], "(2,)"), ([[0, 0, 1], [0, 5, 0]], "(2, 3)"), (numpy.zeros((0, 3)), "(0, 3)"),
                                            (5, "()"), ([], "(0,)")])
def test_three_values_are_three(gravity, shape, pendulum):
    world = taut.World(pendulum)
    for use in (world.set_gravity, lambda g: taut.World(pendulum, gravity=g)):
        with pytest.raises(ValueError) as caught:
            use(gravity)
        assert str(caught.value) == f"gravity: has the shape {shape}; it takes 3 values"
    world.set_gravity([[0, -1, 0]])


def test_three_values_for_rods():
    scene = taut.Scene()
    rod = scene.add_rods(offsets=[0, 3], positions=[[0, 0, 0], [0, 0, 1], [0, 0, 2]])
    world = taut.World(scene)
    world.set_compliances(rod.bends, [[1, 1, 2]])
    world.set_compliances(rod.segments, [[1, 1, 2]], first=1)
    world.set_rest_values(rod.bends, [[0.1, 0, 0]])
    world.set_compliances(rod.segments, [1, 1, 3])  # one row for all
    with pytest.raises(ValueError):
        world.set_compliances(rod.segments, [1.0, 2.0])  # one value each would be read beyond its end
    with pytest.raises(taut.Error):
        world.set_compliances(rod.segments, [[1, 1, 2]], first=2)


def test_bounds_and_breaking():
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [0, -1, 0]], fixed=[True, False], mass=1)
    rope = scene.add_distances(particles=[[0, 1]])
    scene.set_bounds(rope, upper=0, strength=5)
    world = taut.World(scene, backend="cpu")
    world.step(0.01)  # the weight, 9.81 N, is more than it bears
    world.step(0.01)
    assert world.read_broken(rope, 0, 1).tolist() == [True]
    assert world.info().broken == 1


def test_grabs_and_cuts(sheet):
    links = sheet.batch(1)
    world = taut.World(sheet, reserve=dict(targets=1, distances=2))
    with world.grab(35, [1, 0.2, 1]) as hand:
        world.step(0.1)
        numpy.testing.assert_allclose(world.positions[35], [1, 0.2, 1], atol=1e-4)
        hand.move([1, 0.3, 1])
        world.step(0.1)
        numpy.testing.assert_allclose(world.positions[35], [1, 0.3, 1], atol=1e-4)
        assert hand.held
    assert not hand.held
    ids = world.add_distances(particles=[[0, 35]], compliance=0.1)
    assert world.has_added(int(ids[0])) and len(world.added_rows(int(ids[0]))[0]) == 1
    room, left = world.room()
    assert (room["distances"], left["distances"]) == (2, 1)
    with pytest.raises(taut.Error) as caught:
        world.add_distances(particles=[[0, 35], [0, 34]])
    assert caught.value.status == "TAUT_OUT_OF_CAPACITY"
    world.grow_reserve(distances=5)
    world.add_distances(particles=[[0, 35], [0, 34]])
    world.remove(ids)
    assert not world.has_added(int(ids[0]))
    for use, number in ((lambda: world.added_rows(5), 5), (lambda: world.remove([7]), 7), (lambda: world.remove(ids), int(ids[0])),
                        (lambda: world.remove([2**40 + 3]), 2**40 + 3), (lambda: world.move_added([9], [[0, 0, 0]]), 9)):
        with pytest.raises(taut.Error, match=f"^id {number} belongs to no constraint"):
            use()
    with pytest.raises(ValueError, match="added: a number is below 0"):
        world.remove([-1])
    world.set_present(links, False, 3, 2)
    assert world.read_present(links, 2, 4).tolist() == [True, False, False, True]


# ---- states and threads ---------------------------------------------------------------------------------------------------


def test_a_saved_state_goes_on_with_equal_bits(sheet):
    world = taut.World(sheet, backend="cpu")
    for _ in range(3):
        world.step(0.02)
    block = world.save()
    assert taut.World.describe_saved(block).steps == 3
    ends = []
    for _ in range(2):
        for _ in range(3):
            world.step(0.02)
        ends.append(world.positions.copy())
        world.load(block)
    numpy.testing.assert_array_equal(ends[0], ends[1])
    with pytest.raises(taut.Error):
        world.load(block[:-5])
    other = taut.Scene()
    other.add_particles(positions=[[0, 0, 0]])
    with pytest.raises(taut.Error):
        taut.World(other).load(block)


def test_divergence_is_an_exception(pendulum):
    world = taut.World(pendulum, speed_limit=0.5, gravity=[0, -9.81, 0])
    with pytest.raises(taut.Error) as caught:
        for _ in range(100):
            world.step(0.1)
            world.sync()
    assert caught.value.status == "TAUT_DIVERGED"
    assert numpy.all(numpy.isfinite(world.positions))


def _large_scene(side=120):
    from conftest import sheet_edges, sheet_points
    scene = taut.Scene()
    scene.add_particles(positions=sheet_points(side), mass=1e-3)
    scene.add_distances(particles=sheet_edges(side), compliance=1e-5)
    scene.set_fixed([0, side - 1])
    return scene


def _large():
    return taut.World(_large_scene(), backend="cpu", threads=1, solver=dict(tolerance=1e-8))


def test_other_threads_run_while_a_world_steps():
    """The interpreter's lock is released: Python goes on during one long step; the same world is refused to others."""
    world = _large()
    began, done, refused, ticks = threading.Event(), threading.Event(), [], 0

    def work():
        began.set()
        for _ in range(3):
            world.step(1 / 60)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    while not done.is_set():
        try:
            world.info()
        except RuntimeError as error:
            refused.append(str(error))
        ticks += 1
        time.sleep(0)
    thread.join()
    assert ticks > 10
    assert refused and "another thread" in refused[0]
    assert numpy.all(numpy.isfinite(world.positions))


def _begin(work, busy):
    """Another thread that works; returns when it does, by what is then refused here."""
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        try:
            busy()
        except RuntimeError:
            break
        time.sleep(0)
    return thread


def _leave(world):
    with world:
        pass


@pytest.mark.parametrize("call", [lambda world: world.step(1 / 60), lambda world: world.assemble()])
@pytest.mark.parametrize("end", [lambda world: world.close(), _leave])
def test_a_world_in_use_is_not_closed(call, end):
    world = _large()
    thread = _begin(lambda: [call(world) for _ in range(3)], lambda: world.row_count and world.room())
    with pytest.raises(RuntimeError, match="another thread"):
        end(world)
    thread.join()
    assert not world.closed
    world.close()
    assert world.closed
    world.close()


def test_a_simulation_in_use_is_not_closed(cloth_file):
    cloth_file["objects"][0]["grid"]["cells"] = [50, 50]
    simulation = taut.Simulation(cloth_file, threads=1)
    thread = _begin(simulation.step, simulation.world.room)
    with pytest.raises(RuntimeError, match="another thread"):
        simulation.close()
    thread.join()
    simulation.close()


def test_a_scene_is_not_closed_while_a_world_is_made_of_it():
    scene, made = _large_scene(200), []
    thread = _begin(lambda: made.append(taut.World(scene, backend="cpu", threads=1)), lambda: scene.set_fixed([0]))
    with pytest.raises(RuntimeError, match="another thread"):
        scene.close()
    thread.join()
    scene.close()
    assert made[0].particle_count == 200**2


# ---- cycles ---------------------------------------------------------------------------------------------------------------


class _Told:
    """Its world reaches it by the log function; so does what else holds the world."""

    def __init__(self, scene, more=lambda world: None):
        room = {"reserve": {"targets": 1}} if more is _grab else {}  # gradients refuse it
        self.world = taut.World(scene, backend="cpu", log=self.log, integrator={"newton": 50}, **room)
        self.more = more(self.world)

    def log(self, level, text):
        pass


def _grab(world):
    return world.grab(1, [0, 0, 0])


def _record(world):
    return taut.Gradients(world, 2)


@pytest.mark.parametrize("more", [lambda world: None, lambda world: world.positions, _grab, _record, lambda world: world.close()])
def test_a_log_function_that_reaches_its_world_is_collected(pendulum, more):
    told = _Told(pendulum, more)
    gone = weakref.ref(told)
    del told
    gc.collect()
    assert gone() is None


def test_what_a_solve_has_left(sheet):
    with taut.World(sheet, residuals=True, solver={"method": "gauss_seidel", "max_iterations": 1}, integrator={"guard": False}) as world:
        world.step(1 / 60)
        world.step(1 / 60)
        left = world.read_residuals()
        assert left.shape == (36, 3) and numpy.abs(left).max() > 1e-3
        assert not left[[0, 5]].any()  # what is fixed
    with pytest.raises(taut.Error, match="residuals"):
        taut.World(sheet).read_residuals()
