"""Gradients against differences, and the examples that use them."""

import importlib
import pathlib
import sys

import numpy
import pytest

import taut

H = 1 / 60
EXACT = dict(backend="cpu", solver=dict(method="direct", tolerance=1e-12),
             integrator=dict(newton=50, newton_tolerance=1e-11))
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "gradients"


def fall(scene, batch, compliance, steps=4):
    """The world after some steps, the records of these, and a function of its last state with its derivatives."""
    world = taut.World(scene, **EXACT)
    world.set_compliances(batch, compliance)
    records = taut.Gradients(world, steps)
    for _ in range(steps):
        records.step(H)
    by_x = numpy.random.default_rng(1).standard_normal(world.positions.shape)
    return world, records, (by_x * world.positions).sum(), by_x


def test_a_step_solved_too_loosely_has_none(sheet):
    world = taut.World(sheet, backend="cpu", solver=dict(method="condensed"), integrator=EXACT["integrator"])
    start = world.positions.copy()
    with pytest.raises(taut.Error, match="solver.tolerance is 0.0001"):
        taut.Gradients(world, 1).step(H)
    assert (world.positions == start).all()


def test_a_gradient_by_compliances(sheet):
    batch, count = sheet.add_distances(particles=[[0, 35], [5, 30]], compliance=1e-2), 2
    compliance = numpy.full(count, 2e-3)
    world, records, _, by_x = fall(sheet, batch, compliance)
    assert len(records) == 4
    by_v = numpy.zeros_like(by_x)
    while len(records):
        by_x, by_v = records.back(by_x, by_v)
    got = records.read("compliances", batch)
    assert got.shape == (count,) and records.read("gravity").shape == (3,)
    assert records.read("forces").shape == by_x.shape and records.read("masses").shape == by_x.shape[:1]
    step = 2e-5 * numpy.eye(count)[0]
    up, down = (fall(sheet, batch, compliance + sign * step)[2] for sign in (1, -1))
    assert got[0] == pytest.approx((up - down) / 4e-5, rel=1e-3)
    records.clear_sums()
    assert not records.read("compliances", batch).any()


def test_faults_have_names(sheet, pendulum):
    links = sheet.batch(1)
    world = taut.World(sheet, **EXACT)
    for steps in (0, -1, True, 2.5, 2**32, "3"):
        with pytest.raises(ValueError) as caught:
            taut.Gradients(world, steps)
        assert str(caught.value) == f"steps: is {steps!r}; it is a whole number from 1 to 4294967295"
    with pytest.raises(taut.Error, match="out of memory"):
        taut.Gradients(world, 2**32 - 1)
    records, zero = taut.Gradients(world, numpy.int64(2)), numpy.zeros((36, 3))
    records.step(H)
    with pytest.raises(ValueError, match=r"^by: 'compliances' are of a batch: read\(by, batch\)$"):
        records.read("compliances")
    with pytest.raises(ValueError, match="^by: 'gravity' are of the world, and of no batch$"):
        records.read("gravity", links)
    ends = pendulum.add_attachments(particles=[[0, 1]], compliance=1e-2)
    with pytest.raises(taut.Error, match="^attachment constraints have no gradient by rest_values"):
        taut.Gradients(taut.World(pendulum, **EXACT), 1).read("rest_values", ends)
    for x, v, told in ((zero + numpy.nan, zero, "component 0 of positions 0 is nan"), (zero, zero - numpy.inf, "velocities 0 is -inf")):
        with pytest.raises(taut.Error, match=told) as caught:
            records.back(x, v)
        assert caught.value.status == "TAUT_INVALID_ARGUMENT" and len(records) == 1


def test_records_of_a_closed_world_are_refused(sheet):
    world = taut.World(sheet, **EXACT)
    records, view, zero = taut.Gradients(world, 3), world.positions, numpy.zeros((36, 3))
    records.step(H)
    world.close()
    kept = view.copy()
    for use in (lambda: records.step(H), lambda: records.back(zero, zero), lambda: records.read("gravity"), lambda: len(records),
                records.clear, records.clear_sums):
        with pytest.raises(ValueError, match="the world is closed"):
            use()
    assert world.closed and (view == kept).all()


def held_sail():
    """Three points of a sail with soft edges."""
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [1, 0, 0], [0, 0, 1]], mass=0.1)
    edges = scene.add_distances(particles=[[0, 1], [1, 2], [2, 0]], compliance=1e-2)
    scene.set_bounds(edges, upper=100)
    return scene, edges, scene.add_surfaces(particles=[[0, 2, 1]], drag=0.6, wind=[0, 1, 0], pressure=1)


def test_gusts_between_steps_have_gradients_where_they_are_set_back():
    def gusts(speed, recorded):
        scene, _, sail = held_sail()
        world = taut.World(scene, **EXACT)
        world.velocities = [0, speed, 0]
        records = taut.Gradients(world, 6)
        for k in range(6):
            world.set_wind(sail, [0, 2.0 * k, 0])
            records.step(H)
        by_x, by_v = numpy.zeros((3, 3)), numpy.zeros((3, 3))
        by_x[:, 1] = 1
        while recorded and len(records):
            world.set_wind(sail, [0, 2.0 * (len(records) - 1), 0])
            by_x, by_v = records.back(by_x, by_v)
        return by_v[:, 1].sum() if recorded else world.positions[:, 1].sum()

    assert gusts(0, True) == pytest.approx((gusts(1e-3, False) - gusts(-1e-3, False)) / 2e-3, rel=1e-5)


CHANGES = {
    "compliances": lambda world, edges, sail: world.set_compliances(edges, 1e-1),
    "dampings": lambda world, edges, sail: world.set_dampings(edges, 0.3),
    "bounds": lambda world, edges, sail: world.set_bounds(edges, 3 * [-1], 3 * [1]),
    "wind": lambda world, edges, sail: world.set_wind(sail, [0, 5, 3]),
    "pressures": lambda world, edges, sail: world.set_pressures(sail, 50.0),
    "fixed": lambda world, edges, sail: world.set_fixed([2]),
    "taken away": lambda world, edges, sail: world.set_present(edges, False, 1),
    "alpha": lambda world, edges, sail: world.set_integrator(alpha=0.6, beta=0.6),
    "mass_damping": lambda world, edges, sail: world.set_integrator(mass_damping=5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_step_made_with_other_parameters_is_refused(change):
    scene, edges, sail = held_sail()
    world = taut.World(scene, **EXACT)
    records, zero = taut.Gradients(world, 3), numpy.zeros((3, 3))
    records.step(H)
    CHANGES[change](world, edges, sail)
    records.step(H)
    records.back(zero + 1, zero)
    with pytest.raises(taut.Error, match="other parameters") as caught:
        records.back(zero + 1, zero)
    assert caught.value.status == "TAUT_INVALID_ARGUMENT" and change in str(caught.value)
    assert len(records) == 1


def test_what_may_change_between_steps():
    scene, edges, _ = held_sail()
    world = taut.World(scene, **EXACT)
    records, zero = taut.Gradients(world, 3), numpy.zeros((3, 3))
    start = world.save()
    records.step(H)
    world.set_rest_values(edges, 1.1)
    world.set_forces(zero + 0.3)
    world.set_gravity([5, 0, 0])
    world.velocities = world.velocities + 0.1
    records.step(H)
    world.load(start)
    while len(records):
        records.back(zero + 1, zero)


def test_a_step_that_is_not_recorded_ends_a_recording(sheet):
    world = taut.World(sheet, **EXACT)
    records = taut.Gradients(world, 3)
    world.step(H)
    records.step(H)
    world.step(H)
    with pytest.raises(taut.Error, match="not recorded"):
        records.step(H)
    records.clear()
    records.step(H)


def test_what_has_no_gradient_says_why(sheet):
    with pytest.raises(taut.Error, match="integrator.newton above 1"):
        taut.Gradients(taut.World(sheet, backend="cpu"), 1)
    records = taut.Gradients(taut.World(sheet, **EXACT), 1)
    with pytest.raises(taut.Error, match="no step is recorded"):
        records.back(numpy.zeros((36, 3)), numpy.zeros((36, 3)))
    with pytest.raises(ValueError):
        records.read("stiffness")


@pytest.fixture
def example(monkeypatch):
    pytest.importorskip("scipy")
    if not EXAMPLES.is_dir():
        pytest.skip("installed without the sources")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield importlib.import_module
    for name in ("identify_stiffness", "throw_ball", "bounce_ball", "swing_pendulum", "throw_box", "drape_cloth", "torch_steps"):
        sys.modules.pop(name, None)


def test_a_stiffness_is_identified(example):
    compliance, values = example("identify_stiffness").identify()
    assert compliance == pytest.approx(4e-3, rel=1e-4) and len(values) < 30


def test_a_ball_hits_its_goal(example):
    velocity, distance, _ = example("throw_ball").throw()
    assert distance < 1e-6 and velocity[0] > 4


def test_a_ball_bounces_into_its_goal(example):
    velocity, distance, lowest, _ = example("bounce_ball").throw()
    assert distance < 1e-6 and lowest < 0.02 and velocity[1] < 0  # thrown down, it rises again


def test_a_box_slides_to_its_goal(example):
    box = example("throw_box")
    speeds, distance, _ = box.throw()
    assert distance < 1e-5 and speeds[0] > 1
    friction, _ = box.identify()
    assert friction == pytest.approx(0.25, rel=1e-4)


def test_a_drape_tells_what_the_cloth_is(example):
    values, _ = example("drape_cloth").identify()
    assert values == pytest.approx([5e-3, 0.06], rel=1e-2)


def test_a_double_pendulum(example):
    pendulum = example("swing_pendulum")
    masses, _ = pendulum.identify()
    assert masses == pytest.approx([0.4, 0.7], rel=1e-4)
    angles = numpy.full(3, 0.1) + 0.02 * numpy.arange(3)
    goal = numpy.array([-0.2, -0.7, 0])
    slope = pendulum.moved(angles, goal)[1]
    for i in range(3):
        step = 1e-5 * numpy.eye(3)[i]
        up, down = (pendulum.moved(angles + sign * step, goal)[0] for sign in (1, -1))
        assert slope[i] == pytest.approx((up - down) / 2e-5, rel=1e-4)


def test_a_motor_reaches_its_goal(example):
    _, distance, speed, _ = example("swing_pendulum").reach()
    assert distance < 0.02 and speed < 0.1


def test_frames_follow_the_points():
    scene = taut.Scene()
    bodies = scene.add_bodies(positions=[[0, 0, 0]], angular_velocities=[[1, 2, 3]])
    with taut.World(scene, **EXACT) as world:
        records = taut.Gradients(world, 1)
        records.step(H)
        with pytest.raises(ValueError):
            records.back(numpy.zeros((1, 3)), numpy.zeros((1, 3)))
        by_x, by_v = records.back(numpy.eye(2, 3, -1), numpy.zeros((2, 3)))  # how the body has turned about x
        assert by_v[bodies.frames[0] + 1] == pytest.approx([H, 0, 0], abs=1e-3)
        assert records.read("torques").shape == (1, 3) and records.read("inertias").shape == (1, 6)


def test_one_particle_on_a_floor():
    """What slides on a floor keeps m g mu of friction: its way has the derivative -h mu t by gravity."""
    scene = taut.Scene()
    stone = scene.add_material(friction=0.2)
    scene.add_particles(positions=[[0, 0, 0]], velocities=[[2, 0, 0]], mass=0.5)
    scene.add_contact_points(particles=[0], material=stone)
    scene.add_colliders(shape="plane", orientations=[[0.5**0.5, -0.5**0.5, 0, 0]], material=stone)
    with taut.World(scene, backend="cpu", solver={"tolerance": 1e-9}, integrator={"newton": 20, "newton_tolerance": 1e-8}) as world:
        records = taut.Gradients(world, 30)
        for _ in range(30):
            records.step(1 / 60)
        by_x, by_v = numpy.zeros((1, 3)), numpy.array([[1.0, 0, 0]])  # the speed at the end
        while len(records):
            by_x, by_v = records.back(by_x, by_v)
        assert records.read("forces").shape == (1, 3) and records.read("masses").shape == (1,)
        assert records.read("gravity")[1] == pytest.approx(0.2 * 0.5, rel=0.02)
        assert by_v[0, 0] == pytest.approx(1, abs=0.02)


def torch_chain(example):
    torch = pytest.importorskip("torch")
    steps = example("torch_steps")
    return torch, steps, *steps.start(), *steps.chain()


def test_steps_in_torch(example):
    """By the velocity and compliance of one link, against differences."""
    torch, steps, x, v, recorder, compliances = torch_chain(example)
    steps.after(x, v, compliances, recorder)[-1, 1].backward()

    def height(softer=0.0, faster=0.0):
        with torch.no_grad():
            c, w = compliances.clone(), v.clone()
            c[1] += softer
            w[2, 1] += faster
            return float(steps.after(x, w, c, recorder)[-1, 1])

    assert float(v.grad[2, 1]) == pytest.approx((height(faster=1e-4) - height(faster=-1e-4)) / 2e-4, rel=1e-3)
    assert float(compliances.grad[1]) == pytest.approx((height(softer=1e-5) - height(softer=-1e-5)) / 2e-5, rel=1e-3)


def test_a_second_backward_in_torch(example):
    torch, steps, x, v, recorder, compliances = torch_chain(example)
    end = steps.after(x, v, compliances, recorder)[-1]
    first = torch.autograd.grad(end[1], (x, v, compliances), retain_graph=True)
    second = torch.autograd.grad(end[1], (x, v, compliances), retain_graph=True)
    other = torch.autograd.grad(end[0], (x, v, compliances))
    assert all(torch.equal(a, b) for a, b in zip(first, second))
    assert not torch.equal(first[0], other[0])


def test_steps_after_steps_in_torch(example):
    """Two times five steps of one world are ten of it."""
    torch, steps, x, v, recorder, compliances = torch_chain(example)
    halfway = steps.Steps.apply(x, v, compliances, recorder, 5)
    end = steps.Steps.apply(*halfway, compliances, recorder, 5)[0][-1, 1]
    parts = torch.autograd.grad(end, (x, v, compliances))
    whole = torch.autograd.grad(steps.after(x, v, compliances, recorder)[-1, 1], (x, v, compliances))
    for part, all_of_it in zip(parts, whole):
        torch.testing.assert_close(part, all_of_it, rtol=1e-3, atol=1e-6)


def derivatives(world, steps, by_x):
    """Back over the steps of a world from dL/dx = by_x; the records, for what is to be read of them."""
    records = taut.Gradients(world, steps)
    for _ in range(steps):
        records.step(H)
    by_v = numpy.zeros_like(by_x)
    while len(records):
        by_x, by_v = records.back(by_x, by_v)
    return records


def test_a_rod_that_is_clamped():
    """How far its tip sinks, by the compliances of bending."""
    scene = taut.Scene()
    line = numpy.stack([0.1 * numpy.arange(6), numpy.zeros(6), numpy.zeros(6)], axis=1)
    rod = scene.add_rods(offsets=[0, 6], positions=line, radius=0.005, young=1e7, shear=4e6, clamped=[True] + 5 * [False])

    def tip(scale=None):
        world = taut.World(scene, **EXACT)
        compliances = 2e-2 * numpy.ones((5, 3)) if scale is None else scale
        world.set_compliances(rod.bends, compliances)
        return world, compliances

    world, compliances = tip()
    by_x = numpy.zeros((world.particle_count + world.frame_count, 3))
    by_x[5, 1] = 1
    got = derivatives(world, 5, by_x).read("compliances", rod.bends)
    assert got.shape == (5, 3)
    for place in ((0, 0), (0, 1), (2, 0), (2, 1)):
        ends = []
        for sign in (1, -1):
            moved = compliances.copy()
            moved[place] *= 1 + 0.01 * sign
            world, _ = tip(moved)
            for _ in range(5):
                world.step(H)
            ends.append(world.positions[5, 1])
        assert got[place] == pytest.approx((ends[0] - ends[1]) / (0.02 * compliances[place]), rel=1e-3, abs=1e-7)


def test_a_particle_at_a_point_of_a_body():
    """A body that hangs by a segment from a fixed point swings; its height by the mass of a bead that another one holds."""
    def swing(mass):
        scene = taut.Scene()
        body = scene.add_bodies(positions=[[0.5, 0, 0]], mass=1, inertia=taut.inertia_of_box(1, [1, 0.1, 0.1]))
        beads = scene.add_particles(positions=[[0, 0, 0], [1, 0, 0]], masses=[1, mass], fixed=[True, False])
        scene.add_segments(particles=[[body.points.start, bead] for bead in beads], frames=2 * [body.frames.start])
        return taut.World(scene, **EXACT)

    world = swing(0.3)
    by_x = numpy.zeros((world.particle_count + world.frame_count, 3))
    by_x[0, 1] = 1
    got = derivatives(world, 10, by_x).read("masses")
    ends = []
    for mass in (0.303, 0.297):
        world = swing(mass)
        for _ in range(10):
            world.step(H)
        ends.append(world.positions[0, 1])
    assert got[2] == pytest.approx((ends[0] - ends[1]) / 0.006, rel=1e-3)


def test_a_scene_whose_cord_is_attached_to_a_body():
    """By the velocity at the start of the end of the cord, against differences; the point of attachment is a mapped one."""
    scene = taut.load({
        "taut": 1, "solver": {"method": "direct", "tolerance": 1e-11}, "integrator": {"newton": 50, "newton_tolerance": 1e-9},
        "objects": [{"name": "bar", "type": "rigid", "box": {"sides": [1, 0.1, 0.1]}, "mass": 1, "translate": [0.5, 0, 0]},
                    {"name": "cord", "type": "rope", "points": [[1, 0.05, 0], [1.3, 0.05, 0]], "segments": 3, "density": 5,
                     "stretch": {"compliance": 1e-4}}],
        "constraints": [{"type": "attach", "a": ["cord", 0], "b": {"object": "bar", "at": [1, 0.05, 0]}}]})

    def ends(speed, recorded=False):
        simulation = taut.Simulation(scene, backend="cpu")
        world, end = simulation.world, simulation.objects["cord"].points[-1]
        world.write("velocities", [[0.2, speed, 0.2]], first=end)
        if not recorded:
            for _ in range(8):
                world.step(H)
            return world.positions[0, 1]
        records = taut.Gradients(world, 8)
        for _ in range(8):
            records.step(H)
        by_x = numpy.zeros((world.particle_count + world.frame_count, 3))
        by_v = by_x.copy()
        by_x[0, 1] = 1  # the height of the bar
        while len(records):
            by_x, by_v = records.back(by_x, by_v)
        return by_v[end, 1]

    assert ends(1.0, True) == pytest.approx((ends(1.02) - ends(0.98)) / 0.04, rel=1e-3)
    assert abs(ends(1.0, True)) > 1e-5
