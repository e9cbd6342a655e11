"""Operators and matrices against each other and against a step."""

import numpy
import pytest

import taut

sparse = pytest.importorskip("scipy.sparse")
operators = pytest.importorskip("taut.operators")
import scipy.sparse.linalg  # noqa: E402

H = 1 / 60


@pytest.fixture
def moved(sheet):
    """A sheet in motion, with multipliers, and a hinge of two bodies."""
    bodies = sheet.add_bodies(positions=[[2, 0, 0], [3, 0, 0]], angular_velocities=[[0, 1, 0], [0, 0, 1]])
    sheet.add_joints(type="hinge", bodies=[bodies.bodies], positions=[[2.5, 0, 0]])
    world = taut.World(sheet, backend="cpu", solver=dict(method="schur", tolerance=1e-10))
    for _ in range(3):
        world.step(H)
    return world


def test_operators_are_those_of_the_matrices(moved):
    step, matrices = operators.linearise(moved, H), operators.assemble(moved)
    assert step.J.shape == matrices.J.shape == (step.m, step.n)
    random = numpy.random.default_rng(1)
    v, lam = random.standard_normal(step.n), random.standard_normal(step.m)
    numpy.testing.assert_allclose(step.J @ v, matrices.J @ v, rtol=1e-5, atol=1e-5)  # the step rounds J to float32
    numpy.testing.assert_allclose(step.J.rmatvec(lam), matrices.J.T @ lam, rtol=1e-5, atol=1e-5)
    numpy.testing.assert_allclose(step.G @ v, matrices.G @ v, rtol=1e-4, atol=1e-3 * abs(matrices.G).max())
    free = matrices.P
    a = free @ (matrices.M + H * H * matrices.Gamma) @ free
    numpy.testing.assert_allclose(step.A @ v, a @ v, rtol=1e-5, atol=1e-6)
    numpy.testing.assert_allclose(step.A @ (step.A_inverse @ v), free @ v, atol=1e-8)


def test_the_schur_complement(moved):
    """S = J A^-1 J^T + W, column by column, symmetric and positive definite; W = C/(h l) with l = h here."""
    step, matrices = operators.linearise(moved, H), operators.assemble(moved)
    dense = numpy.column_stack([step.S @ e for e in numpy.eye(step.m)])
    numpy.testing.assert_allclose(dense, dense.T, atol=1e-8 * abs(dense).max())
    assert numpy.linalg.eigvalsh(dense).min() > -1e-8 * abs(dense).max()
    lam = numpy.random.default_rng(2).standard_normal(step.m)
    other = step.J @ (step.A_inverse @ step.J.rmatvec(lam)) + step.W @ lam
    numpy.testing.assert_allclose(step.S @ lam, other, rtol=1e-7, atol=1e-9)
    numpy.testing.assert_allclose(step.W @ lam, matrices.C @ lam / H**2, rtol=1e-5, atol=1e-7)


def dense_of(operator):
    return numpy.column_stack([operator @ e for e in numpy.eye(operator.shape[1])])


def of_a_sheet(sheet):
    return taut.World(sheet, backend="cpu", solver=dict(method="schur", tolerance=1e-10))


def without_stiffness(sheet):
    return taut.World(sheet, backend="cpu", solver=dict(method="schur", tolerance=1e-10), integrator=dict(geometric_stiffness="none"))


def with_forces(sheet):
    sheet.use_as_forces(sheet.batch(1))
    return taut.World(sheet, backend="cpu", integrator=dict(geometric_stiffness="none"))


@pytest.mark.parametrize("make", [of_a_sheet, without_stiffness, with_forces])
@pytest.mark.parametrize("bodies", [False, True])
def test_matrices_of_a_step(sheet, make, bodies):
    if bodies:
        made = sheet.add_bodies(positions=[[2, 0, 0], [3, 0, 0]], angular_velocities=[[0, 1, 0], [0, 0, 1]])
        sheet.add_joints(type="hinge", bodies=[made.bodies], positions=[[2.5, 0, 0]])
    world = make(sheet)
    for _ in range(3):
        world.step(H)
    matrices, step = operators.assemble(world, H), operators.linearise(world, H)
    for name in ("A", "W", "A_inverse", "S"):
        told = dense_of(getattr(step, name))
        # A step rounds J to float32.
        numpy.testing.assert_allclose(getattr(matrices, name).toarray(), told, atol=3e-6 * abs(told).max(initial=1e-30), err_msg=name)
    if make is without_stiffness:
        assert matrices.A_inverse.nnz <= 9 * step.n // 3 and matrices.S.nnz < 0.2 * step.m**2


def test_matrices_of_a_step_with_contacts():
    scene = taut.Scene()
    scene.add_colliders(shape="plane", orientations=[[2**-0.5, -(2**-0.5), 0, 0]])
    points = scene.add_particles(positions=[[0, 0.001, 0], [1, 0.001, 0], [2, 0.5, 0]], mass=0.1)
    scene.add_contact_points(particles=list(points), radius=0.01)
    scene.add_distances(particles=[[0, 1], [1, 2]], compliance=1e-4)
    world = taut.World(scene, backend="cpu", contact=dict(capacity=8))
    world.step(H)
    matrices, step = operators.assemble(world, H), operators.linearise(world, H)
    assert step.m > 2
    numpy.testing.assert_allclose(matrices.S.toarray(), dense_of(step.S), atol=3e-6 * abs(dense_of(step.S)).max())


def test_matrices_without_a_step(pendulum):
    matrices = operators.assemble(taut.World(pendulum, backend="cpu"))
    with pytest.raises(ValueError, match=r"assemble\(world, h\)"):
        matrices.S
    assert not hasattr(matrices, "A")


def test_the_transposed_geometric_stiffness(moved, sheet):
    """It is symmetric without frames alone."""
    step = operators.linearise(moved, H)
    dense = dense_of(step.G)
    numpy.testing.assert_allclose(numpy.column_stack([step.G.rmatvec(e) for e in numpy.eye(step.n)]), dense.T, atol=1e-4 * abs(dense).max())
    numpy.testing.assert_allclose(step.G.T @ numpy.ones(step.n), dense.T @ numpy.ones(step.n), atol=1e-3 * abs(dense).max())
    step.S @ numpy.ones(step.m)  # goes on


def test_a_second_linearisation_ends_the_first(pendulum):
    world = taut.World(pendulum, backend="cpu")
    first = operators.linearise(world, H)
    second = operators.linearise(world, H / 10)
    uses = [lambda s: s.S @ numpy.ones(s.m), lambda s: s.J.rmatvec(numpy.ones(s.m)), lambda s: s.b, lambda s: s.r,
            lambda s: s.velocity_change(numpy.ones(s.m))]
    for use in uses:
        with pytest.raises(taut.Error, match="linearised again") as caught:
            use(first)
        assert caught.value.status == "TAUT_INVALID_ARGUMENT"
        use(second)
    operators.solve(world, H, method="schur")
    with pytest.raises(taut.Error, match="linearised again"):
        second.S @ numpy.ones(second.m)


def test_complex_vectors_keep_both_parts(moved):
    step = operators.linearise(moved, H)
    x, y = numpy.random.default_rng(3).standard_normal((2, step.m))
    for apply in (lambda v: step.S @ v, step.J.rmatvec, lambda v: (step.S @ numpy.stack([v, v], axis=1))[:, 1],
                  step.J.adjoint().matvec, lambda v: step.velocity_change(v) - step.velocity_change(0 * x)):
        together = apply(x + 1j * y)
        assert together.dtype == complex
        numpy.testing.assert_allclose(together.real, apply(x), atol=1e-12)
        numpy.testing.assert_allclose(together.imag, apply(y), atol=1e-12)
    side = step.b + 1j * y * numpy.abs(step.b).max()
    gam, failed = scipy.sparse.linalg.gmres(step.S, side, maxiter=500, **_tolerance(1e-8))
    assert failed == 0 and numpy.linalg.norm(step.S @ gam - side) < 1e-6 * numpy.linalg.norm(side)
    with pytest.raises(ValueError, match="masked"):
        moved.apply("s", numpy.ma.masked_less(x, 0))
    assert (step.W @ (x > 0)).dtype == float


def test_solving_outside_gives_the_step(moved):
    """Conjugate gradients of SciPy on S, then dv = A^-1 (r + J^T gam): what World.step does."""
    step = operators.linearise(moved, H)
    gam, failed = scipy.sparse.linalg.cg(step.S, step.b, maxiter=5000, **_tolerance(1e-12))
    assert failed == 0
    change = step.velocity_change(gam).reshape(-1, 3)
    before = moved.velocities.copy()
    points = moved.particle_count
    moved.step(H)
    numpy.testing.assert_allclose(moved.velocities - before, change[:points], atol=1e-5)


def _tolerance(value):
    import inspect
    name = "rtol" if "rtol" in inspect.signature(scipy.sparse.linalg.cg).parameters else "tol"
    return {name: value}


def test_a_step_ends_a_linearisation(moved):
    step = operators.linearise(moved, H)
    moved.step(H)
    with pytest.raises(taut.Error):
        step.S @ numpy.zeros(step.m)


def test_the_equation_of_motion_in_matrices(pendulum):
    """M (v' - v) = h (f + J^T lam) of implicit Euler, from matrices alone; the force is that of the step."""
    world = taut.World(pendulum, backend="cpu", integrator=dict(geometric_stiffness="none"), solver=dict(tolerance=1e-10))
    before, matrices = world.velocities.copy(), operators.assemble(world)
    world.step(H)
    lam = world.multipliers
    motion = matrices.M @ (world.velocities - before).ravel()
    force = matrices.P @ (matrices.f + matrices.J.T @ lam)
    numpy.testing.assert_allclose(motion, H * force, atol=1e-9)
    assert matrices.blocks["rows"].tolist() == [1] and matrices.blocks["particles"][0, :2].tolist() == [0, 1]
    assert taut.NAMES["kind"][matrices.blocks["kind"][0]] == "distance"


def test_matrices_outlive_their_world(pendulum):
    with taut.World(pendulum) as world:
        matrices = operators.assemble(world)
        masses = matrices.M.diagonal()
    del world
    numpy.testing.assert_array_equal(matrices.M.diagonal(), masses)
    assert masses.tolist() == [1, 1, 1, 2, 2, 2]


def test_splitting_and_projecting(pendulum):
    world = taut.World(pendulum)
    world.linearise(H)
    admissible, reaction = world.split([0, 0, 0, 1, 2, 3])
    numpy.testing.assert_allclose(admissible, [0, 0, 0, 0, 2, 3], atol=1e-9)
    numpy.testing.assert_allclose(reaction[3:], [1, 0, 0], atol=1e-9)
    world.write("positions", [[1.2, 0, 0]], first=1)
    assert world.project_positions() < 1e-10
    numpy.testing.assert_allclose(world.positions[1], [1, 0, 0], atol=1e-9)


def test_the_condensed_system(sheet):
    world = taut.World(sheet, backend="cpu", solver=dict(method="condensed", cycle="v", tolerance=1e-9, warm_start=False))
    world.step(H)
    step = operators.linearise(world, H)
    eye = numpy.eye(step.n)
    a, j = (numpy.stack([operator @ e for e in eye], axis=1) for operator in (step.A, step.J))
    w = numpy.stack([step.W @ e for e in numpy.eye(step.m)], axis=1)
    h, b = (numpy.stack([operator @ e for e in eye], axis=1) for operator in (step.H, step.B))
    free = operators.assemble(world).P.toarray()
    expected = free @ (a + j.T @ numpy.linalg.solve(w, j)) @ free
    numpy.testing.assert_allclose(h, expected, atol=1e-6 * abs(expected).max())
    numpy.testing.assert_allclose(b, b.T, atol=1e-6 * abs(b).max())
    assert numpy.linalg.eigvalsh(b).min() > -1e-6 * abs(b).max()


@pytest.mark.parametrize("method", ["condensed", "schur"])
def test_a_step_is_solved_with_callbacks(sheet, method):
    world = taut.World(sheet, backend="cpu", solver=dict(method="condensed", tolerance=1e-10))
    world.step(H)
    seen = []
    solution = operators.solve(world, H, method=method, tolerance=1e-8, callback=lambda i, residual, x: seen.append((i, residual)))
    assert solution.converged and [residual for _, residual in seen] == solution.residuals[1:]
    assert [i for i, _ in seen] == list(range(1, len(seen) + 1))
    before = world.velocities.copy()
    world.step(H)
    numpy.testing.assert_allclose(solution.dv, (world.velocities - before).ravel(), atol=1e-5)


@pytest.mark.parametrize("method", ["condensed", "schur"])
def test_a_given_side_is_solved_for(sheet, method):
    world = taut.World(sheet, backend="cpu", solver=dict(method="condensed"))
    world.step(H)
    step = operators.linearise(world, H)
    x = numpy.random.default_rng(4).standard_normal(step.m if method == "schur" else step.n)
    side = (step.S if method == "schur" else step.H) @ x
    expected = step.A_inverse @ step.J.rmatvec(x) if method == "schur" else operators.assemble(world).P @ x
    solution = taut.solve(world, H, method=method, side=side, tolerance=1e-10)
    assert solution.converged
    numpy.testing.assert_allclose(solution.dv, expected, atol=1e-4 * abs(expected).max())
    with pytest.raises(ValueError, match="side: has the shape"):
        taut.solve(world, H, method=method, side=[1, 2])


def test_what_has_no_condensed_system(pendulum):
    world = taut.World(pendulum, backend="cpu", solver=dict(method="condensed"))
    with pytest.raises(ValueError, match="hard rows"):
        operators.solve(world, H)
    world = taut.World(pendulum, backend="cpu", solver=dict(method="schur"))
    with pytest.raises(taut.Error, match="condensed system"):
        operators.linearise(world, H).B @ numpy.zeros(6)
    with pytest.raises(ValueError, match="method"):
        operators.solve(world, H, method="direct")
