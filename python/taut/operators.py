"""The operators and matrices of a step for SciPy, which this module alone needs.

    h = 1 / 60
    step = taut.operators.linearise(world, h)
    gam, _ = scipy.sparse.linalg.cg(step.S, step.b)         constraint impulses: S gam = b
    matrices = taut.operators.assemble(world, h)
    matrices.J, matrices.M, matrices.S                      scipy.sparse.csr_array

n = 3 (points + frames) unknowns, m rows of constraints and contacts; docs/mathematics.md has the formulas."""

from __future__ import annotations

import collections.abc
import functools
import typing

import numpy

from . import _extras, _taut

try:
    import scipy.sparse
    import scipy.sparse.linalg

    from . import _probing
except ModuleNotFoundError as error:
    raise _extras.missing("taut.operators", error, "operators") from None

__all__ = ["Linearisation", "Matrices", "Solution", "assemble", "linearise", "solve"]


class Linearisation:
    """The linear operators of a step of h seconds at the state where it was made. A step, a write or another linearisation of the
    world (`solve` makes some) ends it; applying an operator raises taut.Error then.

    J: m x n, Jacobian of the constraints, with its transpose
    A: n x n, P A P: masses, stabilising geometric stiffness, tangents of force elements; symmetric
    A_inverse: n x n, (P A P)^+
    S: m x m, J (P A P)^+ J^T + W, the Schur complement; symmetric
    W: m x m, C/(h l), compliance; symmetric
    G: n x n, exact geometric stiffness; symmetric without frames, with its transpose
    H: n x n, the matrix of the condensed system, as its solver has it in float32; symmetric
    B: n x n, its preconditioner: a cycle of the multilevel one
    b: m values, S gam = b; r: n values, A dv = r + J^T gam
    """

    def __init__(self, world: _taut.World, h: float) -> None:
        self.world, self.h = world, h
        self.m = world.linearise(h)
        self._number = world.linearisations
        self._g: scipy.sparse.csr_array | None = None
        self.n = 3 * (world.particle_count + world.frame_count)
        self.J = self._operator((self.m, self.n), "j", "jt")
        self.A = self._operator((self.n, self.n), "a", "a")
        self.A_inverse = self._operator((self.n, self.n), "a_inverse", "a_inverse")
        self.S = self._operator((self.m, self.m), "s", "s")
        self.W = self._operator((self.m, self.m), "w", "w")
        self.G = self._operator((self.n, self.n), "g", "g")
        self.H = self._operator((self.n, self.n), "h", "h")
        self.B = self._operator((self.n, self.n), "preconditioner", "preconditioner")

    def _operator(self, shape: tuple[int, int], name: str, transpose: str) -> scipy.sparse.linalg.LinearOperator:
        def apply(which: str) -> collections.abc.Callable[[numpy.ndarray], numpy.ndarray]:
            return lambda vector: self._apply(which, numpy.asanyarray(vector).reshape(-1))

        transposed = self._transposed_g if name == "g" and self.world.frame_count else apply(transpose)
        return scipy.sparse.linalg.LinearOperator(shape, matvec=apply(name), rmatvec=transposed, dtype=numpy.float64)

    def _transposed_g(self, vector: numpy.ndarray) -> numpy.ndarray:
        """By the assembled matrix; assembling ends a linearisation, and this one goes on by another of the same state."""
        if self._g is None:
            world = self._world()
            self._g = _matrix(world.assemble(), "g")
            world.linearise(self.h)
            self._number = world.linearisations
        self._world()
        return self._g.T @ numpy.asanyarray(vector).reshape(-1)

    def _apply(self, which: str, vector: numpy.ndarray) -> numpy.ndarray:
        if numpy.iscomplexobj(vector):  # the operators are real
            return self._apply(which, vector.real) + 1j * self._apply(which, vector.imag)
        return self._world().apply(which, vector.astype(float) if vector.dtype == bool else vector)

    def _world(self) -> _taut.World:
        """The world, as long as it has this linearisation."""
        if self.world.linearisations != self._number:
            error = _taut.Error("operators: the world has been linearised again since; these operators are gone.")
            error.status = "TAUT_INVALID_ARGUMENT"
            raise error
        return self.world

    @property
    def b(self) -> numpy.ndarray:
        return self._world().right_hand_side("s")

    @property
    def r(self) -> numpy.ndarray:
        return self._world().right_hand_side("a")

    def velocity_change(self, impulses: numpy.ndarray) -> numpy.ndarray:
        """The motion dv = A^-1 (r + J^T gam) of a step with these impulses, n values, m/s and rad/s."""
        return self.A_inverse @ (self.r + self.J.rmatvec(impulses))


def linearise(world: _taut.World, h: float) -> Linearisation:
    """Linearises a world for a step of h seconds, without a step."""
    return Linearisation(world, h)


class Solution(typing.NamedTuple):
    """What solve has found. dv: n values, m/s and rad/s; residuals: |b - matrix x|/|b| at the start and after each
    iteration; converged: whether the last one is at most the tolerance."""

    dv: numpy.ndarray
    residuals: list[float]
    converged: bool


def _conjugate_gradients(matrix, preconditioner, side, tolerance, most, callback):
    x, r = numpy.zeros_like(side), side.copy()
    z = preconditioner @ r
    p, rz, scale = z.copy(), r @ z, float(numpy.linalg.norm(side)) or 1.0
    residuals = [float(numpy.linalg.norm(r) / scale)]
    while residuals[-1] > tolerance and len(residuals) <= most:
        q = matrix @ p
        step = rz / (p @ q)
        x += step * p
        r -= step * q
        residuals.append(float(numpy.linalg.norm(r) / scale))
        if callback is not None:
            callback(len(residuals) - 1, residuals[-1], x)
        z = preconditioner @ r
        rz, before = r @ z, rz
        p = z + rz / before * p
    return x, residuals


def _law(step: Linearisation, blocks: numpy.ndarray) -> _probing.Blocks:
    """W of constraints and contacts; force elements have none."""
    acting = blocks[~blocks["force"]]
    return _probing.of_rows(step.W, acting["first_row"], acting["rows"])


def _condensed_side(step: Linearisation, world: _taut.World) -> numpy.ndarray:
    """P (r + J^T W^-1 c) with the rows' right-hand side c = b + J A^-1 r: what the motion of a step is H^-1 of."""
    assembly = world.assemble()
    step = linearise(world, step.h)  # assembling ends a linearisation
    free, law = assembly.csr("p")[0], _law(step, assembly.blocks())
    if (numpy.abs(numpy.linalg.det(law.dense)) == 0).any():
        raise ValueError("hard rows have no condensed system without a shift; method='schur' solves for them")
    c = step.b + step.J @ (step.A_inverse @ step.r)
    solved = numpy.linalg.solve(law.dense, numpy.where(law.inside, c[law.rows], 0)[..., None])[..., 0]
    impulses = numpy.zeros(step.m)
    impulses[law.rows[law.inside]] = solved[law.inside]
    return free * (step.r + step.J.rmatvec(impulses))


def _given_side(side: typing.Any, size: int) -> numpy.ndarray:
    given = numpy.asarray(side, dtype=float)
    if given.shape != (size,):
        raise ValueError(f"side: has the shape {given.shape}; this system takes {size} values")
    return given


def solve(world: _taut.World, h: float, *, method: str = "condensed", side: typing.Any = None, preconditioned: bool = True,
          tolerance: float = 1e-6, max_iterations: int = 1000,
          callback: collections.abc.Callable[[int, float, numpy.ndarray], object] | None = None) -> Solution:
    """The linear system of a step of h seconds at the current state, by conjugate gradients in float64, without a step.

    method: 'condensed', H dv = r + J^T W^-1 c with the world's preconditioner of that system (or none); 'schur', S gam = b
    without one. side: another right-hand side, n values of the condensed system, m of the other; dv is then what follows from it alone.
    callback(iteration, residual, x) is called after each iteration. Bounds of rows and laws of contacts are no
    part of it, and the start is 0: for plots and for experiments with preconditioners, not for speed. taut.solve is the same.

    >>> scene = taut.Scene()
    >>> points = scene.add_particles(positions=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass=0.1)
    >>> links = scene.add_distances(particles=[[0, 1], [1, 2]], compliance=1e-4)
    >>> world = taut.World(scene, backend="cpu", solver={"method": "condensed"})
    >>> seen = []
    >>> solution = taut.solve(world, 1 / 60, callback=lambda iteration, residual, x: seen.append(residual))
    >>> solution.converged, seen == solution.residuals[1:], solution.dv.shape
    (True, True, (9,))
    """
    if method not in ("condensed", "schur"):
        raise ValueError(f"method is {method!r}; it is 'condensed' or 'schur'")
    step = linearise(world, h)
    if method == "schur":
        b = step.b if side is None else _given_side(side, step.m)
        one = scipy.sparse.linalg.aslinearoperator(scipy.sparse.identity(step.m))
        gam, residuals = _conjugate_gradients(step.S, one, b, tolerance, max_iterations, callback)
        dv = step.velocity_change(gam) if side is None else step.A_inverse @ step.J.rmatvec(gam)
        return Solution(dv, residuals, residuals[-1] <= tolerance)
    b = _condensed_side(step, world) if side is None else _given_side(side, step.n)
    step = linearise(world, h)
    one = step.B if preconditioned else scipy.sparse.linalg.aslinearoperator(scipy.sparse.identity(step.n))
    dv, residuals = _conjugate_gradients(step.H, one, b, tolerance, max_iterations, callback)
    return Solution(dv, residuals, residuals[-1] <= tolerance)


def _matrix(assembly: _taut.Assembly, name: str) -> scipy.sparse.csr_array:
    values, columns, offsets, shape = assembly.csr(name)
    kind = numpy.int32 if max(len(values), *shape) < 2**31 else numpy.int64
    return scipy.sparse.csr_array((values, columns.astype(kind), offsets.astype(kind)), shape=shape)


class Matrices:
    """The matrices and vectors of a world at one time, in float64. Values are those of the library, without a copy.

    M (n x n, masses), J (m x n), C (m x m, compliance), P (n x n, 1 for free ones), G (n x n, exact geometric stiffness), K
    (n x n, exact stiffness of force elements), Gamma (n x n, stabilising part of -G): scipy.sparse.csr_array.
    f (n, forces), phi (m, constraint functions), lam (m, constraint forces), v (n, velocities): arrays.
    blocks: a record for each constraint or contact.

    With h also those of a step of h seconds, as Linearisation has them as operators: A, W, and, made when they are first asked for,
    A_inverse and S. A_inverse has a dense block for all points that A couples: one for each point and frame
    where there is no geometric stiffness (integrator={"geometric_stiffness": "none"}) and no stiffness of forces, and else up to n x n.
    """

    def __init__(self, world: _taut.World, h: float | None = None) -> None:
        if h is not None:
            linearise(world, h)  # finds the contacts of the step
        self.assembly = world.assemble()
        for name in ("M", "J", "C", "P", "G", "K", "Gamma"):
            setattr(self, name, _matrix(self.assembly, name.lower()))
        for name in ("f", "phi", "lam", "v"):
            setattr(self, name, self.assembly.vector(name))
        if h is not None:
            self._take_step(linearise(world, h))

    M: scipy.sparse.csr_array
    J: scipy.sparse.csr_array
    C: scipy.sparse.csr_array
    P: scipy.sparse.csr_array
    G: scipy.sparse.csr_array
    K: scipy.sparse.csr_array
    Gamma: scipy.sparse.csr_array
    A: scipy.sparse.csr_array
    W: scipy.sparse.csr_array
    f: numpy.ndarray
    phi: numpy.ndarray
    lam: numpy.ndarray
    v: numpy.ndarray

    def _take_step(self, step: Linearisation) -> None:
        """A and W as the step has them, by what they do to vectors that tell their entries apart."""
        forces = self.J.T @ (self._rows(force=True) @ self.J)
        self.A = _probing.of_nodes(step.A, (self.M, self.Gamma, self.K, forces))
        self.W = _law(step, self.blocks).sparse(step.m)
        probe = numpy.random.default_rng(0).standard_normal(step.n)
        told = step.A @ probe
        if not numpy.allclose(self.A @ probe, told, rtol=1e-6, atol=1e-6 * numpy.abs(told).max(initial=0)):
            raise RuntimeError("A of this world has entries that none of its matrices has; use the operator")

    def _rows(self, force: bool) -> scipy.sparse.csr_array:
        """m x m, 1 for rows of constraints or of force elements."""
        blocks, kept = self.blocks, numpy.zeros(self.J.shape[0] + 1)
        blocks = blocks[blocks["force"] == force]
        numpy.add.at(kept, blocks["first_row"], 1)
        numpy.add.at(kept, blocks["first_row"] + blocks["rows"], -1)
        kept = numpy.cumsum(kept)[:-1]
        return scipy.sparse.csr_array(scipy.sparse.diags(kept))

    @functools.cached_property
    def A_inverse(self) -> scipy.sparse.csr_array:
        """(P A P)^+."""
        return _probing.inverse(self._of_step("A"))

    @functools.cached_property
    def S(self) -> scipy.sparse.csr_array:
        """J (P A P)^+ J^T + W."""
        rows, inverse = self._rows(force=False) @ self.J, self.A_inverse
        full = inverse.nnz > 0.1 * inverse.shape[0] ** 2  # products of what is full are faster without indices
        return scipy.sparse.csr_array(rows @ (inverse.toarray() if full else inverse) @ rows.T + self._of_step("W"))

    def _of_step(self, name: str) -> scipy.sparse.csr_array:
        if name not in self.__dict__:
            raise ValueError("A, W, A_inverse and S are of a step: assemble(world, h) has them")
        return self.__dict__[name]

    @property
    def blocks(self) -> numpy.ndarray:
        return self.assembly.blocks()


def assemble(world: _taut.World, h: float | None = None) -> Matrices:
    """All matrices and vectors of a world at its current state; with h also those of a step of h seconds."""
    return Matrices(world, h)
